import { magicStreets, type ShipmentStatus } from "@pestle/contract";
import type { Scan, TrackedParcel } from "../../domain/fulfillment/parcel.ts";
import { addDays, dateIn, startOfDay } from "../../domain/values/calendar.ts";

type Step = {
  status: ShipmentStatus;
  /** The fraction of the transit time that has passed (0 to 1), plus whole days. */
  way: number;
  plus_days?: number;
  /** Time of day in the parcel's zone. If absent, `after_minutes` after shipping. */
  at?: readonly [hour: number, minute: number];
  after_minutes?: number;
  /** A kind of place, never the patient's address: scans are stored and shown unencrypted. */
  place: string | null;
  description: string;
};

const SENT: readonly Step[] = [
  { status: "label_created", way: 0, after_minutes: 0, place: null, description: "Label created." },
  {
    status: "in_transit",
    way: 0,
    after_minutes: 150,
    place: "Origin facility",
    description: "Accepted by the carrier.",
  },
  { status: "in_transit", way: 0.5, at: [2, 40], place: "Regional hub", description: "Left the regional hub." },
];
const ARRIVED: readonly Step[] = [
  ...SENT,
  { status: "in_transit", way: 1, at: [5, 10], place: "Local facility", description: "Arrived at the local facility." },
  { status: "out_for_delivery", way: 1, at: [8, 15], place: "Local facility", description: "Out for delivery." },
];

/** Parcel histories, chosen in the sandbox by how `street1` begins. The first row is the default. */
export const stories: readonly { street1_start: string | null; steps: readonly Step[] }[] = [
  {
    street1_start: null,
    steps: [...ARRIVED, { status: "delivered", way: 1, at: [14, 30], place: null, description: "Delivered." }],
  },
  {
    street1_start: magicStreets.attempted.start,
    steps: [
      ...ARRIVED,
      { status: "exception", way: 1, at: [15, 20], place: null, description: "Delivery attempted: no one home." },
      {
        status: "out_for_delivery",
        way: 1,
        plus_days: 1,
        at: [8, 15],
        place: "Local facility",
        description: "Out for delivery.",
      },
      { status: "delivered", way: 1, plus_days: 1, at: [14, 30], place: null, description: "Delivered." },
    ],
  },
  {
    street1_start: magicStreets.lost.start,
    steps: [
      ...SENT,
      {
        status: "lost",
        way: 1,
        plus_days: 7,
        at: [9, 0],
        place: null,
        description: "Lost: no scans since the last one.",
      },
    ],
  },
  {
    street1_start: magicStreets.returned.start,
    steps: [
      ...ARRIVED,
      { status: "exception", way: 1, at: [15, 20], place: null, description: "Undeliverable as addressed." },
      {
        status: "returned",
        way: 1,
        plus_days: 4,
        at: [11, 0],
        place: "Origin facility",
        description: "Returned to sender.",
      },
    ],
  },
];

const MINUTE_MS = 60_000;

/** All scans of a parcel in order. The same parcel always gets the same scans. */
export function scansOf(parcel: TrackedParcel): Scan[] {
  const street1 = parcel.street1?.trimStart() ?? "";
  const { steps } =
    stories.find(({ street1_start: start }) => start !== null && street1.startsWith(start)) ?? stories[0]!;
  const sent_on = dateIn(parcel.time_zone, parcel.shipped_at);
  const days = daysOnTheWay(parcel);
  let last_ms = Number.NEGATIVE_INFINITY;
  return steps.map(({ status, way, plus_days = 0, at, after_minutes = 0, place, description }) => {
    const day = addDays(sent_on, Math.round(way * days) + plus_days);
    const told_ms =
      at === undefined
        ? parcel.shipped_at.getTime() + after_minutes * MINUTE_MS
        : startOfDay(parcel.time_zone, day).getTime() + (at[0] * 60 + at[1]) * MINUTE_MS;
    // For a parcel shipped in the evening and due the same day, the morning scans come later, still in order.
    last_ms = Math.max(told_ms, last_ms + MINUTE_MS);
    return { at: new Date(last_ms), status, place, description };
  });
}

/**
 * Transit days within the range, fixed per parcel. The sandbox derives them from the street: order numbers are random, and
 * the same calls must give the same result.
 */
function daysOnTheWay({ tracking_no, street1, transit_days: { min, max } }: TrackedParcel): number {
  const spread = Math.max(0, max - min) + 1;
  const luck = Array.from(street1 ?? tracking_no).reduce((sum, char) => (sum * 31 + char.charCodeAt(0)) % 9973, 7);
  return min + (luck % spread);
}
