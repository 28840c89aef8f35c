import type { ShipmentStatus } from "@pestle/contract";

/** A parcel on its way, as a carrier is asked about it. */
export type TrackedParcel = {
  tracking_no: string;
  carrier: string;
  shipped_at: Date;
  transit_days: { min: number; max: number };
  /** Given in the sandbox alone, where its beginning decides what becomes of the parcel. */
  street1?: string;
  time_zone: string;
};

/** What a carrier tells of it. */
export type Scan = { at: Date; status: ShipmentStatus; place: string | null; description: string };
