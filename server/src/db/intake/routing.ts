import type { RoutingKind } from "../../domain/intake/route-message.ts";
import { type Queryable, sql, type Tx } from "../db.ts";

export type RoutingRule = { account_id: string; kind: RoutingKind; value: string };

const all = sql<[], RoutingRule>`
select account_id, kind, value
from routing_rule
order by account_id, kind, value`;
export const listRoutingRules = (db: Queryable) => db.rows(all, []);

const add = sql<[account_id: string, kind: RoutingKind, value: string, now: Date]>`
insert into routing_rule (account_id, kind, value, created_at)
values ($1, $2, $3, $4)
on conflict do nothing`;
/** Returns 0 if the account already has the rule. */
export const insertRoutingRule = (tx: Tx, { account_id, kind, value }: RoutingRule, now: Date) =>
  tx.run(add, [account_id, kind, value, now]);

const drop = sql<[account_id: string, kind: RoutingKind, value: string]>`
delete from routing_rule
where account_id = $1 and kind = $2 and lower(value) = lower($3)`;
/** Returns 0 if there is no such rule. */
export const deleteRoutingRule = (tx: Tx, { account_id, kind, value }: RoutingRule) =>
  tx.run(drop, [account_id, kind, value]);
