import type { KnownOfHold, PaymentDecline } from "@pestle/contract";

/** What exception 80 keeps of a decline, for its message: the reason, and where the patient can confirm the payment. */
export function declineSituations({ decline, url }: { decline?: PaymentDecline; url?: string | null }): KnownOfHold[] {
  if (decline === undefined) return [];
  return url == null ? [decline] : [decline, `link ${url}`];
}
