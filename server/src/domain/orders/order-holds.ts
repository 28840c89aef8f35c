import { type Address, type ExceptionId, exceptionRow, type Workflow } from "@pestle/contract";
import type { Formulary, FormularyProduct } from "../catalogue/formulary.ts";
import { type SafetyFinding, UNCHECKED } from "../safety/finding.ts";
import { addressHolds, shipToName } from "../values/address/address-holds.ts";
import type { Verdict } from "../values/address/verdict.ts";
import { exact } from "../values/quantity-units.ts";
import { isLicensed } from "./order-checks.ts";
import type { PrescriptionFact } from "./order-facts.ts";

const LONGEST_SIG = 1_000;

/** The input of the hold rules, for new and changed orders. */
export type HoldFacts = {
  workflow: Workflow;
  formulary: Formulary;
  today: string;
  name_characters: number;
  email: string | null;
  address: Address | null;
  items: readonly HoldItem[];
  findings: readonly SafetyFinding[];
  /** Another order has the same prescription or medication, and it was open when this one was placed, or is now. */
  doubled: boolean;
  /** Facts that only a new order has. Their exceptions stay open until a person closes them. */
  at_creation: {
    dob_differs: boolean;
    name_differs: boolean;
    verdict: Pick<Verdict, "result" | "suggestions"> | null;
  } | null;
};

export type HoldItem = {
  item_id: number;
  product: FormularyProduct | null;
  prescription: Pick<
    PrescriptionFact,
    "prescription_id" | "sig_text" | "daw" | "ndc" | "written_qty" | "drug_schedule"
  > | null;
  /** The safety engine found that the sig contradicts the quantity or the days of supply. */
  sig_contradicts: boolean;
  units: number;
  /** It needs a prescription, has none, and names the prescriber instead. */
  missing_rx: boolean;
  /** The prescription was canceled, replaced or rejected, or it has expired. */
  rx_ended: boolean;
  back_ordered: boolean;
};

/**
 * The hold rules, one row per exception, in order of their numbers. A row returns the basis of the exception, or null
 * if it does not apply. A confirmation covers exactly that basis.
 */
export const orderHolds: readonly HoldRow[] = [
  { id: 65, judged: "always", basis: ({ email }) => (email === null ? "no email" : null) },
  { id: 66, judged: "always", basis: ({ address }) => (address === null ? "no address" : null) },
  { id: 67, judged: "always", basis: barredBasis },
  { id: 68, judged: "at_creation", ends_itself: true, basis: ({ doubled }) => (doubled ? "doubled" : null) },
  {
    id: 69,
    judged: "always",
    basis: (facts) => {
      const unclear = listed(facts.items, hasUnclearSig, ({ prescription }) => prescription);
      const found = foundBasis(facts, 69);
      return unclear === null || found === null ? (unclear ?? found) : `${unclear}, ${found}`;
    },
  },
  { id: 70, judged: "always", basis: ({ items }) => listed(items, isSubstituted, ({ prescription }) => prescription) },
  {
    id: 71,
    judged: "at_creation",
    basis: ({ at_creation }) => (at_creation?.name_differs ? "name" : at_creation?.dob_differs ? "dob" : null),
  },
  {
    id: 72,
    judged: "always",
    basis: ({ items }) =>
      listed(
        items,
        (item) => !Number.isInteger(item.units) || isAboveMaximum(item.product, items) || isAboveOneFill(item, items),
      ),
  },
  {
    id: 73,
    judged: "always",
    basis: ({ items }) => listed(items, lacksPrescription, ({ prescription }) => prescription),
  },
  { id: 74, judged: "always", each: true, basis: (facts) => foundBasis(facts, 74) },
  { id: 75, judged: "always", each: true, basis: (facts) => foundBasis(facts, 75) },
  { id: 76, judged: "always", basis: ({ items }) => listed(items, ({ back_ordered }) => back_ordered) },
  { id: 77, judged: "at_creation", basis: (facts) => verdictBasis(facts, 77) },
  { id: 78, judged: "at_creation", basis: (facts) => verdictBasis(facts, 78) },
  {
    id: 79,
    judged: "always",
    basis: ({ address, name_characters }) =>
      address !== null && addressHolds(address, null, name_characters).includes(79) ? shipToName(address) : null,
  },
];
type HoldRow = {
  id: ExceptionId;
  judged: "always" | "at_creation";
  /** Raised at creation only, and closed when its cause is gone. */
  ends_itself?: true;
  /** A confirmation covers each finding by itself: one that a pharmacist resolved does not return when another one ends. */
  each?: true;
  basis(facts: HoldFacts): string | null;
};
const EACH: ReadonlySet<ExceptionId> = new Set(orderHolds.filter(({ each }) => each).map(({ id }) => id));
/** Between the findings of a basis, and between their hashes. */
const BETWEEN = { plain: "\n", blind: " " } as const;

/** A basis as it is stored: hashed, because it can identify the patient. */
export const blinded = (id: ExceptionId, basis: string, blind: (basis: string) => string): string =>
  EACH.has(id) ? basis.split(BETWEEN.plain).map(blind).join(BETWEEN.blind) : blind(basis);

/** The confirmed bases, oldest first, by exception: all of them where each finding counts, else the last one. */
export function confirmedBases(entries: Iterable<readonly [ExceptionId, string]>): Map<ExceptionId, string> {
  const confirmed = new Map<ExceptionId, string>();
  for (const [id, basis] of entries) {
    const before = EACH.has(id) ? confirmed.get(id) : undefined;
    confirmed.set(id, before === undefined ? basis : `${before}${BETWEEN.blind}${basis}`);
  }
  return confirmed;
}

function isConfirmed(id: ExceptionId, basis: string, confirmed: string | undefined): boolean {
  if (confirmed === undefined || !EACH.has(id)) return confirmed === basis;
  const known = new Set(confirmed.split(BETWEEN.blind));
  return basis.split(BETWEEN.blind).every((one) => known.has(one));
}

export type Hold = { id: ExceptionId; basis: string | null };

/** The exceptions of a new order. */
export const holdsOf = (facts: HoldFacts): Hold[] =>
  orderHolds.flatMap(({ id, basis }) => {
    const rests_on = basis(facts);
    return rests_on === null ? [] : [{ id, basis: rests_on }];
  });

export type StandingHolds = {
  /** Open exceptions. `basis` (hashed) is null if a person raised it. */
  open: readonly Hold[];
  /** Confirmed bases (hashed), which are not raised again. */
  confirmed: ReadonlyMap<ExceptionId, string>;
  /** Exceptions that the action ends. A rule that still applies raises them again, unless confirmed. */
  ends: readonly ExceptionId[];
  /** A pharmacist's exceptions whose cause a new prescription removed. */
  ended_by_prescriber: readonly ExceptionId[];
};

/** Only a pharmacist closes it. Without that, a partner could remove an allergy to end the hold. */
export const isForPharmacist = (id: ExceptionId): boolean => exceptionRow(id).who_acts === "pharmacist";

/**
 * Returns the open exceptions after the checks ran again. `blind` hashes a basis, because it can identify the patient.
 * A pharmacist's exception stays open although its cause is gone, unless the cause was that the tables were unusable.
 */
export function recheck(facts: HoldFacts, standing: StandingHolds, blind: (basis: string) => string): Hold[] {
  const rows = new Map(orderHolds.map((row) => [row.id, row]));
  const stays = standing.open.filter((hold) => {
    if (standing.ends.includes(hold.id)) return false;
    const row = rows.get(hold.id);
    if (hold.basis === null) return true;
    if (row?.judged !== "always") return row?.ends_itself !== true || row.basis(facts) !== null;
    return isForPharmacist(hold.id) && hold.basis !== UNCHECKED && !standing.ended_by_prescriber.includes(hold.id);
  });
  const raised = orderHolds.flatMap(({ id, judged, basis }): Hold[] => {
    const rests_on = judged === "always" ? basis(facts) : null;
    if (rests_on === null || stays.some((hold) => hold.id === id)) return [];
    const hashed = blinded(id, rests_on, blind);
    return isConfirmed(id, hashed, standing.confirmed.get(id)) ? [] : [{ id, basis: hashed }];
  });
  return [...stays, ...raised].sort((a, b) => a.id - b.id);
}

/** The current basis of an exception; null if no rule applies. */
export const basisOf = (id: ExceptionId, facts: HoldFacts): string | null =>
  orderHolds.find((row) => row.id === id && row.judged === "always")?.basis(facts) ?? null;

/** Whether a finding says that the sig of this item contradicts its quantity or days of supply. */
export const contradictsSig = (findings: readonly SafetyFinding[], item_id: number): boolean =>
  findings.some((one) => holdsBy(one, 69) && (one.item_id ?? item_id) === item_id);

const holdsBy = ({ exception_id }: SafetyFinding, id: ExceptionId): boolean => exception_id === id;

/** Whether an item caused the exception. */
export const isCause = (id: ExceptionId, item: HoldItem): boolean => causes[id]?.(item) ?? false;

const causes: Partial<Record<ExceptionId, (item: HoldItem) => boolean>> = {
  69: (item) => hasUnclearSig(item) || item.sig_contradicts,
  70: isSubstituted,
  73: lacksPrescription,
  76: ({ back_ordered }) => back_ordered,
};

function lacksPrescription({ missing_rx, rx_ended }: HoldItem): boolean {
  return missing_rx || rx_ended;
}

function hasUnclearSig({ prescription, sig_contradicts }: HoldItem): boolean {
  if (prescription === null) return false;
  return sig_contradicts || prescription.sig_text.trim() === "" || prescription.sig_text.length > LONGEST_SIG;
}

function isSubstituted({ prescription, product }: HoldItem): boolean {
  return prescription?.daw === true && product !== null && product.ndc !== prescription.ndc;
}

function isAboveMaximum(product: FormularyProduct | null, items: readonly HoldItem[]): boolean {
  return product !== null && unitsOf(product, items) > product.max_units;
}

/** Several fills of a controlled drug at once: only a pharmacist can allow it. */
function isAboveOneFill({ prescription, product }: HoldItem, items: readonly HoldItem[]): boolean {
  if (prescription === null) return false;
  if (prescription.drug_schedule === "0" && (product === null || product.drug_schedule === "0")) return false;
  const own = items.filter((item) => item.prescription?.prescription_id === prescription.prescription_id);
  return exact(own.reduce((sum, { units }) => sum + units, 0)) > prescription.written_qty;
}

/** The units of a product across all items of the order. */
const unitsOf = ({ sku }: FormularyProduct, items: readonly HoldItem[]): number =>
  exact(items.filter(({ product }) => product?.sku === sku).reduce((sum, { units }) => sum + units, 0));

/** The items that raise it, with what a confirmation covers. */
function listed(
  items: readonly HoldItem[],
  raises: (item: HoldItem) => boolean,
  with_prescription?: (item: HoldItem) => HoldItem["prescription"],
): string | null {
  const found = items.filter(raises).map((item) => {
    const prescription = with_prescription?.(item)?.prescription_id ?? "";
    return [item.item_id, item.product?.sku, item.units, prescription].join(" ");
  });
  return found.length === 0 ? null : found.join(", ");
}

/** A product that cannot be shipped to the state. Under Automatic Processing also a missing license. */
function barredBasis(facts: HoldFacts): string | null {
  const state = facts.address?.state;
  if (state === undefined) return null;
  const barred = facts.items.filter(({ product }) => product?.blocked_states.includes(state));
  const unlicensed = facts.workflow === "automatic" && !isLicensed(facts, state);
  if (barred.length === 0 && !unlicensed) return null;
  return [state, ...barred.map(({ product }) => product!.sku), ...(unlicensed ? ["unlicensed"] : [])].join(" ");
}

function foundBasis({ findings }: HoldFacts, id: ExceptionId): string | null {
  const keys = findings.filter((one) => holdsBy(one, id)).map(({ key }) => key);
  return keys.length === 0 ? null : keys.sort().join(BETWEEN.plain);
}

function verdictBasis({ address, at_creation, name_characters }: HoldFacts, id: 77 | 78): string | null {
  const raised = address !== null && addressHolds(address, at_creation?.verdict ?? null, name_characters).includes(id);
  return raised ? "address" : null;
}
