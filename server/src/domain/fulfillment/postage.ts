import type { PostageAdjustmentReason } from "@pestle/contract";
import type { CarrierService, ParcelSize } from "./carrier-services.ts";

/** What to buy, and what an earlier try left at the carrier service, so that an interrupted call buys no second label. */
export type PostageRequest = {
  /** The shipping method's name, for messages. */
  method: string;
  /** Null if no service is known for the method. */
  service: CarrierService | null;
  parcel: ParcelSize;
  /** The service's id of the shipment that an earlier try made for the same label. */
  known(): Promise<string | null>;
  /** Stores the id before anything is paid. Returns the id to use: another process's, if that one came first. */
  keep(provider_ref: string): Promise<string>;
  bought(postage: BoughtPostage): Promise<void>;
  /** The service refused to sell it, so that the next try makes a new shipment. */
  abandon(): Promise<void>;
};
export type BoughtPostage = {
  tracking_no: string;
  carrier: string;
  service: string;
  rate_cents: number;
  /** With surcharges. */
  paid_cents: number;
};

/** What a carrier charged after the purchase, or gave back if negative. `invoice_id` is the carrier service's id. */
export type PostageAdjustment = { invoice_id: string; amount_cents: number; reason: PostageAdjustmentReason };

/** The reason of an adjustment, from the carrier's own words. */
export const adjustmentReason = (words: string): PostageAdjustmentReason =>
  reasons.find(([, pattern]) => pattern.test(words))?.[0] ?? "other";
const reasons: readonly [PostageAdjustmentReason, RegExp][] = [
  ["weight", /weight/i],
  ["size", /dim|size|length|width|height|package|packaging/i],
  ["distance", /zone|zip|origin|destination/i],
  ["service", /service|class/i],
];

/** Why a carrier service made no label. A person can mend the cause; trying again alone does not help. */
export type LabelRefusal = "no_service" | "no_rate" | "key" | "balance" | "address" | "other";
export class LabelRefused extends Error {
  override name = "LabelRefused";
  readonly reason: LabelRefusal;
  /** The service, the method or the provider's code; never text about a person. */
  readonly detail: string;
  constructor(reason: LabelRefusal, detail: string) {
    super(`The carrier service refused a label: ${reason} (${detail})`);
    this.reason = reason;
    this.detail = detail;
  }
}
