import { AdminRefusal } from "../accounts/admin-refusal.ts";

/** Why the pharmacy's own work on an order is refused: one line for the screen, the key for whoever handles it. */
export const workRefusals = {
  not_now: "The order does not stand where this can be done.",
  not_your_role: "Your role may not do this.",
  stale: "Somebody changed the order meanwhile. Look at it again.",
  claimed: "Somebody else is working on this order.",
  same_person: "Whoever filled an order does not check it: a second person must.",
  unknown_item: "The order has no such item.",
  every_item: "Name every item of the order once.",
  which_item: "The order has several such items: say which.",
  not_filled: "The order is not filled yet: there is no lot to print.",
  not_shipped: "The order has not been sent yet.",
  lot_missing: "Give each item the lot and the expiry date that are on the package.",
  lot_expired: "The package has expired.",
  wrong_product: "What was scanned is not the product that was ordered.",
  not_open: "This exception is not open on the order.",
  open_already: "This exception is open on the order already.",
  cause_remains: "What raised this exception is still so, and the order cannot go on like this.",
  pharmacist_needed: "Only a pharmacist may override this.",
  nothing_to_refund: "That is more than was captured and not yet refunded.",
  unknown_reason: "There is no such refund reason.",
  payment_pending: "The payment is not settled yet: the provider cannot be reached. Try again later.",
  no_address: "The order has no address to ship to.",
} as const;
export type WorkRefusalKey = keyof typeof workRefusals;

export class WorkRefusal extends AdminRefusal {
  readonly key: WorkRefusalKey;
  constructor(key: WorkRefusalKey) {
    super(workRefusals[key]);
    this.key = key;
  }
}
