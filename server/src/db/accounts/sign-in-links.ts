import { type Queryable, sql, type Tx } from "../db.ts";

export type LinkPurpose = "invitation" | "reset";

const replace = sql<[link_hash: Buffer, person_id: string, purpose: LinkPurpose, now: Date, expires_at: Date]>`
with earlier as (
  delete from sign_in_link
  where person_id = $2 or expires_at < $4
)
insert into sign_in_link (link_hash, person_id, purpose, created_at, expires_at)
values ($1, $2, $3, $4, $5)`;
/** A person has at most one link: a new one replaces the earlier one. */
export const replaceLink = (
  db: Queryable,
  link: { link_hash: Buffer; person_id: string; purpose: LinkPurpose; now: Date; expires_at: Date },
) => db.run(replace, [link.link_hash, link.person_id, link.purpose, link.now, link.expires_at]);

export type LinkRow = {
  person_id: string;
  purpose: LinkPurpose;
  email: string;
  name: string;
  role: string;
  partner_name: string | null;
};
const find = sql<[link_hash: Buffer, now: Date], LinkRow>`
select l.person_id, l.purpose, p.email, p.name, p.role, r.name as partner_name
from sign_in_link l
join person p on p.person_id = l.person_id and p.disabled_at is null
left join partner r on r.partner_id = p.partner_id
where l.link_hash = $1 and l.expires_at > $2`;
export const findLink = (db: Queryable, link_hash: Buffer, now: Date) => db.row(find, [link_hash, now]);

const take = sql<[link_hash: Buffer]>`
delete from sign_in_link
where link_hash = $1`;
/** Returns 0 if another request used the link first. */
export const takeLink = (tx: Tx, link_hash: Buffer) => tx.run(take, [link_hash]);

const drop = sql<[person_id: string]>`
delete from sign_in_link
where person_id = $1`;
/** A person whose password changed, or who was disabled, has no use for an old link. */
export const deleteLinksOf = (tx: Tx, person_id: string) => tx.run(drop, [person_id]);
