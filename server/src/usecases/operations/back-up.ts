import { type BackupHeader, type BackupPart, writeBackupFile } from "../../backup-file.ts";
import type { Database, Tx } from "../../db/db.ts";
import { appliedMigrations } from "../../db/migrate.ts";
import { backupTables, prepareSession, readRows, readSequences } from "../../db/operations/backup.ts";
import { loadKeyRing } from "../../db/operations/keys.ts";
import { fittingMasterKey, type MasterKey } from "../../vault/master-key.ts";
import { AdminRefusal } from "../accounts/admin-refusal.ts";

export type Progress = (table: string, rows: number) => void;

/** Writes a consistent snapshot of all tables to an encrypted file while the service keeps running. */
export async function backUp(
  db: Database,
  file: string,
  masterKeys: readonly MasterKey[],
  now: Date,
  onProgress: Progress = () => {},
): Promise<{ header: BackupHeader; rows: Record<string, number> }> {
  // One snapshot for all tables, so each transaction is in the file completely or not at all.
  return db.transaction(async (tx) => {
    await prepareSession(tx);
    const header = await describe(tx, now);
    if (header.master_key_fingerprint === null) {
      throw new AdminRefusal("This database has no keys yet, and a backup needs one. The first start creates them.");
    }
    const master = fittingMasterKey(masterKeys, header.master_key_fingerprint);
    return { header, rows: await writeBackupFile(file, master, parts(tx, header, onProgress), now) };
  }, "repeatable read");
}

async function describe(tx: Tx, now: Date): Promise<BackupHeader> {
  const migrations = await appliedMigrations(tx);
  const latest = migrations.at(-1);
  if (latest === undefined) throw new AdminRefusal("This database is empty. There is nothing to back up.");
  return {
    format: "pestle-backup",
    version: 1,
    schema_version: latest.version,
    migrations,
    created_at: now.toISOString(),
    master_key_fingerprint: (await loadKeyRing(tx))?.fingerprint ?? null,
    tables: (await backupTables(tx)).map(({ name }) => name),
  };
}

async function* parts(tx: Tx, header: BackupHeader, onProgress: Progress): AsyncGenerator<BackupPart> {
  yield { kind: "header", header };
  for (const table of await backupTables(tx)) {
    let count = 0;
    for await (const rows of readRows(tx, table)) {
      yield { kind: "rows", table: table.name, rows };
      count += rows.length;
      onProgress(table.name, count);
    }
  }
  for (const sequence of await readSequences(tx)) yield { kind: "sequence", sequence };
}
