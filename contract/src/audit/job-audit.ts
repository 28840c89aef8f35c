import { type AuditRule, notAudited, writes } from "./audit-rules.ts";

const NO_LOOK = "No person sees data. The order's history records what the job changed, and why.";
const HOUSEKEEPING = "It moves or deletes technical rows, and shows no data.";

/** The audit entries of jobs. Their entries have the role `system` and no request. */
export const jobAudit: Readonly<Record<string, AuditRule>> = {
  "share-limits": notAudited(HOUSEKEEPING),
  "share-usage": notAudited(HOUSEKEEPING),
  "watch-runs": notAudited("It reads where the database is, and shows no data."),
  "tell-losses": notAudited("No person sees data. Partners receive an event about a time, without any patient."),
  "count-usage": notAudited("It counts rows, and shows no data."),
  "process-waiting": notAudited("The request that sent the message wrote the entry."),
  "fill-due": writes("order_created", "patient", "order", "treatment", "address", "payment"),
  "tell-expiries": notAudited("No person sees data. The partner receives an event about its own prescription."),
  "fill-schedules": writes("order_created", "patient", "order", "treatment", "address", "payment"),
  "move-clocks": writes("order_created", "patient", "order", "treatment", "address", "payment"),
  "fill-back-orders": notAudited(NO_LOOK),
  "recheck-due": notAudited(NO_LOOK),
  "check-people": notAudited(NO_LOOK),
  "add-missing-names": notAudited("No person sees data. It computes keyed hashes of the records."),
  "track-shipments": notAudited(NO_LOOK),
  "settle-unpaid": notAudited(NO_LOOK),
  "check-payments": notAudited(NO_LOOK),
  "void-labels": notAudited("It tells the carrier which labels are not used, and shows no data."),
  "settle-postage": notAudited("It gives back the postage of labels that are not used, and shows no data."),
  "send-to-prescribers": notAudited(
    "It sends requests and notices that an entry of their own records, to the prescriber.",
  ),
  "queue-fill-notices": notAudited("The order's history records the fill, and the table of messages the notice."),
  "close-months": notAudited("It stores the sums of a month, and shows no data."),
  canaries: notAudited(NO_LOOK),
  "renew-keys": notAudited("It adds a data key by age and use. The table of keys records it."),
  "recheck-unchecked": notAudited(NO_LOOK),
  "keep-requests": notAudited(HOUSEKEEPING),
  "limit-requests": notAudited(HOUSEKEEPING),
  measure: notAudited("It counts what is due and reads states of the database, and shows no data."),
  "keep-exchanges": notAudited(HOUSEKEEPING),
  "keep-reads": writes("audit_gap", "service"),
  "chain-audit": notAudited("It hashes the entries that exist, and shows no data."),
  "sign-audit": notAudited("It signs a hash of the log. The table of roots records it."),
  "drop-audit": writes("audit_dropped", "service"),
  "send-digests": notAudited("It mails counts to staff who asked for them, and no order or patient."),
  "send-letters": notAudited("It mails letters whose cause has an entry of its own."),
  "queue-patient-messages": notAudited("No person sees data. The table of messages records what is queued."),
  "send-patient-messages": notAudited(
    "It sends notices to patients themselves. The table of messages records each, and the order's timeline shows it.",
  ),
  tidy: notAudited(HOUSEKEEPING),
};
