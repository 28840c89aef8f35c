/** How carriers number their parcels, and where people look them up. */
export type CarrierRow = {
  /** As the catalogue may spell it: without case, blanks and punctuation. */
  names: readonly string[];
  /** A number of that carrier's shape, made of digits of chance; the check digit is right. */
  compose: (chance: string) => string;
  url: (tracking_no: string) => string;
};

/**
 * The numbers lie where no parcel is: the mailer of only zeros, the shipper in UPS's own examples, FedEx's numbers that
 * begin with 00. Nobody who follows a link from the sandbox sees a stranger's parcel.
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

/** Undefined for a carrier nobody here knows. */
export function carrierNamed(name: string): CarrierRow | undefined {
  const plain = name.toLowerCase().replaceAll(/[^a-z]/g, "");
  return rows.find(({ names }) => names.includes(plain));
}

/** What a parcel of a carrier without a row is called. */
export const genericNumber = (chance: string) => `PX${chance.slice(0, 14)}`;

const withCheck = (body: string, check: (body: string) => number) => `${body}${check(body)}`;

/** Modulo 10: the last digit counts three times, and every second one before it. */
export const uspsCheck = (body: string): number =>
  complement(sum(Array.from(body).reverse(), (char, index) => Number(char) * (index % 2 === 0 ? 3 : 1)));

/** Modulo 10 over what follows 1Z: letters are worth their place, from A = 2; every second counts double. */
export const upsCheck = (body: string): number =>
  complement(sum(Array.from(body.slice(2)), (char, index) => upsValue(char) * (index % 2 === 0 ? 1 : 2)));

/** Modulo 11, of whose remainder 10 only the 0 is kept. */
export const fedexCheck = (body: string): number =>
  (sum(Array.from(body), (char, index) => Number(char) * [3, 1, 7][index % 3]!) % 11) % 10;

const upsValue = (char: string) => (/\d/.test(char) ? Number(char) : (char.charCodeAt(0) - 63) % 10);
const complement = (total: number) => (10 - (total % 10)) % 10;
const sum = (chars: readonly string[], value: (char: string, index: number) => number) =>
  chars.reduce((total, char, index) => total + value(char, index), 0);

/** Letters and digits tell more parcels apart than digits alone do in so little room. */
const base36 = (chance: string, length: number) =>
  BigInt(chance).toString(36).toUpperCase().padStart(length, "0").slice(-length);
