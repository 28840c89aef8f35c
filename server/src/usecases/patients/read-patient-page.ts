import {
  type DashboardPatient,
  PATIENT_PAGE_ROWS,
  type PatientLook,
  type PatientMessage,
  pharmacistRoles,
  type RevealedPatient,
} from "@pestle/contract";
import { listFillLines } from "../../db/fulfillment/patient-fills.ts";
import { listDisclosures } from "../../db/operations/audit.ts";
import { orderMessagePlace } from "../../db/orders/order-messages.ts";
import {
  listOrdersMessages,
  listPatientOrders,
  listPatientPrescriptions,
  loadPatientPage,
  type PatientMessageRow,
  type PatientPageRow,
} from "../../db/patients/patient-page.ts";
import type { Deps } from "../../deps.ts";
import { asReceived } from "../../domain/intake/medication-request.ts";
import { maskedPatient } from "../../domain/patients/masked-patient.ts";
import { patientAnswer } from "../../domain/patients/patient-record.ts";
import { removedEntries, safetyStatuses } from "../../domain/patients/safety-record.ts";
import { accountNow } from "../../domain/values/account-clock.ts";
import { StatusRefusal } from "../../domain/values/refusals.ts";
import { withKeysOfNow } from "../../vault/vault.ts";
import { clinicalFacts, clinicalFill, clinicalPatient } from "../fulfillment/read-clinical.ts";
import { openWritten } from "../intake/written.ts";
import { whoOf } from "../operations/read-disclosures.ts";
import { type Looker, writeAudit } from "../operations/write-audit.ts";
import { openPatientId, openRecord } from "./patient-rows.ts";

type Shown = { account_id: string; patient_key: number };

/** A patient with prescriptions, orders, fills and messages, masked until a person reveals it. Audited before it is returned. */
export async function readPatientPage(
  deps: Deps,
  by: Looker,
  shown: Shown,
  may: { read_log: boolean },
  request_id: string,
): Promise<DashboardPatient> {
  const { account_id, patient_key } = shown;
  const { db } = deps;
  const most = PATIENT_PAGE_ROWS;
  const [row, prescriptions, orders, fills] = await Promise.all([
    loadPatientPage(db, account_id, patient_key),
    listPatientPrescriptions(db, account_id, patient_key, most),
    listPatientOrders(db, account_id, patient_key, most),
    listFillLines(db, account_id, patient_key, "", most),
  ]);
  if (row === undefined) throw new StatusRefusal(404);
  await auditLook(deps, by, "patient_viewed", shown, request_id);
  const numbers = orders.map(({ order_number }) => order_number);
  const [messages, looks] = await Promise.all([
    listOrdersMessages(db, account_id, numbers, most),
    may.read_log ? listLooks(deps, row, most) : null,
  ]);
  const now = accountNow(deps.now(), row.clock_offset_s);
  return withKeysOfNow(deps, async () => {
    const record = openRecord(deps, account_id, patient_key, row.record_sealed);
    const patient_id = openPatientId(deps, account_id, row);
    const clinical = pharmacistRoles.some((role) => role === by.role);
    return {
      ...shown,
      partner: row.partner,
      environment: row.environment,
      patient: maskedPatient(patient_id, record),
      safety_status: safetyStatuses(record.patient_safety),
      clinical: clinical ? { patient: clinicalPatient(record, now), facts: clinicalFacts(record) } : null,
      prescriptions: prescriptions.map((one) => {
        const written = { ...openWritten(deps.vault, account_id, one), patient_id };
        const { patient_id: _, ...received } = asReceived(written, row.workflow);
        return received;
      }),
      orders: orders.map(({ created_at, ...order }) => ({ ...order, created_at: created_at.toISOString() })),
      fills: fills.map((fill) => clinicalFill(fill, now)),
      messages: messages.map((message) => openMessage(deps, account_id, message)),
      looks,
    };
  });
}

/** The patient in full. The audit entry is written before the data is returned. */
export async function revealPatient(
  deps: Deps,
  by: Looker,
  shown: Shown,
  request_id: string,
): Promise<RevealedPatient> {
  const { account_id, patient_key } = shown;
  const row = await loadPatientPage(deps.db, account_id, patient_key);
  if (row === undefined) throw new StatusRefusal(404);
  await auditLook(deps, by, "patient_revealed", shown, request_id);
  return withKeysOfNow(deps, async () => {
    const record = openRecord(deps, account_id, patient_key, row.record_sealed);
    return {
      patient: patientAnswer(openPatientId(deps, account_id, row), record, row),
      weight_kg: record.weight_kg ?? null,
      removed_entries: removedEntries(record.patient_safety),
    };
  });
}

/** The key names the patient in the log, as in the entries of a search. */
const auditLook = (
  deps: Deps,
  by: Looker,
  action: "patient_viewed" | "patient_revealed",
  { account_id, patient_key }: Shown,
  request_id: string,
) => writeAudit(deps, by, { account_id, action, subject: null, patient_keys: [patient_key] }, request_id);

async function listLooks(deps: Deps, row: PatientPageRow, most: number): Promise<PatientLook[]> {
  const entries = await listDisclosures(deps.db, row.account_id, row.id_index, Number.MAX_SAFE_INTEGER, most);
  return entries.map((entry) => {
    const { audit_id, at, role, action, subject } = entry;
    return { audit_id, at: at.toISOString(), who: whoOf(entry), role, action, subject };
  });
}

function openMessage(
  { vault }: Deps,
  account_id: string,
  { order_number, message_number, text_sealed, created_at, ...message }: PatientMessageRow,
): PatientMessage {
  const text = vault.open(text_sealed, orderMessagePlace(account_id, order_number, message_number)).toString("utf8");
  return { ...message, order_number, text, created_at: created_at.toISOString() };
}
