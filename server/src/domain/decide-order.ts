import type { Address, EventType, ExceptionId, OrderState } from "@pestle/contract";
import { statusOfState } from "@pestle/contract";
import { isPresent } from "./is-present.ts";
import { exceptionAnswer, isPrescribed, medicationRequests, type StoredOrder } from "./order-answer.ts";
import { checkOrder, isShort, type Judged } from "./order-checks.ts";
import type { OrderFacts, PrescriptionFact, ResolvedItem } from "./order-facts.ts";
import { holdsOf, isDoubled } from "./order-holds.ts";
import { patientNews } from "./patient-news.ts";
import type { PatientRecord } from "./patient-record.ts";
import type { Problem } from "./refusals.ts";
import { exact, resolveItems } from "./resolve-items.ts";

/** Made before the decision, because deciding draws nothing. */
export type OrderIds = { order_number: string; dispense_ids: readonly number[]; event_id: () => string };

export type OrderDecision = { problems: Problem[]; exceptions: ExceptionId[]; accepted: AcceptedOrder | null };

/** An order that may be made, with everything that follows from it. */
export type AcceptedOrder = {
  order: StoredOrder;
  state: OrderState;
  held_from: OrderState | null;
  items: (StoredOrder["items"][number] & {
    reserved: boolean;
    alone: boolean;
    price_cents: number;
    units: number;
  } & Pick<ResolvedItem["draft"], "prescriber_name" | "prescriber_phone" | "prescriber_fax">)[];
  prescriptions: PrescriptionFact[];
  ship_to: Address | null;
  /** The record with what the order told of the patient; null: nothing new. */
  patient_record: PatientRecord | null;
  events: OrderEvent[];
};
type OrderEvent = { event_id: string; event_type: EventType; body: Record<string, unknown> };

/** The whole decision on an order: every reason to refuse it at once, else the order, held where it must be. */
export function decideOrder(
  facts: OrderFacts,
  shape: readonly Problem[],
  time_zone: string,
  ids: OrderIds,
): OrderDecision {
  const items = resolveItems(facts);
  const judged: Judged = { ...facts, items, time_zone };
  const problems = distinct([...shape, ...checkOrder(judged)]);
  const exceptions = facts.patient === null ? [] : holdsOf(judged);
  if (problems.length > 0) return { problems, exceptions, accepted: null };
  return { problems, exceptions, accepted: accept(judged, exceptions, ids) };
}

function accept(judged: Judged, exceptions: ExceptionId[], ids: OrderIds): AcceptedOrder {
  const { draft, account, formulary, patient, now, ship_to } = judged;
  const first: OrderState = isPrescribed(judged) ? "Processing/clinical_review" : "Filling/fill";
  const state: OrderState = exceptions.length > 0 ? "On Hold" : first;
  const method = formulary.methods.get(draft.shipping.method_id!)!;
  const items = judged.items.map((item, index) => ({
    item_id: index + 1,
    dispense_id: ids.dispense_ids[index]!,
    prescription_id: item.draft.prescription_id,
    needs_prescription: item.needs_prescription,
    sku: item.product!.sku,
    ndc: item.product!.ndc,
    gcn: item.product!.gcn,
    quantity: item.draft.quantity,
    package_size: item.package_size,
    units: item.units,
    reserved: !isShort(item, judged),
    alone: isAlone(item, judged),
    price_cents: item.product!.price_cents * item.draft.quantity,
    prescriber_name: item.draft.prescriber_name,
    prescriber_phone: item.draft.prescriber_phone,
    prescriber_fax: item.draft.prescriber_fax,
  }));
  const { label } = draft.shipping;
  const order: StoredOrder = {
    order_number: ids.order_number,
    order_status: statusOfState(state),
    patient_id: patient!.patient_id,
    brand_id: draft.brand_id ?? formulary.default_brand_id,
    reference: draft.reference,
    workflow: account.workflow,
    created_at: now,
    updated_at: now,
    shipping_method_id: method.id,
    carrier: method.carrier,
    signature_confirmation: draft.shipping.signature_confirmation,
    label: label && { format: label.format!, carrier: label.carrier, tracking_no: label.tracking_no },
    address: ship_to.address,
    items,
    exceptions: exceptions.map((id) => ({ id, raised_at: now })),
    payer: draft.payment.payer,
    // The partner's account is good for it; a card is asked once the order is saved.
    payment_status: draft.payment.payer === "partner" ? "authorized" : "pending",
    amount_cents: items.reduce((sum, { price_cents }) => sum + price_cents, method.price_cents),
    refunded_cents: 0,
  };
  const prescriptions = ordered(judged.items);
  return {
    order,
    state,
    held_from: state === "On Hold" ? first : null,
    items,
    prescriptions,
    ship_to: ship_to.address,
    patient_record: newsOf(judged),
    events: eventsOf(order, prescriptions, ids),
  };
}

/** The first of its medication in this order, and no open order has it: what two orders at once cannot both be. */
const isAlone = (item: ResolvedItem, { items, pending }: Judged): boolean =>
  item.product!.gcn !== null &&
  !isDoubled(item, pending) &&
  items.find(({ product }) => product!.gcn === item.product!.gcn) === item;

const byNumber = (a: PrescriptionFact, b: PrescriptionFact) => a.prescription_id - b.prescription_id;

/** The prescriptions of an order, by number and each once, with the units that are ordered once it is saved. */
function ordered(items: readonly ResolvedItem[]): PrescriptionFact[] {
  const own = [...new Set(items.map(({ prescription }) => prescription).filter(isPresent))];
  return own.sort(byNumber).map((prescription) => {
    const units = items.filter((item) => item.prescription === prescription).reduce((sum, item) => sum + item.units, 0);
    return { ...prescription, units_ordered: exact(prescription.units_ordered + units) };
  });
}

function newsOf(judged: Judged): PatientRecord | null {
  const { record } = judged.patient!;
  const news = patientNews(judged, record)!;
  return JSON.stringify(news) === JSON.stringify(record) ? null : news;
}

const FIRST_SEQUENCE = 1;

/** What creation tells: the status it is born with, and each exception by itself. */
function eventsOf(order: StoredOrder, prescriptions: readonly PrescriptionFact[], ids: OrderIds): OrderEvent[] {
  const { order_number, patient_id, order_status } = order;
  const event = (event_type: EventType, fields: Record<string, unknown>): OrderEvent => {
    const event_id = ids.event_id();
    const timestamp = Math.floor(order.created_at.getTime() / 1000);
    const common = { event_id, event_type, patient_id, order_number, sequence: FIRST_SEQUENCE, timestamp };
    return { event_id, event_type, body: { ...common, ...fields } };
  };
  return [
    ...(isPrescribed(order)
      ? [event("RX_UPDATED", { medication_requests: medicationRequests(order, prescriptions) })]
      : []),
    event("ORDER_UPDATED", { order_status, previous_order_status: null }),
    ...order.exceptions.map(({ id, raised_at }) => {
      const exception = exceptionAnswer(id, raised_at);
      return event("ORDER_EXCEPTION", { exception, order_actions: exception.order_actions });
    }),
  ];
}

/** Where shape and rules both speak of a field with the same code, it is said once. */
function distinct(problems: readonly Problem[]): Problem[] {
  const seen = new Set<string>();
  return problems.filter(({ code, field, message }) => {
    const key = `${code} ${field} ${message ?? ""}`;
    return !seen.has(key) && seen.add(key);
  });
}
