/**
 * Identifiers of American pharmacy for people, places and drugs, and their check digits. A failed check is a warning,
 * never a rejection.
 */

/** Ten digits, the first 1 or 2, with a Luhn check digit over the number prefixed by 80840. */
export function npiPasses(npi: string): boolean {
  return /^[12]\d{9}$/.test(npi) && luhnSum(npi) % 10 === 0;
}

/**
 * Two characters and seven digits, of which the last is a check digit. A hospital suffix (`-1234`) is not part of it.
 */
export function deaPasses(dea: string): boolean {
  const digits = /^[A-Z][A-Z9](\d{7})(-\w{1,8})?$/.exec(dea)?.[1];
  if (digits === undefined) return false;
  const [d1, d2, d3, d4, d5, d6, d7] = Array.from(digits, Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  return (d1 + d3 + d5 + 2 * (d2 + d4 + d6)) % 10 === d7;
}

/**
 * The possible eleven-digit NDCs of a text: none, one, or the three of ten bare digits (the formulary decides). Accepts
 * dashes, spaces and asterisks.
 */
export function normaliseNdc(text: string): string[] {
  const trimmed = text.trim();
  if (trimmed.length > LONGEST_NDC) return [];
  // An asterisk is a separator or a placeholder for an omitted zero.
  const plain = /^\d+\*\d+\*\d+$/.test(trimmed) ? trimmed.replaceAll("*", "-") : trimmed.replaceAll("*", "0");
  const segments = plain.split(/\s*[-\u2010-\u2013\s]\s*/);
  if (segments.length === 3) return fromSegments(segments as [string, string, string]);
  if (segments.length > 1 || !/^\d+$/.test(plain)) return [];
  if (plain.length === 11) return [plain];
  // From 2033 the labeler has six digits. Today's codes then begin with a zero.
  if (plain.length === 12) return plain.startsWith("0") ? [plain.slice(1)] : [];
  if (plain.length !== 10) return [];
  const cuts = [0, 5, 9].map((at) => `${plain.slice(0, at)}0${plain.slice(at)}`);
  return [...new Set(cuts)];
}

/** Allows spaces around the dashes. Rejects longer texts unread. */
const LONGEST_NDC = 40;
const NDC_LENGTHS = new Set(["4-4-2", "5-3-2", "5-4-1", "5-4-2", "6-4-2"]);

function fromSegments([labeler, product, pack]: [string, string, string]): string[] {
  if (![labeler, product, pack].every((segment) => /^\d+$/.test(segment))) return [];
  if (!NDC_LENGTHS.has(`${labeler.length}-${product.length}-${pack.length}`)) return [];
  const ndc = labeler.padStart(6, "0") + product.padStart(4, "0") + pack.padStart(2, "0");
  return ndc.startsWith("0") ? [ndc.slice(1)] : [];
}

/** The prefix 80840 adds 24 to the sum of the number itself. */
function luhnSum(npi: string): number {
  return Array.from(npi, Number).reduce((sum, digit, index) => {
    const weighted = index % 2 === 0 ? digit * 2 : digit;
    return sum + (weighted > 9 ? weighted - 9 : weighted);
  }, 24);
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Any version, in the standard notation. */
export const isUuid = (value: unknown): value is string => typeof value === "string" && UUID.test(value);
