import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import type { TestProject } from "vitest/node";
import { type CitusServers, findCitus, startCitus } from "../../../scripts/citus.ts";
import { memoryFolder } from "../../../scripts/memory-folder.ts";
import { startPgbouncer } from "../../../scripts/pgbouncer.ts";
import { readConfig } from "../../src/config.ts";
import { openDb } from "../../src/db/db.ts";
import { openEmbeddedPostgres } from "../../src/db/embedded/embedded.ts";
import { migrate } from "../../src/db/migrate.ts";
import { distribute } from "../../src/db/operations/distribution.ts";
import { createRolesText, type Roles } from "../../src/db/roles.ts";
import { seedDemo } from "../../src/seed/demo.ts";
import { type Demo, readDemo } from "../../src/seed/demo-file.ts";
import { masterKeys } from "../../src/vault/master-key.ts";
import { openVault } from "../../src/vault/vault.ts";

/** The databases that tests copy: one migrated and empty, one with the demo's cast. */
export const EMPTY_TEMPLATE = "pestle_template";
export const DEMO_TEMPLATE = "pestle_demo_template";
/** Settings of a cluster that is deleted after the run. */
const FASTER = [
  ...["fsync=off", "synchronous_commit=off", "full_page_writes=off"],
  // Every test file opens dozens of connections, and each derives a key from the password.
  "scram_iterations=1",
];
/** The roles that serve requests in tests. The owner is the role of the cluster's address. */
export const TEST_ROLES: Roles = { service: "pestle_service", jobs: "pestle_jobs" };
const TEST_PASSWORD = "test";
export const TEST_MASTER_KEY = "7".repeat(64);

declare module "vitest" {
  interface ProvidedContext {
    /** Address of the server with `{database}` in place of the name. */
    cluster_url: string;
    /** The credentials of the cast in the demo template, in the format of `demo.json`. */
    demo: Demo;
    /** Host and port of the pooler that services connect through, as in an address; empty without one. */
    pooler: string;
    /** Addresses of the servers that the accounts of a database are spread over, like `cluster_url`; empty for one server. */
    worker_urls: string[];
  }
}

/**
 * One PostgreSQL for the whole run, with two databases that test files copy. The cast is seeded once, because its
 * passwords are slow to hash. By default it is our own; TEST_DATABASE_URL selects another one, as the leg on the
 * oldest supported version does. TEST_PGBOUNCER is a program that services then connect through. TEST_CITUS is a number of
 * workers: both databases are then spread over them.
 */
export default async function startTestCluster(project: TestProject): Promise<() => Promise<void>> {
  const workers = Number(process.env["TEST_CITUS"] ?? 0);
  if (workers > 0) return startSpreadCluster(project, workers);
  project.provide("worker_urls", []);
  const given = process.env["TEST_DATABASE_URL"];
  if (given !== undefined && given !== "") {
    // Not parsed as a URL: one with a unix socket has no host, which PostgreSQL's programs allow and URL does not.
    const cluster_url = given.replace(/^(\w+:\/\/[^/]*\/)[^?]*/, "$1{database}");
    await provideTemplates(project, cluster_url);
    project.provide("pooler", "");
    return async () => {};
  }
  const data_dir = mkdtempSync(join(memoryFolder(), "pestle-test-"));
  const embedded = await openEmbeddedPostgres({ data_dir });
  const { host, port, user, password } = embedded.connection;
  const cluster_url = `postgresql://${user}:${password}@/{database}?host=${encodeURIComponent(host)}&port=${port}`;
  await writeCarelessly(cluster_url, { user, password });
  await provideTemplates(project, cluster_url);
  const program = process.env["TEST_PGBOUNCER"] ?? "";
  const passwords = Object.fromEntries(Object.values(TEST_ROLES).map((role) => [role, TEST_PASSWORD]));
  const pooler = program === "" ? undefined : await startPgbouncer(program, { host, port, passwords });
  project.provide("pooler", pooler === undefined ? "" : `host=${encodeURIComponent(pooler.host)}&port=${pooler.port}`);
  return async () => {
    await pooler?.stop();
    await embedded.stopIfUnused();
    rmSync(data_dir, { recursive: true, force: true });
  };
}

async function startSpreadCluster(project: TestProject, workers: number): Promise<() => Promise<void>> {
  const bin_dir = findCitus();
  if (bin_dir === undefined)
    throw new Error("TEST_CITUS needs the extension Citus for PostgreSQL 15, and it is not installed.");
  const settings = FASTER.filter((one) => !one.startsWith("scram"));
  const servers = await startCitus(bin_dir, { workers, settings, parent: memoryFolder() });
  const [cluster_url = "", ...worker_urls] = servers.urls;
  project.provide("pooler", "");
  project.provide("worker_urls", worker_urls);
  try {
    for (const url of worker_urls) await createRoles(url);
    await provideTemplates(project, cluster_url);
    for (const template of [EMPTY_TEMPLATE, DEMO_TEMPLATE]) await spread(servers, template);
  } catch (error) {
    await servers.stop();
    throw error;
  }
  return () => servers.stop();
}

async function spread({ urls, hosts }: CitusServers, name: string): Promise<void> {
  const [coordinator, ...workers] = hosts;
  for (const url of urls.slice(1)) {
    await administer(url, [`create database ${name}`]);
    await administer(url.replace("{database}", name), ["create extension citus"]);
  }
  const db = openDb({
    connection: { connectionString: urls[0]!.replace("{database}", name) },
    pool_size: 2,
    named_statements: true,
  });
  await distribute(db, { coordinator: coordinator!, workers, shards: 4 });
  await db.close();
  // A process of Citus connects to each database that was used, and then nothing can copy it.
  for (const url of urls)
    await administer(url, [
      `alter database ${name} allow_connections false`,
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`,
    ]);
}

async function administer(url: string, texts: readonly string[]): Promise<void> {
  const admin = new pg.Client({ connectionString: url.replace("{database}", "postgres") });
  await admin.connect();
  for (const text of texts) await admin.query(text);
  await admin.end();
}

/**
 * This cluster is deleted after the run, so it need not survive a crash. Waiting for the disk took more than a second
 * per test file for its database alone. Tests that kill a database start their own, with the durable settings.
 */
async function writeCarelessly(cluster_url: string, { user, password }: { user: string; password: string }) {
  const admin = new pg.Client({ connectionString: cluster_url.replace("{database}", "postgres") });
  await admin.connect();
  for (const setting of FASTER) await admin.query(`alter system set ${setting}`);
  await admin.query("select pg_reload_conf()");
  await admin.query("set scram_iterations = 1");
  await admin.query(`alter role ${pg.escapeIdentifier(user)} password ${pg.escapeLiteral(password)}`);
  await admin.end();
}

/** The same address as another role. */
export const urlAs = (role: keyof Roles, url: string): string =>
  url.replace(/^(\w+:\/\/)(?:[^/?]*@)?/, `$1${TEST_ROLES[role]}:${TEST_PASSWORD}@`);

async function createRoles(url: string): Promise<void> {
  const admin = new pg.Client({ connectionString: url.replace("{database}", "postgres") });
  await admin.connect();
  const passwords = { service: TEST_PASSWORD, jobs: TEST_PASSWORD };
  for (const [role, text] of Object.entries(createRolesText(TEST_ROLES, passwords))) {
    const { rows } = await admin.query("select from pg_roles where rolname = $1", [
      Object.values(TEST_ROLES)[Number(role)],
    ]);
    await admin.query(rows.length === 0 ? text : text.replace("create role", "alter role"));
  }
  await admin.end();
}

async function provideTemplates(project: TestProject, cluster_url: string): Promise<void> {
  await createRoles(cluster_url);
  const admin = new pg.Client({ connectionString: cluster_url.replace("{database}", "postgres") });
  await admin.connect();
  for (const name of [DEMO_TEMPLATE, EMPTY_TEMPLATE]) await admin.query(`drop database if exists ${name} with (force)`);
  await admin.query(`create database ${EMPTY_TEMPLATE}`);
  const open = (name: string) =>
    openDb({
      connection: { connectionString: cluster_url.replace("{database}", name) },
      pool_size: 2,
      named_statements: true,
    });
  const empty = open(EMPTY_TEMPLATE);
  await migrate(empty, { roles: TEST_ROLES });
  await empty.close();
  await admin.query(`create database ${DEMO_TEMPLATE} template ${EMPTY_TEMPLATE}`);
  await admin.end();

  const db = open(DEMO_TEMPLATE);
  const data_dir = mkdtempSync(join(tmpdir(), "pestle-demo-"));
  const config = readConfig({ DATA_DIR: data_dir, MASTER_KEY: TEST_MASTER_KEY });
  const now = () => new Date();
  const vault = await openVault(db, (make) => masterKeys(config, make), now());
  await seedDemo({ config, db, vault, now });
  await db.close();
  project.provide("cluster_url", cluster_url);
  project.provide("demo", readDemo(data_dir)!);
  rmSync(data_dir, { recursive: true, force: true });
}
