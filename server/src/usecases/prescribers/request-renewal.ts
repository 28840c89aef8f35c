import { type RenewalRequest, RenewalRequestInput } from "@pestle/contract";
import type { Database } from "../../db/db.ts";
import {
  insertPrescriberMessage,
  loadRequestFacts,
  prescriberMessagePlace,
} from "../../db/prescribers/prescriber-messages.ts";
import type { Deps } from "../../deps.ts";
import type { AskedMessage } from "../../domain/prescribers/compose-message.ts";
import { renewalProblems } from "../../domain/prescribers/prescriber-request.ts";
import { accountNow } from "../../domain/values/account-clock.ts";
import { readBody } from "../../domain/values/read-body.ts";
import { refuseAll, StatusRefusal } from "../../domain/values/refusals.ts";
import type { SentFields } from "../../domain/values/unknown-fields.ts";
import { randomEventId } from "../../random.ts";
import { partnerEntry } from "../operations/audit-partner.ts";
import { openPatientId } from "../patients/patient-rows.ts";
import { type FinishedAnswer, type PartnerCall, writeAnswer } from "../write.ts";

/** Asks the prescriber for a renewal of a prescription, for the partner. */
export const requestRenewal = (
  deps: Deps,
  call: PartnerCall,
  prescription_id: number,
  sent: SentFields,
): Promise<FinishedAnswer> =>
  writeAnswer(deps, call.key, 201, {
    prepare: () => {
      const { fields, problems } = readBody(RenewalRequestInput, sent);
      return { refills: fields.refills ?? null, note: fields.note ?? null, problems };
    },
    attempt: async (tx, { problems, ...said }) => {
      const { account_id } = call.grant;
      return ask(deps, tx, { account_id, prescription_id, problems, asked: { kind: "renewal", ...said } });
    },
    answer: ({ request }) => request,
    audit: ({ patient_id }) =>
      partnerEntry("createRenewalRequest", call, { patients: [patient_id], subject: String(prescription_id) }),
  });

async function ask(
  deps: Deps,
  db: Database,
  {
    account_id,
    prescription_id,
    problems,
    asked,
  }: {
    account_id: string;
    prescription_id: number;
    problems: Parameters<typeof refuseAll>[0];
    asked: AskedMessage;
  },
): Promise<{ request: RenewalRequest; patient_id: string }> {
  const facts = await loadRequestFacts(db, account_id, prescription_id);
  if (facts === undefined) throw new StatusRefusal(404);
  refuseAll([...problems, ...renewalProblems(facts)]);
  const message_id = randomEventId();
  const created_at = accountNow(deps.now(), facts.clock_offset_s);
  const place = prescriberMessagePlace("asked_sealed", account_id, message_id);
  await insertPrescriberMessage(db, {
    account_id,
    message_id,
    kind: asked.kind,
    sender: facts.sender,
    prescription_id,
    order_number: null,
    person_id: null,
    created_at,
    asked_sealed: deps.vault.seal(Buffer.from(JSON.stringify(asked)), place),
  });
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
  return { request, patient_id: openPatientId(deps, account_id, facts) };
}
