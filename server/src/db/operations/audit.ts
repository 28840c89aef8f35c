import type { AuditAction } from "@pestle/contract";
import { type Queryable, sql, statementOf } from "../db.ts";
import type { Bytes } from "../values.ts";

/** Who did what. Ids only, so that an entry shows no patient's data. */
export type AuditEntry = {
  at: Date;
  /** A person, a partner's program by its credential, or a user of the operating system; none of them for a job. */
  person_id: string | null;
  role: string | null;
  credential_id?: string | null;
  os_user?: string | null;
  /** The client's address. */
  address?: string | null;
  account_id: string | null;
  action: AuditAction;
  subject: string | null;
  request_id: string | null;
  /** The blind indexes of the patients' ids, in this account. The log stores their surrogate keys. */
  patients?: readonly Bytes[];
  /** Their surrogate keys, where the caller knows them. */
  patient_keys?: readonly number[];
  field_groups?: readonly string[];
};
export type AuditRow = Required<Omit<AuditEntry, "patients" | "patient_keys">> & {
  audit_id: number;
  subject_name: string | null;
  /** The partner's ids of the patients, in base64. */
  patients: { patient_key: number; id_sealed: string }[];
};

const COLUMNS =
  "at, person_id, role, credential_id, os_user, address, account_id, action, subject, request_id, field_groups, patient_keys";
const VALUES = `a.at, a.person_id, a.role, a.credential_id, a.os_user, a.address, a.account_id, a.action, a.subject,
    a.request_id, coalesce(a.field_groups, '{}')`;

const keysOf = (entry: string) => `case
    when a.patient_keys is null and ${entry} ? 'patients' then audit_patient_keys(a.account_id,
      array(select jsonb_array_elements_text(${entry}->'patients')::bytea))
    else coalesce(a.patient_keys, '{}') end`;

const add = statementOf<[entries: string]>(`
insert into audit_entry (${COLUMNS})
select ${VALUES}, ${keysOf("e.entry")}
from jsonb_array_elements($1::jsonb) with ordinality as e(entry, place), jsonb_populate_record(null::audit_entry, e.entry) a
order by e.place`);
/** Writes entries in one statement, in their order. */
export const insertAudits = (db: Queryable, entries: readonly AuditEntry[]) => db.run(add, [JSON.stringify(entries)]);
export const insertAudit = (db: Queryable, entry: AuditEntry) => insertAudits(db, [entry]);

const addOnce = statementOf<[entry: string, since: Date]>(`
insert into audit_entry (${COLUMNS})
select ${VALUES}, ${keysOf("$1::jsonb")}
from jsonb_populate_record(null::audit_entry, $1::jsonb) a
where not exists (
  select
  from audit_entry e
  where e.person_id = a.person_id and e.at > $2 and e.action = a.action
    and e.account_id is not distinct from a.account_id and e.subject is not distinct from a.subject)`);
/** Skips the entry if the same one exists since a time: a page that refreshes counts as one view. */
export const insertAuditOnce = (db: Queryable, entry: AuditEntry, since: Date) =>
  db.run(addOnce, [JSON.stringify(entry), since]);

const SHOWN = `a.audit_id, a.at, a.person_id, p.name, a.role, a.credential_id, a.os_user, a.address, a.account_id, a.action,
  a.subject, a.request_id, a.field_groups,
  (select n.name from person n where n.person_id = substring(a.subject from 'person ([^ ]+)$')) as subject_name,
  case when a.patient_keys <> '{}' then audit_patients(a.account_id, a.patient_keys) else '[]'::json end as patients`;

const list = statementOf<
  [
    before: number,
    limit: number,
    person_id: string | null,
    account_id: string | null,
    subject: string | null,
    action: string | null,
  ],
  AuditRow & { name: string | null }
>(`
select ${SHOWN}
from audit_entry a
left join person p on p.person_id = a.person_id
where a.audit_id < $1 and ($3::text is null or a.person_id = $3) and ($4::text is null or a.account_id = $4)
  and ($5::text is null or a.subject = $5 or starts_with(a.subject, $5 || ' ')) and ($6::text is null or a.action = $6)
order by a.audit_id desc
limit $2`);
/** Newest first, below an entry number. An order's number also finds entries that name more: a colleague, an exception. */
export const listAudit = (
  db: Queryable,
  before: number,
  limit: number,
  filter: Pick<AuditEntry, "person_id" | "account_id" | "subject"> & { action: string | null },
) => db.rows(list, [before, limit, filter.person_id, filter.account_id, filter.subject, filter.action]);

const ABOUT_PATIENT = `
with whose as (
  select s.patient_key
  from patient s
  where s.account_id = $1 and s.id_index = $2
), about as (
  select e.audit_id
  from audit_entry e
  where e.patient_keys <> '{}' and e.account_id = $1 and e.audit_id < $3
    and e.patient_keys @> array[(select patient_key from whose)]
  union
  select e.audit_id
  from orders o
  join audit_entry e on e.account_id = o.account_id and e.subject = o.order_number
  where o.account_id = $1 and o.patient_key = (select patient_key from whose) and e.audit_id < $3
)`;

const disclosures = statementOf<
  [account_id: string, id_index: Buffer, before: number, limit: number],
  AuditRow & { name: string | null }
>(`${ABOUT_PATIENT}
select ${SHOWN}
from about
join audit_entry a on a.audit_id = about.audit_id
left join person p on p.person_id = a.person_id
order by a.audit_id desc
limit $4`);
/** Everyone who saw or changed a patient's data, or an order of theirs. Newest first, below an entry number. */
export const listDisclosures = (db: Queryable, account_id: string, id_index: Buffer, before: number, limit: number) =>
  db.rows(disclosures, [account_id, id_index, before, limit]);

const disclosuresIn = statementOf<
  [account_id: string, id_index: Buffer, before: number, from: Date, until: Date, limit: number],
  AuditRow & { name: string | null }
>(`${ABOUT_PATIENT}
select ${SHOWN}
from about
join audit_entry a on a.audit_id = about.audit_id
left join person p on p.person_id = a.person_id
where a.at >= $4 and a.at < $5
order by a.audit_id desc
limit $6`);
/** The same for some days. */
export const listDisclosuresIn = (
  db: Queryable,
  account_id: string,
  id_index: Buffer,
  before: number,
  days: { from: Date; until: Date },
  limit: number,
) => db.rows(disclosuresIn, [account_id, id_index, before, days.from, days.until, limit]);

const ofPerson = statementOf<
  [person_id: string, after_at: Date, after_id: number, before: Date, limit: number],
  AuditRow & { name: string | null }
>(`
select ${SHOWN}
from audit_entry a
left join person p on p.person_id = a.person_id
where a.person_id = $1 and a.at >= $2 and (a.at, a.audit_id) > ($2, $3) and a.at < $4
order by a.at, a.audit_id
limit $5`);
/** What a person did in some days, oldest first, after a place. */
export const listAuditOf = (
  db: Queryable,
  person_id: string,
  after: { at: Date; audit_id: number },
  before: Date,
  limit: number,
) => db.rows(ofPerson, [person_id, after.at, after.audit_id, before, limit]);

const alive = sql<[process_id: string, now: Date]>`
insert into audit_writer (process_id, started_at, written_until)
values ($1, $2, $2)
on conflict (process_id) do update
set written_until = excluded.written_until`;
/** Notes that a process has written every read that it answered before this time. */
export const noteWritten = (db: Queryable, process_id: string, now: Date) => db.run(alive, [process_id, now]);

const ended = sql<[process_id: string]>`
delete from audit_writer
where process_id = $1`;
/** The process stops and has written everything. */
export const endWriter = (db: Queryable, process_id: string) => db.run(ended, [process_id]);

const dead = sql<[before: Date], { process_id: string; started_at: Date; written_until: Date }>`
delete from audit_writer
where process_id in (
  select process_id
  from audit_writer
  where written_until < $1
  for update skip locked)
returning process_id, started_at, written_until`;
/** Takes the processes that ended without stopping. */
export const takeDeadWriters = (db: Queryable, before: Date) => db.rows(dead, [before]);
