import type { Environment, QuotaName } from "@pestle/contract";
import { fromPrimary, type Queryable, sql, statementOf, type Tx } from "../db.ts";

export type UsageRow = { account_id: string; quota: string; used: number; most: number | null };
export type UsageChange = { account_id: string; quota: QuotaName; amount: number };

// The function writes.
const exchange = fromPrimary(
  sql<[account_ids: string[], quotas: string[], amounts: number[], since: Date | null], UsageRow & { now: Date }>`
select s.account_id, s.quota, s.used, s.most, now() as now
from add_usage($1::text[], $2::text[], $3::bigint[]) s
union all
select u.account_id, u.quota, u.used, u.most, now()
from account_usage u
where ($4::timestamptz is null or u.changed_at > $4)
  and (u.account_id, u.quota) not in (
    select g.account_id, g.quota
    from unnest($1::text[], $2::text[]) as g(account_id, quota))`,
);
/** Adds what a process wrote to the numbers of its accounts, and returns all numbers that changed since a time. */
export function exchangeUsage(db: Queryable, changes: readonly UsageChange[], since: Date | null) {
  const sorted = changes.toSorted((a, b) => (`${a.account_id} ${a.quota}` < `${b.account_id} ${b.quota}` ? -1 : 1));
  return db.rows(exchange, [
    sorted.map(({ account_id }) => account_id),
    sorted.map(({ quota }) => quota),
    sorted.map(({ amount }) => amount),
    since,
  ]);
}

const ofAccount = sql<[account_id: string], UsageRow & { counted_at: Date | null }>`
select account_id, quota, used, most, counted_at
from account_usage
where account_id = $1`;
export const listUsage = (db: Queryable, account_id: string) => db.rows(ofAccount, [account_id]);

const setMost = sql<[account_id: string, quota: string, most: number | null]>`
insert into account_usage (account_id, quota, most, changed_at)
values ($1, $2, $3, now())
on conflict (account_id, quota) do update set most = excluded.most, changed_at = excluded.changed_at`;
/** Null restores the default of the environment. */
export const saveQuota = (tx: Tx, account_id: string, quota: QuotaName, most: number | null) =>
  tx.run(setMost, [account_id, quota, most]);

const due = sql<[environment: Environment, every_s: number, rest: number, most: number], { account_id: string }>`
select a.account_id
from each_account a
left join account_usage u on u.account_id = a.account_id and u.quota = 'stored_bytes'
where a.environment = $1 and a.partner_id is not null
  and (u.counted_at is null
    or u.counted_at < now() - greatest($2 * interval '1 second', u.count_ms * $3 * interval '1 millisecond'))
order by u.counted_at nulls first
limit $4`;
/** Accounts that were not counted for a while. Counting an account may take one part in `rest` of the time. */
export const listUncounted = (db: Queryable, environment: Environment, every_s: number, rest: number, most: number) =>
  db.rows(due, [environment, every_s, rest, most]);

const LOCK = sql<[account_id: string], { locked: boolean }>`
select pg_try_advisory_xact_lock(hashtextextended('count ' || $1, 7205523)) as locked`;
/** One process counts an account at a time. */
export const lockCount = async (tx: Tx, account_id: string) => (await tx.row(LOCK, [account_id]))!.locked;

/** A row's columns beside the long ones, its place in the indexes, and the row's own header. */
const BYTES_PER_ROW = 300;
/** The tables that grow with an account's work, with their long columns. The others belong to one of their rows. */
const stored: Readonly<Record<string, readonly string[]>> = {
  patient: ["record_sealed"],
  prescription: ["details_sealed", "written_sealed"],
  orders: ["address_sealed", "label_sealed", "safety_sealed"],
  order_item: ["prescriber_sealed"],
  order_history: [],
  order_exception: [],
  order_action_request: [],
  order_message: ["text_sealed"],
  order_note: ["text_sealed"],
  refill_schedule: ["request_sealed"],
  intake_message: ["body_sealed"],
  prescriber_message: ["asked_sealed", "body_sealed", "answer_sealed"],
  idempotent_answer: ["body_sealed"],
  webhook_event: ["body_sealed", "body"],
  webhook_attempt: ["exchange_sealed"],
  webhook_endpoint: [],
};

const counts = Object.entries(stored).map(([name, columns]) => ({
  name,
  // Reads only the length of a value that is stored outside of its row.
  statement: statementOf<[account_id: string], { rows: number; bytes: number }>(`
select count(*)::bigint as rows,
  coalesce(sum(${[BYTES_PER_ROW, ...columns.map((column) => `coalesce(octet_length(t.${column}), 0)`)].join(" + ")}), 0)::bigint as bytes
from ${name} t
where t.account_id = $1`),
}));

const saveCount = sql<[account_id: string, quotas: string[], used: number[], now: Date, count_ms: number]>`
insert into account_usage (account_id, quota, used, counted_at, count_ms, changed_at)
select $1, c.quota, c.used, $4, $5, clock_timestamp()
from unnest($2::text[], $3::bigint[]) as c(quota, used)
order by c.quota
on conflict (account_id, quota) do update
set used = excluded.used, counted_at = excluded.counted_at, count_ms = excluded.count_ms, changed_at = excluded.changed_at`;

/** A large account takes longer than a statement may. */
const MOST_MINUTES = 10;

/** Counts what an account stores and saves the result. */
export async function countAccount(tx: Tx, account_id: string, clock: () => Date): Promise<void> {
  await tx.raw(`set local statement_timeout = '${MOST_MINUTES}min'`);
  const begun = clock();
  const rows: Record<string, number> = {};
  let bytes = 0;
  for (const { name, statement } of counts) {
    const counted = (await tx.row(statement, [account_id]))!;
    rows[name] = counted.rows;
    bytes += counted.bytes;
  }
  const used: Record<QuotaName, number> = {
    patients: rows["patient"]!,
    prescriptions: rows["prescription"]!,
    orders: rows["orders"]!,
    refill_schedules: rows["refill_schedule"]!,
    webhook_events: rows["webhook_event"]!,
    webhook_endpoints: rows["webhook_endpoint"]!,
    stored_bytes: bytes,
  };
  const now = clock();
  await tx.run(saveCount, [
    account_id,
    Object.keys(used),
    Object.values(used),
    now,
    Math.round(now.getTime() - begun.getTime()),
  ]);
}
