/** LOINC: body weight, and body weight measured. SCRIPT 10.6 writes a dimension instead. */
export const weightCodes: readonly string[] = ["29463-7", "3141-9", "WT", "WG"];

/** Kilograms in one unit: UCUM codes, NCI codes of SCRIPT, and common spellings, in lower case. */
const kilograms = new Map<string, number>([
  ...["kg", "kgs", "kilogram", "kilograms", "c28252"].map((unit) => [unit, 1] as const),
  ...["g", "gram", "grams", "c48155"].map((unit) => [unit, 0.001] as const),
  ...["[lb_av]", "lb", "lbs", "pound", "pounds", "c48531"].map((unit) => [unit, 0.453_592_37] as const),
  ...["[oz_av]", "oz", "ounce", "ounces", "c48519"].map((unit) => [unit, 0.028_349_523_125] as const),
]);

/** From the lightest newborn that survived to the heaviest person on record, with a margin. */
const [LIGHTEST_KG, HEAVIEST_KG] = [0.2, 650];

/** The weight in kilograms. Null if the unit is unknown or no person has this weight. */
export function bodyWeight(value: number, unit: string): number | null {
  const kg = value * (kilograms.get(unit.trim().toLowerCase()) ?? Number.NaN);
  return kg >= LIGHTEST_KG && kg <= HEAVIEST_KG ? Math.round(kg * 1000) / 1000 : null;
}
