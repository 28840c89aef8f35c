import type { CheckedOrder, Taken } from "./checked-order.ts";
import { pairsOf, type SafetyData, type Substance } from "./data.ts";
import { holdBy, places, type SafetyFinding, sentences } from "./finding.ts";
import type { Side } from "./rows.ts";

/** Checks every item against the others, and against the patient's current and recent medications. */
export function interactionFindings(data: SafetyData, { items, taken }: CheckedOrder): SafetyFinding[] {
  return items.flatMap((item, index) => [
    ...items.slice(index + 1).flatMap((other) =>
      between(data, Math.min(item.item_id, other.item_id), item.substances, {
        substances: other.substances,
        place: places.item(),
        ended_days_ago: 0,
      }),
    ),
    ...taken.flatMap((other) => between(data, item.item_id, item.substances, other)),
  ]);
}

function between(
  data: SafetyData,
  item_id: number,
  own: readonly Substance[],
  other: Pick<Taken, "substances" | "place" | "ended_days_ago">,
): SafetyFinding[] {
  const findings: SafetyFinding[] = [];
  for (const one of own) {
    for (const two of other.substances) {
      // Ingredients of one product are combined on purpose.
      if (holds(own, two) || holds(other.substances, one)) continue;
      for (const { row, own: one_side, other: two_side } of pairsOf(data.interactions, one, two)) {
        if (other.ended_days_ago > row.washout_days) continue;
        // Sorted by name, so the result does not depend on which was ordered first.
        const shown = [
          { name: one.name, text: shownAs(data, one, one_side) },
          { name: two.name, text: shownAs(data, two, two_side) },
        ].sort((a, b) => (a.name < b.name ? -1 : 1)) as [Shown, Shown];
        findings.push({
          kind: "interaction",
          severity: row.severity,
          exception_id: holdBy(75, row.severity),
          item_id,
          key: `interaction ${shown[0].name} ${shown[1].name}`,
          message: sentences.interaction(shown[0].text, shown[1].text, other.place, row.mechanism),
          source: data.citationOf(row),
          version: data.version,
        });
      }
    }
  }
  return findings;
}

type Shown = { name: string; text: string };

/** Includes the class that the row names. */
function shownAs({ classes }: SafetyData, { shown, is_class }: Substance, side: Side): string {
  return "class" in side && !is_class ? `${shown} [${classes.get(side.class)?.name}]` : shown;
}

const holds = (substances: readonly Substance[], { name }: Substance) => substances.some((one) => one.name === name);
