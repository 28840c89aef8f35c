import { randomUUID } from "node:crypto";
import {
  type DrugSchedule,
  type ExceptionId,
  isCheckedStep,
  isFinal,
  type Order,
  type OverrideCode,
  type Role,
  stageOfState,
  statusOfState,
} from "@pestle/contract";
import type { Queryable } from "../../db/db.ts";
import { notePlace } from "../../db/fulfillment/order-notes.ts";
import { orderPlace } from "../../db/orders/orders.ts";
import { type OrderChange, type OrderColumns, saveOrderChange } from "../../db/orders/save-order-change.ts";
import { bytes } from "../../db/values.ts";
import type { Deps } from "../../deps.ts";
import { type Actor, apply, isOpen, orderEvents, standingRow } from "../../domain/orders/order.ts";
import { orderAnswer, orderSchedule, type StoredOrder } from "../../domain/orders/order-answer.ts";
import { type DecidedChange, decideChange, type Outcome } from "../../domain/orders/order-change.ts";
import { hasOtherCheckedFacts } from "../../domain/patients/patient-record.ts";
import { isElsewhere } from "../../domain/safety/elsewhere.ts";
import type { SafetyFinding } from "../../domain/safety/finding.ts";
import type { MadeEvent } from "../../domain/webhooks/made-event.ts";
import { patientUpdated } from "../../domain/webhooks/patient-updated.ts";
import { paymentUpdated } from "../../domain/webhooks/payment-updated.ts";
import { lastRefills } from "../../domain/webhooks/rx-status-changed.ts";
import { randomEventId } from "../../random.ts";
import { type AuditNote, withPatientIndexes } from "../operations/audit-note.ts";
import { patientRow } from "../patients/patient-rows.ts";
import { sealEvent } from "../webhooks/event-body.ts";
import type { LoadedOrder } from "./load-order.ts";
import { loadedAfter } from "./loaded-after.ts";

/** The actor, and additional rows to save with the change. */
export type ChangeBy = {
  actor: Actor;
  /** A person's reason. It is sealed, and signed if it overrides a check. */
  reason?: string;
  /** A pharmacist's override: its code, and the license number under which it was decided. */
  override?: { exception_id: ExceptionId; code: OverrideCode; license: string };
  columns?: OrderColumns;
  action_request?: OrderChange["action_request"];
  shipment?: OrderChange["shipment"];
  tracked?: OrderChange["tracked"];
  scans?: OrderChange["scans"];
  /** The audit entry of a partner's request. A person's work writes its own. */
  audit?: AuditNote;
};

const NOBODYS = { claimed_by: null, claimed_until: null };

export type ChangedOrder = { order: Order; action_request_id: number | null };

/**
 * Saves a change of an order: runs the checks again and writes holds, history and events, all in one statement. If
 * another request changed the order first, or a fact that a checked step depends on, it throws a conflict, and the caller
 * retries.
 */
export async function changeOrder(
  deps: Deps,
  db: Queryable,
  loaded: LoadedOrder,
  asked: Outcome,
  asker: ChangeBy,
): Promise<ChangedOrder> {
  const { change, order } = decideSave(deps, loaded, asked, asker);
  const { action_request_id } = await saveOrderChange(db, change);
  return { order: order(), action_request_id };
}

/** What a change of an order saves, its answer, and the order after it. */
export type DecidedSave = { change: OrderChange; order: () => Order; after: () => LoadedOrder };

/** The decision without the save, for a caller that saves several changes of an order at once. */
export function decideSave(deps: Deps, loaded: LoadedOrder, asked: Outcome, asker: ChangeBy): DecidedSave {
  const { account_id, order, standing, rules } = loaded;
  const { now } = rules;
  const decided = decideChange(loaded, asked, rules);
  // The checks held the order instead: only the hold is saved, and the claim ends as it does with the step.
  const outcome: Outcome = decided.held ? {} : asked;
  const by: ChangeBy = decided.held ? { actor: asker.actor, columns: NOBODYS } : asker;
  const moved = apply(standing, decided.step, by.actor);
  const after: StoredOrder = {
    ...decided.after.order,
    drug_schedule: scheduleOf(loaded, decided),
    order_status: statusOfState((moved ?? standing).state),
    exceptions: (moved ?? standing).open.map(
      (id) =>
        known(order, outcome, id) ?? {
          id,
          raised_at: now,
          elsewhere: isElsewhere(decided.findings, id),
          situations: outcome.raises?.includes(id) ? (outcome.situations ?? []) : [],
        },
    ),
    updated_at: now > order.updated_at ? now : order.updated_at,
  };
  const events =
    moved === null
      ? []
      : orderEvents(after, decided.after.prescriptions, moved, order.order_status, rules, randomEventId);
  const role = moved?.history.find(({ actor }) => by.actor.roles.includes(actor))?.actor ?? by.actor.roles[0]!;
  const note = by.reason === undefined ? null : noteOf(deps, loaded, decided, by, role, by.reason);
  const change: OrderChange = {
    account_id,
    order_number: order.order_number,
    revision: loaded.revision,
    at: now,
    real_at: new Date(now.getTime() - loaded.row.clock_offset_s * 1000),
    ...standingRow(moved ?? standing),
    // A canceled or delivered order needs no more work, so its claim ends.
    columns: {
      ...columnsOf(deps, loaded, decided),
      ...(moved && isFinal(moved.state) && NOBODYS),
      // The packages are filled again, and by any person.
      ...(outcome.returns_to !== undefined && { filled_by: null }),
      ...by.columns,
    },
    checked_on:
      outcome.event !== undefined && isCheckedStep(outcome.event)
        ? {
            patient_key: loaded.row.patient_key,
            patient_revision: loaded.patient_revision,
            prescription_ids: loaded.prescriptions.map(({ prescription_id }) => prescription_id),
          }
        : null,
    items: [...(outcome.items ?? [])],
    prescribed: [...(outcome.units ?? [])],
    stock: [...(outcome.stock ?? [])],
    changed_patient:
      decided.after.record === loaded.record
        ? null
        : {
            ...patientRow(deps, account_id, loaded.row.patient_key, decided.after.record, now),
            revision: loaded.patient_revision,
            recheck_due: hasOtherCheckedFacts(loaded.record, decided.after.record),
          },
    raised: [...(moved?.raised ?? []), ...takenOver(loaded, decided), ...retold(loaded, outcome)].map(
      (exception_id) => ({
        exception_id,
        basis: decided.open.find(({ id }) => id === exception_id)?.basis ?? null,
        elsewhere: isElsewhere(decided.findings, exception_id),
        situations: [...(after.exceptions.find(({ id }) => id === exception_id)?.situations ?? [])],
      }),
    ),
    resolved: (moved?.resolved ?? []).map((exception_id) => ({
      exception_id,
      resolved_by: by.actor.person_id ?? role,
      confirmed: decided.confirmed.get(exception_id) ?? null,
    })),
    note,
    history: (moved?.history ?? []).map(({ actor, event, from, to, exception_id }) => ({
      actor,
      person_id: by.actor.roles.includes(actor) ? by.actor.person_id : null,
      event,
      from: statusOfState(from),
      to: statusOfState(to),
      stage: stageOfState(to),
      exception_id,
      note_id: note?.note_id ?? null,
      request_id: by.actor.request_id ?? null,
    })),
    events: [...events, ...alsoTold(loaded, decided, outcome, after)].map((event) =>
      sealEvent(deps.vault, account_id, event),
    ),
    shipment: by.shipment ?? null,
    tracked: by.tracked ?? null,
    scans: by.scans ?? [],
    payment_entries: (outcome.payments ?? []).map((entry) => ({
      ...entry,
      payment_entry_id: randomUUID(),
      actor: role,
    })),
    action_request: by.action_request ?? null,
    audit: asker.audit === undefined ? null : withPatientIndexes(deps.vault, asker.audit),
  };
  return {
    change,
    order: () => orderAnswer(after, decided.after.prescriptions, rules),
    after: () => loadedAfter(loaded, decided, after, moved ?? standing, change),
  };
}

/** Exceptions that an action ended, and that stay open because a check found a cause of its own. */
const takenOver = ({ holds }: LoadedOrder, { open }: DecidedChange): ExceptionId[] =>
  open.filter((hold) => holds.some(({ id, basis }) => id === hold.id && basis !== hold.basis)).map(({ id }) => id);

/** Exceptions that stay open for another reason, such as a second card that is declined. */
const retold = ({ standing }: LoadedOrder, { raises = [], situations = [] }: Outcome): ExceptionId[] =>
  situations.length === 0 ? [] : raises.filter((id) => standing.open.includes(id));

/** The exception if it is open already, with what is known about it now. */
function known({ exceptions }: StoredOrder, { raises = [], situations = [] }: Outcome, id: ExceptionId) {
  const open = exceptions.find((one) => one.id === id);
  return open !== undefined && raises.includes(id) && situations.length > 0 ? { ...open, situations } : open;
}

/** Events about the rest that a partner follows: the payment, a prescription without refills, and the patient's record. */
function alsoTold(loaded: LoadedOrder, { after }: DecidedChange, outcome: Outcome, order: StoredOrder): MadeEvent[] {
  const { record, rules } = loaded;
  const { prescriptions } = after;
  return [
    paymentUpdated(loaded.order, order, rules.now, randomEventId),
    ...lastRefills(order, prescriptions, outcome.units ?? [], rules, randomEventId),
    patientUpdated(order.patient_id, record, after.record, rules.now, randomEventId),
  ].filter((event) => event !== null);
}

/** The order columns that the change affects. */
function columnsOf(deps: Deps, loaded: LoadedOrder, decided: DecidedChange): OrderColumns {
  const { account_id, order, standing } = loaded;
  const { after, findings } = decided;
  const { order_number } = order;
  const is = after.order;
  const seal = (column: "address_sealed", value: unknown) =>
    bytes(deps.vault.seal(Buffer.from(JSON.stringify(value)), orderPlace(column, account_id, order_number)));
  const plain = ["payment_status", "amount_cents", "captured_cents", "refunded_cents"] as const;
  return {
    ...Object.fromEntries(plain.filter((name) => is[name] !== order[name]).map((name) => [name, is[name]])),
    ...(is.address !== order.address &&
      is.address !== null && { address_sealed: seal("address_sealed", is.address), ship_state: is.address.state }),
    ...(is.items !== order.items && { drug_schedule: scheduleOf(loaded, decided) }),
    // After shipping, keep the last findings.
    ...(isOpen(standing) && { safety_sealed: sealFindings(deps, account_id, order_number, findings) }),
  };
}

/** Other items can have another schedule. */
const scheduleOf = ({ order, rules }: LoadedOrder, { after }: DecidedChange): DrugSchedule =>
  after.order.items === order.items
    ? order.drug_schedule
    : orderSchedule(after.order.items, after.prescriptions, rules.formulary);

export function sealFindings(
  deps: Pick<Deps, "vault">,
  account_id: string,
  order_number: string,
  findings: readonly SafetyFinding[],
) {
  if (findings.length === 0) return null;
  const place = orderPlace("safety_sealed", account_id, order_number);
  return bytes(deps.vault.seal(Buffer.from(JSON.stringify(findings)), place));
}

function noteOf(
  deps: Deps,
  { account_id, order, rules }: LoadedOrder,
  { findings }: DecidedChange,
  { actor, override }: ChangeBy,
  role: Role,
  reason: string,
): NonNullable<OrderChange["note"]> {
  const note_id = randomUUID();
  const { order_number } = order;
  const overridden = override === undefined ? [] : [override.exception_id];
  const signed = {
    account_id,
    order_number,
    note_id,
    at: rules.now.toISOString(),
    person_id: actor.person_id,
    role,
    reason,
    overridden,
    found: findings.filter(({ exception_id }) => overridden.some((id) => id === exception_id)).map(({ key }) => key),
    ...(override && { code: override.code, license_number: override.license }),
  };
  // The text itself names the overridden exceptions, so that a person can read and verify it years later.
  const { found, code, license_number } = signed;
  const text = overridden.length === 0 ? { reason } : { reason, overridden, found, code, license_number };
  return {
    note_id,
    person_id: actor.person_id,
    role,
    text_sealed: bytes(
      deps.vault.seal(Buffer.from(JSON.stringify(text)), notePlace(account_id, order_number, note_id)),
    ),
    signature: overridden.length === 0 ? null : bytes(signatureOf(deps, signed)),
  };
}

/** Signs person, time, findings and reason with a vault key, so that database access alone cannot forge a note. */
export const signatureOf = (
  deps: Pick<Deps, "vault">,
  signed: {
    account_id: string;
    order_number: string;
    note_id: string;
    at: string;
    person_id: string | null;
    role: string;
    reason: string;
    overridden: readonly number[];
    found: readonly string[];
    /** Absent in notes from before codes existed; their signatures stay valid. */
    code?: OverrideCode | undefined;
    license_number?: string | undefined;
  },
): Buffer => deps.vault.layeredIndex(JSON.stringify(signed), "order_note.signature");
