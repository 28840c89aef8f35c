import type { Queryable, Tx } from "../db.ts";
import { INDEX_KEY_LOCK } from "../index-key-fence.ts";

/**
 * Every column that holds hashes under the index key. A rotation of the key renews all of them, and a test compares this
 * list with the schema. `renews` are the columns that it writes, with their types, and `reads` are those that it needs for
 * that besides the hashes themselves.
 */
export const blindTables = {
  idempotent_answer: {
    // The path has a hash in the place of a patient's id, and the body is sealed for its path.
    renews: { fingerprint: "bytea", path: "text", body_sealed: "bytea" },
    reads: ["account_id", "idempotency_key"],
  },
  order_exception: { renews: { basis: "text", confirmed: "text" }, reads: ["account_id", "order_number"] },
  order_fingerprint: { renews: { fingerprint: "bytea" }, reads: ["account_id"] },
  order_note: { renews: { signature: "bytea" }, reads: ["account_id", "order_number", "note_id"] },
  orders: { renews: { reference_index: "bytea" }, reads: ["account_id", "order_number", "reference_sealed"] },
  patient: {
    renews: {
      id_index: "bytea",
      name_dob_index: "bytea",
      surname_index: "bytea",
      dob_index: "bytea",
      email_index: "bytea",
      phone_index: "bytea",
      person_keys: "bytea[]",
    },
    reads: ["account_id", "patient_key", "id_sealed", "record_sealed"],
  },
  sms_choice: { renews: { phone_index: "bytea" }, reads: ["provider_id"] },
  patient_alias: { renews: { alias_index: "bytea" }, reads: ["account_id", "patient_key"] },
} as const satisfies Record<string, { renews: Record<string, "bytea" | "bytea[]" | "text">; reads: readonly string[] }>;
export type BlindTable = keyof typeof blindTables;

/** Columns that repeat a hash of a patient's row (`copyPatientIndexes`). */
export const copiedBlindColumns = { patient_name_claim: "name_dob_index", person_link: "person_key" } as const;

/** Names its row by `at`, the row's physical place: only the rotation moves rows while it runs. */
export type BlindRow = Record<string, unknown> & { at: string };

const FETCH_ROWS = 1_000;

/** Does not wait: false if a process of Pestle is connected. */
export async function lockIndexKey(tx: Tx): Promise<boolean> {
  const { rows } = await tx.raw(`select pg_try_advisory_xact_lock(${INDEX_KEY_LOCK}) as locked`);
  return rows[0]?.["locked"] === true;
}

/**
 * Counts the other connections of Pestle to this database: those that hold the lock, and those of earlier versions, which
 * do not know it.
 */
export async function countConnections(db: Queryable): Promise<number> {
  const { rows } = await db.raw(
    `select count(*) as connections
    from (
      select l.pid
      from pg_locks l
      join pg_database d on d.oid = l.database
      where l.locktype = 'advisory' and l.classid = 0 and l.objid = ${INDEX_KEY_LOCK} and l.objsubid = 1
        and d.datname = current_database()
      union
      select a.pid
      from pg_stat_activity a
      where a.datname = current_database() and a.application_name = 'pestle'
    ) c
    where c.pid <> pg_backend_pid()`,
  );
  return Number(rows[0]?.["connections"]);
}

/**
 * Lifts the limits of a served request, and keeps all other programs from writing to the tables. The triggers of a patient
 * would link each one again and ask for new checks of its orders; the links are copied once at the end instead.
 */
export async function beginRenewal(tx: Tx): Promise<void> {
  for (const name of ["statement_timeout", "idle_in_transaction_session_timeout"])
    await tx.raw("select set_config($1, '0', true)", [name]);
  // A batch finds its rows by their places. A join of another kind would read the whole table for each batch.
  for (const name of ["enable_hashjoin", "enable_mergejoin"])
    await tx.raw("select set_config($1, 'off', true)", [name]);
  const tables = [...Object.keys(blindTables), ...Object.keys(copiedBlindColumns)];
  await tx.raw(`lock table ${tables.join(", ")} in share row exclusive mode`);
  await tx.raw("alter table patient disable trigger user");
}

export const endRenewal = (tx: Tx) => tx.raw("alter table patient enable trigger user");

/** Yields the rows of a table in batches, each row once, as they were when the reading began. */
export async function* readBlindRows(tx: Tx, table: BlindTable): AsyncGenerator<BlindRow[]> {
  const { renews, reads } = blindTables[table];
  await tx.raw(`
    declare blind_rows no scroll cursor for
    select ctid::text as at, ${[...Object.keys(renews), ...reads].join(", ")}
    from ${table}`);
  for (;;) {
    const { rows } = await tx.raw(`fetch ${FETCH_ROWS} from blind_rows`);
    if (rows.length === 0) break;
    yield rows as BlindRow[];
  }
  await tx.raw("close blind_rows");
}

/** Saves the renewed columns of each row. */
export async function saveBlindRows(tx: Tx, table: BlindTable, rows: readonly BlindRow[]): Promise<void> {
  const columns = Object.entries(blindTables[table].renews);
  const { count } = await tx.raw(
    `update ${table} t
    set ${columns.map(([name]) => `${name} = r.${name}`).join(", ")}
    from jsonb_to_recordset($1::jsonb) as r(at tid, ${columns.map(([name, type]) => `${name} ${type}`).join(", ")})
    where t.ctid = r.at`,
    [JSON.stringify(rows)],
  );
  if (count !== rows.length) throw new Error(`${rows.length - count} rows of ${table} were not renewed`);
}

/**
 * Brings the copies in line with the patients. A claim only decides between two decisions that are under way at once, and
 * none is under way now, so all claims start again.
 */
export async function copyPatientIndexes(tx: Tx): Promise<number> {
  await tx.raw("truncate patient_name_claim, person_link");
  const { count } = await tx.raw(`
    insert into person_link (environment, person_key, account_id, patient_key)
    select a.environment, k.person_key, p.account_id, p.patient_key
    from patient p
    join account a on a.account_id = p.account_id
    cross join unnest(p.person_keys) as k(person_key)
    on conflict do nothing`);
  return count;
}
