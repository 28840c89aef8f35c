import type { Address } from "@pestle/contract";
import { type AddressFields, checkAddressFields, tidyAddress } from "../values/address/check-address-fields.ts";
import { reasons, type Verdict } from "../values/address/verdict.ts";
import type { ZipTable } from "../values/address/zip.ts";
import type { OwnReaders } from "../values/read-body.ts";
import type { Problem } from "../values/refusals.ts";
import type { SentFields } from "../values/unknown-fields.ts";

/** A partner's address with valid fields. Deliverability is not checked yet. */
export type ReadAddress = { address: Address; accept_suggested: boolean; ignore_warnings: boolean };

/** Flat, or with a prefix (`address.` produces `address.zip`). Returns the address, or all of its problems. */
export function readAddress(
  sent: SentFields,
  zips: ZipTable,
  prefix = "",
): { read: ReadAddress | null; problems: Problem[] } {
  const problems = checkAddressFields(sent as AddressFields, zips).map((problem) => ({
    ...problem,
    field: `${prefix}${problem.field}`,
  }));
  const [accept_suggested, ignore_warnings] = [sent["accept_suggested"] === true, sent["ignore_warnings"] === true];
  const read = { address: tidyAddress(sent as AddressFields), accept_suggested, ignore_warnings };
  return { read: problems.length === 0 ? read : null, problems };
}

/** For bodies that contain an address. */
export const addressReader = (zips: ZipTable): OwnReaders => ({
  AddressInput: (sent: SentFields, prefix) => {
    const { read: value, problems } = readAddress(sent, zips, prefix);
    return { value, problems };
  },
});

/**
 * Returns the address to store: as sent if the validator is sure or the partner ignores the warnings, or the accepted
 * suggestion. Otherwise 42230, with the warnings and the suggestion.
 */
export function settleAddress(
  { address, accept_suggested, ignore_warnings }: ReadAddress,
  verdict: Verdict,
  field = "address",
): { address: Address; problems: Problem[] } {
  const [suggestion] = verdict.suggestions;
  if (verdict.result === "valid") return { address, problems: [] };
  if (accept_suggested && suggestion !== undefined) return { address: suggestion, problems: [] };
  if (ignore_warnings) return { address, problems: [] };
  const shown = suggestion === undefined ? {} : { suggested_address: placeOf(suggestion) };
  const doubts = verdict.reasons.map((reason): Problem => ({ code: 42230, field, message: reasons[reason][1] }));
  return { address, problems: [{ code: 42230, field, ...shown }, ...doubts] };
}

/** Without the recipient, which validators do not check. */
const placeOf = ({ street1, street2, city, state, zip }: Address) => ({ street1, street2, city, state, zip });
