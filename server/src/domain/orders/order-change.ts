import { type ExceptionId, type HoldableState, isCheckedStep, type KnownOfHold } from "@pestle/contract";
import type { Formulary } from "../catalogue/formulary.ts";
import type { StockEntryKind } from "../catalogue/stock.ts";
import type { ItemLot } from "../fulfillment/item-lots.ts";
import type { PrescriptionFacts } from "../intake/medication-request.ts";
import type { PatientRecord } from "../patients/patient-record.ts";
import { type AssessedOrder, orderFindings, type SafetyState } from "../safety/assess-safety.ts";
import { type Elsewhere, elsewhereFindings } from "../safety/elsewhere.ts";
import type { SafetyFinding } from "../safety/finding.ts";
import { patientFacts } from "../safety/safety-facts.ts";
import { exact } from "../values/quantity-units.ts";
import type { OrderStanding, Step } from "./order.ts";
import type { StoredItem, StoredOrder } from "./order-answer.ts";
import { type Fill, hasEnded, type PrescriptionFact } from "./order-facts.ts";
import {
  basisOf,
  blinded,
  confirmedBases,
  contradictsSig,
  type Hold,
  type HoldFacts,
  isForPharmacist,
  recheck,
} from "./order-holds.ts";

const DUPLICATE: ExceptionId = 68;

/** An order with everything that a change decision depends on. */
export type ChangingOrder = {
  order: StoredOrder;
  standing: OrderStanding;
  prescriptions: readonly ChangingPrescription[];
  record: PatientRecord;
  details: readonly ItemDetails[];
  holds: readonly Hold[];
  confirmed: ReadonlyMap<ExceptionId, string>;
  fills: readonly Fill[];
  /** The findings when the checks last ran. */
  found: readonly SafetyFinding[];
  /** What is known about the person from other partners; without it, nothing. */
  elsewhere?: Elsewhere;
};
export type ChangingPrescription = PrescriptionFacts & Pick<PrescriptionFact, "acceptance" | "partial">;
/** Item data that partners do not see. */
export type ItemDetails = {
  item_id: number;
  units: number;
  reserved: boolean;
  price_cents: number;
  ingredients: string[];
  is_drug: boolean;
  /** The first to expire of its lots. */
  lot: string | null;
  lot_expires_on: string | null;
  /** The first to expire first. */
  lots: ItemLot[];
};

/** What the rules need besides the order. `blind` hashes a basis for storage. */
export type ChangeRules = {
  formulary: Formulary;
  safety: SafetyState;
  today: string;
  now: Date;
  name_characters: number;
  blind: (basis: string) => string;
};

/** What an action changes on an order. Omitted fields stay unchanged. */
export type Outcome = {
  /**
   * Without an event, the checks run again and determine the holds. Before a checked step they run too, and a new
   * exception holds the order instead.
   */
  event?: StepEvent;
  /** The history event if no exception is raised or resolved. */
  otherwise?: StepEvent;
  /** The order, its prescriptions, its items and the patient after the change. */
  after?: Partial<Pick<ChangingOrder, "order" | "prescriptions" | "details" | "record">>;
  items?: readonly ItemChange[];
  units?: readonly UnitsChange[];
  stock?: readonly ShelfMove[];
  ends?: readonly ExceptionId[];
  /** Exceptions confirmed while their cause remains. The same cause does not raise them again. */
  confirms?: readonly ExceptionId[];
  /** Raised by a person, so only a person closes them. */
  raises?: readonly ExceptionId[];
  /** What is known about the raised exceptions. */
  situations?: readonly KnownOfHold[];
  payments?: readonly PaymentEntry[];
  /** The order continues here when its hold ends, and its packages are filled again. */
  returns_to?: HoldableState;
  /** The prescriber's new data causes the change, so it can also remove the cause of a pharmacist's exception. */
  from_prescriber?: true;
};
type StepEvent = Extract<Step, { event: unknown }>["event"];
type Value = string | number | boolean | Date | null;
export type ItemChange = { item_id: number } & Partial<
  Record<
    | "prescription_id"
    | "reserved"
    | "pending"
    | "removed_at"
    | "lot"
    | "lot_expires_on"
    | "shipped_at"
    | "supply_ends_at",
    Value
  >
> & {
    /** Replaces the item's lots, with `lot`. A `lot` of null puts them back on the shelf. */
    lots?: readonly ItemLot[];
  };
/** Units taken (positive) or returned. Taking succeeds only if the ordered units are still the known number. */
export type UnitsChange = { prescription_id: number; units: number; known_units_ordered: number | null };
export type ShelfMove = { sku: string; kind: StockEntryKind; units: number };
export type PaymentEntry = {
  kind: "authorisation" | "capture" | "void" | "refund";
  amount_cents: number;
  reason_id: number | null;
  state: "asked" | "done";
};

export type DecidedChange = {
  after: Pick<ChangingOrder, "order" | "prescriptions" | "details" | "record">;
  step: Step;
  /** New ones include their basis. */
  open: Hold[];
  confirmed: Map<ExceptionId, string>;
  findings: SafetyFinding[];
  /** The checks held the order instead of the step. Nothing of the outcome applies. */
  held: boolean;
};

/** Returns the order after the change and the step to it. The checks run again on the new state. */
export function decideChange(changing: ChangingOrder, outcome: Outcome, rules: ChangeRules): DecidedChange {
  const { order, prescriptions, details, record } = changing;
  const after = { order, prescriptions, details, record, ...outcome.after };
  // An open exception is reported as such: the table allows no step of a held order.
  const checked = outcome.event !== undefined && isCheckedStep(outcome.event) && changing.standing.open.length === 0;
  if (!checked) return decideOn(holdFactsOf({ ...changing, ...after }, rules), changing, after, outcome, rules);
  const before = holdFactsOf(changing, rules);
  const instead = decideOn(before, changing, { order, prescriptions, details, record }, {}, rules);
  if (instead.open.length > 0) return { ...instead, held: true };
  // Most steps change nothing that the checks read, and the checks are the most expensive part of a step.
  const same =
    after.order.items === order.items &&
    after.order.address === order.address &&
    after.prescriptions === prescriptions &&
    after.details === details &&
    after.record === record;
  return decideOn(same ? before : holdFactsOf({ ...changing, ...after }, rules), changing, after, outcome, rules);
}

function decideOn(
  { facts, findings }: ReturnType<typeof holdFactsOf>,
  changing: ChangingOrder,
  after: DecidedChange["after"],
  outcome: Outcome,
  rules: ChangeRules,
): DecidedChange {
  const fresh = new Map<ExceptionId, string>();
  for (const id of outcome.confirms ?? []) {
    const basis = basisOf(id, facts);
    if (basis !== null) fresh.set(id, blinded(id, basis, rules.blind));
  }
  if (outcome.event !== undefined) {
    const open = [...changing.holds];
    return { after, step: { event: outcome.event }, open, confirmed: fresh, findings, held: false };
  }
  const holds = recheck(
    facts,
    {
      open: changing.holds,
      confirmed: confirmedBases([...changing.confirmed, ...fresh]),
      ends: [...(outcome.ends ?? []), ...(outcome.confirms ?? [])],
      ended_by_prescriber: outcome.from_prescriber === true ? endedBy(changing, facts, rules) : [],
    },
    rules.blind,
  );
  const raised = (outcome.raises ?? []).filter((id) => !holds.some((hold) => hold.id === id));
  const open = [...holds, ...raised.map((id) => ({ id, basis: null }))].sort((a, b) => a.id - b.id);
  const unmoved = open.map(({ id }) => id).join() === changing.standing.open.join();
  const { returns_to } = outcome;
  const step: Step =
    unmoved && outcome.otherwise !== undefined
      ? { event: outcome.otherwise, returns_to }
      : { open: open.map(({ id }) => id), by_hand: outcome.raises ?? [], returns_to };
  return { after, step, open, confirmed: fresh, findings: withFound(findings, changing.found, open), held: false };
}

/**
 * The pharmacist's exceptions whose cause was there before the change and is gone after it. A cause that a partner removed
 * earlier does not count.
 */
function endedBy(changing: ChangingOrder, after: HoldFacts, rules: ChangeRules): ExceptionId[] {
  const { facts } = holdFactsOf(changing, rules);
  return changing.holds
    .map(({ id }) => id)
    .filter((id) => isForPharmacist(id) && basisOf(id, facts) !== null && basisOf(id, after) === null);
}

/** Keeps the earlier findings of a pharmacist's open exception, so that the pharmacist sees why it was raised. */
function withFound(
  now: readonly SafetyFinding[],
  before: readonly SafetyFinding[],
  open: readonly Hold[],
): SafetyFinding[] {
  const kept = before.filter(
    ({ exception_id, key, item_id }) =>
      open.some(({ id }) => id === exception_id && isForPharmacist(id)) &&
      !now.some((one) => one.key === key && one.item_id === item_id),
  );
  return [...now, ...kept];
}

/** The facts of an existing order for the hold rules. */
export function holdFactsOf(
  changing: ChangingOrder,
  rules: ChangeRules,
): { facts: HoldFacts; findings: SafetyFinding[] } {
  const { order, prescriptions, details, record, fills, elsewhere = { people: [] } } = changing;
  const { formulary, safety, today, now, name_characters } = rules;
  const own = new Map(details.map((one) => [one.item_id, one]));
  const prescriptionOf = writtenFor(prescriptions);
  const rxEnded = (item: StoredItem) => {
    const prescription = prescriptionOf(item);
    const product = formulary.by_sku.get(item.sku) ?? null;
    return prescription !== null && hasEnded(prescription, product, { now, today });
  };
  const assessed = assessedOrder(changing, rules);
  const own_findings = orderFindings(safety, assessed);
  const findings = [...own_findings, ...elsewhereFindings(safety, assessed, own_findings, elsewhere)];
  const facts: HoldFacts = {
    workflow: order.workflow,
    formulary,
    today,
    name_characters,
    email: record.email,
    address: order.address,
    items: order.items.map((item) => ({
      item_id: item.item_id,
      product: formulary.by_sku.get(item.sku) ?? null,
      prescription: prescriptionOf(item),
      sig_contradicts: contradictsSig(findings, item.item_id),
      units: own.get(item.item_id)!.units,
      missing_rx: item.needs_prescription && item.prescription_id === null,
      rx_ended: rxEnded(item),
      back_ordered: !own.get(item.item_id)!.reserved,
    })),
    findings,
    doubled: isDoubled(order, fills),
    at_creation: null,
  };
  return { facts, findings };
}

/** The prescription of an item, if it has one. */
function writtenFor(prescriptions: readonly ChangingPrescription[]) {
  const written = new Map(prescriptions.map((one) => [one.prescription_id, one]));
  return ({ prescription_id }: StoredItem) =>
    prescription_id === null ? null : (written.get(prescription_id) ?? null);
}

/** The order as the safety engine checks it. */
export function assessedOrder(
  { order, prescriptions, details, record, fills }: ChangingOrder,
  { formulary, now }: Pick<ChangeRules, "formulary" | "now">,
): AssessedOrder {
  const own = new Map(details.map((one) => [one.item_id, one]));
  const prescriptionOf = writtenFor(prescriptions);
  return {
    items: order.items.map((item) => ({
      item_id: item.item_id,
      ingredients: own.get(item.item_id)!.ingredients,
      drug: formulary.by_sku.get(item.sku)?.name ?? prescriptionOf(item)?.drug_name ?? "",
      gcn: item.gcn,
      sig_text: prescriptionOf(item)?.sig_text ?? null,
      units: prescriptionOf(item)?.written_qty ?? own.get(item.item_id)!.units,
      days_supply: prescriptionOf(item)?.days_supply ?? null,
      drug_schedule: prescriptionOf(item)?.drug_schedule ?? formulary.by_sku.get(item.sku)?.drug_schedule ?? "0",
      is_drug: own.get(item.item_id)!.is_drug,
      prescription_id: item.prescription_id,
      ordered_units: own.get(item.item_id)!.units,
    })),
    fills,
    patient_safety: record.patient_safety,
    patient: patientFacts(record),
    now,
  };
}

/**
 * Whether another order with the same medication is in the way: it is open, or it has shipped since this one was placed. A
 * later order that is itself held as a duplicate is not. So of several duplicates the earliest one becomes free when the
 * first order is canceled, and never two at once.
 */
const isDoubled = ({ items, created_at }: StoredOrder, fills: readonly Fill[]): boolean =>
  fills.some(
    (other) =>
      other.ordered_at !== undefined &&
      (other.ordered_at <= created_at || other.held_by?.includes(DUPLICATE) !== true) &&
      (other.shipped_at === null || other.shipped_at >= created_at) &&
      items.some(
        ({ prescription_id, gcn }) =>
          (prescription_id !== null && prescription_id === other.prescription_id) ||
          (gcn !== null && gcn === other.gcn),
      ),
  );

/** Returns the units and reserved stock of removed items. */
export function giveBack(
  { order, prescriptions, details }: Pick<ChangingOrder, "order" | "prescriptions" | "details">,
  item_ids: readonly number[],
): Required<Pick<Outcome, "units" | "stock">> & { prescriptions: ChangingPrescription[] } {
  const gone = order.items.filter(({ item_id }) => item_ids.includes(item_id));
  const unitsOf = ({ item_id }: StoredItem) => details.find((one) => one.item_id === item_id)!.units;
  const units = sums(
    gone.flatMap((item) => (item.prescription_id === null ? [] : [[item.prescription_id, -unitsOf(item)] as const])),
  );
  const shelves = sums(
    gone.flatMap((item) =>
      details.find((one) => one.item_id === item.item_id)!.reserved ? [[item.sku, unitsOf(item)] as const] : [],
    ),
  );
  return {
    units: units.map(([prescription_id, sum]) => ({ prescription_id, units: sum, known_units_ordered: null })),
    stock: shelves.map(([sku, sum]) => ({ sku, kind: "released", units: sum })),
    prescriptions: withUnits(prescriptions, units),
  };
}

/** The prescriptions with this many more units ordered. */
export const withUnits = (
  prescriptions: readonly ChangingPrescription[],
  units: readonly (readonly [prescription_id: number, units: number])[],
): ChangingPrescription[] =>
  prescriptions.map((one) => {
    const more = units.filter(([id]) => id === one.prescription_id).reduce((sum, [, count]) => sum + count, 0);
    return { ...one, units_ordered: exact(one.units_ordered + more) };
  });

export function sums<Key>(pairs: readonly (readonly [Key, number])[]): [Key, number][] {
  const total = new Map<Key, number>();
  for (const [key, count] of pairs) total.set(key, exact((total.get(key) ?? 0) + count));
  return [...total];
}

/** The amount without these items. The shipping price stays the same. */
export function amountWithout({ order, details }: ChangingOrder, item_id: number): number {
  return order.amount_cents - (details.find((one) => one.item_id === item_id)?.price_cents ?? 0);
}
