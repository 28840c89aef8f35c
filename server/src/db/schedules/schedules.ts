import type { ConsentMethod, DrugSchedule, Environment, ExceptionId, ScheduleStatus, Workflow } from "@pestle/contract";
import type { Schedule, Why } from "../../domain/schedules/schedule.ts";
import { type Queryable, sql, statementOf, type Tx } from "../db.ts";

/** The vault's place for shipping, address and payment of a schedule. */
export const schedulePlace = (account_id: string, schedule_id: string) =>
  `refill_schedule.request_sealed ${account_id} ${schedule_id}`;

/** A schedule with its account, its prescription and the orders of that prescription. */
export type ScheduleRow = {
  schedule_id: string;
  schedule_position: number;
  patient_key: number;
  /** The partner's id of the patient. */
  id_sealed: Buffer;
  prescription_id: number;
  status: ScheduleStatus;
  every_days: number | null;
  lead_days: number;
  consent_at: Date;
  consent_method: ConsentMethod;
  request_sealed: Buffer;
  next_fill_on: string | null;
  notified_for: string | null;
  next_fill_problems: Why[];
  paused_because: Why | null;
  last_order_number: string | null;
  followed_on: string | null;
  last_filled_on: string | null;
  revision: number;
  created_at: Date;
  updated_at: Date;
  environment: Environment;
  workflow: Workflow;
  clock_offset_s: number;
  drug_name: string;
  days_supply: number | null;
  order_due_at: Date | null;
  last_ordered_at: Date | null;
  last_held_by: ExceptionId | null;
  last_canceled: boolean;
};

/** The columns of a `ScheduleRow`, of `refill_schedule s` of the account $1 with the tables that are joined to it. */
export const SCHEDULE_COLUMNS = `s.schedule_id, s.schedule_position, s.patient_key, p.id_sealed, s.prescription_id, s.status,
  s.every_days, s.lead_days, s.consent_at, s.consent_method, s.request_sealed, s.next_fill_on, s.notified_for,
  s.next_fill_problems, s.paused_because, s.last_order_number, s.last_filled_on, s.followed_on, s.revision, s.created_at,
  s.updated_at,  a.environment, a.workflow, a.clock_offset_s, r.drug_name, r.days_supply, r.order_due_at, (
    select max(o.created_at)
    from order_item i
    join orders o on o.account_id = $1 and o.order_number = i.order_number
    where i.account_id = $1 and i.prescription_id = s.prescription_id and i.removed_at is null
      and o.order_status <> 'Canceled') as last_ordered_at, (
    select o.exception_ids[1]
    from orders o
    where o.account_id = $1 and o.order_number = s.last_order_number and o.order_status = 'On Hold')
    as last_held_by, exists (
    select
    from orders o
    where o.account_id = $1 and o.order_number = s.last_order_number and o.order_status = 'Canceled')
    as last_canceled`;
export const SCHEDULE_JOINED = `join account a on a.account_id = $1
join patient p on p.account_id = $1 and p.patient_key = s.patient_key
join prescription r on r.account_id = $1 and r.prescription_id = s.prescription_id`;

type Key = [account_id: string, schedule_id: string];
const one = statementOf<Key, ScheduleRow>(`
select ${SCHEDULE_COLUMNS}
from refill_schedule s
${SCHEDULE_JOINED}
where s.account_id = $1 and s.schedule_id = $2`);
export const loadSchedule = (db: Queryable, account_id: string, schedule_id: string) =>
  db.row(one, [account_id, schedule_id]);

const locked = statementOf<Key, ScheduleRow>(`
select ${SCHEDULE_COLUMNS}
from refill_schedule s
${SCHEDULE_JOINED}
where s.account_id = $1 and s.schedule_id = $2
for update of s`);
/** The same, for a change: no other change of the schedule runs until this one commits. */
export const lockSchedule = (tx: Queryable, account_id: string, schedule_id: string) =>
  tx.row(locked, [account_id, schedule_id]);

/** The conditions of a list, by their filters. $2 bounds the page and $3 is its length. */
const CONDITIONS = {
  patient_index: (value: string) => `s.patient_key = (
  select f.patient_key
  from patient f
  where f.account_id = $1 and f.id_index = ${value})`,
  status: (value: string) => `s.status = ${value}`,
  next_fill_from: (value: string) => `s.next_fill_on >= ${value}::date`,
  next_fill_to: (value: string) => `s.next_fill_on <= ${value}::date`,
} as const;
type FilterName = keyof typeof CONDITIONS;
export type ScheduleFilter = {
  patient_index: Buffer | null;
  status: ScheduleStatus | null;
  /** Days, both included. */
  next_fill_from?: string | null;
  next_fill_to?: string | null;
};
/** Every set of filters, each in the order of the table. */
const FILTERS = (Object.keys(CONDITIONS) as FilterName[]).reduce<FilterName[][]>(
  (sets, name) => sets.concat(sets.map((set) => [...set, name])),
  [[]],
);

type PageParams = readonly [account_id: string, before: number, limit: number, ...filters: unknown[]];
const pages = new Map(
  FILTERS.map((names) => [
    names.join(),
    statementOf<PageParams, ScheduleRow>(`
select ${SCHEDULE_COLUMNS}
from refill_schedule s
${SCHEDULE_JOINED}
where s.account_id = $1 and s.schedule_position < $2${names.map((name, index) => `\n  and ${CONDITIONS[name](`$${4 + index}`)}`).join("")}
order by s.schedule_position desc
limit $3`),
  ]),
);
/** Newest first, before a position. */
export function listSchedules(
  db: Queryable,
  account_id: string,
  filter: ScheduleFilter,
  before: number,
  limit: number,
): Promise<ScheduleRow[]> {
  const names = (Object.keys(CONDITIONS) as FilterName[]).filter((name) => (filter[name] ?? null) !== null);
  return db.rows(pages.get(names.join())!, [account_id, before, limit, ...names.map((name) => filter[name])]);
}

/** What a new schedule depends on. The prescription's fields are null if the account has no such prescription. */
export type NewScheduleFacts = {
  workflow: Workflow;
  clock_offset_s: number;
  patient_key: number | null;
  ndc: string | null;
  gcn: string | null;
  drug_schedule: DrugSchedule | null;
  days_supply: number | null;
  /** Of the prescription, or of one that it renewed or replaced: the patient has that supply. */
  last_ordered_at: Date | null;
  /** Of the prescription itself. */
  own_ordered_at: Date | null;
  has_schedule: boolean;
};
/** No row has it. A comparison with null leaves no table from which Citus derives the server. */
const NONE = 0;
const facts = sql<[account_id: string, prescription_id: number, patient_index: Buffer], NewScheduleFacts>`
with recursive version as (
  select n.prescription_id, n.replaces_prescription_id, 1 as number
  from prescription n
  where n.account_id = $1 and n.prescription_id = $2
  union all
  select e.prescription_id, e.replaces_prescription_id, v.number + 1
  from version v
  join prescription e on e.account_id = $1 and e.prescription_id = v.replaces_prescription_id
  where v.number < 12
)
select a.workflow, a.clock_offset_s, r.patient_key, r.ndc, r.gcn, r.drug_schedule, r.days_supply, l.last_ordered_at,
  l.own_ordered_at,
  exists (
    select
    from refill_schedule s
    where s.account_id = $1 and s.prescription_id = $2 and s.status <> 'canceled') as has_schedule
from account a
cross join lateral (
  select max(t.ordered_at) as last_ordered_at, max(t.ordered_at) filter (where v.number = 1) as own_ordered_at
  from version v
  cross join lateral (
    select max(o.created_at) as ordered_at
    from order_item i
    join orders o on o.account_id = i.account_id and o.order_number = i.order_number
    where i.account_id = $1 and i.prescription_id = v.prescription_id and i.removed_at is null
      and o.order_status <> 'Canceled') t) l
left join prescription r on r.account_id = a.account_id and r.prescription_id = $2 and r.patient_key = (
  select p.patient_key
  from patient p
  where p.account_id = $1 and p.id_index = $3)
where a.account_id = $1`;
export const loadScheduleFacts = async (
  db: Queryable,
  account_id: string,
  prescription_id: number | null,
  patient_index: Buffer | null,
) => (await db.row(facts, [account_id, prescription_id ?? NONE, patient_index ?? Buffer.alloc(0)]))!;

export type NewSchedule = Schedule &
  Pick<
    ScheduleRow,
    | "schedule_id"
    | "schedule_position"
    | "patient_key"
    | "prescription_id"
    | "every_days"
    | "lead_days"
    | "consent_at"
    | "consent_method"
    | "request_sealed"
    | "created_at"
  > & { account_id: string; due_at: Date | null };
const insert = sql<
  [
    account_id: string,
    schedule_id: string,
    schedule_position: number,
    patient_key: number,
    prescription_id: number,
    every_days: number | null,
    lead_days: number,
    consent_at: Date,
    consent_method: string,
    request_sealed: Buffer,
    next_fill_on: string | null,
    due_at: Date | null,
    created_at: Date,
    followed_on: string | null,
  ]
>`
insert into refill_schedule (account_id, schedule_id, schedule_position, patient_key, prescription_id, status, every_days,
  lead_days, consent_at, consent_method, request_sealed, next_fill_on, due_at, created_at, updated_at, followed_on)
values ($1, $2, $3, $4, $5, 'active', $6, $7, $8, $9, $10, $11, $12, $13, $13, $14)`;
/** If another request gave the prescription a schedule first, it violates `refill_schedule_live`: a conflict. */
export const insertSchedule = (tx: Queryable, row: NewSchedule) =>
  tx.run(insert, [
    row.account_id,
    row.schedule_id,
    row.schedule_position,
    row.patient_key,
    row.prescription_id,
    row.every_days,
    row.lead_days,
    row.consent_at,
    row.consent_method,
    row.request_sealed,
    row.next_fill_on,
    row.due_at,
    row.created_at,
    row.followed_on,
  ]);

const update = sql<
  [
    account_id: string,
    schedule_id: string,
    revision: number,
    status: string,
    next_fill_on: string | null,
    notified_for: string | null,
    next_fill_problems: string,
    paused_because: string | null,
    last_order_number: string | null,
    last_filled_on: string | null,
    due_at: Date | null,
    updated_at: Date,
    followed_on: string | null,
  ],
  { saved: boolean }
>`
with changed as (
  update refill_schedule
  set status = $4, next_fill_on = $5, notified_for = $6, next_fill_problems = $7::jsonb, paused_because = $8::jsonb,
    last_order_number = $9, last_filled_on = $10, due_at = $11, updated_at = $12, followed_on = $13,
    revision = revision + 1
  where account_id = $1 and schedule_id = $2 and revision = $3
  returning schedule_id
)
select conflict_unless(exists (select from changed)) as saved`;
/** Saves nothing and throws a conflict if the schedule changed since it was loaded. */
export const saveSchedule = (
  tx: Tx,
  key: { account_id: string; schedule_id: string; revision: number },
  schedule: Schedule,
  due_at: Date | null,
  now: Date,
) =>
  tx.row(update, [
    key.account_id,
    key.schedule_id,
    key.revision,
    schedule.status,
    schedule.next_fill_on,
    schedule.notified_for,
    JSON.stringify(schedule.next_fill_problems),
    schedule.paused_because && JSON.stringify(schedule.paused_because),
    schedule.last_order_number,
    schedule.last_filled_on,
    due_at,
    now,
    schedule.followed_on,
  ]);
