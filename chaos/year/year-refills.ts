import type { Order, WebhookEventRecord } from "@pestle/contract";
import {
  type Book,
  type BookRx,
  type BookSchedule,
  count,
  dayOf,
  grouped,
  isActiveAt,
  lastDayOf,
  plusDays,
} from "./year-book.ts";
import { productOf } from "./year-cast.ts";
import type { Year } from "./year-world.ts";

/** An order of a prescription, with who placed it and when it was canceled. */
type Fill = { order: Order; at: Date; day: string; units: number; by_system: boolean; canceled_at: Date | null };
type Notice = { schedule_id: string; fill_on: string; at: Date; codes: number[] };

/** Every fill of the year by the rules of schedules and prescriptions, and every patient who could have run out. */
export async function refillFaults(year: Year, orders: readonly Order[], end: Date): Promise<string[]> {
  const { host, book } = year;
  const { rows } = await host.raw(
    "select order_number, actor from order_history where account_id = $1 and event = 'create'",
    [book.account_id],
  );
  const actors = new Map(rows.map((row) => [String(row["order_number"]), String(row["actor"])]));
  const canceled = canceledIn(book.feed);
  const notices = noticesIn(book.feed);
  const fills = new Map<number, Fill[]>();
  for (const order of orders) {
    for (const { prescription_id, quantity, package_size } of order.items) {
      if (prescription_id === null) continue;
      const fill: Fill = {
        order,
        at: new Date(order.created_at),
        day: dayOf(order.created_at),
        units: quantity * (package_size ?? 0),
        by_system: actors.get(order.order_number) === "system",
        canceled_at: canceled.get(order.order_number) ?? null,
      };
      fills.set(prescription_id, [...(fills.get(prescription_id) ?? []), fill]);
    }
  }
  for (const own of fills.values()) own.sort((a, b) => a.at.getTime() - b.at.getTime());
  count(book, "orders", orders.length);
  for (const { order_status } of orders) count(book, `orders ${order_status}`);
  return [
    ...[...fills].flatMap(([prescription_id, own]) => {
      const rx = book.prescriptions.get(prescription_id);
      return rx === undefined ? ["a fill of an unknown prescription"] : prescriptionFaults(rx, own);
    }),
    ...[...fills].flatMap(([prescription_id, own]) => systemFaults(book, prescription_id, own, notices)),
    ...[...book.schedules.values()].flatMap((one) => [
      ...pauseFaults(one, fills.get(one.rx.prescription_id) ?? []),
      ...noticeFaults(one, notices.get(one.schedule_id) ?? [], fills.get(one.rx.prescription_id) ?? []),
      ...supplyFaults(book, one, fills.get(one.rx.prescription_id) ?? [], notices.get(one.schedule_id) ?? [], end),
    ]),
  ];
}

function canceledIn(feed: readonly WebhookEventRecord[]): Map<string, Date> {
  const ended = feed.filter(
    ({ event_type, body }) =>
      event_type === "ORDER_UPDATED" && (body as { order_status?: string }).order_status === "Canceled",
  );
  return new Map(ended.map(({ order_number, created_at }) => [order_number!, new Date(created_at)]));
}

function noticesIn(feed: readonly WebhookEventRecord[]): Map<string, Notice[]> {
  type Body = { schedule_id: string; fill_on: string; problems: { code: number }[] };
  const told = feed
    .filter(({ event_type }) => event_type === "REFILL_UPCOMING")
    .map(({ body, created_at }): Notice => {
      const { schedule_id, fill_on, problems } = body as Body;
      return { schedule_id, fill_on, at: new Date(created_at), codes: problems.map(({ code }) => code) };
    });
  return grouped(told, ({ schedule_id }) => schedule_id);
}

const isControlled = ({ drug }: BookRx) => productOf(drug.sku).drug_schedule !== "0";
const authorized = ({ drug, refills }: BookRx) => drug.written_qty * (1 + refills);
/** The units of a prescription that its orders had taken before a moment. */
const takenAt = (fills: readonly Fill[], at: Date) =>
  fills
    .filter((fill) => fill.at < at && (fill.canceled_at === null || fill.canceled_at > at))
    .reduce((units, fill) => units + fill.units, 0);

/** All orders of a prescription: no more units than written, none after its last day or after the prescriber ended it. */
function prescriptionFaults(rx: BookRx, fills: readonly Fill[]): string[] {
  const last_day = lastDayOf(rx, isControlled(rx));
  return fills.flatMap((fill) => [
    ...(takenAt(fills, fill.at) + fill.units > authorized(rx) ? ["a fill beyond the refills"] : []),
    ...(fill.day > last_day ? [`a fill on ${fill.day}, after the prescription's last day ${last_day}`] : []),
    ...(rx.ended_at !== null && fill.at > rx.ended_at ? ["a fill of a prescription that had ended"] : []),
  ]);
}

/** The orders of the service: those of schedules, and the first ones of Automatic Processing. */
function systemFaults(
  book: Book,
  prescription_id: number,
  fills: readonly Fill[],
  notices: ReadonlyMap<string, readonly Notice[]>,
): string[] {
  const faults: string[] = [];
  const schedules = [...book.schedules.values()].filter(({ rx }) => rx.prescription_id === prescription_id);
  const used = new Set<Notice>();
  for (const [index, fill] of fills.entries()) {
    if (!fill.by_system) continue;
    const own = schedules.find((one) => isActiveAt(one, new Date(fill.at.getTime() - 1)));
    const fitting = ((own && notices.get(own.schedule_id)) ?? []).filter(
      ({ fill_on, at }) => fill_on === fill.day && at <= fill.at,
    );
    // A fill whose order was canceled is due again on the same day, with another notice.
    const notice = fitting.find((one) => !used.has(one)) ?? fitting[0];
    if (notice === undefined || own === undefined) {
      if (book.workflow === "automatic" && index === 0) count(book, "first fills of Automatic Processing");
      else faults.push(`an order of a schedule that ${own === undefined ? "was not active" : "announced no fill"}`);
      continue;
    }
    count(book, "fills of schedules");
    if (used.has(notice)) faults.push("two orders for one fill of a schedule");
    used.add(notice);
    if (own.consent_at > fill.at) faults.push("a fill without consent");
    if (productOf(own.rx.drug.sku).drug_schedule === "2") faults.push("a schedule filled a schedule 2 drug");
    // An order of the partner counts as a fill, too.
    const before = fills.slice(0, index).findLast(({ canceled_at }) => canceled_at === null);
    if (before !== undefined && fill.day < plusDays(before.day, own.interval_days)) {
      faults.push(`a fill on ${fill.day}, less than ${own.interval_days} days after the one on ${before.day}`);
    }
  }
  return faults;
}

/** The reason of a pause must be true by the partner's book. */
function pauseFaults({ rx, changes, seen }: BookSchedule, fills: readonly Fill[]): string[] {
  return changes.flatMap(({ what, at, code }) => {
    if (what !== "paused") return [];
    if (code === 42250 && takenAt(fills, at) + rx.drug.written_qty <= authorized(rx))
      return ["a pause because of used up refills, and there are some"];
    if (code === 42257 && dayOf(at) <= lastDayOf(rx, isControlled(rx)))
      return ["a pause because of an expired prescription, and it had not expired"];
    // A canceled order is no longer the schedule's last one.
    if (
      code !== undefined &&
      code < 100 &&
      seen.last_order_number !== null &&
      !fills.some(({ order }) => order.order_number === seen.last_order_number)
    )
      return ["a pause because of an order that does not exist"];
    return [];
  });
}

/**
 * A notice comes as many days ahead as the partner asked, unless the schedule changed after that day. It also changes when
 * an order is canceled that it had followed.
 */
function noticeFaults(
  { changes, lead_days }: BookSchedule,
  notices: readonly Notice[],
  fills: readonly Fill[],
): string[] {
  return notices.flatMap(({ fill_on, at }, index) => {
    const day = dayOf(at);
    const due = plusDays(fill_on, -lead_days);
    const canceled = fills.some(
      ({ canceled_at }) => canceled_at !== null && dayOf(canceled_at) >= due && dayOf(canceled_at) <= day,
    );
    const last = changes.findLast((change) => change.at <= at);
    if (day > fill_on) return [`a notice on ${day} of a fill on ${fill_on}`];
    if (notices.slice(0, index).some((one) => one.fill_on === fill_on && !changedBetween(changes, one.at, at)))
      return ["two notices of one fill"];
    return day > due && !canceled && last !== undefined && dayOf(last.at) < due && !isLate(notices, index, due)
      ? [`a notice on ${day} instead of ${due}`]
      : [];
  });
}

const changedBetween = (changes: BookSchedule["changes"], from: Date, to: Date) =>
  changes.some(({ at }) => at >= from && at <= to);
/** The fill before was later than this notice would have been. */
const isLate = (notices: readonly Notice[], index: number, due: string) =>
  index > 0 && notices[index - 1]!.fill_on >= due;

/** Nobody with an active schedule runs out of the drug without a fill, a notice, or a reason that the partner could read. */
function supplyFaults(
  book: Book,
  one: BookSchedule,
  fills: readonly Fill[],
  notices: readonly Notice[],
  end: Date,
): string[] {
  const created = one.changes[0]!.at;
  const kept = fills.filter(({ canceled_at }) => canceled_at === null);
  // A prescription that was never ordered is due on the day on which its schedule is created, and a renewed one when the
  // supply of the earlier one ends, at most an interval later.
  const today = dayOf(created);
  const first = [today, one.rx.renews ? one.first_fill_on : today].sort().at(-1)!;
  if (first > plusDays(today, one.interval_days)) return [`a first fill on ${first} of a schedule of ${today}`];
  const bases = [
    ...(takenAt(fills, created) > 0 ? [] : [{ day: plusDays(today, -1), out_on: first }]),
    ...kept.map(({ day }) => ({ day, out_on: plusDays(day, one.interval_days) })),
  ];
  return bases.flatMap(({ day, out_on }) => {
    // The fill happens at any time of its day.
    const after = plusDays(out_on, 1);
    if (after > dayOf(end) || out_on < dayOf(created)) return [];
    const filled = kept.some((fill) => fill.day > day && fill.day <= out_on);
    const told = notices.some(({ fill_on, at }) => fill_on >= day && fill_on <= out_on && dayOf(at) <= out_on);
    // The partner can skip a fill and then order it by other means: the next fill stays where the skip moved it.
    const before = kept.findLast((fill) => fill.day < day)?.day ?? today;
    const asked = one.changes.some(({ at, what }) => what === "skip" && dayOf(at) >= before && dayOf(at) <= out_on);
    const inactive = one.changes.some(
      ({ at, what }) => what !== "created" && dayOf(at) <= out_on && !isActiveAt(one, new Date(`${after}T00:00:00Z`)),
    );
    // The partner received the event of the cancellation.
    const canceled = fills.some((fill) => fill.canceled_at !== null && fill.day >= day && fill.day <= out_on);
    if (filled) count(book, "supplies that a fill continued");
    else if (told) count(book, "supplies that ended with a notice");
    else if (asked || inactive) count(book, "supplies that ended after a reason or a wish of the partner");
    else if (canceled) count(book, "supplies that ended after a canceled order");
    else return [`a patient ran out on ${out_on} without a fill, a notice or a reason`];
    return [];
  });
}
