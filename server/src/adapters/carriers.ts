import { createHash } from "node:crypto";
import type { ShippingLabel } from "../domain/fulfillment/documents.ts";
import type { Scan, TrackedParcel } from "../domain/fulfillment/parcel.ts";
import { shippingLabel } from "./documents/shipping-label.ts";
import { zplLabel } from "./documents/zpl-label.ts";
import { scansOf } from "./parcel-stories.ts";
import { carrierNamed, genericNumber } from "./tracking-numbers.ts";

/**
 * Who takes parcels to patients. The same `key` again gives the same label and number, so that a call cut off half-way
 * can be made again. Called outside every transaction.
 */
export interface Carriers {
  createLabel(request: LabelRequest): Promise<CreatedLabel>;
  /** All that has happened to a parcel until now, oldest first. */
  track(parcel: TrackedParcel, now: Date): Promise<Scan[]>;
  /** When it is worth asking again; null once the last thing has happened. */
  nextLookAt(parcel: TrackedParcel, now: Date): Date | null;
}

/** `key` is the order's number. */
export type LabelRequest = Omit<ShippingLabel, "tracking_no"> & { key: string };

type CreatedLabel = {
  tracking_no: string;
  /** Null where nobody knows where the carrier's parcels are looked up. */
  tracking_url: string | null;
  label: { format: "PDF"; pdf: Buffer; zpl: string };
};

/** Stands in for a carrier: real labels, and scans on a timetable. */
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
  async track(parcel, now) {
    return scansOf(parcel).filter(({ at }) => at <= now);
  },
  nextLookAt: (parcel, now) => scansOf(parcel).find(({ at }) => at > now)?.at ?? null,
};

/** Fourteen digits that look like chance and are not: the same key has the same ones. */
const digitsOf = (key: string) =>
  createHash("sha256").update(key).digest().readBigUInt64BE().toString().padStart(14, "0").slice(-14);
