import type { Page } from "playwright-core";

/** What the 2D code of a package says. */
export type Package = { ndc: string; lot: string; expires_on: string; serial: string };

/** The separator of GS1 after a field of any length. */
const GS = "\u001d";

/** How a scanner in keyboard mode is set up: what it puts before a code, and how it presses the separator. */
export const wedges = [
  { prefix: "]d2", separator: GS },
  { prefix: "", separator: "~" },
  // Many scanners press the keys that make the control character.
  { prefix: "", separator: "Control+]" },
] as const;
export type Wedge = (typeof wedges)[number];

/** The GTIN-14 of a package with an NDC of three digits for the product: 5-3-2. */
function gtinOf(ndc: string): string {
  if (ndc[5] !== "0") throw new Error(`${ndc} has no GTIN here`);
  const digits = `003${ndc.slice(0, 5)}${ndc.slice(6)}`;
  const sum = [...digits].reduce((total, digit, at) => total + Number(digit) * (at % 2 === 0 ? 3 : 1), 0);
  return `${digits}${(10 - (sum % 10)) % 10}`;
}

/** The fields of the code. Manufacturers write the serial number before or after the lot. */
export function gs1Code({ ndc, lot, expires_on, serial }: Package): string {
  const expiry = `17${expires_on.slice(2).replaceAll("-", "")}`;
  const gtin = `01${gtinOf(ndc)}`;
  return Number(serial) % 2 === 0
    ? `${gtin}${expiry}10${lot}${GS}21${serial}`
    : `${gtin}21${serial}${GS}${expiry}10${lot}`;
}

/** The label is torn in the middle of the expiration date, which comes after the GTIN. */
export const tornCode = (one: Omit<Package, "serial">): string => gs1Code({ ...one, serial: "2" }).slice(0, 21);

/** Presses the keys of a code as fast as the page takes them, and Enter. */
export async function scan(page: Page, code: string, { prefix, separator }: Wedge): Promise<void> {
  const [first = "", ...rest] = code.split(GS);
  await page.keyboard.type(`${prefix}${first}`);
  for (const part of rest) {
    // A name of a key, or the character itself.
    if (separator.length > 1) await page.keyboard.press(separator);
    else await page.keyboard.type(separator);
    await page.keyboard.type(part);
  }
  await page.keyboard.press("Enter");
}
