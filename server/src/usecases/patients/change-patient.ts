import { type Address, PatientUpdate, SafetyEntryRemoval, ShippingAddressInput } from "@pestle/contract";
import type { Tx } from "../../db/db.ts";
import { listShipToAddresses, orderPlace } from "../../db/orders/orders.ts";
import { lockPatient, savePatient, saveToldPatient } from "../../db/patients/patients.ts";
import type { Deps } from "../../deps.ts";
import { partnerBy } from "../../domain/orders/order.ts";
import { readAddress, settleAddress } from "../../domain/patients/address-input.ts";
import { readIdentityDocument } from "../../domain/patients/identity-document.ts";
import { channelsOf, messagingOf, messagingProblems } from "../../domain/patients/messaging.ts";
import {
  isSameShipTo,
  safetyProblems,
  withContact,
  withIdentityDocument,
  withoutPartnerEntry,
  withoutShippingAddress,
  withShippingAddress,
} from "../../domain/patients/patient-changes.ts";
import {
  documentAnswer,
  hasOtherCheckedFacts,
  type PatientRecord,
  patientAnswer,
} from "../../domain/patients/patient-record.ts";
import { accountNow } from "../../domain/values/account-clock.ts";
import { dateIn, readInstant } from "../../domain/values/calendar.ts";
import { readBody, refusalOf } from "../../domain/values/read-body.ts";
import { refuse, refuseAll, StatusRefusal } from "../../domain/values/refusals.ts";
import type { SentFields } from "../../domain/values/unknown-fields.ts";
import { patientUpdated } from "../../domain/webhooks/patient-updated.ts";
import { randomEventId } from "../../random.ts";
import { partnerEntry } from "../operations/audit-partner.ts";
import { recheckPatient } from "../orders/recheck-orders.ts";
import { readdressHeld } from "../orders/take-default-address.ts";
import { sealEvent } from "../webhooks/event-body.ts";
import { type FinishedAnswer, type PartnerCall, writeAnswer } from "../write.ts";
import { openRecord, patientIndex, patientRow } from "./patient-rows.ts";

export type PatientKey = { account_id: string; patient_id: string };

/** Changes the fields that were sent and keeps the rest. Names and the birth date belong to the prescriber. */
export function updatePatient(deps: Deps, call: PartnerCall, patient: PatientKey, sent: SentFields) {
  const { fields, problems } = readBody(PatientUpdate, sent, "", {
    "date-time": (text: string) => ({ value: readInstant(text, deps.config.TIME_ZONE)?.toISOString(), problems: [] }),
  });
  const { messaging: asked, ...contact } = fields;
  return writeAnswer(deps, call.key, 200, {
    audit: () => partnerEntry("updatePatient", call, { patients: [patient.patient_id] }),
    attempt: async (tx) => {
      const changed = await changePatient(deps, tx, patient, call.now, (record, { now }) => {
        refuseAll([
          ...problems,
          ...safetyProblems(record, fields.patient_safety ?? {}, now),
          ...messagingProblems(asked, problems, now),
        ]);
        const messaging = asked && { messaging: messagingOf(asked) };
        return { record: withContact(record, { ...contact, ...messaging }, now) };
      });
      const { recheck_due, patient_key } = changed;
      return { answer: patientAnswer(patient.patient_id, changed.record, changed), recheck_due, patient_key };
    },
    // New safety facts hold the patient's open orders, and an email frees them, before the partner receives the answer.
    settle: (done) => recheckChanged(deps, call, patient, done),
    answer: ({ answer }) => answer,
  });
}

const recheckChanged = <Done extends { recheck_due: boolean; patient_key: number }>(
  deps: Deps,
  call: PartnerCall,
  { account_id }: PatientKey,
  done: Done,
): Promise<Done> | undefined =>
  done.recheck_due ? recheckPatient(deps, account_id, done.patient_key, partnerBy(call)).then(() => done) : undefined;

/** Removes a safety fact that the partner sent. The record keeps it with the reason. */
export function removeSafetyEntry(
  deps: Deps,
  call: PartnerCall,
  patient: PatientKey,
  entry_id: number,
  sent: SentFields,
): Promise<FinishedAnswer> {
  const { fields, problems } = readBody(SafetyEntryRemoval, sent);
  const { reason } = fields;
  if (reason === undefined && problems.length === 0)
    problems.push({ code: 42200, field: "reason", problem: "missing", message: GIVE_REASON });
  return writeAnswer(deps, call.key, 204, {
    audit: () => partnerEntry("removeSafetyEntry", call, { patients: [patient.patient_id] }),
    attempt: (tx) =>
      changePatient(deps, tx, patient, call.now, (before, { now }) => {
        if (!before.patient_safety.entries.some((entry) => entry.entry_id === entry_id)) throw new StatusRefusal(404);
        refuseAll(problems);
        return { record: withoutPartnerEntry(before, entry_id, reason!, now)! };
      }),
    settle: (done) => recheckChanged(deps, call, patient, done),
    answer: () => undefined,
  });
}
const GIVE_REASON = "Send a `reason` of 1 to 200 characters on one line.";

/** Adds an address after the validator has checked it. A new default address also ends the holds that wait for one. */
export function addShippingAddress(deps: Deps, call: PartnerCall, patient: PatientKey, sent: SentFields) {
  return writeAnswer(deps, call.key, 201, {
    audit: () => partnerEntry("addShippingAddress", call, { patients: [patient.patient_id] }),
    prepare: async () => {
      const { default: as_default, ...fields } = sent;
      const { read, problems } = readAddress(fields, deps.zips);
      if (as_default !== undefined && as_default !== null && typeof as_default !== "boolean") {
        problems.push(refusalOf(ShippingAddressInput, "default", as_default));
      }
      if (read === null || problems.length > 0) return { address: null, problems, judged: null, as_default: false };
      const verdict = await deps.address_validators[call.grant.environment].validate(read.address);
      return { ...settleAddress(read, verdict), judged: { read, verdict }, as_default: as_default === true };
    },
    attempt: async (tx, { address, problems, as_default }) =>
      changePatient(deps, tx, patient, call.now, (record) => {
        refuseAll(problems);
        return withShippingAddress(record, address!, as_default);
      }),
    // Orders that wait for a good address ship to the new default before the partner receives the answer.
    settle: (done, { judged }) => {
      if (!done.address.default || judged === null) return undefined;
      const { patient_key } = done;
      const { account_id } = patient;
      return readdressHeld(deps, { account_id, patient_key }, judged, partnerBy(call)).then(() => done);
    },
    answer: ({ address }) => address,
  });
}

/** Removes an address, unless an open order ships to it (42228). */
export function removeShippingAddress(
  deps: Deps,
  call: PartnerCall,
  patient: PatientKey,
  address_id: number,
): Promise<FinishedAnswer> {
  const { account_id, patient_id } = patient;
  return writeAnswer(deps, call.key, 204, {
    audit: () => partnerEntry("removeShippingAddress", call, { patients: [patient.patient_id] }),
    attempt: async (tx) => {
      const index = patientIndex(deps, account_id, patient_id);
      const used = (await listShipToAddresses(tx, account_id, index)).map(({ order_number, address_sealed }) => {
        const opened = deps.vault.open(address_sealed, orderPlace("address_sealed", account_id, order_number));
        return JSON.parse(opened.toString("utf8")) as Address;
      });
      await changePatient(deps, tx, patient, call.now, (before) => {
        const gone = before.addresses.find((one) => one.address_id === address_id);
        const record = withoutShippingAddress(before, address_id);
        if (record === undefined || gone === undefined) throw new StatusRefusal(404);
        if (used.some((one) => isSameShipTo(one, gone))) refuse(42228, "address");
        return { record };
      });
    },
  });
}

/** Adds a document or renews the one on file. The answer masks its number. */
export function addIdentityDocument(deps: Deps, call: PartnerCall, patient: PatientKey, sent: SentFields) {
  return writeAnswer(deps, call.key, 201, {
    audit: () => partnerEntry("addIdentityDocument", call, { patients: [patient.patient_id] }),
    attempt: async (tx) => {
      const changed = await changePatient(deps, tx, patient, call.now, (record, { today }) => {
        const { document, problems } = readIdentityDocument(sent, today);
        refuseAll(problems);
        return withIdentityDocument(record, document!, today);
      });
      return documentAnswer(changed.document);
    },
  });
}

/**
 * Changes one locked patient: returns 404 if the account has no such patient, then lets `decide` refuse, then saves
 * once. If nothing differs, it writes nothing and keeps `updated_at`. The time and date are the account's own.
 */
export async function changePatient<Outcome extends { record: PatientRecord }>(
  deps: Deps,
  tx: Tx,
  { account_id, patient_id }: PatientKey,
  now: Date,
  decide: (record: PatientRecord, given: { now: Date; today: string }) => Outcome,
): Promise<Outcome & { created_at: Date; updated_at: Date; recheck_due: boolean; patient_key: number }> {
  const row = await lockPatient(tx, account_id, patientIndex(deps, account_id, patient_id));
  if (row === undefined) throw new StatusRefusal(404);
  const account_now = accountNow(now, row.clock_offset_s);
  const { patient_key, created_at } = row;
  const before = openRecord(deps, account_id, patient_key, row.record_sealed);
  const outcome = decide(before, { now: account_now, today: dateIn(deps.config.TIME_ZONE, account_now) });
  const unchanged = JSON.stringify(outcome.record) === JSON.stringify(before);
  // A request that waited for the lock may carry an earlier time; `updated_at` never goes back.
  const updated_at = unchanged || account_now < row.updated_at ? row.updated_at : account_now;
  // Saved with the change: a job checks the patient's orders if this process ends before it does.
  const recheck_due = hasOtherCheckedFacts(before, outcome.record);
  if (!unchanged) {
    const made = patientUpdated(patient_id, before, outcome.record, updated_at, randomEventId);
    const row = {
      ...patientRow(deps, account_id, patient_key, outcome.record, updated_at),
      message_channels: channelsOf(outcome.record),
      recheck_due,
    };
    if (made === null) await savePatient(tx, row);
    else await saveToldPatient(tx, row, sealEvent(deps.vault, account_id, made));
  }
  return { ...outcome, created_at, updated_at, recheck_due, patient_key };
}
