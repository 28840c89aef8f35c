import { facts, minute, money, table } from "@pestle/cli/output";
import { type ExceptionId, exceptionRow, type OrderState, type SafetyEntry, type SafetyStatus } from "@pestle/contract";
import type { ShownOrder } from "../../usecases/fulfillment/show-order.ts";

/** An order's state after a step. */
export function stepText(order: {
  order_number: string;
  state: OrderState;
  exceptions: readonly ExceptionId[];
  tracking_no: string | null;
}): string {
  const holds = order.exceptions.map((id) => `${id} ${exceptionRow(id).name}: ${exceptionRow(id).message}`);
  const parcel = order.tracking_no === null ? "" : ` Tracking number: ${order.tracking_no}.`;
  return [`Order ${order.order_number} is ${order.state}.${parcel}`, ...holds.map((line) => `! ${line}`)].join("\n");
}

/** Everything about an order, for pharmacy staff. */
export function orderText(order: ShownOrder): string {
  const { payment } = order;
  const about: Record<string, string> = {
    order: order.order_number,
    state: order.before_the_hold === null ? order.state : `${order.state} (before: ${order.before_the_hold})`,
    ...(order.claimed_by !== null && { claimed: `by ${order.claimed_by} until ${minute(order.claimed_until)}` }),
    created: minute(order.created_at),
    ...(order.reference !== null && { reference: order.reference }),
    patient: order.patient_id,
    ...(order.patient && {
      name: `${order.patient.first_name} ${order.patient.last_name}, born ${order.patient.dob}`,
    }),
    safety: askedText(order.safety_status),
    ...(order.address && {
      "ship to": [
        `${order.address.first_name} ${order.address.last_name}`,
        order.address.street1,
        ...(order.address.street2 ? [order.address.street2] : []),
        `${order.address.city}, ${order.address.state} ${order.address.zip}`,
      ].join(", "),
    }),
    payment: `${payment.status}, ${money(payment.amount_cents)} by the ${payment.payer}, ${money(payment.refunded_cents)} refunded`,
  };
  const items = order.items.map((item) => [
    String(item.item_id),
    item.sku,
    `${item.quantity} x ${item.package_size}`,
    item.lot === null ? (item.reserved ? "-" : "back-ordered") : lotsText(item.lots),
    item.prescription_id === null ? "-" : String(item.prescription_id),
    item.sig_text ?? "-",
  ]);
  const sections = [
    facts(about),
    ...order.exceptions.map(({ id, name, message, raised_at }) => `! ${id} ${name} (${minute(raised_at)}): ${message}`),
    ...order.findings.map(({ severity, exception_id, message, advice, source, elsewhere }) =>
      [
        `${exception_id === null ? "warning" : `holds with ${exception_id}`}, ${severity}: ${message}`,
        ...(elsewhere === undefined ? [] : [`From ${elsewhere.join(" and ")}: do not tell this order's partner.`]),
        ...(advice === null ? [] : [advice]),
        source,
      ].join("\n    "),
    ),
    ...(factRows(order).length === 0
      ? []
      : [table(["entry", "kind", "text", "source", "recorded", "removed"], factRows(order))]),
    table(["item", "sku", "packages", "lot", "rx", "sig"], items),
    ...order.shipments.map(
      ({ tracking_no, carrier, method, status }) => `parcel ${tracking_no} (${carrier} ${method}): ${status}`,
    ),
    ...(order.notes.length === 0 ? [] : [table(["when", "who", "note"], order.notes.map(noteRow))]),
    table(["when", "who", "did", "to"], order.history.map(historyRow)),
  ];
  return sections.join("\n");
}

const askedText = ({ allergy, medication, condition }: ShownOrder["safety_status"]): string =>
  `allergies ${statusWords[allergy]}, medications ${statusWords[medication]}, conditions ${statusWords[condition]}`;

const statusWords: Record<SafetyStatus, string> = {
  not_asked: "not asked",
  none_known: "none known",
  listed: "listed",
};

/** Empty unless the patient was revealed. */
function factRows({ patient_safety, removed_entries = [] }: ShownOrder): string[][] {
  const row = ({ entry_id, kind, text, source, recorded_at }: SafetyEntry, removed: string) => [
    ...[String(entry_id), kind, text, source, recorded_at === null ? "-" : minute(new Date(recorded_at)), removed],
  ];
  return [
    ...(patient_safety?.entries ?? []).map((entry) => row(entry, "-")),
    ...removed_entries.map((entry) => row(entry, `by the ${entry.removed.by}: ${entry.removed.reason}`)),
  ];
}

function noteRow(note: ShownOrder["notes"][number]): string[] {
  const { at, role, reason, overridden, code, license_number, signature_holds } = note;
  // Overrides from before 0.2.0 have no code and no license.
  const by = code === null ? "" : `${code}, license ${license_number}; `;
  const signed =
    signature_holds === null
      ? ""
      : ` [overrides ${overridden.join(", ")}; ${by}${signature_holds ? "signature valid" : "SIGNATURE INVALID"}]`;
  return [minute(at), role, `${reason}${signed}`];
}

function historyRow({ at, actor, email, event, to, stage, exception_id }: ShownOrder["history"][number]): string[] {
  return [
    minute(at),
    email === null ? actor : `${actor} ${email}`,
    exception_id === null ? event : `${event} ${exception_id}`,
    stage === null ? to : `${to}/${stage}`,
  ];
}

const lotsText = (lots: ShownOrder["items"][number]["lots"]): string =>
  lots
    .map(({ lot, lot_expires_on, units }) =>
      lots.length === 1 ? `${lot}, expires ${lot_expires_on}` : `${units} of ${lot}, expires ${lot_expires_on}`,
    )
    .join("; ");
