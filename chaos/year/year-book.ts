import type { Order, RefillSchedule, ScheduleAction, WebhookEventRecord, Workflow } from "@pestle/contract";
import type { Drug } from "./year-cast.ts";

/* What the partner of the year did and saw. The auditor compares the service with this book and adds up everything itself. */

const TIME_ZONE = "America/New_York";

export type BookPatient = {
  patient_id: string;
  number: number;
  gender: "F" | "M";
  dob: string;
  street1: string;
};

export type BookRx = {
  prescription_id: number;
  message_id: string;
  patient: BookPatient;
  drug: Drug;
  refills: number;
  written_on: string;
  /** It continues an earlier prescription. */
  renews: boolean;
  /** The prescriber canceled or replaced it. */
  ended_at: Date | null;
};

/** What changed a schedule, by the account's time. `paused` is a pause that the partner did not ask for. */
type ScheduleChange = { at: Date; what: "created" | "paused" | ScheduleAction; code?: number };

export type BookSchedule = {
  schedule_id: string;
  rx: BookRx;
  consent_at: Date;
  /** The first fill by the answer to its creation. */
  first_fill_on: string;
  interval_days: number;
  lead_days: number;
  payer: "partner" | "patient";
  changes: ScheduleChange[];
  seen: RefillSchedule;
};

/** A price, from a moment on. Orders of the moments in between can have either. */
type Price = { from: Date; surely_from: Date; cents: number };

type Adjustment = { line_id: string; kind: "fee" | "credit"; amount_cents: number; order_number: string | null };

/** An order as its events tell it. */
type ToldOrder = { order_number: string; order_status: string; previous: string | null; held_by: Set<number> };

export type Book = {
  account_id: string;
  workflow: Workflow;
  begin: Date;
  /** How far the account's clock is ahead of real time. */
  clock_offset_s: number;
  patients: BookPatient[];
  prescriptions: Map<number, BookRx>;
  schedules: Map<string, BookSchedule>;
  /** By `sku`, or by `method <id>` for a parcel. */
  prices: Map<string, Price[]>;
  adjustments: Adjustment[];
  refunds: { order_number: string; amount_cents: number }[];
  /** Everything that the partner read from the feed, in the order in which it read it. */
  feed: WebhookEventRecord[];
  told: Map<string, ToldOrder>;
  /** The text of each closed month when it was read first. */
  closed: Map<string, string>;
  /** How often what happened. */
  seen: Record<string, number>;
  faults: string[];
};

export const count = ({ seen }: Pick<Book, "seen">, what: string, times = 1): void => {
  seen[what] = (seen[what] ?? 0) + times;
};

const days = new Intl.DateTimeFormat("sv-SE", { timeZone: TIME_ZONE });
/** The pharmacy's day of a moment. */
export const dayOf = (at: Date | string): string => days.format(typeof at === "string" ? new Date(at) : at);

const DAY_MS = 86_400_000;
export const plusDays = (day: string, more: number): string =>
  new Date(Date.parse(`${day}T00:00:00Z`) + more * DAY_MS).toISOString().slice(0, 10);

/** The last day of a prescription: a year, or half a year if the drug is controlled. */
export function lastDayOf({ written_on }: Pick<BookRx, "written_on">, controlled: boolean): string {
  const [year = 0, month = 0, day = 0] = written_on.split("-").map(Number);
  const months = month - 1 + (controlled ? 6 : 12);
  const most = new Date(Date.UTC(year, months + 1, 0)).getUTCDate();
  return new Date(Date.UTC(year, months, Math.min(day, most))).toISOString().slice(0, 10);
}

/** The prices that an order of this moment can have. */
export function pricesAt({ prices }: Book, of: string, at: Date): number[] {
  const known = prices.get(of)!.filter(({ from }) => from <= at);
  const sure = known.findLastIndex(({ surely_from }) => surely_from <= at);
  return known.slice(Math.max(0, sure)).map(({ cents }) => cents);
}

/** Remembers the order's state by an event. */
export function hear(book: Book, { event_type, order_number, body }: WebhookEventRecord): void {
  if (order_number == null) return;
  const known = book.told.get(order_number) ?? { order_number, order_status: "", previous: null, held_by: new Set() };
  book.told.set(order_number, known);
  const told = body as {
    order_status?: Order["order_status"];
    previous_order_status?: string;
    exception?: { id: number };
  };
  if (event_type === "ORDER_UPDATED") {
    known.order_status = told.order_status!;
    known.previous = told.previous_order_status ?? null;
    if (told.order_status !== "On Hold") known.held_by.clear();
  }
  if (event_type === "ORDER_EXCEPTION") known.held_by.add(told.exception!.id);
}

/** Whether the schedule should make orders at a moment, by its changes before. */
export function isActiveAt({ changes }: Pick<BookSchedule, "changes">, at: Date): boolean {
  let active = false;
  for (const { at: changed, what } of changes) {
    if (changed > at) break;
    if (what === "created" || what === "resume") active = true;
    if (what === "paused" || what === "pause" || what === "cancel") active = false;
  }
  return active;
}

/** Node 20 has no `Map.groupBy`. */
export function grouped<One, Key>(all: Iterable<One>, keyOf: (one: One) => Key): Map<Key, One[]> {
  const groups = new Map<Key, One[]>();
  for (const one of all) {
    const key = keyOf(one);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [one]);
    else group.push(one);
  }
  return groups;
}
