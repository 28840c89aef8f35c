import type { Address } from "@pestle/contract";
import { judgeAddress } from "../domain/values/address/judge-address.ts";
import type { Reason, Verdict } from "../domain/values/address/verdict.ts";
import type { ZipTable } from "../domain/values/address/zip.ts";

/**
 * Says whether an address can be delivered to. The built-in one answers at once; a provider over the network answers
 * with a promise, and must then not be asked inside a transaction.
 */
export interface AddressValidator {
  validate(address: Address): Verdict | Promise<Verdict>;
}

/** What the tables alone can tell: no network, no account, the same answer every time. */
export const offlineAddressValidator = (zips: ZipTable) => ({
  validate: (address: Address): Verdict => judgeAddress(address, zips),
});

/** The sandbox's magic beginnings of `street1`; `meant` is the address the validator pretends to know instead. */
const magic: readonly { start: string; reason: Reason; meant: (address: Address) => Address }[] = [
  { start: "77 ", reason: "not_found", meant: (address) => renumbered(address, "1077") },
  { start: "78 ", reason: "unit_required", meant: (address) => ({ ...renumbered(address, "1078"), street2: "APT 1" }) },
];

/** Before another validator, for sandbox accounts: both doubtful answers, and a suggestion to accept, can be tried. */
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
