import { execFileSync } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readConfig } from "../../../src/config.ts";
import { type Db, openDb } from "../../../src/db/db.ts";
import { anySealed, sealedColumns } from "../../../src/db/operations/sealed-columns.ts";
import { checkDatabase, checkMachine, checkRoom, type Finding } from "../../../src/usecases/operations/check-up.ts";
import { createTestDatabase, startTestApp, TEST_MASTER_KEY, type TestApp } from "../../support/test-app.ts";
import { DEMO_TEMPLATE, urlAs } from "../../support/test-cluster.ts";

/** Every finding that is not "ok" says what to do; the tests cause each one for real. */

let folder: string;
let app: TestApp;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "pestle-doctor-"));
  app = await startTestApp();
});
afterAll(async () => {
  await app.stop();
  rmSync(folder, { recursive: true, force: true });
});

const config = (env: Record<string, string> = {}) =>
  readConfig({
    DATABASE_URL: "postgresql:///unused",
    MASTER_KEY: TEST_MASTER_KEY,
    DATA_DIR: folder,
    PORT: "0",
    AUTH_PORT: "0",
    SANDBOX_AUTH_PORT: "0",
    ...env,
  });
const about = (findings: Finding[], what: string) => findings.find((one) => one.what === what);

describe("the machine", () => {
  test("is healthy in an empty folder with free ports", async () => {
    const findings = await checkMachine(config(), new Date());
    expect(findings.filter(({ state }) => state !== "ok")).toEqual([]);
    expect(findings.map(({ what }) => what)).toEqual(
      expect.arrayContaining(["data folder", "disk", "PORT", "AUTH_PORT", "SANDBOX_AUTH_PORT"]),
    );
  });

  test("names the setting of a port that another program uses, and recognizes our own service", async () => {
    const stranger = createServer((socket) => socket.end("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n"));
    await new Promise<void>((resolve) => stranger.listen(0, "127.0.0.1", resolve));
    const { port } = stranger.address() as { port: number };
    const own = new URL(app.addresses.base_url).port;
    const findings = await checkMachine(config({ PORT: own, AUTH_PORT: String(port) }), new Date());
    stranger.close();
    expect(about(findings, "PORT")).toEqual({ what: "PORT", state: "ok", says: `the service answers on ${own}` });
    expect(about(findings, "AUTH_PORT")).toEqual({
      what: "AUTH_PORT",
      state: "failed",
      says: `${port} is in use by another program: stop it, or set AUTH_PORT`,
    });
  });

  test("a disk with little space warns, and a full one fails if it holds the database", () => {
    const own = { ...config(), DATABASE_URL: "" };
    expect(checkRoom(own, 2 * 1024 ** 3)).toMatchObject({ state: "ok" });
    expect(checkRoom(own, 500 * 1024 ** 2)).toMatchObject({
      state: "warning",
      says: `500 MiB free for ${folder}: free up space`,
    });
    expect(checkRoom(own, 1024 ** 2)).toMatchObject({ state: "failed" });
    expect(checkRoom(config(), 1024 ** 2)).toMatchObject({ state: "warning" });
  });

  test("a key file that other users can read fails", async () => {
    const file = join(folder, "demo.json");
    writeFileSync(file, "{}");
    chmodSync(file, 0o644);
    expect(about(await checkMachine(config(), new Date()), "demo.json")).toMatchObject({ state: "failed" });
    rmSync(file);
  });

  test("a certificate near expiry warns, an expired one fails, and so does a key that does not match", async () => {
    const [cert, key, other] = ["cert.pem", "key.pem", "other.pem"].map((name) => join(folder, name)) as [
      string,
      string,
      string,
    ];
    const rsa = (out: string) => execFileSync("openssl", ["genrsa", "-out", out, "2048"], { stdio: "ignore" });
    rsa(key);
    rsa(other);
    const subject = ["-subj", "/CN=localhost", "-days", "30"];
    execFileSync("openssl", ["req", "-new", "-x509", "-key", key, "-out", cert, ...subject], { stdio: "ignore" });
    const look = async (days: number, keyFile = key) =>
      about(
        await checkMachine(
          config({ TLS_CERT_FILE: cert, TLS_KEY_FILE: keyFile }),
          new Date(Date.now() + days * 24 * 3600 * 1000),
        ),
        "tls",
      );
    expect(await look(0)).toMatchObject({ state: "ok" });
    expect(await look(20)).toMatchObject({ state: "warning" });
    expect(await look(31)).toMatchObject({ state: "failed" });
    expect(await look(0, other)).toMatchObject({
      state: "failed",
      says: expect.stringContaining("do not match"),
    });
  });
});

describe("the database", () => {
  const check = (db: Db, env: Record<string, string> = {}, late_ms = 0) =>
    checkDatabase(config(env), db, () => new Date(Date.now() + late_ms), app.deps.tenants.of(""));

  test("is healthy under a running service", async () => {
    const findings = await check(app.deps.db);
    expect(findings.map(({ what, state }) => [what, state])).toEqual([
      ["database", "ok"],
      ["database roles", "ok"],
      ["database connection", "ok"],
      ["clock", "ok"],
      ["migrations", "ok"],
      ["keys", "ok"],
      ["safety tables", "ok"],
      ["pharmacists", "ok"],
      ["controlled stock", "ok"],
      ["client secrets", "ok"],
      ["audit log", "ok"],
      ["data loss", "ok"],
      ["email", "ok"],
    ]);
  });

  test("a service whose URLs lead to different databases does not start, and doctor says so", async () => {
    const copy = await createTestDatabase(DEMO_TEMPLATE);
    const service = openDb({
      connection: { connectionString: urlAs("service", copy.url) },
      pool_size: 1,
      named_statements: false,
    });
    try {
      const start = (env: Record<string, string>) =>
        startTestApp({ env }).then(
          (started) => started.stop(),
          (error: Error) => error.message,
        );
      expect(await start({ DATABASE_URL: urlAs("service", copy.url) })).toBe(
        "DATABASE_URL and DATABASE_OWNER_URL lead to different databases. Set them to the same one.",
      );
      expect(await start({ DATABASE_JOBS_URL: urlAs("jobs", copy.url) })).toBe(
        "DATABASE_JOBS_URL and DATABASE_OWNER_URL lead to different databases. Set them to the same one.",
      );
      expect(await start({ DATABASE_DIRECT_URL: urlAs("jobs", copy.url) })).toBe(
        "DATABASE_DIRECT_URL and DATABASE_OWNER_URL lead to different databases. Set them to the same one.",
      );
      const findings = await checkDatabase(config(), app.deps.db, () => new Date(), service);
      expect(about(findings, "database roles")).toMatchObject({
        state: "failed",
        says: "DATABASE_URL and DATABASE_JOBS_URL lead to different databases",
      });
    } finally {
      await service.close();
      await copy.drop();
    }
  });

  test("a service role that owns the tables warns, and the warning says how to split it", async () => {
    const findings = await checkDatabase(config(), app.owner, () => new Date());
    expect(about(findings, "database roles")).toEqual({
      what: "database roles",
      state: "warning",
      says: expect.stringMatching(/serves requests, .*: run `pestle database roles`, and set DATABASE_URL/),
    });
  });

  test("a remote database without TLS, or with an unverified certificate, warns", async () => {
    const look = async (url: string, env = {}) =>
      about(await check(app.deps.db, { DATABASE_URL: url, ...env }), "database connection");
    const remote = "postgresql://u:p@db.example/pestle";
    expect(await look(remote)).toMatchObject({ state: "ok", says: expect.stringContaining("verified") });
    expect(await look(`${remote}?sslmode=disable`)).toMatchObject({ state: "warning" });
    expect(await look(remote, { PGSSLMODE: "no-verify" })).toMatchObject({ state: "warning" });
    expect(await look(remote, { PGSSLMODE: "prefer" })).toMatchObject({ state: "ok" });
    expect(await look("postgresql://u:p@127.0.0.1/pestle")).toMatchObject({ state: "ok" });
  });

  test("a clock that differs warns", async () => {
    expect(about(await check(app.deps.db, {}, 60_000), "clock")).toMatchObject({
      state: "warning",
      says: expect.stringContaining("NTP"),
    });
  });

  test("distinguishes pending migrations from a database without keys", async () => {
    const empty = await createTestDatabase("");
    const db = openDb({ connection: { connectionString: empty.url }, pool_size: 1, named_statements: true });
    const findings = await check(db);
    expect(about(findings, "migrations")).toMatchObject({ state: "warning" });
    expect(about(findings, "keys")).toMatchObject({ state: "warning" });
    await db.close();
    await empty.drop();
    const migrated = await createTestDatabase();
    const second = openDb({ connection: { connectionString: migrated.url }, pool_size: 1, named_statements: true });
    expect(about(await check(second), "keys")).toEqual({
      what: "keys",
      state: "ok",
      says: "none yet: the first start creates them",
    });
    await second.close();
    await migrated.drop();
  });

  test("another master key fails and names the fingerprint; a damaged value fails too", async () => {
    expect(about(await check(app.deps.db, { MASTER_KEY: "8".repeat(64) }), "keys")).toMatchObject({
      state: "failed",
      says: expect.stringContaining("is not the key of this database"),
    });
    const where = sealedColumns[0]!;
    const flip = () =>
      app.deps.db.raw(
        `update ${where.table} set ${where.column} = set_byte(${where.column}, 20, 255 - get_byte(${where.column}, 20))`,
      );
    expect(await anySealed(app.deps.db, where)).toBeDefined();
    await flip();
    expect(about(await check(app.deps.db), "keys")).toMatchObject({ state: "failed" });
    await flip();
    expect(about(await check(app.deps.db), "keys")).toMatchObject({ state: "ok" });
  });
});
