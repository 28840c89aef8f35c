import { createHash } from "node:crypto";
import type { ShippingLabel } from "../../domain/fulfillment/documents.ts";
import type { Scan, TrackedParcel } from "../../domain/fulfillment/parcel.ts";
import { shippingLabel } from "../documents/shipping-label.ts";
import { zplLabel } from "../documents/zpl-label.ts";
import { ProviderMissing } from "../providers/provider-missing.ts";
import { scansOf } from "./parcel-stories.ts";
import { carrierNamed, genericNumber } from "./tracking-numbers.ts";

/**
 * The parcel carriers. The same `key` gives the same label and number, so an interrupted call can be repeated. Called
 * outside transactions.
 */
export interface Carriers {
  createLabel(request: LabelRequest): Promise<CreatedLabel>;
  /** The same label before anyone draws it. Absent if the carrier itself draws its labels. */
  planLabel?(request: LabelRequest): PlannedLabel;
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

/** What `Documents.shippingLabel` draws the label from. */
type PlannedLabel = Omit<CreatedLabel, "label"> & { drawn_from: ShippingLabel };

/** A simulated carrier: real labels, and scans on a schedule. */
export const simulatedCarriers: Carriers = {
  async createLabel(request) {
    const { drawn_from: label, ...numbered } = planLabel(request);
    return { ...numbered, label: { format: "PDF", pdf: await shippingLabel(label), zpl: zplLabel(label) } };
  },
  planLabel,
  // Its labels cost nothing.
  async voidLabel() {},
  async track(parcel, now) {
    return scansOf(parcel).filter(({ at }) => at <= now);
  },
  nextLookAt: (parcel, now) => scansOf(parcel).find(({ at }) => at > now)?.at ?? null,
};

/** Production without a carrier: only labels that partners send. */
export const noCarrier: Carriers = {
  async createLabel() {
    throw new ProviderMissing("carrier");
  },
  async voidLabel() {},
  async track() {
    return [];
  },
  nextLookAt: () => null,
};

function planLabel({ key, ...request }: LabelRequest): PlannedLabel {
  const carrier = carrierNamed(request.carrier);
  const chance = digitsOf(`${request.carrier} ${key}`);
  const tracking_no = carrier === undefined ? genericNumber(chance) : carrier.compose(chance);
  const tracking_url = carrier?.url(tracking_no) ?? null;
  return { tracking_no, tracking_url, drawn_from: { ...request, tracking_no } };
}

/** Fourteen pseudo-random digits, always the same for the same key. */
const digitsOf = (key: string) =>
  createHash("sha256").update(key).digest().readBigUInt64BE().toString().padStart(14, "0").slice(-14);
