import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import pino from "pino";
import { inject } from "vitest";
import type { WebhookClient } from "../../src/adapters/webhook-client.ts";
import { type App, startApp } from "../../src/app.ts";
import { type Config, readConfig } from "../../src/config.ts";
import { type Db, openDb } from "../../src/db/db.ts";
import type { Route } from "../../src/http/partner-api.ts";
import { seedDemo } from "../../src/seed/demo.ts";
import { type Demo, readDemo, writeDemo } from "../../src/seed/demo-file.ts";
import { DEMO_TEMPLATE, EMPTY_TEMPLATE, TEST_MASTER_KEY, urlAs } from "./test-cluster.ts";

export { TEST_MASTER_KEY };

/** A hash in milliseconds. */
export const TEST_PASSWORD_COST = 10;

/** A separate database, copied from the migrated template. */
export async function createTestDatabase(template = EMPTY_TEMPLATE): Promise<{ url: string; drop(): Promise<void> }> {
  const cluster_url = inject("cluster_url");
  const name = `test_${randomUUID().replaceAll("-", "")}`;
  // A database that is spread has one of the same name on each server.
  const urls = template === "" ? [cluster_url] : [cluster_url, ...inject("worker_urls")];
  const admin = (text: string) =>
    Promise.all(
      urls.map(async (url) => {
        const client = new pg.Client({ connectionString: url.replace("{database}", "postgres") });
        await client.connect();
        await client.query(text).finally(() => client.end());
      }),
    );
  // An empty template means PostgreSQL's own, for a database that was never migrated. Copying files is faster here.
  await admin(`create database ${name} template ${template === "" ? "template1" : template} strategy file_copy`);
  return {
    url: cluster_url.replace("{database}", name),
    drop: async () => {
      await admin(`drop database if exists ${name} with (force)`);
    },
  };
}

export type TestApp = App & {
  /** The database as the owner of the tables. */
  owner: Db;
  demo: Demo;
  config: Config;
  /** Log lines. */
  lines: () => Record<string, unknown>[];
  /** The manual clock: real time until a test moves it. */
  advance(ms: number): void;
  /** A token for the demo partner with that index (0: sandbox api_driven, 1: sandbox automatic, 2: production). */
  token(partner?: number): Promise<string>;
  /** A request to the partner API with a valid Accept header and, by default, partner 0's token. */
  call(path: string, init?: RequestInit & { partner?: number; token?: string | null }): Promise<Response>;
};

/**
 * The real service with the demo's cast, in this process, on its own database and free loopback ports. The cast is a
 * copy of the one seeded for the whole run. With a `url`, the service seeds that database if it is empty.
 */
export async function startTestApp(
  options: {
    env?: Record<string, string>;
    routes?: Route[];
    url?: string;
    /** The credentials for the database at `url`. */
    demo?: Demo;
    webhook_client?: WebhookClient;
    /** Lifts the rate limits, for tests of other features that send many requests. */
    unlimited?: boolean;
  } = {},
): Promise<TestApp> {
  const database = options.url === undefined ? await createTestDatabase(DEMO_TEMPLATE) : undefined;
  const data_dir = mkdtempSync(join(tmpdir(), "pestle-app-"));
  const owner_url = options.url ?? database!.url;
  const pooler = inject("pooler");
  const pooled = (url: string) => (pooler === "" ? url : url.replace(/\?.*$/, `?${pooler}`));
  const config = readConfig({
    DATABASE_URL: pooled(urlAs("service", owner_url)),
    DATABASE_OWNER_URL: owner_url,
    DATABASE_JOBS_URL: pooled(urlAs("jobs", owner_url)),
    ...(pooler !== "" && { DATABASE_DIRECT_URL: urlAs("jobs", owner_url) }),
    DATABASE_POOL_SIZE: "6",
    // Most tests use the sandbox, and those that name a size or a concurrency mean the one that they use.
    SANDBOX_POOL_SIZE: options.env?.["DATABASE_POOL_SIZE"] ?? "6",
    SANDBOX_CONCURRENT_REQUESTS: "128",
    SANDBOX_PROCESS: "shared",
    SANDBOX_WEBHOOK_CONCURRENCY: options.env?.["WEBHOOK_CONCURRENCY"]?.replace(/^0$/, "1") ?? "256",
    MASTER_KEY: TEST_MASTER_KEY,
    DATA_DIR: data_dir,
    PORT: "0",
    AUTH_PORT: "0",
    SANDBOX_AUTH_PORT: "0",
    ...options.env,
  });
  const known = database === undefined ? options.demo : inject("demo");
  if (known !== undefined) writeDemo(data_dir, known);
  let moved_ms = 0;
  const written: string[] = [];
  const app = await startApp(config, {
    now: () => new Date(Date.now() + moved_ms),
    log: pino({ level: "info" }, { write: (line: string) => void written.push(line) }),
    password_cost: TEST_PASSWORD_COST,
    prepare: async (deps) => known !== undefined || seedDemo(deps),
    ...(options.routes === undefined ? {} : { routes: options.routes }),
    ...(options.webhook_client === undefined ? {} : { webhook_client: options.webhook_client }),
  });
  const owner = openDb({ connection: { connectionString: owner_url }, pool_size: 2, named_statements: true });
  // A test's own statements damage rows and tables that no role of the service can touch.
  app.deps.db.raw = owner.raw;
  if (options.unlimited) await app.deps.db.raw("update account set rate_per_second = 100000, rate_burst = 100000");
  // Callers of a service behind a proxy use https; a test is the proxy.
  const reached = (url: string) => (config.TLS_CERT_FILE === "" ? url.replace(/^https:/, "http:") : url);
  const addresses: App["addresses"] = {
    base_url: reached(app.addresses.base_url),
    auth_url: reached(app.addresses.auth_url),
    sandbox_auth_url: reached(app.addresses.sandbox_auth_url),
  };
  const demo = { ...(readDemo(data_dir) ?? ({ partners: [] } as unknown as Demo)), ...addresses };
  const tokens = new Map<number, string>();
  const token = async (partner = 0) => {
    const known = tokens.get(partner);
    if (known !== undefined) return known;
    const { client_id, client_secret, environment } = demo.partners[partner]!;
    const auth_url = environment === "sandbox" ? addresses.sandbox_auth_url : addresses.auth_url;
    const body = new URLSearchParams({ grant_type: "client_credentials", scope: "partners", client_id, client_secret });
    const response = await fetch(`${auth_url}/oauth/token`, { method: "POST", body });
    const { access_token } = (await response.json()) as { access_token: string };
    tokens.set(partner, access_token);
    return access_token;
  };
  return {
    ...app,
    addresses,
    owner,
    demo,
    config,
    lines: () => written.map((line) => JSON.parse(line)),
    advance: (ms) => {
      moved_ms += ms;
    },
    token,
    async call(path, { partner = 0, token: given, ...init } = {}) {
      const headers = new Headers(init.headers);
      if (!headers.has("accept")) headers.set("accept", "application/json");
      if (given !== null) headers.set("authorization", `Bearer ${given ?? (await token(partner))}`);
      return fetch(`${addresses.base_url}${path}`, { ...init, headers });
    },
    async stop() {
      // Tests leave bodies unread, and the server need not wait for them.
      await app.stop(100);
      await owner.close();
      await database?.drop();
      rmSync(data_dir, { recursive: true, force: true });
    },
  };
}
