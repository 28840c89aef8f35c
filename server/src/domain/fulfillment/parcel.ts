import type { ShipmentStatus } from "@pestle/contract";

/** A parcel in transit, as sent to a carrier. */
export type TrackedParcel = {
  tracking_no: string;
  carrier: string;
  shipped_at: Date;
  transit_days: { min: number; max: number };
  /** Only in the sandbox, where its prefix determines the parcel's outcome. */
  street1?: string;
  time_zone: string;
  /** The label has no tracking number, so no carrier can be asked. */
  untracked?: true;
  about?: ParcelOrder;
};

/** The order of a parcel, for its timeline. */
export type ParcelOrder = { account_id: string; order_number: string };

/** A carrier's tracking event. */
export type Scan = { at: Date; status: ShipmentStatus; place: string | null; description: string };
