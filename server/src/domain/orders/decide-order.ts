import type { Address, EventType, ExceptionId, OrderState, Situation } from "@pestle/contract";
import { statusOfState } from "@pestle/contract";
import { hasOtherCheckedFacts, isSameName, type PatientRecord } from "../patients/patient-record.ts";
import { orderFindings } from "../safety/assess-safety.ts";
import type { SafetyFinding } from "../safety/finding.ts";
import { patientFacts } from "../safety/safety-facts.ts";
import { exact } from "../values/quantity-units.ts";
import type { Problem } from "../values/refusals.ts";
import type { MadeEvent } from "../webhooks/made-event.ts";
import { patientUpdated } from "../webhooks/patient-updated.ts";
import { lastRefills } from "../webhooks/rx-status-changed.ts";
import { orderEvents } from "./order.ts";
import { orderSchedule, type StoredOrder } from "./order-answer.ts";
import { checkOrder, isShort, type Judged, namesPrescriber, patientNews } from "./order-checks.ts";
import { type Fill, hasEnded, type OrderFacts, type PrescriptionFact, type ResolvedItem } from "./order-facts.ts";
import { contradictsSig, type Hold, type HoldFacts, holdsOf } from "./order-holds.ts";
import { resolveItems } from "./resolve-items.ts";
import { addressSituations } from "./situations.ts";

/** Generated before the decision, which must be deterministic. */
export type OrderIds = { order_number: string; dispense_ids: readonly number[]; event_id: () => string };

export type OrderDecision = { problems: Problem[]; accepted: AcceptedOrder | null };

/** An order that can be created, with everything that follows from it. */
export type AcceptedOrder = {
  order: StoredOrder;
  state: OrderState;
  held_from: OrderState | null;
  holds: Hold[];
  findings: SafetyFinding[];
  items: (StoredOrder["items"][number] & {
    reserved: boolean;
    alone: boolean;
    price_cents: number;
    units: number;
  } & Pick<ResolvedItem["draft"], "prescriber_name" | "prescriber_phone" | "prescriber_fax">)[];
  prescriptions: PrescriptionFact[];
  ship_to: Address | null;
  /** The record with the patient data of the order; null if nothing changed. */
  patient_record: PatientRecord | null;
  /** The order adds facts about the patient, so the checks must run again on the patient's other orders. */
  recheck_due: boolean;
  events: MadeEvent[];
};
/** Decides on a new order: returns all reasons to reject it at once, or the order with its holds. */
export function decideOrder(
  facts: OrderFacts,
  shape: readonly Problem[],
  time_zone: string,
  ids: OrderIds,
): OrderDecision {
  const items = resolveItems(facts);
  const judged: Judged = { ...facts, items, time_zone };
  const problems = distinct([...shape, ...checkOrder(judged)]);
  if (problems.length > 0) return { problems, accepted: null };
  return { problems, accepted: accept(judged, ids) };
}

function accept(judged: Judged, ids: OrderIds): AcceptedOrder {
  const findings = findingsOf(judged);
  const hold_facts = holdFacts(judged, findings);
  const holds = holdsOf(hold_facts);
  const exceptions = holds.map(({ id }) => id);
  const { draft, account, formulary, patient, now, ship_to } = judged;
  const prescribed = judged.items.some(({ needs_prescription }) => needs_prescription);
  const first: OrderState = prescribed ? "Processing/clinical_review" : "Filling/fill";
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
  const prescriptions = ordered(judged.items);
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
    prescribed,
    drug_schedule: orderSchedule(items, prescriptions, formulary),
    exceptions: exceptions.map((id) => ({ id, raised_at: now, situations: situationsAtCreation(id, hold_facts) })),
    payer: draft.payment.payer,
    // The partner's account always pays. A card is authorized after the commit.
    payment_status: draft.payment.payer === "partner" ? "authorized" : "pending",
    amount_cents: items.reduce((sum, { price_cents }) => sum + price_cents, method.price_cents),
    refunded_cents: 0,
    captured_cents: 0,
    shipments: [],
  };
  const patient_record = newsOf(judged);
  const { patient_id, record } = patient!;
  const updated = patientUpdated(patient_id, record, patient_record ?? record, now, ids.event_id);
  return {
    order,
    state,
    held_from: state === "On Hold" ? first : null,
    holds,
    findings,
    items,
    prescriptions,
    ship_to: ship_to.address,
    patient_record,
    recheck_due: patient_record !== null && hasOtherCheckedFacts(patient!.record, patient_record),
    events: [
      ...orderEvents(order, prescriptions, born(exceptions), null, judged, ids.event_id),
      ...lastRefills(order, prescriptions, items, judged, ids.event_id),
      ...(updated === null ? [] : [updated]),
    ],
  };
}

/** What only a new order shows about an exception, and what later takes one of its actions away. */
function situationsAtCreation(id: ExceptionId, { at_creation }: HoldFacts): Situation[] {
  if (id === 71) return at_creation!.name_differs ? ["other_name"] : [];
  return id === 77 || id === 78 ? addressSituations(at_creation!.verdict) : [];
}

/**
 * Whether it is the first item with its medication in this order, and no open order has it. Two concurrent orders
 * cannot both be alone.
 */
const isAlone = (item: ResolvedItem, { items, fills }: Judged): boolean =>
  item.product!.gcn !== null &&
  !isDoubled(item, fills) &&
  items.find(({ product }) => product!.gcn === item.product!.gcn) === item;

const byNumber = (a: PrescriptionFact, b: PrescriptionFact) => a.prescription_id - b.prescription_id;

/** The prescriptions of an order, sorted by ID and deduplicated, with the units ordered once it is saved. */
function ordered(items: readonly ResolvedItem[]): PrescriptionFact[] {
  const own = [...new Set(items.flatMap(({ prescription }) => prescription ?? []))];
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

/** The events of a creation: the initial status, and one per exception. */
const born = (raised: ExceptionId[]) => ({
  sends: ["RX_UPDATED", "ORDER_UPDATED", "ORDER_EXCEPTION"] as EventType[],
  raised,
  sequence: 1,
});

/** The prescription, or the same medication for the same patient, already has an open order. */
function isDoubled({ prescription, product }: ResolvedItem, fills: readonly Fill[]): boolean {
  return fills.some(
    (one) =>
      one.shipped_at === null &&
      ((prescription !== null && one.prescription_id === prescription.prescription_id) ||
        (product?.gcn != null && one.gcn === product.gcn)),
  );
}

function holdFacts(judged: Judged, findings: readonly SafetyFinding[]): HoldFacts {
  const { draft, patient, ship_to, account, formulary, today, name_characters, fills } = judged;
  return {
    workflow: account.workflow,
    formulary,
    today,
    name_characters,
    email: draft.patient.contact.email ?? patient!.record.email,
    address: ship_to.address,
    items: judged.items.map((item, index) => ({
      item_id: index + 1,
      product: item.product,
      prescription: item.prescription,
      sig_contradicts: contradictsSig(findings, index + 1),
      units: item.units,
      missing_rx: item.needs_prescription && item.prescription === null && namesPrescriber(item.draft),
      rx_ended: item.prescription !== null && hasEnded(item.prescription, item.product, judged),
      back_ordered: item.product?.back_orders === true && isShort(item, judged),
    })),
    findings,
    doubled: judged.items.some((item) => isDoubled(item, fills)),
    at_creation: {
      dob_differs: draft.patient.dob !== null && draft.patient.dob !== patient!.record.dob,
      name_differs: !isSameName(draft.patient.contact, patient!.record),
      // The request's address was already validated (42230). If it was accepted anyway, it raises neither 77 nor 78.
      verdict: ship_to.from === "request" ? null : ship_to.verdict,
    },
  };
}

function findingsOf(judged: Judged): SafetyFinding[] {
  const { safety, items, fills, now } = judged;
  const record = patientNews(judged, judged.patient!.record)!;
  return orderFindings(safety, {
    items: items.map(({ product, prescription, units }, index) => ({
      item_id: index + 1,
      ingredients: product!.ingredients,
      drug: product!.name,
      gcn: product!.gcn,
      sig_text: prescription?.sig_text ?? null,
      units: prescription?.written_qty ?? units,
      days_supply: prescription?.days_supply ?? null,
      drug_schedule: prescription?.drug_schedule ?? product!.drug_schedule,
      is_drug: product!.is_drug,
      prescription_id: prescription?.prescription_id ?? null,
      ordered_units: units,
    })),
    fills,
    patient_safety: record.patient_safety,
    patient: patientFacts(record),
    now,
  });
}

/** Reports a problem once if both the shape and the rules find it with the same code. */
function distinct(problems: readonly Problem[]): Problem[] {
  const seen = new Set<string>();
  return problems.filter(({ code, field, message }) => {
    const key = `${code} ${field} ${message ?? ""}`;
    return !seen.has(key) && seen.add(key);
  });
}
