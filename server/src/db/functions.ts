import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import type { Queryable, Tx } from "./db.ts";

/** A function of the database that this build calls: one file in server/functions (ADR 0049). */
export type StoredFunction = { name: string; revision: number; text: string; checksum: string };

const FOLDER = new URL("../../functions/", import.meta.url);

export function readFunctions(): StoredFunction[] {
  return readdirSync(FOLDER)
    .filter((file) => file.endsWith(".sql"))
    .sort()
    .map((file) => {
      const text = readFileSync(new URL(file, FOLDER), "utf8");
      const [, revision] = /^-- revision (\d+)\n/.exec(text) ?? [];
      if (revision === undefined) throw new Error(`${file} does not start with "-- revision N"`);
      const checksum = createHash("sha256").update(text).digest("hex");
      return { name: file.slice(0, -".sql".length), revision: Number(revision), text, checksum };
    });
}

/**
 * The functions that the database lacks, or has in another version. A newer revision stays: during a rolling upgrade, a
 * process of the earlier build may start after one of the newer build.
 */
export async function pendingFunctions(db: Queryable): Promise<StoredFunction[]> {
  const functions = readFunctions();
  const { rows } = await db.raw(
    `select p.proname::text as name, obj_description(p.oid, 'pg_proc') as version
    from pg_proc p
    where p.pronamespace = current_schema()::regnamespace and p.proname = any($1)`,
    [functions.map(({ name }) => name)],
  );
  return functions.filter(({ name, revision, checksum }) => {
    const [, known_revision = "0", known_checksum] =
      /^revision (\d+), (\w+)$/.exec(String(rows.find((row) => row["name"] === name)?.["version"])) ?? [];
    return Number(known_revision) < revision || (Number(known_revision) === revision && known_checksum !== checksum);
  });
}

/** Creates or replaces the pending functions. Run by the owner, under the lock of the migrations. */
export async function applyFunctions(tx: Tx): Promise<void> {
  for (const { name, revision, text, checksum } of await pendingFunctions(tx)) {
    await tx.raw(text);
    await tx.raw(`revoke all on function ${name} from public`);
    await tx.raw(`comment on function ${name} is 'revision ${revision}, ${checksum}'`);
  }
}
