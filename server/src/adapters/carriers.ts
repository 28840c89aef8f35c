import { createHash } from "node:crypto";
import type { ShippingLabel } from "../domain/fulfillment/documents.ts";
import type { Scan, TrackedParcel } from "../domain/fulfillment/parcel.ts";
import { shippingLabel } from "./documents/shipping-label.ts";
import { zplLabel } from "./documents/zpl-label.ts";
import { scansOf } from "./parcel-stories.ts";
import { carrierNamed, genericNumber } from "./tracking-numbers.ts";

/**
 * The parcel carriers. The same `key` gives the same label and number, so an interrupted call can be repeated. Called
 * outside transactions.
 */
export interface Carriers {
  createLabel(request: LabelRequest): Promise<CreatedLabel>;
  /** The label will not be used. Repeating it does nothing. */
  voidLabel(label: { key: string; tracking_no: string }): Promise<void>;
  /** A parcel's scans so far, oldest first. */
  track(parcel: TrackedParcel, now: Date): Promise<Scan[]>;
  /** When to poll again; null after the final scan. */
  nextLookAt(parcel: TrackedParcel, now: Date): Date | null;
}

/** `key` is the order number, with a count from the second label on. */
export type LabelRequest = Omit<ShippingLabel, "tracking_no"> & { key: string };

type CreatedLabel = {
  tracking_no: string;
  /** Null if the carrier's tracking page is unknown. */
  tracking_url: string | null;
  label: { format: "PDF"; pdf: Buffer; zpl: string };
};

/** A simulated carrier: real labels, and scans on a schedule. */
export const simulatedCarriers: Carriers = {
  async createLabel({ key, ...request }) {
    const carrier = carrierNamed(request.carrier);
    const chance = digitsOf(`${request.carrier} ${key}`);
    const tracking_no = carrier === undefined ? genericNumber(chance) : carrier.compose(chance);
    const label = { ...request, tracking_no };
    return {
      tracking_no,
      tracking_url: carrier?.url(tracking_no) ?? null,
      label: { format: "PDF", pdf: await shippingLabel(label), zpl: zplLabel(label) },
    };
  },
  // Its labels cost nothing.
  async voidLabel() {},
  async track(parcel, now) {
    return scansOf(parcel).filter(({ at }) => at <= now);
  },
  nextLookAt: (parcel, now) => scansOf(parcel).find(({ at }) => at > now)?.at ?? null,
};

/** Fourteen pseudo-random digits, always the same for the same key. */
const digitsOf = (key: string) =>
  createHash("sha256").update(key).digest().readBigUInt64BE().toString().padStart(14, "0").slice(-14);
