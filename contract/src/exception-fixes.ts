import type { ActionKey } from "./actions.ts";
import type { ExceptionId } from "./exceptions.ts";

/** What the documentation tells of an exception beside its row: what to do about it, and an action that does it. */
type ExceptionFix = {
  readonly fix: string;
  readonly send: { readonly event: ActionKey } & Readonly<Record<string, unknown>>;
};

const address = {
  first_name: "Wren",
  last_name: "Abernathy",
  street1: "12 Larch St",
  city: "Sacramento",
  state: "CA",
  zip: "95814",
};

export const exceptionFixes: Record<ExceptionId, ExceptionFix> = {
  64: { fix: "Release it when you are ready.", send: { event: "release" } },
  65: {
    fix: "Ask the patient for an e-mail address and send it; it is kept for later orders too.",
    send: { event: "update_email", email: "wren@patients.example" },
  },
  66: { fix: "Send the address the parcel goes to.", send: { event: "update_address", address } },
  67: {
    fix: "Send an address in a state that the product may go to, or cancel.",
    send: { event: "update_address", address },
  },
  68: {
    fix: "Look at the other order (`GET /orders?patient_id=…`). If both are meant, confirm; if not, cancel this one.",
    send: { event: "confirm_not_duplicate" },
  },
  69: {
    fix: "Have the prescriber send a new prescription with clear directions, and name it.",
    send: { event: "replace_prescription", prescription_id: 183602 },
  },
  70: {
    fix: "Ask the prescriber. If the substitute is right, confirm it; if not, have it prescribed anew, and name that prescription.",
    send: { event: "verify" },
  },
  71: {
    fix: "Ask the patient for the birth date again, and send it. The one on record is not told.",
    send: { event: "verify", dob: "1984-05-17" },
  },
  72: {
    fix: "Look at the quantity. If it is meant, confirm it; if not, cancel and order again.",
    send: { event: "verify" },
  },
  73: {
    fix: "Wait: the hold ends when the prescription arrives. Or name one that is there, or take the item out.",
    send: { event: "replace_prescription", prescription_id: 183602 },
  },
  74: {
    fix: "Wait for the pharmacist, who speaks with the prescriber. You can only cancel.",
    send: { event: "cancel" },
  },
  75: {
    fix: "Wait for the pharmacist, who speaks with the prescriber. You can only cancel.",
    send: { event: "cancel" },
  },
  76: {
    fix: "Wait: the hold ends when stock arrives. Or take the item out, so that the rest is sent.",
    send: { event: "remove_item", item_id: 1 },
  },
  77: {
    fix: "Use the suggestion, correct the address with the patient, or confirm that it is right as it is.",
    send: { event: "accept_suggested_address" },
  },
  78: {
    fix: "Ask the patient for the apartment number and send the whole address, or confirm that there is none.",
    send: { event: "update_address", address: { ...address, street2: "Apt 5" } },
  },
  79: {
    fix: "Send a shorter name for the label, or confirm that it may be cut.",
    send: { event: "confirm_address" },
  },
  80: {
    fix: "Ask the patient for another card, and send its token.",
    send: { event: "retry_payment", token: "tok_visa" },
  },
};
