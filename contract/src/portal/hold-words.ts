import type { ActionKey } from "../actions.ts";
import type { ExceptionId, exceptions } from "../exceptions.ts";

type Offered<Id extends ExceptionId> = Exclude<(typeof exceptions)[Id]["actions"][number], "cancel">;
type Words<Id extends ExceptionId> = {
  /** What the order needs, for people who do not know the exception's name. */
  readonly needs: string;
  /** Button texts. They replace the general ones of the actions. */
  readonly buttons: { readonly [Key in Offered<Id>]: string };
};

/** How the portal names each hold and the actions that end it. The compiler asks for a text for each action. */
const words: { readonly [Id in ExceptionId]: Words<Id> } = {
  64: { needs: "Release the order when you are ready", buttons: { release: "Release the hold" } },
  65: { needs: "Add the patient's email address", buttons: { update_email: "Add the email address" } },
  66: { needs: "Add the shipping address", buttons: { update_address: "Add the address" } },
  67: { needs: "Ship to another state", buttons: { update_address: "Change the address" } },
  68: { needs: "Confirm that this is not a duplicate", buttons: { confirm_not_duplicate: "Not a duplicate" } },
  69: {
    needs: "Choose a prescription with clear directions",
    buttons: { replace_prescription: "Choose another prescription" },
  },
  70: {
    needs: "Confirm the substitute",
    buttons: { verify: "Confirm the substitute", replace_prescription: "Choose another prescription" },
  },
  71: { needs: "Confirm the date of birth", buttons: { verify: "Confirm the date of birth" } },
  72: { needs: "Confirm the quantity", buttons: { verify: "Confirm the quantity" } },
  73: {
    needs: "Choose a valid prescription",
    buttons: { replace_prescription: "Choose another prescription", remove_item: "Remove the item" },
  },
  74: { needs: "Allergy: a pharmacist is looking at it", buttons: {} },
  75: { needs: "Drug interaction: a pharmacist is looking at it", buttons: {} },
  76: { needs: "Out of stock: ships when stock arrives", buttons: { remove_item: "Remove the item" } },
  77: {
    needs: "Correct the address",
    buttons: {
      update_address: "Correct the address",
      accept_suggested_address: "Use the suggested address",
      confirm_address: "The address is right",
    },
  },
  78: {
    needs: "Add the apartment number",
    buttons: {
      update_address: "Add the apartment number",
      accept_suggested_address: "Use the suggested address",
      confirm_address: "There is no apartment number",
    },
  },
  79: {
    needs: "Shorten the name on the label",
    buttons: { update_address: "Shorten the name", confirm_address: "The label may cut it off" },
  },
  80: { needs: "Charge another card", buttons: { retry_payment: "Charge another card" } },
};

/** What a held order needs, in plain words. */
export const needOf = (id: ExceptionId): string => words[id].needs;

/** The button text of an action that ends this hold; undefined for an action that does not. */
export const holdButton = (id: ExceptionId, key: ActionKey): string | undefined =>
  (words[id].buttons as Partial<Record<ActionKey, string>>)[key];
