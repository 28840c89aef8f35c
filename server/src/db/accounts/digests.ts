import { type Queryable, sql } from "../db.ts";

const find = sql<[person_id: string], { daily_digest: boolean }>`
select daily_digest
from person
where person_id = $1`;
export const findDigest = async (db: Queryable, person_id: string): Promise<boolean> =>
  (await db.row(find, [person_id]))?.daily_digest ?? false;

const set = sql<[person_id: string, daily_digest: boolean, today: string]>`
update person
set daily_digest = $2, digest_on = case when $2 and not daily_digest then $3::date else digest_on end
where person_id = $1 and partner_id is null`;
/** The first digest comes on the day after `today`. */
export const setDigest = (db: Queryable, person_id: string, daily_digest: boolean, today: string) =>
  db.run(set, [person_id, daily_digest, today]);

const claim = sql<[today: string], { person_id: string; email: string }>`
update person
set digest_on = $1
where person_id = (
  select p.person_id
  from person p
  where p.daily_digest and p.partner_id is null and p.disabled_at is null
    and (p.digest_on is null or p.digest_on < $1::date)
  order by p.person_id
  limit 1
  for update skip locked)
returning person_id, email`;
/** The next person without a digest today, who then counts as served: several processes send each digest once. */
export const claimDigest = (db: Queryable, today: string) => db.row(claim, [today]);
