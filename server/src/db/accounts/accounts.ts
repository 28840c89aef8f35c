import type { Environment, Workflow } from "@pestle/contract";
import { accountNow } from "../../domain/values/account-clock.ts";
import { announcement } from "../bus.ts";
import { fromPrimary, type Queryable, sql, statementOf, type Tx } from "../db.ts";

export type AccountRow = {
  account_id: string;
  partner_id: string | null;
  name: string | null;
  environment: Environment;
  workflow: Workflow | null;
  ncpdp_id: string | null;
  custom_labels: boolean;
  rate_per_second: number | null;
  rate_burst: number | null;
  clock_offset_s: number;
  created_at: Date;
};

const COLUMNS = `a.account_id, a.partner_id, p.name, a.environment, a.workflow, a.ncpdp_id, a.custom_labels,
  a.rate_per_second, a.rate_burst, a.clock_offset_s, a.created_at`;

const all = statementOf<[], AccountRow>(`
select ${COLUMNS}
from account a
left join partner p on p.partner_id = a.partner_id
order by a.created_at, a.account_id`);
export const listAccounts = (db: Queryable) => db.rows(all, []);

const ofPartner = statementOf<[partner_id: string], AccountRow>(`
select ${COLUMNS}
from account a
join partner p on p.partner_id = a.partner_id
where a.partner_id = $1
order by a.environment`);
/** Returns at most one account per environment, production first. */
export const listAccountsOf = (db: Queryable, partner_id: string) => db.rows(ofPartner, [partner_id]);

const operators = sql<[environment: Environment | null], { account_id: string }>`
select account_id
from account
where partner_id is null and ($1::text is null or environment = $1)`;
/** The operator's own accounts, at most one per environment. */
export const operatorAccounts = (db: Queryable, environment: Environment | null) => db.rows(operators, [environment]);

const lock = sql<[account_id: string]>`
select account_id
from account_home
where account_id = $1
for no key update`;
/** One transaction at a time adds what an account has once. */
export const lockAccount = (tx: Tx, account_id: string) => tx.run(lock, [account_id]);

const partnerByName = sql<[name: string], { partner_id: string }>`
select partner_id
from partner
where lower(name) = lower($1)`;
export const findPartner = (db: Queryable, name: string) => db.row(partnerByName, [name]);

const addPartner = sql<[partner_id: string, name: string, now: Date]>`
insert into partner (partner_id, name, created_at)
values ($1, $2, $3)`;
export const insertPartner = (tx: Tx, row: { partner_id: string; name: string; created_at: Date }) =>
  tx.run(addPartner, [row.partner_id, row.name, row.created_at]);

export type NewAccount = Omit<AccountRow, "name" | "clock_offset_s" | "rate_per_second" | "rate_burst"> &
  Partial<Pick<AccountRow, "rate_per_second" | "rate_burst">>;
const add = sql<
  [
    account_id: string,
    partner_id: string | null,
    environment: Environment,
    workflow: Workflow | null,
    ncpdp_id: string | null,
    custom_labels: boolean,
    rate_per_second: number | null,
    rate_burst: number | null,
    now: Date,
  ]
>`
insert into account (account_id, partner_id, environment, workflow, ncpdp_id, custom_labels,
  rate_per_second, rate_burst, created_at)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
on conflict do nothing`;
const addHome = sql<[account_id: string]>`
insert into account_home (account_id)
values ($1)
on conflict do nothing`;
/** Returns 0 if the partner already has an account in that environment. */
export async function insertAccount(tx: Tx, row: NewAccount): Promise<number> {
  const inserted = await tx.run(add, [
    row.account_id,
    row.partner_id,
    row.environment,
    row.workflow,
    row.ncpdp_id,
    row.custom_labels,
    row.rate_per_second ?? null,
    row.rate_burst ?? null,
    row.created_at,
  ]);
  if (inserted > 0) await tx.run(addHome, [row.account_id]);
  return inserted;
}

/** How far an account's clock is ahead of real time, and where it is moving to. */
export type ClockPosition = { clock_offset_s: number; clock_goal_s: number };

const setGoal = sql<[account_id: string, seconds: number, farthest: number, now: Date], ClockPosition>`
update account
set clock_goal_s = greatest(clock_goal_s, clock_offset_s) + $2, clock_moved_at = $4
where account_id = $1 and environment = 'sandbox' and greatest(clock_goal_s, clock_offset_s) + $2 <= $3
returning clock_offset_s, clock_goal_s`;
/** Sets where the clock moves to. Concurrent calls add up. Returns no row beyond the farthest offset. */
export const setClockGoal = (tx: Tx, account_id: string, seconds: number, farthest: number, now: Date) =>
  tx.row(setGoal, [account_id, seconds, farthest, now]);

const movingClock = fromPrimary(
  sql<[account_id: string], ClockPosition>`
select clock_offset_s, clock_goal_s
from account
where account_id = $1 and environment = 'sandbox' and clock_goal_s > clock_offset_s`,
);

const nextStop = fromPrimary(
  sql<[account_id: string, account_now: Date], { due: boolean; next_at: Date | null }>`
select exists (
    select
    from refill_schedule s
    where s.account_id = $1 and s.due_at <= $2) as due, (
    select min(s.due_at)
    from refill_schedule s
    where s.account_id = $1 and s.due_at > $2) as next_at`,
);

const setClock = {
  ...sql<
    [account_id: string, now: Date, known_offset_s: number, offset_s: number, change: string],
    { told: null; announced: string }
  >`
with moved as (
  update account
  set clock_moved_at = $2, clock_offset_s = least($4, clock_goal_s)
  where account_id = $1 and environment = 'sandbox' and clock_offset_s = $3 and clock_goal_s > clock_offset_s
  returning account_id
)
select pg_notify('pestle_changes', $5) as told, $5::text as announced
from moved`,
  announces: true,
};
/**
 * Moves the clock on, to the next moment at which a refill schedule is due, but not beyond the goal, and tells all
 * processes. With `stays`, the clock does not move while a schedule is due already.
 */
export async function stepAccountClock(
  db: Queryable,
  account_id: string,
  now: Date,
  { stays }: { stays: boolean },
): Promise<"moved" | "stayed" | "arrived"> {
  const change = announcement({ kind: "account", account_id });
  for (;;) {
    const clock = await db.row(movingClock, [account_id]);
    if (clock === undefined) return "arrived";
    const { clock_offset_s, clock_goal_s } = clock;
    const { due, next_at } = (await db.row(nextStop, [account_id, accountNow(now, clock_offset_s)]))!;
    if (stays && due) return "stayed";
    const next_s = next_at === null ? clock_goal_s : Math.ceil((next_at.getTime() - now.getTime()) / 1000);
    // No row if another process moved it first.
    if ((await db.row(setClock, [account_id, now, clock_offset_s, next_s, change])) !== undefined) return "moved";
  }
}

const stopped = sql<[moved_before: Date], { account_id: string }>`
select account_id
from account
where environment = 'sandbox' and clock_goal_s > clock_offset_s and clock_moved_at < $1`;
/** Sandbox accounts whose clock stopped on its way, because a process ended. */
export const listStoppedClocks = (db: Queryable, moved_before: Date) => db.rows(stopped, [moved_before]);
