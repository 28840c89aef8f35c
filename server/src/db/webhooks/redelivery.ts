import { sql, statementOf, type Tx } from "../db.ts";

const again = {
  ...sql<[account_id: string, event_id: string, endpoint_id: string | null, account_now: Date]>`
insert into webhook_delivery (account_id, event_id, endpoint_id, event_position, order_number, attempts, attempts_before,
  due_at)
select e.account_id, e.event_id, p.endpoint_id, e.event_position, e.order_number, tried.attempts, tried.attempts, $4
from webhook_event e
join webhook_endpoint p on p.account_id = e.account_id and p.status = 'active'
cross join lateral (
  select coalesce(max(t.attempt), 0) as attempts
  from webhook_attempt t
  where t.account_id = e.account_id and t.event_id = e.event_id and t.endpoint_id = p.endpoint_id) tried
where e.account_id = $1 and e.event_id = $2
  and case
    when $3::uuid is not null then p.endpoint_id = $3
    when tried.attempts > 0 then true
    when e.only_endpoint_id is not null then p.endpoint_id = e.only_endpoint_id
    else webhook_subscribes(p.events, e.event_type)
  end
on conflict (account_id, event_id, endpoint_id) do update
set due_at = excluded.due_at, attempts_before = webhook_delivery.attempts`,
  // The delivery is due now, so the commit wakes the delivery loop.
  writes_events: true,
};
/**
 * Requeues an event to the account's active endpoints that subscribe to it or received it before, or to one given
 * endpoint. The backoff starts over.
 */
export const requeueEvent = (
  tx: Tx,
  row: { account_id: string; event_id: string; endpoint_id: string | null; account_now: Date },
) => tx.run(again, [row.account_id, row.event_id, row.endpoint_id, row.account_now]);

const pending = {
  ...sql<[account_id: string, endpoint_id: string, account_now: Date, most: number]>`
update webhook_delivery d
set due_at = $3, attempts_before = d.attempts
where d.account_id = $1 and d.endpoint_id = $2 and d.event_id in (
  select w.event_id
  from webhook_delivery w
  where w.account_id = $1 and w.endpoint_id = $2 and w.due_at > $3
    and (w.claimed_until is null or w.claimed_until < now())
  order by w.due_at, w.event_position
  limit $4
  for update skip locked)`,
  writes_events: true,
};
/**
 * Makes the pending deliveries of an endpoint due at once. Their backoff starts over, so that an impatient person does
 * not use up the attempts. Attempts in progress schedule their own retry. Returns how many it moved.
 */
export const requeuePending = (
  tx: Tx,
  row: { account_id: string; endpoint_id: string; account_now: Date; most: number },
) => tx.run(pending, [row.account_id, row.endpoint_id, row.account_now, row.most]);

/** Failed deliveries to the endpoint `p`: their last attempt has that status. */
const GIVEN_UP = `
  select t.event_id, t.attempt as attempts
  from webhook_attempt t
  where t.account_id = p.account_id and t.endpoint_id = p.endpoint_id and t.delivery_status = 'failed'
    and t.event_id >= event_id_from($4)
    and not exists (
      select
      from webhook_attempt later
      where later.account_id = t.account_id and later.event_id = t.event_id and later.endpoint_id = t.endpoint_id
        and later.attempt > t.attempt)`;
/** Events that the endpoint subscribes to but never received. */
const MISSED = `
  select m.event_id, 0
  from webhook_event m
  where m.account_id = p.account_id and m.event_id >= event_id_from($4) and m.only_endpoint_id is null
    and webhook_subscribes(p.events, m.event_type)
    and not exists (
      select
      from webhook_attempt t
      where t.account_id = m.account_id and t.event_id = m.event_id and t.endpoint_id = p.endpoint_id)`;

type AllParams = [
  account_id: string,
  endpoint_id: string,
  since: Date,
  ids_since: Date,
  account_now: Date,
  most: number,
];
const allAgain = (wanted: string) => ({
  ...statementOf<AllParams>(`
insert into webhook_delivery (account_id, event_id, endpoint_id, event_position, order_number, attempts, attempts_before,
  due_at)
select p.account_id, wanted.event_id, p.endpoint_id, e.event_position, e.order_number, wanted.attempts, wanted.attempts, $5
from webhook_endpoint p
cross join lateral (${wanted}) wanted
cross join lateral (
  -- Nested loop: few of all events failed.
  select e.event_position, e.order_number
  from webhook_event e
  where e.account_id = p.account_id and e.event_id = wanted.event_id and e.created_at >= $3
  limit 1) e
where p.account_id = $1 and p.endpoint_id = $2 and p.status = 'active'
  and not exists (
    select
    from webhook_delivery d
    where d.account_id = p.account_id and d.event_id = wanted.event_id and (d.endpoint_id = p.endpoint_id) is true)
order by wanted.event_id
limit $6
on conflict (account_id, event_id, endpoint_id) do nothing`),
  writes_events: true,
});
const givenUpAgain = allAgain(GIVEN_UP);
const givenUpAndMissed = allAgain(`${GIVEN_UP}\n  union all ${MISSED}`);
/**
 * Requeues the deliveries to one endpoint that failed since a time, the oldest first. With `missed`, also the events
 * that it never received. `ids_since` is a real time no later than the id of any such event. Returns how many it
 * queued.
 */
export const requeueFailed = (
  tx: Tx,
  row: {
    account_id: string;
    endpoint_id: string;
    since: Date;
    ids_since: Date;
    missed: boolean;
    account_now: Date;
    most: number;
  },
) =>
  tx.run(row.missed ? givenUpAndMissed : givenUpAgain, [
    row.account_id,
    row.endpoint_id,
    row.since,
    row.ids_since,
    row.account_now,
    row.most,
  ]);
