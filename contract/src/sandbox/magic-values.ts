/* Values that make the sandbox behave in a certain way. The simulators and the testing guide read these tables. */

type MagicCard = { readonly token: string; readonly meaning: string };
/** By `payment.token`. Every other card is accepted. */
export const magicCards = {
  declined: { token: "tok_declined", meaning: "The card is declined when you place the order: exception 80." },
  declined_at_capture: {
    token: "tok_declined_at_capture",
    meaning: "The card is accepted when you place the order and declined when the pharmacy packs it: exception 80.",
  },
} as const satisfies Record<string, MagicCard>;

type MagicStreet = { readonly start: string; readonly meaning: string };
/** By how `street1` begins. */
export const magicStreets = {
  unknown: { start: "77 ", meaning: "The address is unknown, and the sandbox suggests a house number: exception 77." },
  unit_missing: { start: "78 ", meaning: "The unit is missing, and the sandbox suggests one: exception 78." },
  attempted: { start: "101 ", meaning: "The first delivery attempt fails (`exception`), the next one succeeds." },
  lost: { start: "102 ", meaning: "The parcel gets lost (`lost`)." },
  returned: { start: "106 ", meaning: "The parcel comes back (`returned`)." },
} as const satisfies Record<string, MagicStreet>;

/** By the last name in `prescriber_name`, in any case. Prescribers with other names approve with the same refills. */
export const magicPrescriberNames = {
  deny: "The prescriber denies a request for renewal.",
  change: "The prescriber approves with changes: one refill.",
  replace: "The prescriber sends a prescription that replaces the old one.",
  silent: "The prescriber never answers, and the request expires after 14 days.",
} as const satisfies Record<string, string>;
export type MagicPrescriberName = keyof typeof magicPrescriberNames;
