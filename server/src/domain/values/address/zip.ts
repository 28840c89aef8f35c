/** ZIP code lookups for the rest of the service, by five digits. */
export interface ZipTable {
  /** The state that the Postal Service uses for it, or null if the ZIP code does not exist. */
  stateOf(zip5: string): string | null;
  /** Its preferred city in capitals, or null if unknown. */
  cityOf(zip5: string): string | null;
  /** The three-digit areas in which the state has a city with this key (`cityKey`). */
  areasOf(state: string, city_key: string): ReadonlySet<number>;
}

export interface Zip {
  zip5: string;
  plus4: string | null;
}

/** Five digits, or nine with or without the dash. */
export function parseZip(text: string): Zip | null {
  const found = text.length <= 10 ? /^(\d{5})(?:-?(\d{4}))?$/.exec(text) : null;
  return found === null ? null : { zip5: found[1] as string, plus4: found[2] ?? null };
}

export const zipText = ({ zip5, plus4 }: Zip): string => (plus4 === null ? zip5 : `${zip5}-${plus4}`);

/**
 * Five-digit codes that one typo turns into the given digits, likeliest first: a leading zero lost in a spreadsheet,
 * two adjacent digits swapped, one wrong digit, one omitted or doubled.
 */
export function zipsOneSlipAway(digits: string): string[] {
  if (!/^\d{4,6}$/.test(digits)) return [];
  const at = [...digits].map((_, index) => index);
  const every = (make: (digit: number) => string) => Array.from({ length: 10 }, (_, digit) => make(digit));
  const slips: Record<number, () => string[]> = {
    4: () => [...at, 4].flatMap((index) => every((digit) => digits.slice(0, index) + digit + digits.slice(index))),
    5: () => [
      ...at.slice(1).map((i) => digits.slice(0, i - 1) + digits[i] + digits[i - 1] + digits.slice(i + 1)),
      ...at.flatMap((index) => every((digit) => digits.slice(0, index) + digit + digits.slice(index + 1))),
    ],
    6: () => at.map((index) => digits.slice(0, index) + digits.slice(index + 1)),
  };
  return [...new Set(slips[digits.length]?.())].filter((zip) => zip !== digits);
}
