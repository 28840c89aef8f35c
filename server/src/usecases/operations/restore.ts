import { type BackupHeader, BadBackup, otherMasterKey, readBackupFile } from "../../backup-file.ts";
import type { Database, Queryable } from "../../db/db.ts";
import { appliedMigrations, migrate, readMigrations } from "../../db/migrate.ts";
import {
  backupTables,
  insertRows,
  lockTables,
  prepareSession,
  setSequence,
  tablesWithRows,
} from "../../db/operations/backup.ts";
import { lockKeys } from "../../db/operations/keys.ts";
import type { MasterKey } from "../../vault/master-key.ts";
import { AdminRefusal } from "../accounts/admin-refusal.ts";
import type { Progress } from "./back-up.ts";

/** A file that was read to its end and is intact, with a schema that this build knows and a master key that we have. */
export type VerifiedBackup = { file: string; header: BackupHeader; masterKeys: readonly MasterKey[] };

export async function verifyBackup(file: string, masterKeys: readonly MasterKey[]): Promise<VerifiedBackup> {
  let header: BackupHeader | undefined;
  for await (const part of readBackupFile(file, masterKeys)) if (part.kind === "header") header = part.header;
  if (header === undefined) throw new BadBackup("The file is not a backup of this service.");
  requireKnownSchema(header);
  requireFittingKey(header, masterKeys);
  return { file, header, masterKeys };
}

/**
 * Fills an empty database from a backup, all of it or none. The file's checksum is verified again during the read, so a
 * file that changed after verification is rolled back.
 */
export async function restore(
  db: Database,
  { file, header, masterKeys }: VerifiedBackup,
  onProgress: Progress = () => {},
): Promise<Record<string, number>> {
  await requireEmpty(db, header);
  await migrate(db, { upTo: header.schema_version });
  return db.transaction(async (tx) => {
    await prepareSession(tx);
    // A service that starts now waits for this lock before it creates keys, and then finds the restored ones.
    await lockKeys(tx);
    const tables = await backupTables(tx);
    const unlike = header.tables.filter((name) => !tables.some((table) => table.name === name));
    if (unlike.length > 0) throw new BadBackup(`The backup has tables that this schema lacks: ${unlike.join(", ")}.`);
    await lockTables(tx, tables);
    await requireEmpty(tx, header);
    const counts: Record<string, number> = {};
    for await (const part of readBackupFile(file, masterKeys)) {
      if (part.kind === "sequence") await setSequence(tx, part.sequence);
      if (part.kind !== "rows") continue;
      const table = tables.find(({ name }) => name === part.table);
      if (table === undefined) throw new BadBackup(`The backup has rows of an unknown table.`);
      await insertRows(tx, table, part.rows);
      counts[part.table] = (counts[part.table] ?? 0) + part.rows.length;
      onProgress(part.table, counts[part.table] ?? 0);
    }
    return counts;
  });
}

function requireKnownSchema({ schema_version, migrations }: BackupHeader): void {
  const known = readMigrations();
  if (!known.some(({ version }) => version === schema_version)) {
    throw new BadBackup(
      `The backup is at migration ${schema_version}, which this build does not know. Run a newer build.`,
    );
  }
  const changed = migrations.find(
    (one) => known.find(({ version }) => version === one.version)?.checksum !== one.checksum,
  );
  if (changed !== undefined) {
    throw new BadBackup(
      `Migration ${changed.version} in the backup differs from this build's. Run the build that wrote the backup.`,
    );
  }
}

function requireFittingKey({ master_key_fingerprint: wanted }: BackupHeader, masterKeys: readonly MasterKey[]): void {
  if (wanted === null || masterKeys.some(({ fingerprint }) => fingerprint === wanted)) return;
  throw new AdminRefusal(otherMasterKey(wanted));
}

async function requireEmpty(db: Queryable, { schema_version }: BackupHeader): Promise<void> {
  const filled = await tablesWithRows(db, await backupTables(db));
  if (filled.length > 0) {
    throw new AdminRefusal(
      `A backup goes into an empty database, and this one has rows in ${filled.length} tables (${filled[0]}). Set DATABASE_URL or DATA_DIR to a new one.`,
    );
  }
  const newest = (await appliedMigrations(db)).at(-1)?.version ?? 0;
  if (newest > schema_version) {
    throw new AdminRefusal(
      `The database is at migration ${newest} and the backup at ${schema_version}. Use a new database: the restore migrates it to ${schema_version} first.`,
    );
  }
}
