import { type Queryable, sql } from "../db.ts";

const take = sql<
  [
    account_id: string,
    order_number: string,
    person_id: string,
    now: Date,
    claimed_until: Date,
    takes_over: boolean,
    for_person_id: string,
  ]
>`
update orders
set claimed_by = $7, claimed_until = $5
where account_id = $1 and order_number = $2
  and (claimed_by is null or claimed_by = $3 or claimed_until <= $4 or $6)`;
/**
 * For the person or, by them, for a colleague. Returns 0 if another person has claimed the order. The revision stays,
 * because a claim does not change the order.
 */
export const claim = (
  db: Queryable,
  asked: {
    account_id: string;
    order_number: string;
    person_id: string;
    now: Date;
    claimed_until: Date;
    takes_over: boolean;
    for_person_id: string;
  },
) =>
  db.run(take, [
    asked.account_id,
    asked.order_number,
    asked.person_id,
    asked.now,
    asked.claimed_until,
    asked.takes_over,
    asked.for_person_id,
  ]);

const release = sql<[account_id: string, order_number: string, person_id: string]>`
update orders
set claimed_by = null, claimed_until = null
where account_id = $1 and order_number = $2 and claimed_by = $3`;
export const letGo = (db: Queryable, account_id: string, order_number: string, person_id: string) =>
  db.run(release, [account_id, order_number, person_id]);
