import type { Address } from "@pestle/contract";
import { isMilitaryPlace, type Place } from "./place.ts";
import { standardStreet } from "./standard-street.ts";
import type { Reason, Verdict } from "./verdict.ts";

/** What an address service found: its error codes, and the address as it knows it; null if it found none. */
export type Verification = {
  deliverable: boolean;
  codes: readonly string[];
  found: Pick<Address, "street1" | "street2" | "city" | "state" | "zip"> | null;
};

const UNIT_CODES = ["E.SECONDARY_INFORMATION.MISSING", "E.SECONDARY_INFORMATION.INVALID"];

/**
 * The verdict of an address service on an address that our own tables accept. An address that it knows in another form, such
 * as another street name or ZIP code, is in doubt, and the form that it knows is the suggestion.
 */
export function judgeVerified(address: Address, tables: Verdict, { deliverable, codes, found }: Verification): Verdict {
  const { kind } = tables;
  const known = found === null ? null : { ...address, ...found };
  const differs = known !== null && keyOf(known) !== keyOf(address);
  if (codes.some((code) => UNIT_CODES.includes(code))) {
    return { result: "unit_missing", reasons: [reasonOfUnit(codes)], kind, suggestions: [] };
  }
  if (!deliverable) return { result: "invalid", reasons: ["not_found"], kind, suggestions: [] };
  if (differs) return { result: "invalid", reasons: ["known_differently"], kind, suggestions: [known] };
  return tables;
}

const reasonOfUnit = (codes: readonly string[]): Reason =>
  codes.includes("E.SECONDARY_INFORMATION.MISSING") ? "unit_required" : "unit_unknown";

/** Equal for two spellings of the same place. Several city names belong to a ZIP code, so the city does not count. */
function keyOf({
  street1,
  street2,
  city,
  state,
  zip,
}: Pick<Address, "street1" | "street2" | "city" | "state" | "zip">) {
  const place: Place = { city: city.toUpperCase(), state: state.toUpperCase(), zip };
  const street = standardStreet(street1.toUpperCase(), street2?.toUpperCase() || null, isMilitaryPlace(place));
  const plain = (text: string | null) => (text ?? "").toUpperCase().replaceAll(/[^A-Z0-9]/g, "");
  return [plain(street.street1), plain(street.street2), place.state, zip.slice(0, 5)].join(" ");
}
