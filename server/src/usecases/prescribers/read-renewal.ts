import type { PortalRenewals, RenewalRequest } from "@pestle/contract";
import {
  findRequest,
  listRenewals,
  loadRequestFacts,
  prescriberMessagePlace,
  type RequestRow,
} from "../../db/prescribers/prescriber-messages.ts";
import type { Deps } from "../../deps.ts";
import { renewalSentences } from "../../domain/prescribers/prescriber-request.ts";
import { StatusRefusal } from "../../domain/values/refusals.ts";
import { type Vault, withKeysOfNow } from "../../vault/vault.ts";
import type { PortalActor } from "../operations/audit-portal.ts";
import { writeLook } from "../operations/write-audit.ts";
import { openPatientId } from "../patients/patient-rows.ts";

/** A request for renewal of this prescription and its patient; undefined if the account has none with this id. */
export const readRenewal = (
  deps: Pick<Deps, "db" | "vault">,
  account_id: string,
  prescription_id: number,
  renewal_request_id: string,
): Promise<{ request: RenewalRequest; patient_id: string } | undefined> =>
  withKeysOfNow(deps, async () => {
    const row = await findRequest(deps.db, account_id, renewal_request_id);
    if (row === undefined || row.kind !== "renewal" || row.prescription_id !== prescription_id) return undefined;
    return { request: answerOf(deps.vault, account_id, row), patient_id: openPatientId(deps, account_id, row) };
  });

/** A page shows the newest few. */
const MOST_SHOWN = 20;

/** The newest requests, and whether another one is possible, for a person in the portal. The view is audited. */
export async function viewRenewals(deps: Deps, by: PortalActor, prescription_id: number): Promise<PortalRenewals> {
  const { account_id, request_id } = by;
  const facts = await loadRequestFacts(deps.db, account_id, prescription_id);
  if (facts === undefined) throw new StatusRefusal(404);
  const renewal_requests = await withKeysOfNow(deps, async () =>
    (await listRenewals(deps.db, account_id, prescription_id, MOST_SHOWN)).map((row) =>
      answerOf(deps.vault, account_id, row),
    ),
  );
  const subject = String(prescription_id);
  const entry = { account_id, action: "prescriptions_read", subject, patient_keys: [facts.patient_key] } as const;
  await writeLook(deps, by, entry, request_id);
  return { renewal_requests, problems: renewalSentences(facts) };
}

const answerOf = (vault: Vault, account_id: string, row: RequestRow): RenewalRequest => ({
  renewal_request_id: row.message_id,
  prescription_id: row.prescription_id,
  status: row.state,
  created_at: row.created_at.toISOString(),
  sent_at: row.sent_at?.toISOString() ?? null,
  answered_at: row.answered_at?.toISOString() ?? null,
  response: row.response,
  note: noteOf(vault, account_id, row),
  new_prescription_id: row.new_prescription_id,
});

/** What the prescriber wrote with the answer. */
export function noteOf(
  vault: Vault,
  account_id: string,
  { message_id, answer_sealed }: Pick<RequestRow, "message_id" | "answer_sealed">,
): string | null {
  if (answer_sealed === null) return null;
  const opened = vault.open(answer_sealed, prescriberMessagePlace("answer_sealed", account_id, message_id));
  return (JSON.parse(opened.toString("utf8")) as { note: string | null }).note;
}
