import { type Queryable, sql } from "../db.ts";

export type AuditEntry = {
  at: Date;
  person_id: string | null;
  role: string | null;
  account_id: string | null;
  action: string;
  subject: string | null;
  request_id: string | null;
};

type EntryParams = [
  at: Date,
  person_id: string | null,
  role: string | null,
  account_id: string | null,
  action: string,
  subject: string | null,
  request_id: string | null,
];
const paramsOf = (entry: AuditEntry): EntryParams => [
  entry.at,
  entry.person_id,
  entry.role,
  entry.account_id,
  entry.action,
  entry.subject,
  entry.request_id,
];

const add = sql<EntryParams>`
insert into audit_entry (at, person_id, role, account_id, action, subject, request_id)
values ($1, $2, $3, $4, $5, $6, $7)`;
export const insertAudit = (db: Queryable, entry: AuditEntry) => db.run(add, paramsOf(entry));

const addOnce = sql<[...EntryParams, since: Date]>`
insert into audit_entry (at, person_id, role, account_id, action, subject, request_id)
select $1, $2, $3, $4, $5, $6, $7
where not exists (
  select
  from audit_entry
  where person_id = $2 and at > $8 and action = $5 and account_id is not distinct from $4 and subject is not distinct from $6)`;
/** Skips the entry if the same one exists since a time: a page that refreshes counts as one view. */
export const insertAuditOnce = (db: Queryable, entry: AuditEntry, since: Date) =>
  db.run(addOnce, [...paramsOf(entry), since]);

const list = sql<
  [
    before: number,
    limit: number,
    person_id: string | null,
    account_id: string | null,
    subject: string | null,
    action: string | null,
  ],
  AuditEntry & { audit_id: number; name: string | null }
>`
select a.audit_id, a.at, a.person_id, p.name, a.role, a.account_id, a.action, a.subject, a.request_id
from audit_entry a
left join person p on p.person_id = a.person_id
where a.audit_id < $1 and ($3::text is null or a.person_id = $3) and ($4::text is null or a.account_id = $4)
  and ($5::text is null or a.subject = $5) and ($6::text is null or a.action = $6)
order by a.audit_id desc
limit $2`;
/** Newest first, below an entry number. */
export const listAudit = (
  db: Queryable,
  before: number,
  limit: number,
  filter: Pick<AuditEntry, "person_id" | "account_id" | "subject"> & { action: string | null },
) => db.rows(list, [before, limit, filter.person_id, filter.account_id, filter.subject, filter.action]);
