import {
  type DashboardOrderRow,
  type DrugSchedule,
  type Environment,
  type ExceptionId,
  pharmacyExceptionIds,
} from "@pestle/contract";
import { eachClock } from "../accounts/each-account.ts";
import { type Queryable, sql, statementOf } from "../db.ts";

/** Filters for a table of orders across all accounts. Null means no filter. */
export type QueueFilter = {
  /** Values of `orders.queue`. */
  queues: readonly string[];
  sort: "oldest" | "newest";
  partner_id: string | null;
  account_id: string | null;
  environment: Environment | null;
  brand_id: number | null;
  exception_id: ExceptionId | null;
  /** Only orders on hold that an exception of the pharmacy holds, or only those that wait for the partner alone. */
  needs_pharmacy: boolean | null;
  schedule: DrugSchedule | null;
  state: string | null;
  /** Only orders that entered the queue before or since this time. */
  stood_before: Date | null;
  stood_since: Date | null;
  /** Filters by claim: claimed by this person, claimed by another person, or unclaimed. */
  mine: string | null;
  others: string | null;
  free: true | null;
  /** Only orders whose newest message is the partner's, of the last so many days by the account's clock. */
  partner_wrote_days: number | null;
  /** Only orders that a question of the pharmacy holds. */
  question_open: true | null;
  /** Whether the slip and label of an order that is being packed are printed. */
  printed: boolean | null;
};

/** A table row with the patient record still sealed. */
export type QueueRow = Omit<
  DashboardOrderRow,
  "patient_initials" | "schedule" | "created_at" | "stage_since" | "late" | "claimed_until" | "printed_at"
> & {
  queue: string;
  patient_key: number;
  record_sealed: Buffer;
  reference_sealed: Buffer | null;
  drug_schedule: DrugSchedule;
  created_at: Date;
  stage_since: Date;
  claimed_until: Date | null;
  printed_at: Date | null;
};

/** An order's sealed patient record and drug names: what a row shows in addition to the order `o` itself. */
export const WHOSE_AND_WHAT = `(
    select r.record_sealed
    from patient r
    where r.account_id = o.account_id and r.patient_key = o.patient_key) as record_sealed,
  array(
    select d.name
    from order_item i
    join product d on d.account_id = i.account_id and d.sku = i.sku
    where i.account_id = o.account_id and i.order_number = o.order_number and i.removed_at is null
    order by i.item_id) as drug_names`;

/** The last row of the previous page; null starts at the first row. */
export type QueuePlace = Pick<QueueRow, "stage_since" | "account_id" | "order_number">;

/** Claimed orders of account `a`; $6 is now. They are few, and an index finds them. */
const claimedBy = (whose: string) => `any(array(
        select m.order_number
        from orders m
        where m.account_id = a.account_id and m.claimed_by is not null and m.claimed_until > $6::timestamptz${whose}))`;

/** Orders of account `a` whose newest message is the partner's; $6 is now. An index finds the recent ones. */
const partnerWrote = (days: string) => `any(array(
        select m.order_number
        from order_message m
        where m.account_id = a.account_id and m.author = 'partner'
          and m.created_at > $6::timestamptz + make_interval(secs => a.clock_offset_s) - make_interval(days => ${days})
          and not exists (
            select
            from order_message n
            where n.account_id = m.account_id and n.order_number = m.order_number
              and n.message_number > m.message_number)))`;

/** The hold of a question has its exception and its time (ADR 0057). An answer can leave it open. */
const questionHolds = `exists (
        select
        from order_exception e
        join order_message m on m.account_id = e.account_id and m.order_number = e.order_number
          and m.exception_id = e.exception_id and m.created_at = e.raised_at
        where e.account_id = o.account_id and e.order_number = o.order_number and e.resolved_at is null
          and not exists (
            select
            from order_message r
            where r.account_id = m.account_id and r.order_number = m.order_number and r.author = 'partner'
              and r.in_reply_to = m.message_id))`;

/** Whether the pharmacy must end a hold of order `o`. */
const needsPharmacy = `(o.exception_ids && array[${pharmacyExceptionIds.join(", ")}])`;

/** When the label of order `o` was printed, if the carrier does not have it yet. */
const printedAt = `(
    select l.printed_at
    from parcel_label l
    where l.account_id = o.account_id and l.order_number = o.order_number and l.state = 'ready')`;

/** The condition that each filter adds on an account `a` or an order `o`. `value` is the parameter. */
const CONDITIONS = {
  partner_id: ["a", (value: string) => `a.partner_id = ${value}`],
  account_id: ["a", (value: string) => `a.account_id = ${value}`],
  environment: ["a", (value: string) => `a.environment = ${value}`],
  brand_id: ["o", (value: string) => `o.brand_id = ${value}`],
  exception_id: ["o", (value: string) => `${value} = any(o.exception_ids)`],
  needs_pharmacy: ["o", (value: string) => `o.queue = 'on_hold' and ${needsPharmacy} = ${value}`],
  schedule: ["o", (value: string) => `o.drug_schedule = ${value}`],
  state: ["o", (value: string) => `o.ship_state = ${value}`],
  stood_before: ["o", (value: string) => `o.stage_since < ${value}`],
  stood_since: ["o", (value: string) => `o.stage_since >= ${value}`],
  mine: ["o", (value: string) => `o.order_number = ${claimedBy(` and m.claimed_by = ${value}`)}`],
  others: ["o", (value: string) => `o.order_number = ${claimedBy(` and m.claimed_by <> ${value}`)}`],
  partner_wrote_days: ["o", (value: string) => `o.order_number = ${partnerWrote(`${value}::integer`)}`],
  question_open: ["o", (value: string) => `o.queue = 'on_hold' and ${questionHolds} = ${value}`],
  printed: ["o", (value: string) => `(${printedAt} is not null) = ${value}`],
  free: ["o", (value: string) => `(not o.order_number = ${claimedBy("")}) = ${value}`],
} as const satisfies Record<string, readonly ["a" | "o", (value: string) => string]>;
type FilterName = keyof typeof CONDITIONS;

/** The possible page lengths. Each is a separate statement, so that the planner knows how few rows it must return. */
const LENGTHS = [51, 201, 1_001] as const;
export const MOST_QUEUE_ROWS = LENGTHS[2] - 1;

/**
 * Scans the index once per account and queue, in the table's sort order, and merges the scans. $2 to $4 are the last
 * row of the previous page, $5 is the page length.
 */
function pageText(names: readonly FilterName[], sort: QueueFilter["sort"], length: number): string {
  const [after, direction] = sort === "oldest" ? [">", ""] : ["<", " desc"];
  const asked = (of: "a" | "o") =>
    names
      .filter((name) => CONDITIONS[name][0] === of)
      .map((name) => `\n    and ${CONDITIONS[name][1](`$${7 + names.indexOf(name)}`)}`)
      .join("");
  const by_age = (row: string) =>
    `${row}.stage_since${direction}, ${row}.account_id${direction}, ${row}.order_number${direction}`;
  return `
with page as materialized (
  select o.account_id, o.order_number, o.stage_since
  from ${eachClock(", unnest($1::text[]) as queue")}
  cross join lateral (
    select o.account_id, o.order_number, o.stage_since
    from orders o
    where o.account_id = a.account_id and o.queue = a.queue and o.stage_since ${after}= $2::timestamptz
    and (o.stage_since, o.account_id, o.order_number) ${after} ($2::timestamptz, $3::text, $4::text)${asked("o")}
    order by o.stage_since${direction}, o.order_number${direction}
    limit ${length}) o
  where a.partner_id is not null${asked("a")}
  order by ${by_age("o")}
  limit $5
)
select o.account_id, p.name as partner, a.environment, o.order_number, o.order_status, o.stage, o.queue, o.exception_ids,
  o.patient_key, o.drug_schedule, o.ship_state, o.reference, o.reference_sealed, o.created_at, o.stage_since, o.revision,
  ${WHOSE_AND_WHAT},
  (
    select b.name
    from brand b
    where b.account_id = o.account_id and b.id = o.brand_id) as brand,
  (
    select m.name
    from shipping_method m
    where m.account_id = o.account_id and m.id = o.shipping_method_id) as method,
  (
    select c.name
    from person c
    where c.person_id = o.claimed_by and o.claimed_until > $6) as claimed_by,
  case when o.claimed_until > $6 then o.claimed_until end as claimed_until,
  ${printedAt} as printed_at
from page g
join orders o on o.account_id = g.account_id and o.order_number = g.order_number
join account a on a.account_id = o.account_id
join partner p on p.partner_id = a.partner_id
order by ${by_age("g")}`;
}

type PageParams = readonly [
  queues: readonly string[],
  stage_since: Date | string,
  account_id: string,
  order_number: string,
  limit: number,
  now: Date,
  ...filters: unknown[],
];
const pages = new Map<string, ReturnType<typeof statementOf<PageParams, QueueRow>>>();

/** Sorts by time in the queue, oldest or newest first, starting after a place. */
export function listQueue(db: Queryable, filter: QueueFilter, after: QueuePlace | null, limit: number, now: Date) {
  const names = (Object.keys(CONDITIONS) as FilterName[]).filter((name) => filter[name] !== null);
  const length = LENGTHS.find((one) => one >= limit) ?? MOST_QUEUE_ROWS + 1;
  const key = [filter.sort, length, ...names].join();
  const page = pages.get(key) ?? statementOf<PageParams, QueueRow>(pageText(names, filter.sort, length));
  pages.set(key, page);
  const start = filter.sort === "oldest" ? "-infinity" : "infinity";
  return db.rows(page, [
    filter.queues,
    after?.stage_since ?? start,
    after?.account_id ?? "",
    after?.order_number ?? "",
    limit,
    now,
    ...names.map((name) => filter[name]),
  ]);
}

const sides = statementOf<[environment: Environment | null], { pharmacy: number; partner: number }>(`
select coalesce(sum(o.pharmacy), 0)::integer as pharmacy, coalesce(sum(o.partner), 0)::integer as partner
from each_account a
cross join lateral (
  select count(*) filter (where ${needsPharmacy}) as pharmacy, count(*) filter (where not ${needsPharmacy}) as partner
  from orders o
  where o.account_id = a.account_id and o.queue = 'on_hold') o
where a.partner_id is not null and ($1::text is null or a.environment = $1)`);
/** Counts the orders on hold by whom they wait for. */
export const countSides = async (db: Queryable, environment: Environment | null) =>
  (await db.row(sides, [environment]))!;

export type ExceptionCount = { exception_id: ExceptionId; count: number; oldest_at: Date };
const held = sql<[environment: Environment | null, account_id: string | null], ExceptionCount>`
select o.exception_id, count(*)::integer as count, min(o.stage_since) as oldest_at
from each_account a
cross join lateral (
  select unnest(o.exception_ids) as exception_id, o.stage_since
  from orders o
  where o.account_id = a.account_id and o.queue = 'on_hold') o
where a.partner_id is not null and ($1::text is null or a.environment = $1) and ($2::text is null or a.account_id = $2)
group by o.exception_id
order by min(o.stage_since)`;
/** Counts the orders that each exception holds. The exception with the oldest order comes first. */
export const countExceptions = (db: Queryable, environment: Environment | null, account_id: string | null) =>
  db.rows(held, [environment, account_id]);
