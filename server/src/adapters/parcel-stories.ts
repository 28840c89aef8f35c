import type { ShipmentStatus } from "@pestle/contract";
import type { Scan, TrackedParcel } from "../domain/fulfillment/parcel.ts";
import { addDays, dateIn, startOfDay } from "../domain/values/calendar.ts";

type Step = {
  status: ShipmentStatus;
  /** How much of the way lies behind it (0 to 1), and whole days after that. */
  way: number;
  plus_days?: number;
  /** Time of day in the parcel's zone; left out: when it was sent, and so many minutes later. */
  at?: readonly [hour: number, minute: number];
  after_minutes?: number;
  /** Kinds of places, never where the patient lives: scans are kept and shown in the open. */
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

/** What can become of a parcel, by the beginning of `street1` in the sandbox. The first row is every other parcel's. */
export const stories: readonly { street1_start: string | null; steps: readonly Step[] }[] = [
  {
    street1_start: null,
    steps: [...ARRIVED, { status: "delivered", way: 1, at: [14, 30], place: null, description: "Delivered." }],
  },
  {
    street1_start: "101 ",
    steps: [
      ...ARRIVED,
      { status: "exception", way: 1, at: [15, 20], place: null, description: "Delivery attempted: nobody there." },
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
    street1_start: "102 ",
    steps: [
      ...SENT,
      {
        status: "lost",
        way: 1,
        plus_days: 7,
        at: [9, 0],
        place: null,
        description: "Lost: not seen since the last scan.",
      },
    ],
  },
  {
    street1_start: "106 ",
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

/** Everything that happens to a parcel, in order: the same parcel, the same story, whenever it is asked for. */
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
    // A parcel sent in the evening and due the same day has seen its morning scans already: they come late, in order.
    last_ms = Math.max(told_ms, last_ms + MINUTE_MS);
    return { at: new Date(last_ms), status, place, description };
  });
}

/**
 * Some parcels are quicker than others, but each always takes its own time. In the sandbox it is the street's: numbers
 * of orders are drawn by lot, and the same calls are to tell the same story.
 */
function daysOnTheWay({ tracking_no, street1, transit_days: { min, max } }: TrackedParcel): number {
  const spread = Math.max(0, max - min) + 1;
  const luck = Array.from(street1 ?? tracking_no).reduce((sum, char) => (sum * 31 + char.charCodeAt(0)) % 9973, 7);
  return min + (luck % spread);
}
