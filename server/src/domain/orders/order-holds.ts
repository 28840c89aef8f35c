import type { Address, ExceptionId, Workflow } from "@pestle/contract";
import type { Formulary, FormularyProduct } from "../catalogue/formulary.ts";
import type { SafetyFinding } from "../safety/finding.ts";
import { addressHolds, shipToName } from "../values/address/address-holds.ts";
import type { Verdict } from "../values/address/verdict.ts";
import { isLicensed } from "./order-checks.ts";
import type { PrescriptionFact } from "./order-facts.ts";
import { exact } from "./resolve-items.ts";

const LONGEST_SIG = 1_000;

/** What the reasons to hold look at, the same for an order that is placed and for one that was changed. */
export type HoldFacts = {
  workflow: Workflow;
  formulary: Formulary;
  today: string;
  name_characters: number;
  email: string | null;
  address: Address | null;
  items: readonly HoldItem[];
  findings: readonly SafetyFinding[];
  /** What only a new order can tell: afterwards these stay as they are until somebody ends them. */
  at_creation: { doubled: boolean; dob_differs: boolean; verdict: Pick<Verdict, "result"> | null } | null;
};

export type HoldItem = {
  item_id: number;
  product: FormularyProduct | null;
  prescription: Pick<PrescriptionFact, "prescription_id" | "sig_text" | "daw" | "ndc"> | null;
  units: number;
  /** It needs a prescription, has none, and names the prescriber instead. */
  missing_rx: boolean;
  back_ordered: boolean;
};

/**
 * Every reason to hold an order that the order itself tells, a row an exception, in the order of their numbers. A row
 * gives what the exception rests on, null where there is nothing: whoever confirms it confirms exactly that.
 */
export const orderHolds: readonly HoldRow[] = [
  { id: 65, judged: "always", basis: ({ email }) => (email === null ? "no email" : null) },
  { id: 66, judged: "always", basis: ({ address }) => (address === null ? "no address" : null) },
  { id: 67, judged: "always", basis: barredBasis },
  { id: 68, judged: "at_creation", basis: ({ at_creation }) => (at_creation?.doubled ? "doubled" : null) },
  { id: 69, judged: "always", basis: ({ items }) => listed(items, hasUnclearSig, ({ prescription }) => prescription) },
  { id: 70, judged: "always", basis: ({ items }) => listed(items, isSubstituted, ({ prescription }) => prescription) },
  { id: 71, judged: "at_creation", basis: ({ at_creation }) => (at_creation?.dob_differs ? "dob" : null) },
  {
    id: 72,
    judged: "always",
    basis: ({ items }) =>
      listed(items, ({ units, product }) => !Number.isInteger(units) || isAboveMaximum(product, items)),
  },
  { id: 73, judged: "always", basis: ({ items }) => listed(items, ({ missing_rx }) => missing_rx) },
  { id: 74, judged: "always", basis: (facts) => foundBasis(facts, 74) },
  { id: 75, judged: "always", basis: (facts) => foundBasis(facts, 75) },
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
type HoldRow = { id: ExceptionId; judged: "always" | "at_creation"; basis(facts: HoldFacts): string | null };

export type Hold = { id: ExceptionId; basis: string | null };

/** The exceptions that a new order is born with. */
export const holdsOf = (facts: HoldFacts): Hold[] =>
  orderHolds.flatMap(({ id, basis }) => {
    const rests_on = basis(facts);
    return rests_on === null ? [] : [{ id, basis: rests_on }];
  });

export type StandingHolds = {
  /** Open by now; `basis` (blinded) is null where a person raised it. */
  open: readonly Hold[];
  /** What was confirmed (blinded): the same is not raised again. */
  confirmed: ReadonlyMap<ExceptionId, string>;
  /** What ends by what was done. A rule that still holds raises it again, unless it was confirmed. */
  ends: readonly ExceptionId[];
};

/**
 * The exceptions that are open once the checks ran again. `blind` makes of a basis what is kept of it, since it may
 * tell who.
 */
export function recheck(facts: HoldFacts, standing: StandingHolds, blind: (basis: string) => string): Hold[] {
  const rows = new Map(orderHolds.map((row) => [row.id, row]));
  const stays = standing.open.filter((hold) => {
    if (standing.ends.includes(hold.id)) return false;
    return hold.basis === null || rows.get(hold.id)?.judged !== "always";
  });
  const raised = orderHolds.flatMap(({ id, judged, basis }): Hold[] => {
    const rests_on = judged === "always" ? basis(facts) : null;
    if (rests_on === null || stays.some((hold) => hold.id === id)) return [];
    const blinded = blind(rests_on);
    return standing.confirmed.get(id) === blinded ? [] : [{ id, basis: blinded }];
  });
  return [...stays, ...raised].sort((a, b) => a.id - b.id);
}

/** What an exception rests on right now; null where no rule speaks for it. */
export const basisOf = (id: ExceptionId, facts: HoldFacts): string | null =>
  orderHolds.find((row) => row.id === id && row.judged === "always")?.basis(facts) ?? null;

/** Whether an item is one of those for which an exception was raised. */
export const isCause = (id: ExceptionId, item: HoldItem): boolean => causes[id]?.(item) ?? false;

const causes: Partial<Record<ExceptionId, (item: HoldItem) => boolean>> = {
  69: hasUnclearSig,
  70: isSubstituted,
  73: ({ missing_rx }) => missing_rx,
  76: ({ back_ordered }) => back_ordered,
};

function hasUnclearSig({ prescription }: HoldItem): boolean {
  return prescription !== null && (prescription.sig_text.trim() === "" || prescription.sig_text.length > LONGEST_SIG);
}

function isSubstituted({ prescription, product }: HoldItem): boolean {
  return prescription?.daw === true && product !== null && product.ndc !== prescription.ndc;
}

function isAboveMaximum(product: FormularyProduct | null, items: readonly HoldItem[]): boolean {
  return product !== null && unitsOf(product, items) > product.max_units;
}

/** What all items of the order together take of a product. */
const unitsOf = ({ sku }: FormularyProduct, items: readonly HoldItem[]): number =>
  exact(items.filter(({ product }) => product?.sku === sku).reduce((sum, { units }) => sum + units, 0));

/** The items that raise it, with what of them is confirmed when it is. */
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

/** A product that may not be sent to the state; under Automatic Processing also no licence there. */
function barredBasis(facts: HoldFacts): string | null {
  const state = facts.address?.state;
  if (state === undefined) return null;
  const barred = facts.items.filter(({ product }) => product?.blocked_states.includes(state));
  const unlicensed = facts.workflow === "automatic" && !isLicensed(facts, state);
  if (barred.length === 0 && !unlicensed) return null;
  return [state, ...barred.map(({ product }) => product!.sku), ...(unlicensed ? ["unlicensed"] : [])].join(" ");
}

function foundBasis({ findings }: HoldFacts, id: ExceptionId): string | null {
  const keys = findings.filter(({ exception_id }) => exception_id === id).map(({ key }) => key);
  return keys.length === 0 ? null : keys.sort().join(", ");
}

function verdictBasis({ address, at_creation, name_characters }: HoldFacts, id: 77 | 78): string | null {
  const raised = address !== null && addressHolds(address, at_creation?.verdict ?? null, name_characters).includes(id);
  return raised ? "address" : null;
}
