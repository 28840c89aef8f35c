import type { Address } from "@pestle/contract";
import { cityKey, isMisspelling, standardCity } from "./city-name.ts";
import { isMilitaryState, isStateCode, stateNamed } from "./states.ts";
import type { Reason } from "./verdict.ts";
import { parseZip, type ZipTable, zipsOneSlipAway, zipText } from "./zip.ts";

/** The last line of an address. */
export type Place = Pick<Address, "city" | "state" | "zip">;

/**
 * How many three-digit areas a city can be away from the ZIP code before the two contradict each other. A ZIP code has
 * many accepted city names and the table knows one; people also use the nearest big city. Only a large distance is an
 * error (ADR 0013).
 */
const NEIGHBOURING_AREAS = 20;

const MILITARY_CITIES: ReadonlySet<string> = new Set(["APO", "FPO", "DPO"]);

export const isMilitaryPlace = ({ city, state }: Place): boolean =>
  isMilitaryState(state) || MILITARY_CITIES.has(standardCity(city));

/** The problems of city, state and ZIP code, alone and together. Expects the standard form. */
export function placeReasons({ city, state, zip }: Place, zips: ZipTable): Reason[] {
  const found: Reason[] = [];
  const parsed = parseZip(zip);
  const zip_state = parsed === null ? null : zips.stateOf(parsed.zip5);
  if (!isStateCode(state)) found.push("state_unknown");
  if (parsed === null) found.push("zip_malformed");
  else if (zip_state === null) found.push("zip_unknown");
  else if (isStateCode(state) && zip_state !== state) found.push("zip_not_in_state");
  if (city === "") found.push("city_missing");
  else if (parsed !== null && zip_state === state) found.push(...cityReasons(city, state, parsed.zip5, zips));
  return found;
}

function cityReasons(city: string, state: string, zip5: string, zips: ZipTable): Reason[] {
  if (isMilitaryState(state) !== MILITARY_CITIES.has(city)) return ["city_not_military"];
  // Accepts any of the three, because the assignment of military ZIP codes changes too often.
  if (isMilitaryState(state)) return [];
  const known = zips.cityOf(zip5);
  const [key, known_key] = [cityKey(city), known === null ? null : cityKey(known)];
  if (known_key === null || key === known_key) return [];
  const areas = zips.areasOf(state, key);
  if (areas.size === 0) return isMisspelling(key, known_key) ? ["city_misspelt"] : [];
  const area = Math.floor(Number(zip5) / 100);
  return [...areas].some((other) => Math.abs(other - area) <= NEIGHBOURING_AREAS) ? [] : ["city_elsewhere"];
}

/** In capitals, with the ZIP code's spelling of the city if it is the same city. */
export function standardPlace({ city, state, zip }: Place, zips: ZipTable): Place {
  const parsed = parseZip(zip.trim());
  const known = parsed === null ? null : zips.cityOf(parsed.zip5);
  const standard = standardCity(city);
  return {
    city: known !== null && cityKey(known) === cityKey(standard) ? known : standard,
    state: state.trim().toUpperCase(),
    zip: parsed === null ? zip.trim() : zipText(parsed),
  };
}

/** Faults that a mistyped ZIP code can cause. */
const ZIP_FAULTS: readonly Reason[] = ["zip_malformed", "zip_unknown", "zip_not_in_state", "city_elsewhere"];

/**
 * Returns valid places that were probably intended, best first: those with the fewest changes, then those that keep the
 * ZIP code and with it the route of the parcel, then the likelier typo. A suggestion matches the table in all three
 * parts. Only the given place can have a city that the table does not know.
 */
export function placesMeant(place: Place, zips: ZipTable): Place[] {
  const given = standardPlace(place, zips);
  const zip = parseZip(given.zip);
  const city = zip === null ? null : zips.cityOf(zip.zip5);
  const zip_state = zip === null ? null : zips.stateOf(zip.zip5);
  // A spelled-out state counts as given.
  const read = { ...given, state: stateNamed(given.state) ?? given.state };
  const faults = placeReasons(read, zips);

  const corrected: Place[] = [read];
  if (city !== null && zip_state !== null) {
    corrected.push({ ...read, city }, { ...read, state: zip_state }, { ...read, state: zip_state, city });
  }
  if (faults.some((fault) => ZIP_FAULTS.includes(fault))) corrected.push(...repairedZips(read, zips));

  const rank = (other: Place) => {
    const moved = Number(other.zip !== read.zip);
    return 2 * (Number(other.state !== read.state) + Number(other.city !== read.city) + moved) + moved;
  };
  const meant = corrected.filter((other) => agrees(other, zips)).sort((a, b) => rank(a) - rank(b));
  const all = faults.length === 0 ? [read, ...meant] : meant;
  return [...new Map(all.map((other) => [`${other.city}|${other.state}|${other.zip}`, other])).values()];
}

function agrees({ city, state, zip }: Place, zips: ZipTable): boolean {
  const zip5 = parseZip(zip)?.zip5 ?? "";
  return zips.stateOf(zip5) === state && cityKey(zips.cityOf(zip5) ?? "") === cityKey(city);
}

/** The same city and state with one of their ZIP codes that is one typo away. */
function repairedZips({ city, state, zip }: Place, zips: ZipTable): Place[] {
  const key = cityKey(city);
  if (key === "") return [];
  return zipsOneSlipAway(zip.slice(0, 10).replace(/-\d*$/, "")).flatMap((zip5) => {
    const known = zips.stateOf(zip5) === state ? zips.cityOf(zip5) : null;
    return known !== null && cityKey(known) === key ? [{ city: known, state, zip: zip5 }] : [];
  });
}
