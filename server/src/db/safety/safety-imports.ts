import type { SafetyDiff } from "../../domain/safety/diff.ts";
import { type Queryable, sql, type Tx } from "../db.ts";

export type SafetyImportRow = {
  import_number: number;
  version: string;
  file_name: string;
  sha256: string;
  imported_by_email: string;
  imported_at: Date;
  summary: SafetyDiff;
};

const lock = sql<[]>`select pg_advisory_xact_lock(7205521)`;
/** Serializes imports, because each builds on the one before. */
export const lockSafetyImports = (tx: Tx) => tx.rows(lock, []);

const newestNumber = sql<[], { import_number: number | null }>`
select max(import_number) as import_number
from safety_import`;
/** Null before the first import. */
export const newestSafetyImport = async (db: Queryable) => (await db.row(newestNumber, []))!.import_number;

const byNumber = sql<[import_number: number], { data: unknown }>`
select data
from safety_import
where import_number = $1`;
export const loadSafetyImport = async (db: Queryable, import_number: number) =>
  (await db.row(byNumber, [import_number]))?.data;

const all = sql<[], SafetyImportRow>`
select i.import_number, i.version, i.file_name, i.sha256, p.email as imported_by_email, i.imported_at, i.summary
from safety_import i
join person p on p.person_id = i.imported_by
order by i.import_number desc`;
/** Newest first. */
export const listSafetyImports = (db: Queryable) => db.rows(all, []);

const add = sql<
  [
    version: string,
    file_name: string,
    sha256: string,
    imported_by: string,
    imported_at: Date,
    summary: string,
    data: string,
  ],
  { import_number: number }
>`
insert into safety_import (version, file_name, sha256, imported_by, imported_at, summary, data)
values ($1, $2, $3, $4, $5, $6, $7)
returning import_number`;
export const insertSafetyImport = async (
  tx: Tx,
  row: Omit<SafetyImportRow, "import_number" | "imported_by_email"> & { imported_by: string; data: unknown },
) => {
  const { version, file_name, sha256, imported_by, imported_at, summary, data } = row;
  const texts = [JSON.stringify(summary), JSON.stringify(data)] as const;
  return (await tx.row(add, [version, file_name, sha256, imported_by, imported_at, ...texts]))!.import_number;
};
