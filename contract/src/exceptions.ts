import type { ActionKey } from "./actions.ts";

type ExceptionRow = {
  readonly name: string;
  /** The exception's `message` on the wire. */
  readonly message: string;
  readonly raised_when: string;
  /** Actions the partner can send, in display order. */
  readonly actions: readonly ActionKey[];
  /** Who must act to end the hold, other than by canceling. */
  readonly who_acts: "partner" | "pharmacist" | "pharmacy";
  /** Set if the hold can end without an action. */
  readonly resolves_itself?: string;
  /**
   * Who at the pharmacy can close it with a reason while its cause remains. `nobody`: the order cannot continue as it
   * is. Any operator can close an exception whose cause is gone.
   */
  readonly overridden_by: "operator" | "pharmacist" | "nobody";
};

/** Why an order is On Hold. An order is On Hold exactly while at least one of these is open. */
export const exceptions = {
  64: {
    name: "Partner Hold",
    message: "The partner placed the order on hold.",
    raised_when: "The partner sends `hold`.",
    actions: ["release", "cancel"],
    who_acts: "partner",
    overridden_by: "operator",
  },
  65: {
    name: "Missing Email",
    message: "The patient's email must be updated.",
    raised_when: "The patient has no email on file.",
    actions: ["update_email", "cancel"],
    who_acts: "partner",
    overridden_by: "operator",
  },
  66: {
    name: "Missing Shipping Address",
    message: "A shipping address must be added to the order.",
    raised_when: "Neither the request, the prescription nor the patient has an address.",
    actions: ["update_address", "cancel"],
    who_acts: "partner",
    overridden_by: "nobody",
  },
  67: {
    name: "State Invalid",
    message: "The pharmacy does not ship this drug to this state; the state on the order must be updated.",
    raised_when:
      "The product cannot be shipped to the state. Under Automatic Processing also if the pharmacy has no license there.",
    actions: ["update_address", "cancel"],
    who_acts: "partner",
    overridden_by: "nobody",
  },
  68: {
    name: "Duplicate Order",
    message: "The order is suspected of being a duplicate.",
    raised_when:
      "The prescription, or the same patient and medication, already has an order that is neither shipped nor canceled.",
    actions: ["confirm_not_duplicate", "cancel"],
    who_acts: "partner",
    overridden_by: "operator",
  },
  69: {
    name: "Sig Requires Clarification",
    message: "The sig must be updated and a new prescription sent.",
    raised_when:
      "The sig is empty or over 1,000 characters, it contradicts the quantity or the days of supply, or a pharmacist flagged it.",
    actions: ["replace_prescription", "cancel"],
    who_acts: "partner",
    overridden_by: "pharmacist",
  },
  70: {
    name: "DAW Confirmation Required",
    message: "Confirmation of dispense-as-written is required.",
    raised_when: "The prescriber forbids substitution and the product is not the prescribed one.",
    actions: ["verify", "replace_prescription", "cancel"],
    who_acts: "partner",
    overridden_by: "pharmacist",
  },
  71: {
    name: "DOB Verification Required",
    message: "The date of birth must be verified again.",
    raised_when:
      "The order's date of birth or patient name differs from the record. For another name, `verify` returns 42462: a person at the pharmacy must decide.",
    actions: ["verify", "cancel"],
    who_acts: "partner",
    overridden_by: "operator",
  },
  72: {
    name: "Qty Verification Required",
    message: "The quantity must be verified.",
    raised_when:
      "The units are above the product's maximum, not a whole number, or above one fill of a controlled prescription.",
    actions: ["verify", "cancel"],
    who_acts: "partner",
    overridden_by: "pharmacist",
  },
  73: {
    name: "Missing Rx",
    message: "The prescription is missing for some items of the order.",
    raised_when:
      "The prescription of an open order was canceled, replaced or rejected, or it expired. Under Automatic Processing also: an item that needs a prescription has prescriber fields instead.",
    actions: ["replace_prescription", "remove_item", "cancel"],
    who_acts: "partner",
    overridden_by: "nobody",
    resolves_itself: "When the prescription arrives.",
  },
  74: {
    name: "Allergy Detected",
    message: "An allergy to a drug in the order was detected.",
    raised_when:
      "The safety engine finds one of the patient's allergies among the ingredients. It stays open until a pharmacist closes it, even if the allergy is removed.",
    actions: ["cancel"],
    who_acts: "pharmacist",
    overridden_by: "pharmacist",
  },
  75: {
    name: "Drug Interaction Found",
    message: "A drug interaction was found.",
    raised_when:
      "The safety engine finds an interaction between drugs of the order, or with the patient's medications.",
    actions: ["cancel"],
    who_acts: "pharmacist",
    overridden_by: "pharmacist",
  },
  76: {
    name: "Inventory Delayed",
    message: "Some items have inventory delays.",
    raised_when: "A product that allows back orders has too little stock.",
    actions: ["remove_item", "cancel"],
    who_acts: "pharmacy",
    overridden_by: "nobody",
    resolves_itself: "When stock arrives.",
  },
  77: {
    name: "Address Invalid",
    message: "The address on the order is not valid.",
    raised_when: "The address validator does not know the address.",
    actions: ["update_address", "accept_suggested_address", "confirm_address", "cancel"],
    who_acts: "partner",
    overridden_by: "operator",
  },
  78: {
    name: "Missing Address Unit Number",
    message: "The address requires an apartment number.",
    raised_when: "The address validator knows the building, and the unit is missing.",
    actions: ["update_address", "accept_suggested_address", "confirm_address", "cancel"],
    who_acts: "partner",
    overridden_by: "operator",
  },
  79: {
    name: "Ship-to Name Truncated",
    message: "The ship-to name exceeds the maximum character limit.",
    raised_when: "The name is longer than the carrier prints: 35 characters unless configured otherwise.",
    actions: ["update_address", "confirm_address", "cancel"],
    who_acts: "partner",
    overridden_by: "operator",
  },
  80: {
    name: "Payment Declined",
    message: "The payment was declined.",
    raised_when: "The patient pays and the card is declined.",
    actions: ["retry_payment", "cancel"],
    who_acts: "partner",
    overridden_by: "nobody",
  },
} as const satisfies Record<number, ExceptionRow>;

export type ExceptionId = keyof typeof exceptions;
export const exceptionIds = Object.keys(exceptions).map(Number) as [ExceptionId, ...ExceptionId[]];
export const isExceptionId = (id: number): id is ExceptionId => Object.hasOwn(exceptions, id);

/** Exceptions that the pharmacy must end. An order that one of them holds needs its staff; any other waits for the partner. */
export const pharmacyExceptionIds = exceptionIds.filter((id) => exceptions[id].who_acts !== "partner");

/** An exception's row with widened list types, so that code can handle all exceptions alike. */
export const exceptionRow = (id: ExceptionId): ExceptionRow => exceptions[id];
