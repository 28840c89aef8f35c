/** A carrier's tracking number format and tracking page. */
export type CarrierRow = {
  /** Names in the catalogue, compared without case, spaces and punctuation. */
  names: readonly string[];
  /** Builds a number in the carrier's format from random digits, with a valid check digit. */
  compose: (chance: string) => string;
  url: (tracking_no: string) => string;
  /** The forms of its numbers, each with the test of its check digit. */
  forms: readonly (readonly [form: RegExp, isChecked: (number: string) => boolean])[];
};

/**
 * The numbers are in unused ranges: an all-zero mailer id, the shipper in UPS's own examples, FedEx numbers beginning with
 * 00. A tracking link from the sandbox never shows a real parcel.
 */
const rows: readonly CarrierRow[] = [
  {
    names: ["usps", "unitedstatespostalservice"],
    compose: (chance) => withCheck(`94001000000${chance.slice(0, 10)}`, uspsCheck),
    url: (number) => `https://tools.usps.com/go/TrackConfirmAction?tLabels=${number}`,
    forms: [
      [/^(\d{20}|\d{22})$/, (number) => ending(uspsCheck)(number)],
      // A barcode with the ZIP code in front.
      [/^420\d{5}\d{22}$/, (number) => ending(uspsCheck)(number.slice(8))],
      [/^[A-Z]{2}\d{9}US$/, (number) => isPostalUnionNumber(number)],
    ],
  },
  {
    names: ["ups", "unitedparcelservice"],
    compose: (chance) => withCheck(`1Z12345E03${base36(chance, 7)}`, upsCheck),
    url: (number) => `https://www.ups.com/track?tracknum=${number}`,
    forms: [[/^1Z[A-Z0-9]{15}\d$/, (number) => ending(upsCheck)(number)]],
  },
  {
    names: ["fedex", "federalexpress"],
    compose: (chance) => withCheck(`00${chance.slice(0, 9)}`, fedexCheck),
    url: (number) => `https://www.fedex.com/fedextrack/?trknbr=${number}`,
    forms: [
      [/^\d{12}$/, (number) => ending(fedexCheck)(number)],
      [/^\d{15}$/, (number) => ending(uspsCheck)(number)],
      // The check digits of its longer numbers depend on the service.
      [/^(\d{20}|\d{22}|\d{34})$/, () => true],
    ],
  },
];

/** Undefined for an unknown carrier. */
export function carrierNamed(name: string): CarrierRow | undefined {
  const plain = name.toLowerCase().replaceAll(/[^a-z]/g, "");
  return rows.find(({ names }) => names.includes(plain));
}

/** A tracking number for a carrier without a row. */
export const genericNumber = (chance: string) => `PX${chance.slice(0, 14)}`;

const withCheck = (body: string, check: (body: string) => number) => `${body}${check(body)}`;

/** Modulo 10: every second digit from the last counts three times. */
export const uspsCheck = (body: string): number =>
  complement(sum(Array.from(body).reverse(), (char, index) => Number(char) * (index % 2 === 0 ? 3 : 1)));

/** Modulo 10 over the part after 1Z: letters count from A = 2; every second character counts double. */
export const upsCheck = (body: string): number =>
  complement(sum(Array.from(body.slice(2)), (char, index) => upsValue(char) * (index % 2 === 0 ? 1 : 2)));

/** Modulo 11; a remainder of 10 becomes 0. */
export const fedexCheck = (body: string): number =>
  (sum(Array.from(body), (char, index) => Number(char) * [3, 1, 7][index % 3]!) % 11) % 10;

const upsValue = (char: string) => (/\d/.test(char) ? Number(char) : (char.charCodeAt(0) - 63) % 10);
const complement = (total: number) => (10 - (total % 10)) % 10;
const sum = (chars: readonly string[], value: (char: string, index: number) => number) =>
  chars.reduce((total, char, index) => total + value(char, index), 0);

/** Letters and digits fit more distinct numbers into the same length. */
const base36 = (chance: string, length: number) =>
  BigInt(chance).toString(36).toUpperCase().padStart(length, "0").slice(-length);

/** As typed or scanned, without spaces. */
export const plainNumber = (typed: string): string => typed.replaceAll(/\s/g, "").toUpperCase();

/**
 * Whether a typed number can be one of this carrier: its form and its check digit. Of a carrier without a row, every plain
 * text of letters and digits can be one.
 */
export function isTrackingNumber(carrier: string, number: string): boolean {
  const row = carrierNamed(carrier);
  if (row === undefined) return /^[A-Z0-9-]{5,40}$/.test(number);
  return row.forms.some(([form, isChecked]) => form.test(number) && isChecked(number));
}

/** Whether the last digit is the check digit of the characters before it. */
const ending = (check: (body: string) => number) => (number: string) =>
  Number(number.at(-1)) === check(number.slice(0, -1));

/** The Universal Postal Union's numbers, such as EA123456785US. */
function isPostalUnionNumber(number: string): boolean {
  const weights = [8, 6, 4, 2, 3, 5, 9, 7];
  const rest = 11 - (sum(Array.from(number.slice(2, 10)), (char, index) => Number(char) * weights[index]!) % 11);
  return Number(number[10]) === (rest === 10 ? 0 : rest === 11 ? 5 : rest);
}
