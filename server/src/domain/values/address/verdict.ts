import type { Address } from "@pestle/contract";

/** A validator's verdict on an address, in the same form for the built-in validator and for a provider. */
export interface Verdict {
  result: Result;
  reasons: Reason[];
  kind: AddressKind;
  /** At most three, best first. Each passes the same validator and differs from the address. */
  suggestions: Address[];
  /** The provider did not answer, so only the tables checked the address. */
  unverified?: true;
}

export type Result = "valid" | "unit_missing" | "invalid";

/** Why an address is doubtful, and the resulting verdict. The sentences never repeat the address. */
export const reasons = {
  street_missing: ["invalid", "There is no street, box or general delivery."],
  street_unreadable: ["invalid", "A street line is too long."],
  street_number_missing: ["invalid", "The street has no number."],
  box_number_missing: ["invalid", "A box, route or military post has no box number."],
  city_missing: ["invalid", "There is no city."],
  city_misspelt: ["invalid", "The city is spelled differently from the city of the ZIP code."],
  city_elsewhere: ["invalid", "The city is in another part of the state than the ZIP code."],
  city_not_military: [
    "invalid",
    "A military ZIP code needs APO, FPO or DPO as the city, and only military ZIP codes have them.",
  ],
  state_unknown: ["invalid", "The state is not a two-letter code of the United States."],
  zip_malformed: ["invalid", "The ZIP code does not have five or nine digits."],
  zip_unknown: ["invalid", "The ZIP code does not exist."],
  zip_not_in_state: ["invalid", "The ZIP code belongs to another state."],
  unit_number_missing: ["unit_missing", "A unit has no number."],
  // Only a provider that knows every address can report these.
  not_found: ["invalid", "The address is not known."],
  known_differently: ["invalid", "The address is known in another form."],
  unit_required: ["unit_missing", "The building is known and has units, but no unit is given."],
  unit_unknown: ["unit_missing", "The building is known, but the unit is not."],
} as const satisfies Record<string, readonly [Exclude<Result, "valid">, string]>;

export type Reason = keyof typeof reasons;

/** The most severe reason decides. */
export function resultOf(found: readonly Reason[]): Result {
  if (found.some((reason) => reasons[reason][0] === "invalid")) return "invalid";
  return found.length > 0 ? "unit_missing" : "valid";
}

/**
 * The kind of place. `usps_only`: no other carrier delivers there (42293). `adult_signature`: a person can sign at the
 * door.
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
