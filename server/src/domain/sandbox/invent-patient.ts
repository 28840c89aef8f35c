import type { SimulatedPatient } from "@pestle/contract";
import type { PatientRecord } from "../patients/patient-record.ts";
import { cityKey, standardCity } from "../values/address/city-name.ts";
import type { ZipTable } from "../values/address/zip.ts";
import { inventedPerson } from "./invented-cast.ts";
import type { SimulatedAddress } from "./simulated-patient.ts";

export type WholePatient = Required<Omit<SimulatedPatient, "address">> & { address: WholeAddress | null };
type WholeAddress = Required<SimulatedAddress>;

/**
 * Completes a patient. A known patient is completed from the record only, and the rest stays open. An unknown patient
 * is invented.
 */
export function inventPatient(
  number: number,
  given: SimulatedPatient,
  zips: ZipTable,
  known: PatientRecord | null,
  days = 0,
): WholePatient {
  const person = inventedPerson(number, days);
  const filed = known?.addresses.find((one) => one.default) ?? known?.addresses[0];
  const base = known ?? person;
  const usual = filed === undefined ? person.address : partsOf(filed);
  return {
    patient_id: `sim${String(number).padStart(6, "0")}`,
    first_name: base.first_name,
    last_name: base.last_name,
    dob: base.dob,
    gender: base.gender,
    email: base.email,
    phone: base.phone,
    // A new patient has none. For a known patient this prescription does not say.
    allergies: known === null ? [] : null,
    ...given,
    address:
      given.address == null
        ? given.address === null || (known !== null && filed === undefined)
          ? null
          : usual
        : completeAddress(given.address, usual, zips),
  };
}

const partsOf = ({ street1, street2, city, state, zip }: WholeAddress): WholeAddress => ({
  street1,
  street2,
  city,
  state,
  zip,
});

/** Fills the gaps consistently with the given parts, from the ZIP code table. */
function completeAddress(given: SimulatedAddress, usual: WholeAddress, zips: ZipTable): WholeAddress {
  return { street1: usual.street1, street2: null, ...placeOf(given, usual, zips), ...given };
}

function placeOf({ city, state, zip }: SimulatedAddress, usual: WholeAddress, zips: ZipTable) {
  const own = { city: usual.city, state: usual.state, zip: usual.zip };
  if (zip != null) {
    const zip5 = zip.slice(0, 5);
    return { city: cityName(zips.cityOf(zip5)) ?? own.city, state: zips.stateOf(zip5) ?? own.state, zip };
  }
  const there = state ?? own.state ?? "";
  const found = city == null ? null : zipOfCity(city, there, zips);
  if (found !== null) return { city: city!, state: there, zip: found };
  if (there === own.state) return own;
  const first = firstZip(0, 100_000, (zip5) => zips.stateOf(zip5) === there && zips.cityOf(zip5) !== null);
  return first === null ? { ...own, state: there } : { city: cityName(zips.cityOf(first)), state: there, zip: first };
}

function zipOfCity(city: string, state: string, zips: ZipTable): string | null {
  const key = cityKey(standardCity(city));
  const areas = [...zips.areasOf(state, key)].sort((a, b) => a - b);
  const isThere = (zip5: string) => zips.stateOf(zip5) === state && cityKey(zips.cityOf(zip5) ?? "") === key;
  return areas.map((area) => firstZip(area * 100, 100, isThere)).find((zip5) => zip5 !== null) ?? null;
}

function firstZip(from: number, count: number, fits: (zip5: string) => boolean): string | null {
  for (let zip = from; zip < from + count; zip++) {
    const zip5 = String(zip).padStart(5, "0");
    if (fits(zip5)) return zip5;
  }
  return null;
}

/** Title case, because the table uses capitals. */
const cityName = (city: string | null): string | null =>
  city === null ? null : city.toLowerCase().replaceAll(/\b[a-z]/g, (letter) => letter.toUpperCase());
