import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import type { Database, Queryable } from "./db.ts";
import { applyFunctions, pendingFunctions } from "./functions.ts";
import { type Roles, roleChanges } from "./roles.ts";

export type Migration = { version: number; name: string; text: string; checksum: string };

const FOLDER = new URL("../../migrations/", import.meta.url);
/** An arbitrary number, the same in every process. */
const LOCK = 7_205_519;
const OLDEST_POSTGRES = 150_000;
/** Other texts of a migration that were released: the same statements with other comments. */
const RELEASED_TEXTS: Readonly<Record<number, readonly string[]>> = {
  44: ["a3f4d1f05ef57c4fff868ac9c631bc65294e20c987ff0b41a9f05b0f99dbba3e"],
};

/** This build cannot serve the database. The operator sees the message as one line. */
export class WrongDatabase extends Error {}

export function readMigrations(): Migration[] {
  return readdirSync(FOLDER)
    .filter((name) => /^\d{4}_.+\.sql$/.test(name))
    .sort()
    .map((name) => {
      const text = readFileSync(new URL(name, FOLDER), "utf8");
      return {
        version: Number(name.slice(0, 4)),
        name: name.slice(5, -4),
        text,
        checksum: createHash("sha256").update(text).digest("hex"),
      };
    });
}

/**
 * Migrates the schema forward, one process at a time, and returns the names of the migrations it applied. Run by the
 * owner of the tables. Brings the functions up to date too (ADR 0049). With `roles`, gives the other roles their rights
 * on the newest schema.
 */
export async function migrate(
  db: Database,
  { upTo = Number.POSITIVE_INFINITY, roles }: { upTo?: number; roles?: Roles | undefined } = {},
): Promise<string[]> {
  await requireSupportedVersion(db);
  const known = readMigrations();
  const migrations = known.filter((migration) => migration.version <= upTo);
  return db.transaction(async (tx) => {
    await tx.raw("set local statement_timeout = 0");
    await tx.raw("select pg_advisory_xact_lock($1)", [LOCK]);
    await tx.raw(`create table if not exists schema_migration (
      version integer primary key,
      name text not null,
      checksum text not null,
      applied_at timestamptz not null default now())`);
    const pending = pendingMigrations(await appliedMigrations(tx), migrations);
    for (const { version, name, text, checksum } of pending) {
      await tx.raw(text);
      await tx.raw("insert into schema_migration (version, name, checksum) values ($1, $2, $3)", [
        version,
        name,
        checksum,
      ]);
    }
    // The functions fit the newest schema only.
    if (migrations.length === known.length) await applyFunctions(tx);
    if (roles !== undefined) for (const change of await roleChanges(tx, roles)) await tx.raw(change);
    return pending.map(({ version, name }) => `${String(version).padStart(4, "0")}_${name}`);
  });
}

/** The migrations and functions that a start would still apply. `pestle doctor` shows them without applying them. */
export async function migrationState(db: Database): Promise<{ applied: number; pending: string[] }> {
  await requireSupportedVersion(db);
  const applied = await appliedMigrations(db);
  const pending = pendingMigrations(applied, readMigrations());
  const functions = pending.length === 0 ? await pendingFunctions(db) : [];
  return {
    applied: applied.length,
    pending: [...pending.map(({ name }) => name), ...functions.map(({ name }) => `function ${name}`)],
  };
}

export type Applied = { version: number; checksum: string };

/** Empty for a database that was never migrated, or not since it has this role. */
export async function appliedMigrations(db: Queryable): Promise<Applied[]> {
  const { rows } = await db.raw(
    "select coalesce(has_table_privilege(to_regclass('schema_migration'), 'SELECT'), false) as there",
  );
  if (rows[0]?.["there"] !== true) return [];
  return (await db.raw("select version, checksum from schema_migration order by version")).rows as Applied[];
}

function pendingMigrations(applied: Applied[], known: Migration[]): Migration[] {
  for (const row of applied) {
    const migration = known.find(({ version }) => version === row.version);
    if (migration === undefined) {
      throw new WrongDatabase(
        `The database is at migration ${row.version}, which this build does not know. Run the newer build.`,
      );
    }
    if (migration.checksum !== row.checksum && !RELEASED_TEXTS[row.version]?.includes(row.checksum)) {
      throw new WrongDatabase(
        `Migration ${row.version} was changed after it was applied. Restore the file; write a new migration instead.`,
      );
    }
  }
  return known.filter(({ version }) => !applied.some((row) => row.version === version));
}

async function requireSupportedVersion(db: Database): Promise<void> {
  const { rows } = await db.raw("select current_setting('server_version_num')::integer as version");
  if (Number(rows[0]?.["version"]) < OLDEST_POSTGRES) {
    throw new WrongDatabase("DATABASE_URL points to a PostgreSQL older than 15. Use 15 or later.");
  }
}
