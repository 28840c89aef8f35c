import type { EnteredLabel } from "@pestle/contract";
import { listTrackedBy } from "../../../db/fulfillment/shipments.ts";
import type { Deps } from "../../../deps.ts";
import type { LoadedOrder } from "../../orders/load-order.ts";
import { WorkRefusal } from "../work-refusal.ts";
import { carrierOf, type ParcelLabel } from "./parcel-label.ts";

const MOST_BYTES = 512 * 1024;

/** A label of the pharmacy's own software: its tracking number as typed or scanned, and its file if someone attached it. */
export async function enteredLabel(deps: Deps, loaded: LoadedOrder, entered: EnteredLabel): Promise<ParcelLabel> {
  const { environment, order, rules } = loaded;
  if (environment !== "production" || deps.providers.carrier !== "manual" || order.label !== null) {
    throw new WorkRefusal("not_manual");
  }
  const read = deps.carriers.production.readNumber?.(carrierOf(loaded), entered.tracking_no);
  if (read == null) throw new WorkRefusal("tracking_wrong");
  const { tracking_no, tracking_url } = read;
  const others = await listTrackedBy(deps.db, tracking_no, environment);
  if (others.some(({ order_number }) => order_number !== order.order_number)) throw new WorkRefusal("tracking_used");
  if (entered.label == null) {
    const text = `Order ${order.order_number}: the shipping label comes from the pharmacy's own software. Tracking number: ${tracking_no}.`;
    const data = await deps.documents.notePage(text, "4x6", rules.today);
    return { tracking_no, tracking_url, format: "PDF", data };
  }
  const { format, data: sent } = entered.label;
  const bytes = Buffer.from(sent, "base64");
  if (bytes.length === 0 || bytes.length > MOST_BYTES) throw new WorkRefusal("label_too_large");
  const data = await deps.documents.cleanLabel(format, bytes);
  if (data === undefined)
    throw new WorkRefusal("label_unsafe", "Pestle cannot print this file safely. Attach another one.");
  return { tracking_no, tracking_url, format, data };
}
