import { addDays } from "../values/calendar.ts";
import type { CheckedItem, CheckedOrder, Taken } from "./checked-order.ts";
import type { SafetyData, Substance } from "./data.ts";
import { OWN_RULE, places, type SafetyFinding, sentences } from "./finding.ts";

type Other = Pick<Taken, "substances" | "place">;

/**
 * Finds the same drug, or two drugs of a class that should be taken one at a time, in another item or in the patient's
 * current supply.
 */
export function duplicateFindings(data: SafetyData, { items, taken }: CheckedOrder): SafetyFinding[] {
  return items.flatMap((item, index) => {
    const rest = items.slice(index + 1).map((other) => ({ ...other, place: places.item() }));
    const active = taken.filter(({ fill, ended_days_ago }) => fill !== null && ended_days_ago <= 0);
    return [
      ...rest.flatMap((other) => doubled(data, Math.min(item.item_id, other.item_id), item.substances, other)),
      // The previous fill of the same drug is not a second therapy. `refillFindings` checks whether it is too early.
      ...active
        .filter((other) => other.fill?.shipped_at === null || !isRefill(item, other))
        .flatMap((other) => doubled(data, item.item_id, item.substances, other)),
    ];
  });
}

/** The schedule determines which share of the last fill must be used up before a refill. */
export function refillFindings(data: SafetyData, { items, taken }: CheckedOrder, now: Date): SafetyFinding[] {
  if (!taken.some(({ fill }) => fill?.shipped_at)) return [];
  const today = now.toISOString().slice(0, 10);
  return items.flatMap((item): SafetyFinding[] => {
    const rule = data.rows.refill_rules.find(({ drug_schedules }) => drug_schedules.includes(item.drug_schedule));
    const last = taken
      .flatMap((other) => (isRefill(item, other) && other.fill?.shipped_at ? other.fill : []))
      .sort((a, b) => time(b.shipped_at) - time(a.shipped_at) || (a.order_number < b.order_number ? -1 : 1))[0];
    if (rule === undefined || last?.shipped_at == null || last.days_supply === null) return [];
    const { order_number, shipped_at, days_supply } = last;
    const due = addDays(shipped_at.toISOString().slice(0, 10), Math.ceil(days_supply * rule.share));
    if (today >= due) return [];
    const drug = item.substances.map(({ shown }) => shown).join(" and ") || "This medication";
    return [
      {
        ...warning(data, "refill_too_soon", item.item_id),
        key: ["refill_too_soon", ...item.substances.map(({ name }) => name).sort()].join(" "),
        message: sentences.refill_too_soon(drug, order_number, days_supply, due),
        source: data.citationOf(rule),
      },
    ];
  });
}

/** The same medication by GCN, or by ingredients if one has no GCN. */
function isRefill(item: CheckedItem, { fill, substances }: Taken): boolean {
  if (fill === null) return false;
  if (item.gcn !== null && fill.gcn !== null) return item.gcn === fill.gcn;
  return (
    substances.length > 0 && substances.length === item.substances.length && substances.every((one) => has(item, one))
  );
}

function doubled(data: SafetyData, item_id: number, own: readonly Substance[], other: Other): SafetyFinding[] {
  const findings: SafetyFinding[] = [];
  for (const one of own) {
    for (const two of other.substances) {
      if (one.name === two.name) {
        findings.push({
          ...warning(data, "duplicate_therapy", item_id),
          key: `duplicate_therapy ${one.name}`,
          message: sentences.same_ingredient(one.shown, other.place),
          source: one.source === null ? OWN_RULE : data.citationOf({ source: one.source }),
        });
        continue;
      }
      // Ingredients of one product are combined on purpose.
      if (own.some(({ name }) => name === two.name) || has(other, one)) continue;
      const shared = one.classes.find((row) => row.duplicates && two.classes.includes(row));
      if (shared === undefined) continue;
      const [first, second] = [one, two].sort((a, b) => (a.name < b.name ? -1 : 1)) as [Substance, Substance];
      findings.push({
        ...warning(data, "duplicate_therapy", item_id),
        key: `duplicate_therapy ${shared.class} ${first.name} ${second.name}`,
        message: sentences.same_class(first.shown, second.shown, other.place, shared.name),
        source: data.citationOf(shared),
      });
    }
  }
  return findings;
}

const warning = <Kind extends SafetyFinding["kind"]>({ version }: SafetyData, kind: Kind, item_id: number) => ({
  kind,
  severity: "moderate" as const,
  exception_id: null,
  item_id,
  version,
});

const has = ({ substances }: Pick<Other, "substances">, { name }: Substance) =>
  substances.some((one) => one.name === name);

const time = (at: Date | null) => at?.getTime() ?? 0;
