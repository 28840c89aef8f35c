import type { CounselingOutcome, CounselingState, CounselingWay, Environment } from "@pestle/contract";
import { eachClock } from "../accounts/each-account.ts";
import { type Queryable, sql, statementOf } from "../db.ts";

/** The vault's place for a pharmacist's note. */
export const counselingNotePlace = (
  account_id: string,
  order_number: string,
  item_id: number,
  entry_number: number,
): string => `counseling_entry.note_sealed ${account_id} ${order_number} ${item_id} ${entry_number}`;

type StoredEntry = {
  entry_number: number;
  at: string;
  outcome: CounselingOutcome;
  how: CounselingWay;
  who: string;
  /** In base64. */
  note_sealed: string | null;
};

/** A shipped fill, with the patient record still sealed. */
export type CounselingRow = {
  account_id: string;
  partner: string;
  environment: Environment;
  clock_offset_s: number;
  order_number: string;
  item_id: number;
  prescription_id: number;
  patient_key: number;
  record_sealed: Buffer;
  drug_name: string;
  ship_state: string | null;
  shipped_at: Date;
  /** Newest first. */
  entries: StoredEntry[];
};

/** Whether an entry of the fill `i` has one of these outcomes. */
const recorded = (...outcomes: readonly CounselingOutcome[]) => `exists (
      select
      from counseling_entry e
      where e.account_id = i.account_id and e.order_number = i.order_number and e.item_id = i.item_id
        and e.outcome in (${outcomes.map((one) => `'${one}'`).join(", ")}))`;

/** No earlier shipment of the same prescription. */
const IS_FIRST = `not exists (
      select
      from order_item f
      where f.account_id = i.account_id and f.prescription_id = i.prescription_id
        and (f.shipped_at, f.dispense_id) < (i.shipped_at, i.dispense_id))`;

const columnsOf = (order: string) => `
select i.account_id, p.name as partner, a.environment, a.clock_offset_s, i.order_number, i.item_id, i.prescription_id,
  i.patient_key, c.record_sealed, d.name as drug_name, o.ship_state, i.shipped_at,
  coalesce((
    select json_agg(json_build_object('entry_number', e.entry_number, 'at', e.at, 'outcome', e.outcome, 'how', e.how,
      'who', coalesce(w.name, e.person_id), 'note_sealed', translate(encode(e.note_sealed, 'base64'), E'\\n', ''))
      order by e.entry_number desc)
    from counseling_entry e
    left join person w on w.person_id = e.person_id
    where e.account_id = i.account_id and e.order_number = i.order_number and e.item_id = i.item_id), '[]') as entries
from ${order}
join account a on a.account_id = i.account_id
join partner p on p.partner_id = a.partner_id
join orders o on o.account_id = i.account_id and o.order_number = i.order_number
join product d on d.account_id = i.account_id and d.sku = i.sku
join patient c on c.account_id = i.account_id and c.patient_key = i.patient_key`;

const ofItem = statementOf<[account_id: string, order_number: string, item_id: number], CounselingRow>(`
${columnsOf("order_item i")}
where i.account_id = $1 and i.order_number = $2 and i.item_id = $3 and i.shipped_at is not null
  and i.prescription_id is not null and i.removed_at is null`);
/** A shipped fill of a prescription. */
export const loadCounseling = (db: Queryable, account_id: string, order_number: string, item_id: number) =>
  db.row(ofItem, [account_id, order_number, item_id]);

const ofDays = statementOf<
  [
    account_id: string,
    after_at: Date,
    after_order: string,
    after_item: number,
    before: Date,
    every_states: readonly string[],
    limit: number,
  ],
  CounselingRow
>(`
${columnsOf("order_item i")}
where i.account_id = $1 and i.shipped_at >= $2 and (i.shipped_at, i.order_number, i.item_id) > ($2, $3, $4)
  and i.shipped_at < $5 and i.prescription_id is not null and i.removed_at is null
  and (o.ship_state = any($6) or ${IS_FIRST})
order by i.shipped_at, i.order_number, i.item_id
limit $7`);
/** An account's fills that need an offer, for the report. */
export const listCounselingOf = (
  db: Queryable,
  account_id: string,
  after: { at: Date; order_number: string; item_id: number },
  before: Date,
  every_states: readonly string[],
  limit: number,
) => db.rows(ofDays, [account_id, after.at, after.order_number, after.item_id, before, every_states, limit]);

/** The last fill of the previous page. */
export type CounselingPlace = Pick<CounselingRow, "shipped_at" | "account_id" | "order_number" | "item_id">;
type Params = [
  environment: Environment | null,
  since: Date,
  call_states: readonly string[],
  every_states: readonly string[],
  shipped_at: Date | string,
  account_id: string,
  order_number: string,
  item_id: number,
  limit: number,
];

const CONDITIONS: Record<CounselingState, string> = {
  to_call: `o.ship_state = any($3::text[]) and not ${recorded("offered", "given", "refused")}`,
  offered: `(o.ship_state is null or o.ship_state <> all($3::text[]) or ${recorded("offered")}) and not ${recorded("given", "refused")}`,
  // Each statement takes the same parameters.
  done: `$3::text[] is not null and ${recorded("given", "refused")}`,
};

/** The longest page. The limit is in the text, so that the planner knows how few rows an account returns. */
export const MOST_COUNSELING_ROWS = 200;

/** Scans the shipped items of each account in order, and merges them. Times are by the account's clock. */
function listText(show: CounselingState): string {
  const [after, direction] = show === "done" ? ["<", " desc"] : [">", ""];
  const by_time = `i.shipped_at${direction}, i.account_id${direction}, i.order_number${direction}, i.item_id${direction}`;
  return `
with page as materialized (
  select i.account_id, i.order_number, i.item_id, i.shipped_at
  from ${eachClock()}
  cross join lateral (
    select i.account_id, i.order_number, i.item_id, i.shipped_at
    from order_item i
    join orders o on o.account_id = i.account_id and o.order_number = i.order_number
    where i.account_id = a.account_id and i.shipped_at >= $2::timestamptz + make_interval(secs => a.clock_offset_s)
      and i.shipped_at ${after}= $5::timestamptz
      and (i.shipped_at, i.account_id, i.order_number, i.item_id) ${after} ($5::timestamptz, $6::text, $7::text, $8::integer)
      and i.prescription_id is not null and i.removed_at is null
      and ${CONDITIONS[show]}
      and (o.ship_state = any($4) or ${IS_FIRST})
    order by i.shipped_at${direction}, i.order_number${direction}, i.item_id${direction}
    limit ${MOST_COUNSELING_ROWS + 1}) i
  where a.partner_id is not null and ($1::text is null or a.environment = $1)
  order by ${by_time}
  limit $9
)
${columnsOf("page g\njoin order_item i on i.account_id = g.account_id and i.order_number = g.order_number and i.item_id = g.item_id")}
order by ${by_time}`;
}

const lists = {
  to_call: statementOf<Params, CounselingRow>(listText("to_call")),
  offered: statementOf<Params, CounselingRow>(listText("offered")),
  done: statementOf<Params, CounselingRow>(listText("done")),
};

/** The fills of all accounts that need an offer by their state's rule. The oldest come first, of `done` the newest. */
export function listCounseling(
  db: Queryable,
  {
    show,
    environment,
    since,
    call_states,
    every_states,
    after,
    limit,
  }: {
    show: CounselingState;
    environment: Environment | null;
    since: Date;
    call_states: readonly string[];
    every_states: readonly string[];
    after: CounselingPlace | null;
    limit: number;
  },
) {
  const start = show === "done" ? "infinity" : "-infinity";
  const { shipped_at, account_id, order_number, item_id } = after ?? {
    ...{ shipped_at: start, account_id: "", order_number: "", item_id: 0 },
  };
  return db.rows(lists[show], [
    environment,
    since,
    call_states,
    every_states,
    shipped_at,
    account_id,
    order_number,
    item_id,
    limit,
  ]);
}

const insert = sql<
  [
    account_id: string,
    order_number: string,
    item_id: number,
    entry_number: number,
    at: Date,
    outcome: CounselingOutcome,
    how: CounselingWay,
    person_id: string,
    license_number: string,
    note_sealed: Buffer | null,
  ]
>`
insert into counseling_entry (account_id, order_number, item_id, entry_number, at, outcome, how, person_id, license_number,
  note_sealed)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
on conflict do nothing`;
/** Returns 0 if someone else recorded an entry with this number first. */
export const insertCounseling = (
  db: Queryable,
  entry: {
    account_id: string;
    order_number: string;
    item_id: number;
    entry_number: number;
    at: Date;
    outcome: CounselingOutcome;
    how: CounselingWay;
    person_id: string;
    license_number: string;
    note_sealed: Buffer | null;
  },
) =>
  db.run(insert, [
    entry.account_id,
    entry.order_number,
    entry.item_id,
    entry.entry_number,
    entry.at,
    entry.outcome,
    entry.how,
    entry.person_id,
    entry.license_number,
    entry.note_sealed,
  ]);
