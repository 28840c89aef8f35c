import type { Environment, Workflow } from "@pestle/contract";
import { type Queryable, sql, statementOf, type Tx } from "../db.ts";

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
/** Returns 0 if the partner already has an account in that environment. */
export const insertAccount = (tx: Tx, row: NewAccount) =>
  tx.run(add, [
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

const moveClock = sql<[account_id: string, seconds: number, farthest: number], { clock_offset_s: number }>`
update account
set clock_offset_s = clock_offset_s + $2
where account_id = $1 and environment = 'sandbox' and clock_offset_s + $2 <= $3
returning clock_offset_s`;
/**
 * Moves the clock forward only. The row lock makes concurrent calls add up. Returns no row beyond the farthest offset.
 */
export const advanceAccountClock = (tx: Tx, account_id: string, seconds: number, farthest: number) =>
  tx.row(moveClock, [account_id, seconds, farthest]);
