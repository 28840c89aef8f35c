import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import type { Database, Queryable } from "./db.ts";
import { applyFunctions, pendingFunctions } from "./functions.ts";
import { distributionState, placeNewTables, prepareStep } from "./operations/distribution.ts";
import { type Roles, roleChanges } from "./roles.ts";

export type Migration = {
  version: number;
  name: string;
  text: string;
  checksum: string;
  /** Builds whose newest migration is lower cannot serve the database anymore; 0 if all can. */
  oldest_build: number;
};

const FOLDER = new URL("../../migrations/", import.meta.url);
/** An arbitrary number, the same in every process. */
const LOCK = 7_205_519;
const OLDEST_POSTGRES = 150_000;
/** While a migration waits for a lock, requests for the table wait behind it. So it gives up soon and tries again. */
const LOCK_WITHIN_MS = 3_000;
const LOCK_AGAIN_AFTER_MS = 1_000;
const MOST_TRIES = 100;
/** The header of the half of a change that ends what earlier builds need. */
const CONTRACT = /^-- contract: needs (\d{4})$/m;
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
        oldest_build: Number(CONTRACT.exec(text)?.[1] ?? 0),
      };
    });
}

/**
 * Migrates the schema forward, one process at a time, and returns the names of the migrations it applied. Run by the
 * owner of the tables. Brings the functions up to date too (ADR 0049). With `roles`, gives the other roles their rights
 * on the newest schema. Changes nothing in a database of a newer build that this one can serve (ADR 0092).
 */
export async function migrate(db: Database, options: MigrateOptions = {}): Promise<string[]> {
  await requireSupportedVersion(db);
  for (let tries = 1; ; tries++) {
    try {
      return await migrateOnce(db, options);
    } catch (error) {
      if (!isLockedOut(error)) throw error;
      if (tries === MOST_TRIES)
        throw new WrongDatabase(
          "A table that a migration changes is in use for minutes. End the long transaction, such as a backup, and start again.",
        );
      await delay(LOCK_AGAIN_AFTER_MS);
    }
  }
}

type MigrateOptions = {
  upTo?: number;
  roles?: Roles | undefined;
  /** A newer build migrated the database. */
  onNewer?: (migration: number) => void;
  lock_within_ms?: number;
};

const LOCK_NOT_AVAILABLE = "55P03";
const DEADLOCK = "40P01";
const isLockedOut = (error: unknown) =>
  [LOCK_NOT_AVAILABLE, DEADLOCK].includes(String((error as { code?: unknown } | null)?.code));

async function migrateOnce(
  db: Database,
  { upTo = Number.POSITIVE_INFINITY, roles, onNewer, lock_within_ms = LOCK_WITHIN_MS }: MigrateOptions,
): Promise<string[]> {
  const known = readMigrations();
  const migrations = known.filter((migration) => migration.version <= upTo);
  return db.transaction(async (tx) => {
    await tx.raw("set local statement_timeout = 0");
    // Another process that migrates may take long.
    await tx.raw("select pg_advisory_xact_lock($1)", [LOCK]);
    await tx.raw(`set local lock_timeout = ${lock_within_ms}`);
    await requireWhole(tx);
    await tx.raw(`create table if not exists schema_migration (
      version integer primary key,
      name text not null,
      checksum text not null,
      applied_at timestamptz not null default now())`);
    const applied = await appliedMigrations(tx);
    const pending = pendingMigrations(applied, migrations);
    const newest = applied.at(-1)?.version ?? 0;
    const spread = (await distributionState(tx)) === "spread";
    if (spread) await prepareStep(tx);
    // Its functions and rights are those of the newer build, too.
    if (newest > known.at(-1)!.version) {
      onNewer?.(newest);
      return [];
    }
    for (const { version, name, text, checksum, oldest_build } of pending) {
      await tx.raw(text);
      await tx.raw("insert into schema_migration (version, name, checksum) values ($1, $2, $3)", [
        version,
        name,
        checksum,
      ]);
      if (oldest_build > 0)
        await tx.raw("update schema_migration set oldest_build = $2 where version = $1", [version, oldest_build]);
      if (spread) await placeNewTables(tx);
    }
    // The functions fit the newest schema only.
    if (migrations.length === known.length) await applyFunctions(tx);
    if (roles !== undefined) for (const change of await roleChanges(tx, roles)) await tx.raw(change);
    return pending.map(({ version, name }) => `${String(version).padStart(4, "0")}_${name}`);
  });
}

/** An interrupted `pestle distribute` has left constraints and policies off. */
async function requireWhole(db: Queryable): Promise<void> {
  const state = await distributionState(db);
  if (state === "none" || state === "spread") return;
  throw new WrongDatabase(
    `A run of \`pestle distribute\` was interrupted. Run \`pestle distribute${state === "gathering" ? " --undo" : ""}\` again, then start.`,
  );
}

/** The migrations and functions that a start would still apply. `pestle doctor` shows them without applying them. */
export async function migrationState(db: Database): Promise<{ applied: number; pending: string[] }> {
  await requireSupportedVersion(db);
  const applied = await appliedMigrations(db);
  const known = readMigrations();
  const pending = pendingMigrations(applied, known);
  const is_newer = (applied.at(-1)?.version ?? 0) > known.at(-1)!.version;
  const functions = pending.length === 0 && !is_newer ? await pendingFunctions(db) : [];
  return {
    applied: applied.length,
    pending: [...pending.map(({ name }) => name), ...functions.map(({ name }) => `function ${name}`)],
  };
}

export type Applied = { version: number; checksum: string; oldest_build: number };

/** Empty for a database that was never migrated, or not since it has this role. */
export async function appliedMigrations(db: Queryable): Promise<Applied[]> {
  const { rows } = await db.raw(
    "select coalesce(has_table_privilege(to_regclass('schema_migration'), 'SELECT'), false) as there",
  );
  if (rows[0]?.["there"] !== true) return [];
  // An older database does not have the column yet.
  const { rows: applied } = await db.raw(
    `select m.version, m.checksum, coalesce((to_jsonb(m) ->> 'oldest_build')::integer, 0) as oldest_build
    from schema_migration m
    order by m.version`,
  );
  return applied as Applied[];
}

function pendingMigrations(applied: Applied[], known: Migration[]): Migration[] {
  const newest = known.at(-1)?.version ?? 0;
  for (const row of applied) {
    const migration = known.find(({ version }) => version === row.version);
    if (migration === undefined) {
      if (row.version > newest && row.oldest_build <= newest) continue;
      throw new WrongDatabase(
        `The database is at migration ${row.version}, which this build (migration ${newest}) cannot work with. Run the newer build.`,
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
