import type { QueueKey } from "@pestle/contract";
import { say } from "../../ui/words/say.tsx";

/** When an order appears in each queue, for a queue without orders. */
export const emptyTexts: Readonly<Record<QueueKey, string>> = {
  clinical_review: say("New orders appear here first. A pharmacist reviews and approves them."),
  fill: say("An order appears here when a pharmacist has approved it. A technician takes the packages from the shelf."),
  product_check: say("An order appears here when it is filled. A pharmacist who did not fill it scans the packages."),
  pack: say(
    "An order appears here when its products are checked. Print the slip and the label, then hand over the parcel.",
  ),
  on_hold: say("An order appears here when an exception holds it. The order's page says who must act."),
  shipped_today: say("An order appears here when someone hands its parcel to the carrier."),
};
