import { type Address, magicStreets } from "@pestle/contract";
import { judgeAddress } from "../../domain/values/address/judge-address.ts";
import type { Reason, Verdict } from "../../domain/values/address/verdict.ts";
import type { ZipTable } from "../../domain/values/address/zip.ts";

/**
 * Checks whether an address is deliverable. The built-in validator is synchronous. A provider over the network returns a
 * promise; never call it inside a transaction.
 */
export interface AddressValidator {
  validate(address: Address): Verdict | Promise<Verdict>;
  /** Only of a provider over the network: what the tables alone say, inside a transaction too. */
  byTables?(address: Address): Verdict;
}

/** Uses only the ZIP tables: no network, and always the same answer. */
export const offlineAddressValidator = (zips: ZipTable) => ({
  validate: (address: Address): Verdict => judgeAddress(address, zips),
});

/** The sandbox's magic `street1` prefixes. `meant` is the address that the validator suggests. */
const magic: readonly { start: string; reason: Reason; meant: (address: Address) => Address }[] = [
  { start: magicStreets.unknown.start, reason: "not_found", meant: (address) => renumbered(address, "1077") },
  {
    start: magicStreets.unit_missing.start,
    reason: "unit_required",
    meant: (address) => ({ ...renumbered(address, "1078"), street2: "APT 1" }),
  },
];

/** Wraps a validator for sandbox accounts, so that partners can test both failures and a suggested address. */
export function simulatedAddressValidator(inner: AddressValidator): AddressValidator {
  return {
    validate(address) {
      const row = magic.find(({ start }) => address.street1.trimStart().startsWith(start));
      if (row === undefined) return inner.validate(address);
      const meant = row.meant(address);
      const known = inner.validate(meant);
      return known instanceof Promise ? known.then((it) => pretend(it, row, meant)) : pretend(known, row, meant);
    },
  };
}

function pretend(known: Verdict, { reason }: (typeof magic)[number], meant: Address): Verdict {
  const suggestions = known.result === "valid" ? [known.suggestions[0] ?? meant] : known.suggestions;
  return {
    result: reason === "not_found" ? "invalid" : "unit_missing",
    reasons: [reason],
    kind: known.kind,
    suggestions,
  };
}

const renumbered = (address: Address, number: string): Address => ({
  ...address,
  street1: address.street1.trimStart().replace(/^\d+/, number),
});
