import { type Queryable, sql } from "../db.ts";

const offered = sql<[], { account_id: string; id: number; name: string }>`
select account_id, id, name
from brand
where retired_at is null
order by account_id, id`;
/** The brands of all accounts, for the choice list. */
export const listBrands = (db: Queryable) => db.rows(offered, []);

const live = sql<[], { account_id: string; count: number }>`
select account_id, count(*)::integer as count
from credential
where revoked_at is null
group by account_id`;
/** Counts each account's active credentials. */
export const countCredentials = (db: Queryable) => db.rows(live, []);
