import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { EmbeddedPostgres } from "../../server/src/db/embedded/embedded.ts";

export type Own = {
  database_url: string;
  master_key: string;
  data_dir: string;
  postgres: EmbeddedPostgres;
};

/** Runs a stage on a PostgreSQL of its own. */
export async function onOwnDatabase<Result>(
  run: (own: { database_url: string; master_key: string }) => Promise<Result>,
  folder?: string,
): Promise<Result> {
  return withOwnPostgres(({ database_url, master_key }) => run({ database_url, master_key }), folder);
}

/** The same for a campaign that injures it. */
export async function withOwnPostgres<Result>(run: (own: Own) => Promise<Result>, folder = tmpdir()): Promise<Result> {
  const { openEmbeddedPostgres } = await import("../../server/src/db/embedded/embedded.ts");
  const { removeDataDir } = await import("../server-process.ts");
  const data_dir = mkdtempSync(join(folder, "pestle-campaign-"));
  const postgres = await openEmbeddedPostgres({ data_dir });
  try {
    const { user, password, database, host, port } = postgres.connection;
    const database_url = `postgresql://${user}:${encodeURIComponent(password)}@/${database}?host=${encodeURIComponent(host)}&port=${port}`;
    return await run({ database_url, master_key: "0".repeat(64), data_dir, postgres });
  } finally {
    await postgres.stopIfUnused();
    await removeDataDir(data_dir);
  }
}
