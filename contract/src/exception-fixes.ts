import type { ActionKey } from "./actions.ts";
import type { ExceptionId } from "./exceptions.ts";

/** What the documentation adds to an exception's row: how to resolve it, with an example action. */
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
    fix: "Ask the patient for an email address and send it with this action, or with `PATCH /patients/{patient_id}`. It frees all orders of the patient that wait for it, and later orders use it too.",
    send: { event: "update_email", email: "wren@patients.example" },
  },
  66: {
    fix: "Send the shipping address with this action, or add it to the patient (`POST /patients/{patient_id}/shipping_address`).",
    send: { event: "update_address", address },
  },
  67: {
    fix: "Send an address in a state where the product can be shipped, or cancel. A new default address of the patient ends the hold too.",
    send: { event: "update_address", address },
  },
  68: {
    fix: "Check the other order (`GET /orders?patient_id=…`). If you want both, confirm. If not, cancel one of them: canceling the earlier one ends this hold.",
    send: { event: "confirm_not_duplicate" },
  },
  69: {
    fix: "Ask the prescriber for a new prescription with clear directions, and send its id. If the new one replaces the old (RxChangeResponse, or a renewal with Replace), the order takes it by itself.",
    send: { event: "replace_prescription", prescription_id: 183602 },
  },
  70: {
    fix: "Ask the prescriber. If the substitute is right, confirm it. If not, ask for a new prescription and send its id.",
    send: { event: "verify" },
  },
  71: {
    fix: "Ask the patient for the date of birth again and send it. The API does not reveal the one on record.",
    send: { event: "verify", dob: "1984-05-17" },
  },
  72: {
    fix: "Check the quantity. If it is right, confirm it. If not, cancel and place a new order.",
    send: { event: "verify" },
  },
  73: {
    fix: "If no prescription arrived yet, wait: the hold ends when it arrives. If the prescription was canceled, replaced, rejected or expired, ask the prescriber for a new one and send its id, remove the item, or cancel. The pharmacy can ask the prescriber or cancel the order. No role can ship it without a valid prescription.",
    send: { event: "replace_prescription", prescription_id: 183602 },
  },
  74: {
    fix: "Wait for the pharmacist, who contacts the prescriber. You can only cancel.",
    send: { event: "cancel" },
  },
  75: {
    fix: "Wait for the pharmacist, who contacts the prescriber. You can only cancel.",
    send: { event: "cancel" },
  },
  76: {
    fix: "Wait: the hold ends when stock arrives. Or remove the item so that the rest ships.",
    send: { event: "remove_item", item_id: 1 },
  },
  77: {
    fix: "Use the suggestion, correct the address with the patient, or confirm that it is right. A new default address of the patient ends the hold too.",
    send: { event: "accept_suggested_address" },
  },
  78: {
    fix: "Ask the patient for the apartment number and send the full address, or confirm that there is none. A new default address of the patient ends the hold too.",
    send: { event: "update_address", address: { ...address, street2: "Apt 5" } },
  },
  79: {
    fix: "Send a shorter name for the label, or confirm that the label can truncate it.",
    send: { event: "confirm_address" },
  },
  80: {
    fix: "Ask the patient for another card and send its token.",
    send: { event: "retry_payment", token: "tok_visa" },
  },
};
