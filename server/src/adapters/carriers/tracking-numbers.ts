/** A carrier's tracking number format and tracking page. */
export type CarrierRow = {
  /** Names in the catalogue, compared without case, spaces and punctuation. */
  names: readonly string[];
  /** Builds a number in the carrier's format from random digits, with a valid check digit. */
  compose: (chance: string) => string;
  url: (tracking_no: string) => string;
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
  },
  {
    names: ["ups", "unitedparcelservice"],
    compose: (chance) => withCheck(`1Z12345E03${base36(chance, 7)}`, upsCheck),
    url: (number) => `https://www.ups.com/track?tracknum=${number}`,
  },
  {
    names: ["fedex", "federalexpress"],
    compose: (chance) => withCheck(`00${chance.slice(0, 9)}`, fedexCheck),
    url: (number) => `https://www.fedex.com/fedextrack/?trknbr=${number}`,
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
