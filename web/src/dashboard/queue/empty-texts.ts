import type { QueueKey } from "@pestle/contract";

/** When an order appears in each queue, for a queue without orders. */
export const emptyTexts: Readonly<Record<QueueKey, string>> = {
  clinical_review: "New orders appear here first. A pharmacist reviews and approves them.",
  fill: "An order appears here when a pharmacist has approved it. A technician takes the packages from the shelf.",
  product_check: "An order appears here when it is filled. A pharmacist who did not fill it scans the packages.",
  pack: "An order appears here when its products are checked. Print the slip and the label, then hand over the parcel.",
  on_hold: "An order appears here when an exception holds it. The order's page says who must act.",
  shipped_today: "An order appears here when someone hands its parcel to the carrier.",
};
