import { type PersonLicense, pharmacistRoles } from "@pestle/contract";
import { isStateCode } from "../values/address/states.ts";
import { isDate } from "../values/calendar.ts";
import { npiPasses } from "../values/identifiers.ts";

/** A pharmacist's license, or why its fields are not valid. An expired license is valid to record. */
export function readLicense(given: Partial<PersonLicense>): { license: PersonLicense } | { problem: string } {
  const license = {
    license_number: cleaned(given.license_number),
    license_state: cleaned(given.license_state)?.toUpperCase() ?? null,
    license_expires_on: cleaned(given.license_expires_on),
    npi: cleaned(given.npi),
  };
  const { license_number, license_state, license_expires_on, npi } = license;
  if (npi !== null && !npiPasses(npi))
    return { problem: "The NPI is not valid. It has 10 digits, one of them a check." };
  const given_of_three = [license_number, license_state, license_expires_on].filter((one) => one !== null).length;
  if (given_of_three === 0) return { license };
  if (given_of_three < 3) return { problem: "A license needs its number, its state and its expiration date." };
  if (!/^[A-Za-z0-9][A-Za-z0-9 ./-]{0,39}$/.test(license_number!)) {
    return { problem: "A license number has 1 to 40 letters, digits, spaces, dots, slashes or dashes." };
  }
  if (!isStateCode(license_state!)) return { problem: "The license state is a code of two letters, such as CA." };
  if (!isDate(license_expires_on!) || license_expires_on! < FIRST_DAY || license_expires_on! > LAST_DAY) {
    return { problem: "The license's expiration date must have the form YYYY-MM-DD." };
  }
  return { license };
}

/** A year outside of these is a typing error. */
const FIRST_DAY = "1950-01-01";
const LAST_DAY = "2199-12-31";

const cleaned = (text: string | null | undefined): string | null => text?.trim() || null;

/** The number of a license that is current today, including the day on which it expires; null without one. */
export const currentLicense = (
  { license_number, license_expires_on }: Pick<PersonLicense, "license_number" | "license_expires_on">,
  today: string,
): string | null => (license_expires_on !== null && license_expires_on >= today ? license_number : null);

export const isPharmacistRole = (role: string): boolean => (pharmacistRoles as readonly string[]).includes(role);

/** Whether a person may make a pharmacist's decisions: the role alone is not enough. `license` is null unless current. */
export const isLicensedPharmacist = ({ role, license }: { role: string; license: string | null }): boolean =>
  isPharmacistRole(role) && license !== null;
