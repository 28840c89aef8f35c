import type { AmountRange, DailyDose } from "@pestle/contract";

/** `1 to 2`, or one number if both ends are equal. */
export const rangeText = ({ min, max }: AmountRange): string => (min === max ? String(max) : `${min} to ${max}`);

/** Units that stay as they are. */
const FIXED: ReadonlySet<string> = new Set(["mL", "mg"]);

/** `1 tablet`, `1 to 2 tablets`, `5 mL`. Directions that name no unit count doses. */
export function amountText(range: AmountRange, unit: string): string {
  const name = unit === "each" ? "dose" : unit === "meq" ? "mEq" : unit;
  const fixed = FIXED.has(name) || name === "mEq" || range.max === 1;
  return `${rangeText(range)} ${fixed ? name : plural(name)}`;
}

const plural = (name: string) =>
  /(?:ch|s|x)$/.test(name) ? `${name}es` : name.endsWith("y") ? `${name.slice(0, -1)}ies` : `${name}s`;

/** `1 to 2 tablets a day (atorvastatin 20 to 40 mg), as needed` */
export function dailyText({ per_day, unit, ingredients, as_needed }: Extract<DailyDose, { read: true }>): string {
  const amounts = ingredients.map((one) => `${one.name} ${amountText(one, one.unit)}`);
  return [
    `${amountText(per_day, unit)} a day`,
    ...(amounts.length > 0 ? [` (${amounts.join(", ")})`] : []),
    ...(as_needed ? [", as needed"] : []),
  ].join("");
}
