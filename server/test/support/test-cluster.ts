import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import type { TestProject } from "vitest/node";
import { openDb } from "../../src/db/db.ts";
import { openEmbeddedPostgres } from "../../src/db/embedded/embedded.ts";
import { migrate } from "../../src/db/migrate.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** Address of the server with `{database}` in place of the name. */
    cluster_url: string;
  }
}

/**
 * One PostgreSQL for the whole run and one migrated database in it, which each test file copies. Ours by default; with
 * TEST_DATABASE_URL another one, as the leg on the oldest supported version does.
 */
export default async function startTestCluster(project: TestProject): Promise<() => Promise<void>> {
  const given = process.env["TEST_DATABASE_URL"];
  if (given !== undefined && given !== "") {
    // Not parsed as a URL: one with a unix socket has no host, which PostgreSQL's programs allow and URL does not.
    const cluster_url = given.replace(/^(\w+:\/\/[^/]*\/)[^?]*/, "$1{database}");
    await makeTemplate(cluster_url);
    project.provide("cluster_url", cluster_url);
    return async () => {};
  }
  const data_dir = mkdtempSync(join(tmpdir(), "pestle-test-"));
  const embedded = await openEmbeddedPostgres({ data_dir });
  const { host, port, user } = embedded.connection;
  const cluster_url = `postgresql://${user}@/{database}?host=${encodeURIComponent(host)}&port=${port}`;
  await makeTemplate(cluster_url);
  project.provide("cluster_url", cluster_url);
  return async () => {
    await embedded.stopIfUnused();
    rmSync(data_dir, { recursive: true, force: true });
  };
}

async function makeTemplate(cluster_url: string): Promise<void> {
  const admin = new pg.Client({ connectionString: cluster_url.replace("{database}", "postgres") });
  await admin.connect();
  await admin.query("drop database if exists pestle_template with (force)");
  await admin.query("create database pestle_template");
  await admin.end();
  const connection = { connectionString: cluster_url.replace("{database}", "pestle_template") };
  const db = openDb({ connection, pool_size: 2, named_statements: true });
  await migrate(db);
  await db.close();
}
