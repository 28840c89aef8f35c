import { type RenewalRequest, RenewalRequestInput } from "@pestle/contract";
import type { Tx } from "../../db/db.ts";
import { loadRequestFacts } from "../../db/prescribers/prescriber-messages.ts";
import type { Deps } from "../../deps.ts";
import { renewalProblems } from "../../domain/prescribers/prescriber-request.ts";
import { readBody } from "../../domain/values/read-body.ts";
import { refuseAll, StatusRefusal } from "../../domain/values/refusals.ts";
import type { SentFields } from "../../domain/values/unknown-fields.ts";
import { partnerEntry } from "../operations/audit-partner.ts";
import type { PortalActor } from "../operations/audit-portal.ts";
import { type Looker, writeAudit } from "../operations/write-audit.ts";
import { openPatientId } from "../patients/patient-rows.ts";
import { type FinishedAnswer, type PartnerCall, transact, writeAnswer } from "../write.ts";
import { queueRequest } from "./queue-request.ts";

/** Asks the prescriber for a renewal of a prescription, for the partner. */
export const requestRenewal = (
  deps: Deps,
  call: PartnerCall,
  prescription_id: number,
  sent: SentFields,
): Promise<FinishedAnswer> =>
  writeAnswer(deps, call.key, 201, {
    attempt: (tx) => ask(deps, tx, { account_id: call.grant.account_id, prescription_id, person_id: null }, sent),
    answer: ({ request }) => request,
    audit: ({ patient_id }) =>
      partnerEntry("createRenewalRequest", call, { patients: [patient_id], subject: String(prescription_id) }),
  });

/** The same by a person, in the portal or on the dashboard, audited in the same transaction. */
export const requestRenewalBy = (
  deps: Deps,
  by: Looker & Pick<PortalActor, "account_id" | "request_id">,
  prescription_id: number,
  sent: SentFields,
): Promise<RenewalRequest> =>
  transact(deps, async (tx) => {
    const { account_id, person_id, request_id } = by;
    const { request, patient_key } = await ask(deps, tx, { account_id, prescription_id, person_id }, sent);
    const subject = String(prescription_id);
    const entry = { account_id, action: "renewal_requested", subject, patient_keys: [patient_key] } as const;
    await writeAudit({ db: tx, now: deps.now }, by, entry, request_id);
    return request;
  });

async function ask(
  deps: Deps,
  tx: Tx,
  about: { account_id: string; prescription_id: number; person_id: string | null },
  sent: SentFields,
): Promise<{ request: RenewalRequest; patient_id: string; patient_key: number }> {
  const { account_id, prescription_id } = about;
  const { fields, problems } = readBody(RenewalRequestInput, sent);
  const facts = await loadRequestFacts(tx, account_id, prescription_id);
  if (facts === undefined) throw new StatusRefusal(404);
  refuseAll([...problems, ...renewalProblems(facts)]);
  const asked = { kind: "renewal", refills: fields.refills ?? null, note: fields.note ?? null } as const;
  const { message_id, created_at } = await queueRequest(deps, tx, facts, { ...about, asked }, deps.now());
  const request: RenewalRequest = {
    renewal_request_id: message_id,
    prescription_id,
    status: "queued",
    created_at: created_at.toISOString(),
    sent_at: null,
    answered_at: null,
    response: null,
    note: null,
    new_prescription_id: null,
  };
  return { request, patient_id: openPatientId(deps, account_id, facts), patient_key: facts.patient_key };
}
