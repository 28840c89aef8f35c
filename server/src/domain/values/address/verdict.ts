import type { Address } from "@pestle/contract";

/** What a validator says of an address: the same words for the built-in one and for a provider's. */
export interface Verdict {
  result: Result;
  reasons: Reason[];
  kind: AddressKind;
  /** At most three, best first; each passes the same validator, and none is the address itself. */
  suggestions: Address[];
}

export type Result = "valid" | "unit_missing" | "invalid";

/** Why an address is doubtful, and what that makes of it. The sentences never repeat the address. */
export const reasons = {
  street_missing: ["invalid", "There is no street, box or general delivery."],
  street_unreadable: ["invalid", "A street line is too long to be read."],
  street_number_missing: ["invalid", "The street has no number."],
  box_number_missing: ["invalid", "A box, route or military post lacks the number of its box."],
  city_missing: ["invalid", "There is no city."],
  city_misspelt: ["invalid", "The city is spelt unlike the city of the ZIP code."],
  city_elsewhere: ["invalid", "The city lies in another part of the state than the ZIP code."],
  city_not_military: ["invalid", "A military ZIP code needs APO, FPO or DPO as the city, and only there it fits."],
  state_unknown: ["invalid", "The state is not a two-letter code of the United States."],
  zip_malformed: ["invalid", "The ZIP code does not have five digits, or nine."],
  zip_unknown: ["invalid", "There is no such ZIP code."],
  zip_not_in_state: ["invalid", "The ZIP code belongs to another state."],
  unit_number_missing: ["unit_missing", "A unit is named without its number."],
  // Only those who know every door can say these two.
  not_found: ["invalid", "The address is not known."],
  unit_required: ["unit_missing", "The building is known and has units; none is given."],
} as const satisfies Record<string, readonly [Exclude<Result, "valid">, string]>;

export type Reason = keyof typeof reasons;

/** The gravest of the reasons decides. */
export function resultOf(found: readonly Reason[]): Result {
  if (found.some((reason) => reasons[reason][0] === "invalid")) return "invalid";
  return found.length > 0 ? "unit_missing" : "valid";
}

/**
 * What kind of place it is. `usps_only`: no other carrier delivers there (42293). `adult_signature`: someone can sign
 * at the door.
 */
export const addressKinds = {
  street: { usps_only: false, adult_signature: true },
  private_mailbox: { usps_only: false, adult_signature: true },
  rural: { usps_only: false, adult_signature: true },
  highway_contract: { usps_only: false, adult_signature: true },
  po_box: { usps_only: true, adult_signature: false },
  general_delivery: { usps_only: true, adult_signature: false },
  military: { usps_only: true, adult_signature: false },
  unknown: { usps_only: false, adult_signature: true },
} as const satisfies Record<string, { usps_only: boolean; adult_signature: boolean }>;

export type AddressKind = keyof typeof addressKinds;
