/**
 * A code that a scanner read from a package: an NDC or SKU as text, a UPC-A, EAN-13 or GTIN-14, or a GS1 code with lot,
 * expiry and serial number. `code` is the NDC where the code has one. `fault`: it cannot be right, so the person scans again.
 */
export type ScannedCode = {
  code: string;
  lot: string | null;
  expires_on: string | null;
  serial: string | null;
  is_gs1: boolean;
  fault: ScanFault | null;
};

/** Why a scanned code cannot be right, in the words of the screen. */
export const scanFaults = {
  check_digit: "The code was misread: its check digit is wrong. Scan it again, or type the NDC.",
  torn: "The code is incomplete or damaged. Scan it again, or type the NDC.",
  expiry: "The code has an impossible expiration date. Type the lot and the date from the package.",
} as const;
export type ScanFault = keyof typeof scanFaults;

/** What a scanner puts before the code to say which kind of barcode it read. */
const SYMBOLOGY = /^\]([A-Za-z]\d)/;
const GS1_SYMBOLOGIES = new Set(["d2", "C1", "Q3", "e0"]);
/** Separator after variable-length fields. Some scanners replace it with another character. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the GS1 separator is a control character
const SEPARATORS = /[\u0000-\u001f~^]/;
/** GS1 application identifiers on drug packages. Fixed-length ones have their length. */
const FIXED: Readonly<Record<string, number>> = { "01": 14, "11": 6, "13": 6, "15": 6, "16": 6, "17": 6, "20": 2 };
const VARIABLE = ["10", "21", "22", "30", "37", "240", "241", "250", "251", "710", "711", "712", "713", "714", "715"];

/** Parses a GS1 code, with or without parentheses: `(01)` GTIN, `(17)` expiry, `(10)` lot, `(21)` serial number. */
export function scannedCode(text: string): ScannedCode {
  const trimmed = text.trim();
  const symbology = SYMBOLOGY.exec(trimmed)?.[1];
  const plain = symbology === undefined ? trimmed : trimmed.slice(symbology.length + 1);
  const bracketed = /^\(\d{2,3}\)/.test(plain);
  const fields = bracketed ? inBrackets(plain) : running(plain);
  const gtin = fields?.get("01");
  if (fields == null || gtin === undefined) {
    const torn = bracketed || (symbology !== undefined && GS1_SYMBOLOGIES.has(symbology)) || beginsWithGtin(plain);
    return { ...packageNumber(plain), ...NO_FIELDS, is_gs1: false, ...(torn && { fault: "torn" as const }) };
  }
  const { code, fault } = packageNumber(gtin);
  const expires_on = expiry(fields.get("17"));
  return {
    code,
    lot: fields.get("10") ?? null,
    expires_on: expires_on ?? null,
    serial: fields.get("21") ?? null,
    is_gs1: true,
    fault: !/^\d{14}$/.test(gtin) ? "torn" : (fault ?? (expires_on === undefined ? "expiry" : null)),
  };
}

const NO_FIELDS = { lot: null, expires_on: null, serial: null };

/**
 * The NDC of ten digits in a UPC-A (`3…`), EAN-13 (`03…`) or GTIN-14 (`003…`) of an American drug, and any other text as
 * it is. An NDC of twelve digits begins with a zero, so no UPC-A of a drug looks like one.
 */
function packageNumber(text: string): Pick<ScannedCode, "code" | "fault"> {
  const of_drug = /^(?:\d0|0)?3(\d{10})\d$/.exec(text);
  if (of_drug === null && !/^\d{14}$/.test(text)) return { code: text, fault: null };
  if (!checkDigitPasses(text)) return { code: text, fault: "check_digit" };
  return { code: of_drug?.[1] ?? text, fault: null };
}

/** A GTIN with its identifier, and more behind it: only a GS1 code begins so. */
const beginsWithGtin = (text: string): boolean => /^01\d{14}./.test(text) && checkDigitPasses(text.slice(2, 16));

/** From the right, the digits count once and three times in turn, and the sum ends with a zero. */
function checkDigitPasses(digits: string): boolean {
  const sum = [...digits].reverse().reduce((total, digit, at) => total + Number(digit) * (at % 2 === 0 ? 1 : 3), 0);
  return sum % 10 === 0;
}

function inBrackets(text: string): Map<string, string> {
  return new Map([...text.matchAll(/\((\d{2,4})\)([^(]*)/g)].map(([, ai, value]) => [ai!, value!.trim()]));
}

function running(text: string): Map<string, string> | null {
  const fields = new Map<string, string>();
  let rest = text;
  while (rest.length > 0) {
    const ai = [rest.slice(0, 2), rest.slice(0, 3)].find((one) => one in FIXED || VARIABLE.includes(one));
    if (ai === undefined) return null;
    rest = rest.slice(ai.length);
    const fixed = FIXED[ai];
    const end = fixed ?? (rest.search(SEPARATORS) === -1 ? rest.length : rest.search(SEPARATORS));
    const value = rest.slice(0, end);
    if (fixed !== undefined && !new RegExp(`^\\d{${fixed}}$`).test(value)) return null;
    fields.set(ai, value);
    rest = rest.slice(end);
    if (rest.search(SEPARATORS) === 0) rest = rest.slice(1);
  }
  return fields;
}

/** `YYMMDD`; day 00 means the last day of the month. Null without a date, undefined for an impossible one. */
function expiry(value: string | undefined): string | null | undefined {
  if (value === undefined) return null;
  if (!/^\d{6}$/.test(value)) return undefined;
  const [year, month, day] = [2000 + Number(value.slice(0, 2)), Number(value.slice(2, 4)), Number(value.slice(4))];
  if (month < 1 || month > 12) return undefined;
  const last = new Date(Date.UTC(year, month, 0)).getUTCDate();
  if (day > last) return undefined;
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
