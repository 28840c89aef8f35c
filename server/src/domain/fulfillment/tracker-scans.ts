import type { ShipmentStatus } from "@pestle/contract";
import type { Scan, TrackedParcel } from "./parcel.ts";

/** A tracking event in a carrier service's own words. */
export type TrackerEvent = { status: string; detail: string | null; at: Date; state: string | null };

type Meaning = readonly [ShipmentStatus, string];

/**
 * What a tracker's status means for the parcel. The descriptions are ours: the carrier's own text may name the person who
 * signed. A status without a row (`unknown`, `error`) says nothing about the parcel.
 */
const trackerStatuses: Readonly<Record<string, Meaning>> = {
  pre_transit: ["label_created", "The carrier knows the label."],
  in_transit: ["in_transit", "In transit."],
  out_for_delivery: ["out_for_delivery", "Out for delivery."],
  delivered: ["delivered", "Delivered."],
  available_for_pickup: ["exception", "The parcel waits for pickup at the carrier's counter."],
  return_to_sender: ["returned", "The carrier returns the parcel to the pharmacy."],
  failure: ["exception", "The carrier could not deliver the parcel."],
  cancelled: ["exception", "The carrier canceled the shipment."],
};

/** More precise descriptions, by the tracker's status and detail. */
const details: Readonly<Record<string, string>> = {
  "in_transit arrived_at_facility": "Arrived at a facility of the carrier.",
  "in_transit departed_facility": "Left a facility of the carrier.",
  "in_transit in_transit_delayed": "Delayed on the way.",
  "in_transit delayed": "Delayed on the way.",
  "in_transit weather_delay": "Delayed by the weather.",
  "in_transit address_correction": "The carrier corrected the address.",
  "failure delivery_exception": "A delivery attempt failed.",
  "failure no_one_home": "A delivery attempt failed: no one was home.",
  "failure undeliverable": "Undeliverable as addressed.",
  "failure lost": "The carrier reports the parcel lost.",
  "failure damaged": "The carrier reports the parcel damaged.",
  "failure refused": "The recipient refused the parcel.",
};

/** The scans of a tracker, oldest first. A place is at most a state: scans are stored unencrypted. */
export function scansOfTracker(events: readonly TrackerEvent[]): Scan[] {
  const scans = events.flatMap(({ status, detail, at, state }): Scan[] => {
    const meaning = trackerStatuses[status];
    if (meaning === undefined || Number.isNaN(at.getTime())) return [];
    const known = details[`${status} ${detail}`];
    const place = state !== null && /^[A-Z]{2}$/.test(state) ? state : null;
    const lost = status === "failure" && detail === "lost";
    return [{ at, status: lost ? "lost" : meaning[0], place, description: known ?? meaning[1] }];
  });
  return scans.sort((a, b) => a.at.getTime() - b.at.getTime());
}

const DAY_MS = 24 * 3600_000;
/** A parcel without a scan for this long, counted from when it should have arrived, is lost. */
export const LOST_AFTER_DAYS = 10;

/**
 * A parcel that no one scans anymore counts as lost, so that a person looks after it. The time follows from the last scan,
 * so that asking again gives the same scan. A later scan of the carrier ends it.
 */
export function lostScan(
  { shipped_at, transit_days }: Pick<TrackedParcel, "shipped_at" | "transit_days">,
  scans: readonly Scan[],
  now: Date,
): Scan | null {
  const last = scans.at(-1);
  if (last !== undefined && (last.status === "delivered" || last.status === "returned" || last.status === "lost")) {
    return null;
  }
  const due_ms = shipped_at.getTime() + transit_days.max * DAY_MS;
  const at = new Date(Math.max(due_ms, last?.at.getTime() ?? 0) + LOST_AFTER_DAYS * DAY_MS);
  if (at > now) return null;
  return {
    at,
    status: "lost",
    place: null,
    description: `Lost: the carrier scanned nothing for ${LOST_AFTER_DAYS} days.`,
  };
}
