/** A scanned package code: a plain number, or a GS1 code with lot and expiry. */
export type ScannedCode = { code: string; lot: string | null; expires_on: string | null; is_gs1: boolean };

/** Separator after variable-length fields. Some scanners replace it with another character. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the GS1 separator is a control character
const SEPARATORS = /[\u0000-\u001f~^]/;
/** GS1 application identifiers on drug packages. Fixed-length ones have their length. */
const FIXED: Record<string, number> = { "01": 14, "17": 6, "11": 6, "15": 6 };
const VARIABLE = new Set(["10", "21"]);

/** Parses a GS1 code, with or without parentheses: `(01)` GTIN, `(17)` expiry, `(10)` lot. */
export function scannedCode(text: string): ScannedCode {
  const plain = text.trim().replace(/^\](d2|C1|Q3|e0)/, "");
  const fields = /^\(\d{2}\)/.test(plain) ? bracketed(plain) : running(plain);
  const gtin = fields?.get("01");
  if (fields === null || gtin === undefined) return { code: text.trim(), lot: null, expires_on: null, is_gs1: false };
  return {
    // In a US GTIN, the 10-digit NDC is between the prefix and the check digit.
    code: /^\d03\d{11}$/.test(gtin) ? gtin.slice(3, 13) : gtin,
    lot: fields.get("10") ?? null,
    expires_on: expiry(fields.get("17")),
    is_gs1: true,
  };
}

function bracketed(text: string): Map<string, string> {
  return new Map([...text.matchAll(/\((\d{2})\)([^(]*)/g)].map(([, ai, value]) => [ai!, value!.trim()]));
}

function running(text: string): Map<string, string> | null {
  const fields = new Map<string, string>();
  let rest = text;
  while (rest.length > 0) {
    const ai = rest.slice(0, 2);
    rest = rest.slice(2);
    const fixed = FIXED[ai];
    if (fixed === undefined && !VARIABLE.has(ai)) return null;
    const end = fixed ?? (rest.search(SEPARATORS) === -1 ? rest.length : rest.search(SEPARATORS));
    const value = rest.slice(0, end);
    if (fixed !== undefined && !new RegExp(`^\\d{${fixed}}$`).test(value)) return null;
    fields.set(ai, value);
    rest = rest.slice(end);
    if (rest.search(SEPARATORS) === 0) rest = rest.slice(1);
  }
  return fields;
}

/** `YYMMDD`; day 00 means the last day of the month. */
function expiry(value: string | undefined): string | null {
  if (value === undefined || !/^\d{6}$/.test(value)) return null;
  const [year, month, day] = [2000 + Number(value.slice(0, 2)), Number(value.slice(2, 4)), Number(value.slice(4))];
  if (month < 1 || month > 12) return null;
  const last = new Date(Date.UTC(year, month, 0)).getUTCDate();
  return `${year}-${String(month).padStart(2, "0")}-${String(day === 0 ? last : day).padStart(2, "0")}`;
}

/**
 * Whether a scanned code matches a product: its NDC in any format, or its SKU if it has no NDC. The server makes the
 * final check; this gives instant feedback.
 */
export function isProduct(code: string, { ndc, sku }: { ndc: string | null; sku: string }): boolean {
  if (ndc === null) return code === sku;
  const parts = code.split("-");
  if (parts.length === 3) {
    const [labeler, product, pack] = parts as [string, string, string];
    return labeler.padStart(5, "0") + product.padStart(4, "0") + pack.padStart(2, "0") === ndc;
  }
  if (code.length === 10) return [0, 5, 9].some((at) => `${code.slice(0, at)}0${code.slice(at)}` === ndc);
  return code === ndc || code === `0${ndc}`;
}
