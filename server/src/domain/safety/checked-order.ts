import { absorbedOf, type Entry } from "./absorbed.ts";
import type { SafetyData, Substance } from "./data.ts";
import { places } from "./finding.ts";
import type { SafetyFacts, SafetyItem } from "./safety-facts.ts";
import { readOnce } from "./texts/read-once.ts";
import { substancesOf, understand } from "./texts/understand.ts";

/** An order in terms of the tables. */
export type CheckedOrder = {
  items: readonly CheckedItem[];
  taken: readonly Taken[];
  /** As in the patient's record, free text. */
  conditions: readonly string[];
};
export type CheckedItem = SafetyItem & Entry;

/** Another medication that the patient takes. `drug` has name and strength as text, if known. */
export type Taken = Entry & {
  /** Its origin, for the message. */
  readonly place: string;
  /** Days since the supply ended; 0 or less while some is left. */
  readonly ended_days_ago: number;
  /** null for a medication that is only listed. */
  readonly fill: SafetyFacts["fills"][number] | null;
};

const DAY_MS = 24 * 3600 * 1000;

export function checkedOrder(
  data: SafetyData,
  { items, fills, medications, conditions = [], now }: SafetyFacts,
): CheckedOrder {
  const taken = fills.map((fill): Taken => {
    const ended_days_ago = endedDaysAgo(data, fill, now);
    const place = fill.shipped_at === null ? places.open : ended_days_ago > 0 ? places.washing_out : places.taken;
    const substances = allOf(data, fill.ingredients);
    return { substances, absorbed: substances, place: place(fill.order_number), ended_days_ago, fill };
  });
  for (const text of medications) taken.push(...listed(data, text));
  return {
    conditions,
    items: items.map((item) => {
      const substances = allOf(data, item.ingredients);
      return { ...item, substances, absorbed: absorbedOf(data, substances, item.drug) };
    }),
    taken,
  };
}

/**
 * The medications in one line of the list. A line may name several: "lisinopril 10 mg, ibuprofen". They are not the
 * ingredients of one product, which people write with a slash.
 */
const listed = readOnce(
  (data: SafetyData, text): readonly Taken[] => {
    const { names, substances } = understand(data, text);
    // "Aspirin and dipyridamole" is one name in the tables, but nothing says that the patient takes one product.
    const several = names > 1 || substances.length > 1;
    const parts = several ? text.split(/[,;\n]|\s(?:and|&)\s/i) : [];
    const named = parts.filter((part) => understand(data, part).substances.length > 0);
    return (named.length > 1 ? named : [text]).map((drug) => {
      const { substances } = understand(data, drug);
      const absorbed = absorbedOf(data, substances, drug);
      return { substances, absorbed, drug, place: places.listed(), ended_days_ago: 0, fill: null };
    });
  },
  // The substances belong to the tables.
  (taken) => taken.reduce((sum, { substances, drug = "" }) => sum + 200 + 16 * substances.length + 2 * drug.length, 0),
);

/** Counted from the end of the supply and the grace period. A future fill has not ended. */
function endedDaysAgo(
  { rows }: SafetyData,
  { shipped_at, days_supply }: { shipped_at: Date | null; days_supply: number | null },
  now: Date,
): number {
  if (shipped_at === null) return 0;
  const lasts_days = (days_supply ?? rows.unknown_days_supply) + rows.grace_days;
  return (now.getTime() - shipped_at.getTime()) / DAY_MS - lasts_days;
}

function allOf(data: SafetyData, ingredients: readonly string[]): readonly Substance[] {
  // Most products have one.
  if (ingredients.length === 1) return substancesOf(data, ingredients[0]!);
  const all = ingredients.flatMap((name) => substancesOf(data, name));
  return [...new Map(all.map((one) => [one.name, one])).values()];
}
