import type { ExceptionId } from "@pestle/contract";
import type { Formulary } from "../catalogue/formulary.ts";
import type { StockEntryKind } from "../catalogue/stock.ts";
import type { PrescriptionFacts } from "../intake/medication-request.ts";
import type { PatientRecord } from "../patients/patient-record.ts";
import { orderFindings, type SafetyState } from "../safety/assess-safety.ts";
import { type Elsewhere, elsewhereFindings } from "../safety/elsewhere.ts";
import type { SafetyFinding } from "../safety/finding.ts";
import type { OrderStanding, Step } from "./order.ts";
import type { StoredItem, StoredOrder } from "./order-answer.ts";
import type { Fill, PrescriptionFact } from "./order-facts.ts";
import { basisOf, type Hold, type HoldFacts, recheck } from "./order-holds.ts";
import { exact } from "./resolve-items.ts";

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
  found?: readonly SafetyFinding[];
  /** What is known about the person from other partners; without it, nothing. */
  elsewhere?: Elsewhere;
};
export type ChangingPrescription = PrescriptionFacts & Pick<PrescriptionFact, "acceptance">;
/** Item data that partners do not see. */
export type ItemDetails = {
  item_id: number;
  units: number;
  reserved: boolean;
  price_cents: number;
  ingredients: string[];
  lot: string | null;
  lot_expires_on: string | null;
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
  /** Without an event, the checks run again and determine the holds. */
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
  payments?: readonly PaymentEntry[];
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
>;
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
};

/** Returns the order after the change and the step to it. The checks run again on the new state. */
export function decideChange(changing: ChangingOrder, outcome: Outcome, rules: ChangeRules): DecidedChange {
  const { order, prescriptions, details, record } = changing;
  const after = { order, prescriptions, details, record, ...outcome.after };
  const { facts, findings } = holdFactsOf({ ...changing, ...after }, rules);
  const fresh = new Map<ExceptionId, string>();
  for (const id of outcome.confirms ?? []) {
    const basis = basisOf(id, facts);
    if (basis !== null) fresh.set(id, rules.blind(basis));
  }
  if (outcome.event !== undefined) {
    return { after, step: { event: outcome.event }, open: [...changing.holds], confirmed: fresh, findings };
  }
  const holds = recheck(
    facts,
    {
      open: changing.holds,
      confirmed: new Map([...changing.confirmed, ...fresh]),
      ends: [...(outcome.ends ?? []), ...(outcome.confirms ?? [])],
    },
    rules.blind,
  );
  const raised = (outcome.raises ?? []).filter((id) => !holds.some((hold) => hold.id === id));
  const open = [...holds, ...raised.map((id) => ({ id, basis: null }))].sort((a, b) => a.id - b.id);
  const unmoved = open.map(({ id }) => id).join() === changing.standing.open.join();
  const step: Step =
    unmoved && outcome.otherwise !== undefined
      ? { event: outcome.otherwise }
      : { open: open.map(({ id }) => id), by_hand: outcome.raises ?? [] };
  return { after, step, open, confirmed: fresh, findings };
}

/** The facts of an existing order for the hold rules. */
export function holdFactsOf(
  { order, prescriptions, details, record, fills, elsewhere = { people: [] } }: ChangingOrder,
  { formulary, safety, today, now, name_characters }: ChangeRules,
): { facts: HoldFacts; findings: SafetyFinding[] } {
  const written = new Map(prescriptions.map((one) => [one.prescription_id, one]));
  const own = new Map(details.map((one) => [one.item_id, one]));
  const prescriptionOf = ({ prescription_id }: StoredItem) =>
    prescription_id === null ? null : (written.get(prescription_id) ?? null);
  const assessed = {
    items: order.items.map((item) => ({
      item_id: item.item_id,
      ingredients: own.get(item.item_id)!.ingredients,
      gcn: item.gcn,
      days_supply: prescriptionOf(item)?.days_supply ?? null,
      drug_schedule: prescriptionOf(item)?.drug_schedule ?? formulary.by_sku.get(item.sku)?.drug_schedule ?? "0",
    })),
    fills,
    patient_safety: record.patient_safety,
    now,
  };
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
      units: own.get(item.item_id)!.units,
      missing_rx: item.needs_prescription && item.prescription_id === null,
      back_ordered: !own.get(item.item_id)!.reserved,
    })),
    findings,
    at_creation: null,
  };
  return { facts, findings };
}

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
