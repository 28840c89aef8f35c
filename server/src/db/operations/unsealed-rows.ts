import { type Queryable, type Statement, statementOf } from "../db.ts";

type Unsealed = {
  key: readonly string[];
  /** Further columns that name the vault's place. */
  also?: readonly string[];
  /** Columns that earlier versions stored in clear, and the sealed columns that replace them. */
  clear: readonly string[];
  sealed: readonly string[];
  /** The condition of the partial index that finds such rows. When none is left, the look costs nothing. */
  where: string;
};

export const unsealedTables = {
  orders: {
    key: ["account_id", "order_number"],
    clear: ["reference"],
    sealed: ["reference_sealed", "reference_index"],
    where: "reference is not null",
  },
  order_item: {
    key: ["account_id", "order_number", "item_id"],
    clear: ["prescriber_name", "prescriber_phone", "prescriber_fax"],
    sealed: ["prescriber_sealed"],
    where: "prescriber_name is not null or prescriber_phone is not null or prescriber_fax is not null",
  },
  prescription: {
    key: ["account_id", "prescription_id"],
    clear: ["sig_text", "prescriber_name", "prescriber_phone", "prescriber_fax", "prescriber_npi", "prescriber_dea"],
    sealed: ["written_sealed"],
    where: "sig_text is not null",
  },
  intake_message: {
    key: ["account_id", "sender", "sender_message_id"],
    clear: ["answer"],
    sealed: ["answer_sealed"],
    where: "answer is not null",
  },
  partial_fill_request: {
    key: ["account_id", "prescription_id"],
    clear: ["note"],
    sealed: ["note_sealed"],
    where: "note is not null",
  },
  review: {
    key: ["account_id", "review_id"],
    also: ["intake_message_id", "kind"],
    clear: ["facts"],
    sealed: ["facts_sealed"],
    where: "facts is not null",
  },
  patient: {
    key: ["account_id", "patient_key"],
    also: ["record_sealed"],
    clear: ["patient_id"],
    sealed: ["id_sealed", "id_index", "record_sealed"],
    where: "patient_id is not null",
  },
  webhook_event: {
    key: ["account_id", "event_id"],
    clear: ["body"],
    sealed: ["body_sealed"],
    where: "body is not null",
  },
} as const satisfies Record<string, Unsealed>;
export type UnsealedTable = keyof typeof unsealedTables;
export type UnsealedRow = Record<string, string | number | null>;

const looking = (table: string, { where }: Unsealed) =>
  statementOf<[], { account_id: string }>(`
select account_id
from ${table}
where ${where}
limit 1`);
const listing = (table: string, { key, also = [], clear, where }: Unsealed) =>
  statementOf<[most: number], UnsealedRow>(`
select ${[...key, ...also, ...clear].join(", ")}
from ${table}
where ${where}
order by ${key.join(", ")}
limit $1
for no key update`);
const saving = (table: string, { key, clear, sealed }: Unsealed) => {
  const set = [...clear.map((name) => `${name} = null`), ...sealed.map((name) => `${name} = r.${name}`)];
  return statementOf<[rows: string]>(`
update ${table} t
set ${set.join(", ")}
from jsonb_populate_recordset(null::${table}, $1::jsonb) r
where ${key.map((name) => `t.${name} = r.${name}`).join(" and ")}`);
};
type Statements = {
  look: Statement<[], { account_id: string }>;
  list: Statement<[most: number], UnsealedRow>;
  save: Statement<[rows: string], never>;
};
const statements = Object.fromEntries(
  Object.entries(unsealedTables).map(([table, one]) => [
    table,
    { look: looking(table, one), list: listing(table, one), save: saving(table, one) },
  ]),
) as Record<UnsealedTable, Statements>;

/** Whether rows are still in clear. Locks none: on Citus, rows of several accounts cannot be locked in one statement. */
export const hasUnsealed = async (db: Queryable, table: UnsealedTable) =>
  (await db.row(statements[table].look, [])) !== undefined;
/** Locks some rows that are still in clear. */
export const lockUnsealed = (db: Queryable, table: UnsealedTable, most: number) =>
  db.rows(statements[table].list, [most]);
/** Saves the sealed columns and empties the clear ones. Each row has its key. */
export const saveSealedRows = (db: Queryable, table: UnsealedTable, rows: readonly UnsealedRow[]) =>
  db.run(statements[table].save, [JSON.stringify(rows)]);
