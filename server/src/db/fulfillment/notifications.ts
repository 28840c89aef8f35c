import type { Colleague, DashboardNotification, NotificationKind } from "@pestle/contract";
import { type Queryable, sql } from "../db.ts";

const MOST_COLLEAGUES = 500;

const colleagues = sql<[person_id: string | null, limit: number], Colleague>`
select person_id, name, role
from person
where partner_id is null and disabled_at is null and ($1::text is null or person_id = $1)
order by name, person_id
limit $2`;
/** The active staff, by name. */
export const listColleagues = (db: Queryable) => db.rows(colleagues, [null, MOST_COLLEAGUES]);
/** Undefined for an unknown or disabled person, and for a partner's. */
export const findColleague = (db: Queryable, person_id: string) => db.row(colleagues, [person_id, 1]);

export type NewNotifications = {
  account_id: string;
  order_number: string;
  person_ids: readonly string[];
  at: Date;
  kind: NotificationKind;
  caused_by: string | null;
};
const add = sql<
  [
    account_id: string,
    order_number: string,
    person_ids: readonly string[],
    at: Date,
    kind: string,
    caused_by: string | null,
    kept: number,
  ]
>`
with old as (
  delete from notification n
  where n.account_id = $1 and n.person_id = any($3) and n.notification_id <= (
    select x.notification_id
    from notification x
    where x.account_id = $1 and x.person_id = n.person_id
    order by x.notification_id desc
    offset $7 - 1
    limit 1)
)
insert into notification (account_id, person_id, at, kind, order_number, caused_by)
select $1, p.person_id, $4, $5, $2, $6
from unnest($3::text[]) as p(person_id)
where not exists (
  select
  from notification n
  where n.account_id = $1 and n.person_id = p.person_id and n.order_number = $2 and n.kind = $5
    and n.caused_by is not distinct from $6::text and n.read_at is null)
returning account_id`;
/** Repeats no unread notification. Each person keeps the newest `kept` of the account, with the new one. */
export const insertNotifications = (db: Queryable, given: NewNotifications, kept: number) =>
  db.run(add, [given.account_id, given.order_number, given.person_ids, given.at, given.kind, given.caused_by, kept]);

const followers = sql<
  [account_id: string, order_number: string, in_reply_to: string | null, now: Date],
  { person_id: string }
>`
(select m.person_id
from order_message m
where m.account_id = $1 and m.order_number = $2 and m.author = 'pharmacy' and m.person_id is not null
  and ($3::uuid is null or m.message_id = $3)
order by m.message_number desc
limit 1)
union
(select h.person_id
from order_history h
where h.account_id = $1 and h.order_number = $2 and h.event = 'raise_exception' and h.person_id is not null
order by h.history_position desc
limit 1)
union
select o.claimed_by
from orders o
where o.account_id = $1 and o.order_number = $2 and o.claimed_by is not null and o.claimed_until > $4`;
/** Who waits for the partner's word: the author of the (answered) message, who held the order, and who has claimed it. */
export const listFollowers = async (
  db: Queryable,
  account_id: string,
  order_number: string,
  in_reply_to: string | null,
  now: Date,
): Promise<string[]> =>
  (await db.rows(followers, [account_id, order_number, in_reply_to, now])).map(({ person_id }) => person_id);

export type NotificationRow = Omit<DashboardNotification, "at" | "read"> & { at: Date; read_at: Date | null };
const list = sql<[person_id: string, limit: number], NotificationRow>`
select n.notification_id, n.at, n.kind, n.account_id, n.order_number, r.name as partner, a.environment, p.name as by, n.read_at
from notification n
join account a on a.account_id = n.account_id
join partner r on r.partner_id = a.partner_id
left join person p on p.person_id = n.caused_by
where n.person_id = $1
order by n.notification_id desc
limit $2`;
/** A person's own, newest first, about orders of all partners. */
export const listNotifications = (db: Queryable, person_id: string, limit: number) => db.rows(list, [person_id, limit]);

const unread = sql<[], { person_id: string; count: number }>`
select n.person_id, count(*)::integer as count
from notification n
where n.read_at is null
group by n.person_id`;
/** How many each person has not read. */
export const countUnread = (db: Queryable) => db.rows(unread, []);

const read = sql<[person_id: string, notification_id: number, and_older: boolean, now: Date]>`
update notification n
set read_at = $4
where n.person_id = $1 and n.read_at is null and (n.notification_id = $2 or $3 and n.notification_id < $2)`;
export const markRead = (db: Queryable, person_id: string, notification_id: number, and_older: boolean, now: Date) =>
  db.run(read, [person_id, notification_id, and_older, now]);

const old = sql<[account_id: string, before: Date]>`
delete from notification n
where n.account_id = $1 and n.at < $2`;
export const deleteOldNotifications = (db: Queryable, account_id: string, before: Date) =>
  db.run(old, [account_id, before]);
