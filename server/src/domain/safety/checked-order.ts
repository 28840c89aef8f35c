import type { SafetyData, Substance } from "./data.ts";
import { places } from "./finding.ts";
import type { SafetyFacts, SafetyItem } from "./safety-facts.ts";
import { substancesOf, understand } from "./texts/understand.ts";

/** An order in terms of the tables. */
export type CheckedOrder = {
  items: readonly CheckedItem[];
  taken: readonly Taken[];
  /** As in the patient's record, free text. */
  conditions: readonly string[];
};
export type CheckedItem = Omit<SafetyItem, "ingredients"> & { substances: readonly Substance[] };

/** Another medication that the patient takes. */
export type Taken = {
  substances: readonly Substance[];
  /** Name and strength as text, if known. */
  drug?: string;
  /** Its origin, for the message. */
  place: string;
  /** Days since the supply ended; 0 or less while some is left. */
  ended_days_ago: number;
  /** null for a medication that is only listed. */
  fill: Omit<SafetyFacts["fills"][number], "ingredients"> | null;
};

const DAY_MS = 24 * 3600 * 1000;

export function checkedOrder(
  data: SafetyData,
  { items, fills, medications, conditions = [], now }: SafetyFacts,
): CheckedOrder {
  return {
    conditions,
    items: items.map(({ ingredients, ...item }) => ({ ...item, substances: allOf(data, ingredients) })),
    taken: [
      ...fills.map(({ ingredients, ...fill }) => {
        const ended_days_ago = endedDaysAgo(data, fill, now);
        const place = fill.shipped_at === null ? places.open : ended_days_ago > 0 ? places.washing_out : places.taken;
        return {
          substances: allOf(data, ingredients),
          place: place(fill.order_number),
          ended_days_ago,
          fill,
        };
      }),
      ...medications
        .flatMap((text) => listed(data, text))
        .map((one) => ({
          ...one,
          place: places.listed(),
          ended_days_ago: 0,
          fill: null,
        })),
    ],
  };
}

/**
 * The medications in one line of the list. A line may name several: "lisinopril 10 mg, ibuprofen". They are not the
 * ingredients of one product, which people write with a slash.
 */
function listed(data: SafetyData, text: string): { substances: readonly Substance[]; drug: string }[] {
  const read = (drug: string) => ({ substances: understand(data, drug).substances, drug });
  const parts = text.split(/[,;\n]|\s(?:and|&)\s/i);
  const named = parts.length > 1 ? parts.map(read).filter(({ substances }) => substances.length > 0) : [];
  return named.length > 1 ? named : [read(text)];
}

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

const allOf = (data: SafetyData, ingredients: readonly string[]): Substance[] => [
  ...new Map(ingredients.flatMap((name) => substancesOf(data, name)).map((one) => [one.name, one])).values(),
];
