import { randomUUID } from "node:crypto";
import type { ErrorEntry, Product } from "@pestle/contract";
import type { Database } from "../../db/db.ts";
import type { Receiver } from "../../db/intake/messages.ts";
import { type IntakeSave, loadIntakeContext, saveIntake } from "../../db/intake/receive-prescription.ts";
import type { Deps } from "../../deps.ts";
import { compareDrug } from "../../domain/intake/compare-drug.ts";
import { decideIntake, type IntakeDecision, usableIds } from "../../domain/intake/decide-intake.ts";
import type { IncomingMessage, IncomingPatient, IncomingPrescription } from "../../domain/intake/incoming-message.ts";
import type { IntakeFormat } from "../../domain/intake/intake-format.ts";
import { numbersByState, type PrescriptionRules } from "../../domain/intake/prescription.ts";
import type { FillRules } from "../../domain/orders/fillability.ts";
import { system } from "../../domain/orders/order.ts";
import type { SafetyData } from "../../domain/safety/data.ts";
import { accountNow } from "../../domain/values/account-clock.ts";
import { dateIn } from "../../domain/values/calendar.ts";
import { randomId, randomPatientKey } from "../../random.ts";
import { readCatalogue } from "../catalogue/read-catalogue.ts";
import { cancelOrder } from "../orders/cancel-order.ts";
import { recheckPatient, recheckPrescriptions } from "../orders/recheck-orders.ts";
import { blindIndexes, openPatientId, openRecord, patientIndex } from "../patients/patient-rows.ts";
import {
  aboutPrescription,
  findAnsweredRequest,
  isEmpty,
  type PrescriberChanges,
  prescriberChanges,
  savePrescriberChanges,
} from "../prescribers/answer-request.ts";
import { loadSafety } from "../safety/load-safety-data.ts";
import { clarifySigs } from "./attach-prescription.ts";
import { expectedOrderErrors } from "./expected-order-errors.ts";
import { changesOf, type Stored } from "./intake-changes.ts";
import { loadNdcTable } from "./load-ndc-table.ts";
import { noteRefusal } from "./order-due-prescriptions.ts";
import { openWritten, readPrescription } from "./written.ts";

export type Received = {
  answer: string;
  patient_id: string | null;
  prescription_id: number | null;
  /** The account that the message was for, if it reached one. */
  for_account_id?: string;
  /** The checks that must run again after the commit. */
  rechecks?: Rechecks;
};
/** The patient has new safety facts, or prescriptions have ended. */
type Rechecks = {
  account_id: string;
  patient_key: number | null;
  prescription_ids: number[];
  /** The prescription that replaces them, if one does. */
  replacement_id: number | null;
};

/** Holds the orders that a saved message concerns, before its sender receives the answer. A job repeats what fails here. */
export async function recheckAfter(deps: Deps, received: Received): Promise<Received> {
  if (received.rechecks === undefined) return received;
  const { account_id, patient_key, prescription_ids, replacement_id } = received.rechecks;
  if (replacement_id !== null) await clarifySigs(deps, account_id, prescription_ids, replacement_id);
  await recheckPrescriptions(deps, account_id, prescription_ids);
  if (patient_key !== null) await recheckPatient(deps, account_id, patient_key);
  return received;
}
/** `safety`: the tables of this process. Without it, a command reads them. */
export type DecidingDeps = Pick<Deps, "config" | "db" | "vault" | "bus" | "copies"> &
  Partial<Pick<Deps, "safety" | "address_validators">>;

/** Decides on a message for its account and saves the result. */
export async function takeFor(
  deps: Deps,
  format: IntakeFormat,
  message: IncomingMessage,
  stored: Stored,
  account: Receiver,
): Promise<{ decision: IntakeDecision; received: Received }> {
  const decided = await decideFor(deps, format, message, stored, account, deps.now());
  const { decision, received } = decided;
  if (decision.orders_to_cancel.length > 0) {
    // Cancel before finishing the message: after a crash here, the job retries it and cancels the rest.
    for (const order_number of decision.orders_to_cancel) {
      await cancelOrder(deps, deps.db, { account_id: account.account_id, order_number, actor: system });
    }
    return takeFor(deps, format, message, stored, account);
  }
  await saveDecided(deps.db, decided);
  return { decision, received };
}

type DecidedMessage = {
  decision: IntakeDecision;
  changes: IntakeSave;
  received: Received;
  /** Automatic Processing: why the prescription cannot become an order now. */
  order_errors: ErrorEntry[];
  prescriber: PrescriberChanges;
};

/** Saves what was decided. A prescription that cannot become an order shows why from its first moment on. */
export async function saveDecided(
  db: Database,
  { changes, received, order_errors, prescriber }: DecidedMessage,
): Promise<void> {
  const { account_id, processed_at } = changes;
  const { prescription_id } = received;
  const is_refused = order_errors.length > 0 && account_id !== null && prescription_id !== null;
  if (!is_refused && isEmpty(prescriber)) {
    await saveIntake(db, changes);
    return;
  }
  await db.transaction(async (tx) => {
    await saveIntake(tx, changes);
    if (is_refused) {
      await noteRefusal(tx, { key: { account_id, prescription_id }, order_errors, now: processed_at });
    }
    await savePrescriberChanges(tx, prescriber);
  });
}

/** Decides what a stored message changes for its account, without saving it. */
export async function decideFor(
  deps: DecidingDeps,
  format: IntakeFormat,
  sent: IncomingMessage,
  stored: Stored,
  account: Receiver,
  real_now: Date,
): Promise<DecidedMessage> {
  const { account_id, workflow } = account;
  const request = await findAnsweredRequest(deps.db, account_id, stored.sender, sent);
  const message = request === undefined ? sent : aboutPrescription(sent, request);
  const now = accountNow(real_now, account.clock_offset_s);
  const patient = patientOf(message);
  const indexes = blindIndexes(deps, account_id, stored.sender, patient);
  const wanted =
    patient === null ? [] : usableIds(patient).map((id) => ({ id, index: patientIndex(deps, account_id, id) }));
  const meant = patient?.meant_patient_id;
  const [loaded, { products, formulary }] = await Promise.all([
    loadIntakeContext(deps.db, {
      account_id,
      ...indexes,
      wanted_indexes: wanted.map(({ index }) => index),
      sender: stored.sender,
      relates_to: message.envelope.relates_to_message_id,
      prescriber_order_number: message.content.kind === "new" ? null : message.envelope.prescriber_order_number,
      with_prescriptions: message.content.kind === "cancel",
      meant_index: meant == null ? null : patientIndex(deps, account_id, meant),
    }),
    readCatalogue(deps, account_id, deps.db),
  ]);
  const candidates = loaded.patients.map(({ patient_key, id_sealed, record_sealed, same_id }) => ({
    patient_id: openPatientId(deps, account_id, { patient_key, id_sealed }),
    patient_key,
    same_id,
    record: openRecord(deps, account_id, patient_key, Buffer.from(record_sealed, "base64")),
  }));
  const ids = new Map(candidates.map(({ patient_key, patient_id }) => [patient_key, patient_id]));
  const prescriptions = loaded.prescriptions.map((row) => ({
    ...openWritten(deps.vault, account_id, row),
    patient_id: ids.get(row.patient_key) ?? "",
  }));
  const decision = decideIntake(
    message,
    {
      candidates,
      taken_patient_ids: wanted
        .filter(({ index }) => loaded.taken_indexes.some((taken) => taken.equals(index)))
        .map(({ id }) => id),
      prescriptions,
      formulary: products,
      otherDrugOf: await drugComparison(deps, products),
    },
    { sender: stored.sender, workflow, rules: prescriptionRules(deps), now, new_patient_id: randomId(8) },
  );
  const prescription_id = decision.prescription === null ? null : loaded.next_prescription_id;
  const patient_id = decision.patient?.patient_id ?? null;
  const known = candidates.find((one) => one.patient_id === patient_id);
  const patient_key = patient_id === null ? null : (known?.patient_key ?? randomPatientKey());
  const ended = prescriptions.find((one) => one.prescription_id === decision.ended[0]?.prescription_id);
  const about = aboutMessage(sent, real_now, decision);
  const answer = format.reply(decision.reply, {
    ...about,
    prescription_id,
    patient_id: patient_id ?? ended?.patient_id ?? null,
    ended_prescription_id: ended?.prescription_id ?? null,
  });
  const time_zone = deps.config.TIME_ZONE;
  const rules: FillRules = { formulary, time_zone, now, today: dateIn(time_zone, now) };
  const order_errors =
    prescription_id === null
      ? []
      : await expectedOrderErrors(deps, account, decision, prescriptionOf(message), prescription_id, rules);
  const changes = changesOf(deps, {
    decision,
    order_errors,
    rules,
    message,
    stored,
    account_id,
    workflow,
    prescription_id,
    answer,
    now,
    record_before: known?.record ?? null,
    ended: await endedFacts(deps, account_id, decision),
    claim_revision: loaded.claim_revision,
    revision: loaded.patients.find((one) => one.patient_key === patient_key)?.revision ?? 0,
    patient_key,
    new_aliases: indexes.alias_indexes.filter((index) => !loaded.known_aliases.some((known) => known.equals(index))),
  });
  const rechecks: Rechecks = {
    account_id,
    patient_key: decision.patient?.recheck_due ? patient_key : null,
    prescription_ids: decision.ended.map((one) => one.prescription_id),
    replacement_id: decision.prescription?.replaces_prescription_id == null ? null : prescription_id,
  };
  const concerns = rechecks.patient_key !== null || rechecks.prescription_ids.length > 0;
  const received = { answer, patient_id, prescription_id, ...(concerns && { rechecks }) };
  const prescriber = prescriberChanges(deps, sent, decision, {
    account_id,
    sender: stored.sender,
    request,
    prescription_id,
    answer: { format: format.format, message_id: about.message_id, text: answer },
    now,
  });
  return { decision, changes, received, order_errors, prescriber };
}

/** The prescriptions that a message ends, for their events. Few messages end any. */
async function endedFacts(deps: DecidingDeps, account_id: string, { ended }: IntakeDecision) {
  const facts = ended.map(({ prescription_id }) => readPrescription(deps, account_id, prescription_id));
  return (await Promise.all(facts)).filter((fact) => fact !== undefined);
}

/** Compares a written drug with the shipped NDC table and with the account's own product of that NDC. */
async function drugComparison(deps: DecidingDeps, products: readonly Pick<Product, "ndc" | "name">[]) {
  const data = await safetyDataOf(deps);
  return (written: string, ndc: string): string | null => {
    if (data === null) return null;
    const listed = loadNdcTable().drugOf(ndc);
    const own = products.find((product) => product.ndc === ndc)?.name ?? null;
    return [listed, own].find((drug) => drug !== null && compareDrug(data, written, drug) !== null) ?? null;
  };
}

async function safetyDataOf(deps: DecidingDeps): Promise<SafetyData | null> {
  if (deps.safety === undefined) return (await loadSafety(deps.config, deps.db)).data;
  const current = deps.safety.current();
  return "data" in current ? current.data : null;
}

const prescriptionOf = ({ content }: IncomingMessage): IncomingPrescription | null =>
  content.kind === "new" ? content.prescription : null;

const patientOf = ({ content }: IncomingMessage): IncomingPatient | null =>
  content.kind === "cancel" ? content.target.patient : (content.prescription?.patient ?? null);

const rules_by_config = new WeakMap<Deps["config"], PrescriptionRules>();

/** Read once per process: the settings stay the same. */
export function prescriptionRules({ config }: Pick<Deps, "config">): PrescriptionRules {
  const known = rules_by_config.get(config);
  if (known !== undefined) return known;
  const rules = {
    time_zone: config.TIME_ZONE,
    expiry_months: config.RX_EXPIRY_MONTHS,
    expiry_months_by_state: numbersByState(config.RX_EXPIRY_MONTHS_BY_STATE),
    schedule_2_days: config.RX_SCHEDULE_2_DAYS,
    schedule_2_days_by_state: numbersByState(config.RX_SCHEDULE_2_DAYS_BY_STATE),
  };
  rules_by_config.set(config, rules);
  return rules;
}

export const aboutMessage = (message: IncomingMessage, now: Date, decision?: IntakeDecision) => ({
  envelope: message.envelope,
  warnings: [...message.warnings, ...(decision?.warnings ?? []).map((code) => ({ code, path: null }))],
  message_id: randomUUID().replaceAll("-", ""),
  sent_time: now,
});
