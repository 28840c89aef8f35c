import type { CheckedOrder, Taken } from "./checked-order.ts";
import type { SafetyData, Substance } from "./data.ts";
import { OWN_RULE, places, type SafetyFinding, sentences } from "./finding.ts";
import { isRefill } from "./refill-findings.ts";

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
