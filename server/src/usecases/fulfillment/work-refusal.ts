import { MOST_ITEM_LOTS } from "@pestle/contract";
import { AdminRefusal } from "../accounts/admin-refusal.ts";

/** Why a staff member's step is refused: a sentence for the screen, and a key for code. */
export const workRefusals = {
  not_now: "The order is not at a stage where this is possible.",
  not_your_role: "Your role does not allow this.",
  license_needed: "You have no current pharmacist license on file. Ask an admin to enter it on the People page.",
  stale: "The order changed after you opened it. Reload it.",
  claimed: "Another person is working on this order.",
  no_colleague: "Choose a colleague who can sign in to the dashboard.",
  same_person: "You filled this order, so another person must check it.",
  unknown_item: "The order has no such item.",
  every_item: "List every item of the order exactly once.",
  which_item: "The order has several such items. Name one.",
  not_filled: "The order is not filled yet, so there is no lot to print.",
  not_shipped: "The order has no shipping label yet.",
  not_printed: "Print the slip and the label first. If the address changed since, print them again.",
  label_unsafe: "The partner's label cannot be printed safely. Make a label with the carrier.",
  lot_missing: "Enter the lot and the expiration date from each package.",
  lots_too_many: `An item can be filled from at most ${MOST_ITEM_LOTS} lots.`,
  lot_twice: "A lot is named twice for one item. Name each lot once, with all of its units.",
  lot_units: "The units of the lots must add up to the units of the item.",
  lot_expired: "The package has expired.",
  lot_other_date: "The shelf has this lot with another expiration date. Check the package.",
  lot_other_product:
    "This lot is on the shelf of another product. Check the package, or receive the lot for this product.",
  lot_not_on_shelf: "This lot is not on the shelf, and all of the stock has a known lot. Receive the lot first.",
  lot_used_up: "The shelf does not have that many units of this lot. Take the rest from another lot.",
  lot_not_read: "This item has several lots, and the code of a package has none. Scan the 2D code, or type the lot.",
  every_lot: "Scan a package of each lot of the item.",
  lot_too_short: "The package expires before the patient has used it up. Fill the order from a newer lot.",
  other_lot: "The scanned package is not from the lot that was filled, or has another expiration date.",
  unreadable: "A scanned code is misread, incomplete or damaged. Scan it again, or type the NDC.",
  scanned_twice: "Two of the scans are of the same package. Scan each package once.",
  lot_recalled: "This lot is recalled. Put the package aside, and fill the order from another lot.",
  told: "The partner has a message about this lot already.",
  wrong_product: "The scanned product is not the ordered one.",
  not_open: "This exception is not open on the order.",
  open_already: "This exception is already open on the order.",
  answer_ends_nothing:
    "The partner's answer cannot end this hold, because a pharmacist must decide. Hold the order and send a message.",
  too_many_messages: "The pharmacy has sent 100 messages about this order, which is the limit.",
  cause_remains: "The cause of this exception still exists, so the order stays on hold.",
  pharmacist_needed: "Only a pharmacist may override this.",
  code_needed: "Choose a reason code for the override.",
  text_too_short: "Explain the override in at least 10 characters.",
  has_findings: "The safety check has a finding. A pharmacist must review this order on its own page.",
  one_by_one: "A pharmacist must resolve this exception on each order's own page, not in bulk.",
  nothing_to_refund: "The amount is more than remains to refund.",
  unknown_reason: "There is no such refund reason.",
  payment_pending: "The payment is not settled yet because the provider is unreachable. Try again later.",
  counseled_already: "Counseling is already recorded as given.",
  counseling_full: "This fill has 20 counseling entries, which is the limit.",
  spoken_needed: "Choose how you spoke to the patient. Counseling is given by phone, by video or in person.",
  no_carrier:
    "Pestle has no carrier for production orders. Ask the operator to set CARRIER, or ship with a label from the partner.",
  partner_labels_only:
    "This pharmacy ships only with labels from partners (CARRIER=none). Ask the partner for a label, or ask the operator to set CARRIER.",
  tracking_needed: "Enter the tracking number of the parcel's label first.",
  tracking_wrong: "This is not a tracking number of the carrier. Scan or type it again.",
  tracking_used: "Another parcel has this tracking number. Scan or type it again.",
  not_manual: "The carrier makes the labels here, so no tracking number can be entered.",
  label_too_large: "The label must be a PDF, PNG or ZPL file of at most 512 kB.",
  label_refused: "The carrier service refused the label.",
  carrier_unavailable: "The carrier service does not answer. Print again in a minute. Pestle never buys a label twice.",
  no_address: "The order has no address to ship to.",
  unprintable: "Pestle has no font for a character of this order, so it cannot print the document.",
} as const;
export type WorkRefusalKey = keyof typeof workRefusals;

export class WorkRefusal extends AdminRefusal {
  readonly key: WorkRefusalKey;
  constructor(key: WorkRefusalKey, message: string = workRefusals[key]) {
    super(message);
    this.key = key;
  }
}
