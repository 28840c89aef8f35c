import type { Address } from "@pestle/contract";
import { isMilitaryPlace, type Place, placeReasons, placesMeant, standardPlace } from "./place.ts";
import { type StandardStreet, standardStreet } from "./standard-street.ts";
import { MAX_LINE_CHARACTERS } from "./street-tokens.ts";
import { resultOf, type Verdict } from "./verdict.ts";
import type { ZipTable } from "./zip.ts";

const MOST_SUGGESTIONS = 3;

/**
 * Checks an address offline. It cannot know whether a house exists, so it rejects only what contradicts itself or
 * cannot be delivered. It never guesses a street or a unit: if those are in doubt, it suggests nothing. Every
 * suggestion passes this same check.
 */
export function judgeAddress(address: Address, zips: ZipTable): Verdict {
  const place = standardPlace(address, zips);
  const military = isMilitaryPlace(place);
  const street = standardStreet(address.street1, address.street2, military);
  const reasons = [...street.reasons, ...placeReasons(place, zips)];
  // UNIT 20 is a complete address at a military post and only part of one elsewhere, so the street is read again there.
  const streetAt = (meant: Place): StandardStreet =>
    isMilitaryPlace(meant) === military ? street : standardStreet(address.street1, address.street2, !military);
  const suggestions = placesMeant(address, zips)
    .flatMap((meant) => suggestion(address, streetAt(meant), meant))
    .filter((other) => !sameAddress(other, address))
    .slice(0, MOST_SUGGESTIONS);
  return { result: resultOf(reasons), reasons, kind: street.kind, suggestions };
}

/** Keeps the names as written, because only the sender knows how to spell them. */
function suggestion(address: Address, { street1, street2, reasons }: StandardStreet, place: Place): Address[] {
  return reasons.length > 0 || tooLong(street1) || tooLong(street2 ?? "")
    ? []
    : [{ ...address, street1, street2, city: place.city, state: place.state, zip: place.zip }];
}

const tooLong = (line: string): boolean => line.length > MAX_LINE_CHARACTERS;

const sameAddress = (a: Address, b: Address): boolean =>
  (["street1", "street2", "city", "state", "zip"] as const).every((field) => a[field] === b[field]);
