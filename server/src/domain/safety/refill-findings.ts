import { fillNumbers } from "../fulfillment/fill-numbers.ts";
import { addDays } from "../values/calendar.ts";
import { exact } from "../values/quantity-units.ts";
import type { CheckedItem, CheckedOrder, Taken } from "./checked-order.ts";
import type { SafetyData, Substance } from "./data.ts";
import { advices, holdBy, type SafetyFinding, sentences } from "./finding.ts";
import type { SafetyRows } from "./rows.ts";

type Fill = { order_number: string; shipped_at: Date; days_supply: number };
type RefillRule = SafetyRows["refill_rules"][number];

const DAY_MS = 24 * 3600 * 1000;
/** Early refills add up over this time. */
export const DRIFT_DAYS = 365;

/**
 * Finds refills that come too early: before enough of the last fill is used up, or although earlier refills of the last
 * year left too many days on hand. The rule of the drug or of its schedule decides, and whether that holds the order.
 */
export function refillFindings(data: SafetyData, { items, taken }: CheckedOrder, now: Date): SafetyFinding[] {
  if (!taken.some(({ fill }) => fill?.shipped_at)) return [];
  return items.flatMap((item): SafetyFinding[] => {
    const rule = ruleOf(data, item);
    const fills = shippedFills(item, items, taken);
    const last = fills.at(-1);
    if (rule === undefined || last === undefined) return [];
    const { due, holds_until, message } = dueOf(rule, item, fills, last, now);
    const today = dateOf(now);
    if (today >= due) return [];
    const severity = today < holds_until ? "major" : "moderate";
    return [
      {
        kind: "refill_too_soon",
        severity,
        exception_id: holdBy(75, severity),
        item_id: item.item_id,
        key: ["refill_too_soon", ...item.substances.map(({ name }) => name).sort()].join(" "),
        message,
        advice: advices.refill_too_soon,
        source: data.citationOf(rule),
        version: data.version,
      },
    ];
  });
}

/** The same medication by GCN, or by ingredients if one has no GCN. */
export function isRefill(item: CheckedItem, { fill, substances }: Taken): boolean {
  if (fill === null) return false;
  if (item.gcn !== null && fill.gcn !== null) return item.gcn === fill.gcn;
  return (
    substances.length > 0 && substances.length === item.substances.length && substances.every((one) => has(item, one))
  );
}

/** A rule for an ingredient replaces the rule for the schedule. */
function ruleOf({ rows }: SafetyData, item: CheckedItem): RefillRule | undefined {
  const rules = rows.refill_rules.filter(({ drug_schedules }) => drug_schedules.includes(item.drug_schedule));
  const own = rules.find(({ ingredients }) =>
    ingredients.some((name) => item.substances.some((one) => one.name === name)),
  );
  return own ?? rules.find(({ ingredients }) => ingredients.length === 0);
}

type Shipped = NonNullable<Taken["fill"]> & { shipped_at: Date };

/**
 * Oldest first. The items of one order count together, and so do the parts of one fill, which began with its first part.
 * The fill that the order completes is not among them: the rest of a fill is no refill (21 CFR 1306.13, 1306.23).
 */
function shippedFills(item: CheckedItem, items: readonly CheckedItem[], taken: readonly Taken[]): Fill[] {
  const shipped = taken
    .filter((other) => isRefill(item, other))
    .flatMap(({ fill }) => (fill?.shipped_at ? [fill as Shipped] : []))
    .sort((a, b) => a.shipped_at.getTime() - b.shipped_at.getTime() || (a.order_number < b.order_number ? 1 : -1));
  const began = beginnings(shipped);
  const completed = completedBy(item, items, shipped);
  const fills = new Map<string, Fill>();
  for (const [index, { shipped_at, days_supply }] of shipped.entries()) {
    const order_number = began[index]!;
    if (days_supply === null || isPartOf(item, shipped[index]!)) continue;
    if (completed !== null && order_number === began[completed]) continue;
    const known = fills.get(order_number);
    fills.set(
      order_number,
      known === undefined
        ? { order_number, shipped_at, days_supply }
        : { ...known, days_supply: known.days_supply + days_supply },
    );
  }
  return [...fills.values()];
}

/** For each dispensing, the order with which its fill began. */
function beginnings(shipped: readonly Shipped[]): string[] {
  const began = shipped.map(({ order_number }) => order_number);
  for (const own of byPrescription(shipped)) {
    const { written_qty } = shipped[own[0]!]!;
    const numbers = fillNumbers(written_qty ?? 0, Number.POSITIVE_INFINITY, unitsOf(shipped, own));
    for (const [place, index] of own.entries()) {
      if (numbers[place]!.partial > 1) began[index] = began[own[place - 1]!]!;
    }
  }
  return began;
}

/**
 * The last dispensing of the fill that this order completes; null if the order begins a new one. If the fill began with a
 * package that also contained earlier fills, the patient has more on hand than a part, so the order counts as a refill.
 */
function completedBy(item: CheckedItem, items: readonly CheckedItem[], shipped: readonly Shipped[]): number | null {
  const { prescription_id, units: written_qty } = item;
  const own = byPrescription(shipped).find(([first]) => shipped[first!]!.prescription_id === prescription_id);
  if (own === undefined || prescription_id == null || written_qty === null || written_qty <= 0) return null;
  const packages = new Map<string, number>();
  for (const index of own) {
    const { order_number, units } = shipped[index]!;
    packages.set(order_number, (packages.get(order_number) ?? 0) + units!);
  }
  const dispensed = [...packages.values()];
  const before = dispensed.reduce((sum, units) => sum + units, 0);
  const begun = exact(before - Math.floor(exact(before) / written_qty) * written_qty);
  if (!areParts(dispensed, begun)) return null;
  const ordered = items
    .filter((one) => one.prescription_id === prescription_id)
    .reduce((sum, { ordered_units }) => sum + (ordered_units ?? Number.POSITIVE_INFINITY), 0);
  return begun > 0 && exact(begun + ordered) <= written_qty ? own.at(-1)! : null;
}

/** Whether the last packages, each as a whole, add up to the units of the fill that has begun. */
function areParts(packages: readonly number[], begun: number): boolean {
  let left = begun;
  for (const units of [...packages].reverse()) {
    if (left <= 0) break;
    left = exact(left - units);
  }
  return left === 0;
}

/** The positions of the dispensings of each prescription, where their units are known. */
function byPrescription(shipped: readonly Shipped[]): number[][] {
  const groups = new Map<number, number[]>();
  for (const [index, { prescription_id, units, written_qty }] of shipped.entries()) {
    if (prescription_id == null || units === undefined || written_qty == null) continue;
    groups.set(prescription_id, [...(groups.get(prescription_id) ?? []), index]);
  }
  return [...groups.values()];
}

const unitsOf = (shipped: readonly Shipped[], own: readonly number[]) => own.map((index) => shipped[index]!.units!);

/** A schedule 2 prescription has no refills (21 CFR 1306.12(a)), so its fills are parts of one (21 CFR 1306.13). */
const isPartOf = ({ drug_schedule, prescription_id }: CheckedItem, fill: Shipped): boolean =>
  drug_schedule === "2" && prescription_id != null && fill.prescription_id === prescription_id;

/** When the refill is due, and until when it holds the order instead of a warning. */
function dueOf(rule: RefillRule, item: CheckedItem, fills: readonly Fill[], last: Fill, now: Date) {
  const drug = item.substances.map(({ shown }) => shown).join(" and ") || "This medication";
  const after = (share: number) => addDays(dateOf(last.shipped_at), Math.ceil(last.days_supply * share));
  const by_share = after(rule.share);
  const on_hand = daysOnHand(fills, now);
  const allowed = Math.floor(last.days_supply * (1 - rule.share)) + rule.most_early_days;
  const by_drift = addDays(dateOf(now), Math.max(0, Math.ceil(on_hand - allowed)));
  // A controlled drug holds at any early refill. Another drug only warns, unless its rule says when it holds.
  const hold_share = rule.hold_share ?? (item.drug_schedule === "0" ? 0 : rule.share);
  const drift_holds = hold_share > 0 && by_drift > dateOf(now);
  const due = by_drift > by_share ? by_drift : by_share;
  return {
    due,
    holds_until: drift_holds ? due : after(hold_share),
    message:
      by_drift > by_share
        ? sentences.refill_drift(drug, fills.length, Math.round(on_hand), by_drift)
        : sentences.refill_too_soon(drug, last.order_number, last.days_supply, by_share),
  };
}

/** The rest of the last year's fills if the patient takes one day's supply per day. A gap does not create debt. */
function daysOnHand(fills: readonly Fill[], now: Date): number {
  const daysTo = (from: Date, to: Date) => Math.floor(to.getTime() / DAY_MS) - Math.floor(from.getTime() / DAY_MS);
  const recent = fills.filter(({ shipped_at }) => daysTo(shipped_at, now) < DRIFT_DAYS);
  let left = 0;
  for (const [index, { shipped_at, days_supply }] of recent.entries()) {
    left = Math.max(0, left + days_supply - daysTo(shipped_at, recent[index + 1]?.shipped_at ?? now));
  }
  return left;
}

const dateOf = (at: Date) => at.toISOString().slice(0, 10);

const has = ({ substances }: Pick<CheckedItem, "substances">, { name }: Substance) =>
  substances.some((one) => one.name === name);
