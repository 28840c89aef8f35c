import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import {
  chmod,
  chown,
  lstat,
  mkdir,
  mkdtemp,
  readlink,
  rm,
  rmdir,
  stat,
  symlink,
  utimes,
  writeFile,
} from "node:fs/promises";
import { getPriority, setPriority, tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import pg from "pg";
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { readConfig } from "../../../src/config.ts";
import { openDatabase } from "../../../src/database.ts";
import type { Db } from "../../../src/db/db.ts";
import { type Account, canEnter, NOBODY } from "../../../src/db/embedded/account.ts";
import { copyPackage, repairLinks } from "../../../src/db/embedded/binaries.ts";
import { type EmbeddedPostgres, EmbeddedUnavailable, openEmbeddedPostgres } from "../../../src/db/embedded/embedded.ts";
import { run } from "../../../src/db/embedded/process.ts";
import { NICER_BY } from "../../../src/thread-priority.ts";

type Connection = EmbeddedPostgres["connection"];

const SERVER_DIR = fileURLToPath(new URL("../../..", import.meta.url));
const EMBEDDED_URL = new URL("../../../src/db/embedded/embedded.ts", import.meta.url).href;
const IS_ROOT = process.getuid?.() === 0;
const NOBODY_READS_US = IS_ROOT && (await canEnter(NOBODY, SERVER_DIR.slice(0, -1)));
const DEADLINE_MS = 60_000;

vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });

let folder: string;
let data_dir: string;
const bases = new Set<string>();
const children = new Set<ChildProcess>();
const clients = new Set<pg.Client>();

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "pestle-embedded-"));
  await chmod(folder, 0o755);
  data_dir = join(folder, "data");
  bases.add(data_dir);
});

afterEach(async () => {
  for (const client of clients) await client.end().catch(() => undefined);
  for (const child of children) await killGroup(child);
  for (const base of bases) {
    await killPostmaster(base, "SIGQUIT");
    await rm(base, { recursive: true, force: true, maxRetries: 5 });
  }
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  if (IS_ROOT)
    for (const shared of ["/var/lib/pestle", "/var/cache/pestle"]) await rmdir(shared).catch(() => undefined);
  for (const set of [bases, children, clients]) set.clear();
});

/** A cluster that was created and stopped, to be copied: to create one takes seconds. */
let made: Promise<string> | undefined;

async function makeCluster(): Promise<string> {
  const own_folder = await mkdtemp(join(tmpdir(), "pestle-embedded-"));
  await chmod(own_folder, 0o755);
  const base = join(own_folder, "data");
  const db = await openEmbeddedPostgres({ data_dir: base });
  if (!(await db.stopIfUnused())) throw new Error("the cluster to copy is in use");
  return own_folder;
}

afterAll(async () => {
  if (made !== undefined) await rm(await made, { recursive: true, force: true, maxRetries: 5 });
});

/** Opens a cluster that has run before. */
async function openExisting(): Promise<EmbeddedPostgres> {
  made ??= makeCluster();
  // Keeps the owner, who may be another account than ours.
  await run("cp", ["-a", join(await made, "data"), data_dir], undefined);
  return openEmbeddedPostgres({ data_dir });
}

async function until<Value>(
  what: string,
  look: () => Value | Promise<Value>,
  pause_ms = 5,
): Promise<NonNullable<Value>> {
  const deadline = Date.now() + DEADLINE_MS;
  for (;;) {
    const value = await look();
    if (value) return value;
    if (Date.now() > deadline) throw new Error(`still waiting until ${what}`);
    await delay(pause_ms);
  }
}

function mayLower(pid: number): boolean {
  try {
    setPriority(pid, getPriority(pid));
    return true;
  } catch {
    return false;
  }
}

async function connect(connection: Connection): Promise<pg.Client> {
  const client = new pg.Client(connection);
  client.on("error", () => undefined);
  await client.connect();
  clients.add(client);
  return client;
}

async function query(connection: Connection, text: string): Promise<unknown[]> {
  const client = await connect(connection);
  const result = await client.query({ text, rowMode: "array" });
  await client.end();
  return result.rows.flat();
}

function postmasterPid(base: string): number | undefined {
  const file = join(base, "postgres/postmaster.pid");
  return existsSync(file) ? Number.parseInt(readFileSync(file, "utf8"), 10) || undefined : undefined;
}

/** A zombie process keeps its id and has no command line. */
function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return process.platform !== "linux" || readFileSync(`/proc/${pid}/cmdline`, "utf8") !== "";
  } catch {
    return false;
  }
}

async function killPostmaster(base: string, signal: NodeJS.Signals): Promise<void> {
  const pid = postmasterPid(base);
  if (pid === undefined || !isRunning(pid)) return;
  process.kill(pid, signal);
  await until("postgres is gone", () => !isRunning(pid));
}

/** A separate process that opens the database, reports it, and stays. It leads a group that includes initdb. */
async function openInChild(
  settings: { account?: Account } = {},
): Promise<{ child: ChildProcess; ready: Promise<void> }> {
  const script = join(folder, "child.mjs");
  const text = `import { openEmbeddedPostgres } from ${JSON.stringify(EMBEDDED_URL)};
    await openEmbeddedPostgres({ data_dir: ${JSON.stringify(data_dir)} });
    console.log("ready");
    setInterval(() => undefined, 1000);`;
  await writeFile(script, text);
  const env = { PATH: process.env.PATH, TMPDIR: tmpdir(), HOME: folder };
  const options = { cwd: SERVER_DIR, env, detached: true, ...settings.account };
  const child = spawn(process.execPath, ["--import", "tsx", script], { ...options, stdio: ["ignore", "pipe", "pipe"] });
  children.add(child);
  let errors = "";
  child.stderr.on("data", (chunk) => {
    errors += chunk;
  });
  const said = once(child.stdout, "data");
  const ended = once(child, "exit").then(() => Promise.reject(new Error(`the child ended: ${errors}`)));
  ended.catch(() => undefined);
  return { child, ready: Promise.race([said, ended]).then(() => undefined) };
}

async function killGroup(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, "exit");
  process.kill(-child.pid!, "SIGKILL");
  await exit;
}

/** An unrelated program that runs as the same user. */
async function bystander(): Promise<number> {
  const child = spawn("sleep", ["60"], { detached: true, stdio: "ignore", ...(IS_ROOT ? NOBODY : {}) });
  children.add(child);
  await once(child, "spawn");
  return child.pid!;
}

describe("an embedded PostgreSQL", () => {
  it("is created on first use, durable, in UTC, and reachable only through a private socket folder", async () => {
    const { connection } = await openEmbeddedPostgres({ data_dir });
    expect(connection).toEqual({
      host: join(data_dir, "socket"),
      port: 5432,
      user: "pestle",
      database: "pestle",
      password: expect.stringMatching(/^[\w-]{32}$/),
    });
    const names = ["fsync", "synchronous_commit", "data_checksums", "listen_addresses", "timezone", "log_timezone"];
    const settings = await query(
      connection,
      names.map((name) => `select current_setting('${name}')`).join(" union all "),
    );
    expect(settings).toEqual(["on", "on", "on", "", "UTC", "UTC"]);
    const text =
      "select datlocprovider, datlocale, pg_encoding_to_char(encoding) from pg_database where datname = 'pestle'";
    expect(await query(connection, text)).toEqual(["b", "C.UTF-8", "UTF8"]);
    expect((await stat(connection.host)).mode & 0o777).toBe(0o700);
    expect((await stat(join(data_dir, "postgres.log"))).mode & 0o777).toBe(0o600);
    expect((await stat(data_dir)).mode & 0o777).toBe(IS_ROOT ? 0o711 : 0o700);
    expect((await stat(join(data_dir, "postgres.passwords"))).mode & 0o777).toBe(0o600);
    expect(readdirSync(data_dir).sort()).toEqual(["postgres", "postgres.log", "postgres.passwords", "socket"]);
  });

  it("admits its roles by password only, and only the owner is a superuser", async () => {
    const { connection, service, jobs } = await openExisting();
    for (const one of [connection, service, jobs]) {
      const [role, superuser] = await query(
        one,
        "select current_user::text, usesuper from pg_user where usename = current_user",
      );
      expect([role, superuser]).toEqual([one.user, one === connection]);
      await expect(connect({ ...one, password: "" })).rejects.toThrow(/password/);
      await expect(connect({ ...one, password: "wrong" })).rejects.toThrow(/authentication failed/);
    }
    const methods = await query(
      connection,
      "select distinct auth_method from pg_hba_file_rules where auth_method <> 'reject'",
    );
    expect(methods).toEqual(["scram-sha-256"]);
  });

  it("of 0.1.0, which trusted every client, gets passwords at the next start", async () => {
    const first = await openExisting();
    await query(first.connection, "create table kept as select 7 as value");
    await query(first.connection, "drop role pestle_service");
    await query(first.connection, "drop role pestle_jobs");
    expect(await first.stopIfUnused()).toBe(true);
    const rules = join(data_dir, "postgres/pg_hba.conf");
    await writeFile(rules, "local all all trust\nhost all all 127.0.0.1/32 reject\n");
    await rm(join(data_dir, "postgres.passwords"));
    const second = await openEmbeddedPostgres({ data_dir });
    expect(await query(second.connection, "select value from kept")).toEqual([7]);
    expect(await query(second.service, "select current_user::text")).toEqual(["pestle_service"]);
    await expect(connect({ ...second.connection, password: "" })).rejects.toThrow(/password/);
    expect(readFileSync(rules, "utf8")).not.toContain("trust");
  });

  it("whose password file is lost gets new passwords at the next start", async () => {
    const first = await openExisting();
    expect(await first.stopIfUnused()).toBe(true);
    await rm(join(data_dir, "postgres.passwords"));
    const second = await openEmbeddedPostgres({ data_dir });
    expect(second.connection.password).not.toBe(first.connection.password);
    expect(await query(second.jobs, "select current_user::text")).toEqual(["pestle_jobs"]);
    await expect(connect(first.connection)).rejects.toThrow(/authentication failed/);
  });

  it("keeps its data across starts", async () => {
    const first = await openExisting();
    await query(first.connection, "create table kept as select 7 as value");
    const pid = postmasterPid(data_dir)!;
    expect(await first.stopIfUnused()).toBe(true);
    expect(isRunning(pid)).toBe(false);
    const second = await openEmbeddedPostgres({ data_dir });
    expect(await query(second.connection, "select value from kept")).toEqual([7]);
  });

  it.runIf(process.platform === "linux")(
    "prefers the connections of production to those of the sandbox",
    async ({ skip }) => {
      const cluster = await openExisting();
      const database = await openDatabase(readConfig({ DATA_DIR: data_dir }));
      try {
        const servedBy = async (db: Db) => Number((await db.raw("select pg_backend_pid() as pid")).rows[0]!["pid"]);
        const { db, tenants, queue, sandbox } = database;
        const ours = await servedBy(db);
        if (!mayLower(ours)) skip("root without CAP_SYS_NICE may not change a process of another user");
        expect(getPriority(ours)).toBe(getPriority(await servedBy(tenants)));
        for (const pool of [sandbox.db, sandbox.tenants, sandbox.queue]) {
          const pid = await servedBy(pool);
          await until("the process has a lower priority", () => getPriority(pid) === getPriority(ours) + NICER_BY);
          const session = `/proc/${pid}/autogroup`;
          // Not every Linux shares the processor among sessions.
          if (existsSync(session)) {
            await until("its session has one", () => readFileSync(session, "utf8").endsWith(` nice ${NICER_BY}\n`));
          }
        }
        expect(getPriority(await servedBy(queue))).toBe(getPriority(ours));
      } finally {
        await database.close();
        await cluster.stopIfUnused();
      }
    },
  );

  it("survives a killed server and is adopted by the next, which can stop it", async () => {
    const { child, ready } = await openInChild();
    await ready;
    const pid = postmasterPid(data_dir)!;
    await killGroup(child);
    const adopted = await openEmbeddedPostgres({ data_dir });
    expect(await query(adopted.connection, "select 1")).toEqual([1]);
    expect(postmasterPid(data_dir)).toBe(pid);
    expect(await adopted.stopIfUnused()).toBe(true);
    await until("postgres is gone", () => !isRunning(pid));
  });

  it("recovers with its data after kill -9, however many processes start it", async () => {
    const db = await openExisting();
    await query(db.connection, "create table kept as select 7 as value");
    const busy = await connect(db.connection);
    const cut_off = busy.query("select pg_sleep(60)").catch((error: Error) => error);
    const pid = postmasterPid(data_dir)!;
    process.kill(pid, "SIGKILL");
    await Promise.all([db.ensureRunning(), db.ensureRunning(), openEmbeddedPostgres({ data_dir })]);
    expect(await cut_off).toBeInstanceOf(Error);
    expect(postmasterPid(data_dir)).not.toBe(pid);
    expect(await query(db.connection, "select value from kept")).toEqual([7]);
  });

  it("is shared by two processes that start it for the first time at the same moment", async () => {
    const [first, second] = await Promise.all([openInChild(), openInChild()]);
    await Promise.all([first.ready, second.ready]);
    const { connection } = await openEmbeddedPostgres({ data_dir });
    expect(await query(connection, "select 1")).toEqual([1]);
    expect(readdirSync(data_dir).sort()).toEqual(["postgres", "postgres.log", "postgres.passwords", "socket"]);
  });

  it("is not stopped while another client is connected", async () => {
    const db = await openExisting();
    const other = await connect(db.connection);
    expect(await db.stopIfUnused()).toBe(false);
    expect((await other.query("select 1 as one")).rows).toEqual([{ one: 1 }]);
    await other.end();
    expect(await Promise.all([db.stopIfUnused(), db.stopIfUnused()])).toEqual([true, true]);
    expect(await db.stopIfUnused()).toBe(true);
    await db.ensureRunning();
    expect(await query(db.connection, "select 1")).toEqual([1]);
  });

  it("starts although its lock files name another program's process, or are empty", async () => {
    const db = await openExisting();
    const locks = [join(data_dir, "postgres/postmaster.pid"), join(data_dir, "socket/.s.PGSQL.5432.lock")];
    const contents = locks.map((file) => readFileSync(file, "utf8"));
    const pid = await bystander();
    for (const first_line of [String(pid), undefined]) {
      await db.stopIfUnused();
      for (const [index, file] of locks.entries()) {
        await writeFile(file, first_line ? contents[index]!.replace(/^\d+/, first_line) : "");
        await utimes(file, 0, 0);
        if (IS_ROOT) await chown(file, NOBODY.uid, NOBODY.gid);
      }
      await db.ensureRunning();
      expect(postmasterPid(data_dir)).not.toBe(pid);
      expect(isRunning(pid)).toBe(true);
    }
    expect(readdirSync(join(data_dir, "socket")).sort()).toEqual([".s.PGSQL.5432", ".s.PGSQL.5432.lock"]);
  });

  it("uses another socket folder if the path would be too long", async () => {
    data_dir = join(folder, "d".repeat(90));
    bases.add(data_dir);
    const { connection } = await openEmbeddedPostgres({ data_dir });
    bases.add(connection.host);
    expect(connection.host).toMatch(/\/pestle-[0-9a-f]{16}$/);
    expect((await stat(connection.host)).mode & 0o777).toBe(0o700);
    expect(await query(connection, "select 1")).toEqual([1]);
  });

  it("says in one line why it cannot start", async () => {
    const db = await openExisting();
    await db.stopIfUnused();
    await writeFile(join(data_dir, "postgres/PG_VERSION"), "17\n");
    const line = `PostgreSQL did not start: FATAL:  database files are incompatible with server (see ${data_dir}/postgres.log)`;
    await expect(db.ensureRunning()).rejects.toThrow(line);
    await expect(openEmbeddedPostgres({ data_dir })).rejects.toThrow(line);
  });

  it("does not touch an unknown folder in its place", async () => {
    await mkdir(join(data_dir, "postgres"), { recursive: true });
    await writeFile(join(data_dir, "postgres/letter"), "mine");
    await expect(openEmbeddedPostgres({ data_dir })).rejects.toThrow("move it");
    expect(readdirSync(data_dir)).toEqual(["postgres"]);
    expect(readFileSync(join(data_dir, "postgres/letter"), "utf8")).toBe("mine");
  });

  it.runIf(IS_ROOT)("lives elsewhere when root keeps it under a folder closed to others", async () => {
    await chmod(folder, 0o700);
    const db = await openEmbeddedPostgres({ data_dir });
    const base = readFileSync(join(data_dir, "postgres.location"), "utf8").trim();
    bases.add(base);
    expect(base).toMatch(/^\/var\/lib\/pestle\/[0-9a-f]{16}$/);
    expect(db.connection.host).toBe(join(base, "socket"));
    await query(db.connection, "create table kept as select 7 as value");
    expect(await db.stopIfUnused()).toBe(true);
    await chmod(folder, 0o755);
    const again = await openEmbeddedPostgres({ data_dir });
    expect(await query(again.connection, "select value from kept")).toEqual([7]);
    expect(await again.stopIfUnused()).toBe(true);
    await rm(base, { recursive: true });
    await expect(openEmbeddedPostgres({ data_dir })).rejects.toThrow("restore it");
  });

  it.runIf(NOBODY_READS_US)("runs as the ordinary user who starts it, and root can adopt it", async () => {
    await mkdir(data_dir);
    await chown(data_dir, NOBODY.uid, NOBODY.gid);
    const { child, ready } = await openInChild({ account: NOBODY });
    await ready;
    expect((await stat(join(data_dir, "postgres.log"))).uid).toBe(NOBODY.uid);
    const pid = postmasterPid(data_dir)!;
    await killGroup(child);
    const adopted = await openEmbeddedPostgres({ data_dir });
    expect(postmasterPid(data_dir)).toBe(pid);
    expect(await query(adopted.connection, "select 1")).toEqual([1]);
  });
});

/** The files on disk at the time of the kill; `*` stands for initdb's working folder. */
const STAGES = [
  ["postgres.init-*", "server and initdb"],
  ["postgres.init-*/PG_VERSION", "server"],
  ["postgres.init-*/global/pg_control", "server and initdb"],
  ["postgres.init-*/base/5", "server"],
  ["postgres.init-*/base/16384", "server and initdb"],
  ["postgres", "server"],
  ["postgres/postmaster.pid", "server and postgres"],
  ["socket/.s.PGSQL.5432", "server and postgres"],
] as const;

describe("a first start killed with kill -9", () => {
  function reached(stage: string): boolean {
    const [top = "", ...rest] = stage.split("/");
    const names = existsSync(data_dir) ? readdirSync(data_dir) : [];
    const name = names.find((candidate) =>
      top.endsWith("*") ? candidate.startsWith(top.slice(0, -1)) : candidate === top,
    );
    return name !== undefined && existsSync(join(data_dir, name, ...rest));
  }

  it.each(STAGES)("at %s (%s) is repaired by the next start", async (stage, killed) => {
    const { child, ready } = await openInChild();
    ready.catch(() => undefined);
    await until(`there is ${stage}`, () => reached(stage), 1);
    if (killed === "server") {
      child.kill("SIGKILL");
      await once(child, "exit");
    } else await killGroup(child);
    if (killed === "server and postgres") await killPostmaster(data_dir, "SIGKILL");
    const { connection } = await openEmbeddedPostgres({ data_dir });
    expect(await query(connection, "select current_database()::text")).toEqual(["pestle"]);
    if (killed !== "server")
      expect(readdirSync(data_dir).sort()).toEqual(["postgres", "postgres.log", "postgres.passwords", "socket"]);
  });
});

describe("the programs of the embedded PostgreSQL", () => {
  async function fabricatePackage(version: string): Promise<string> {
    const package_dir = join(folder, "package");
    for (const name of ["bin", "lib", "share"]) await mkdir(join(package_dir, "native", name), { recursive: true });
    await writeFile(join(package_dir, "package.json"), JSON.stringify({ version }));
    await writeFile(join(package_dir, "native/lib/libx.so.1.2"), "x");
    await writeFile(join(package_dir, "native/bin/postgres"), "#!/bin/sh\nexit 0\n", { mode: 0o700 });
    const links = ["libx.so", "libx.so.1"].map((name) => ({
      source: "native/lib/libx.so.1.2",
      target: `native/lib/${name}`,
    }));
    await writeFile(join(package_dir, "native/pg-symlinks.json"), JSON.stringify(links));
    return package_dir;
  }

  it("get back the links that an install without scripts omits, regardless of which process repairs them first", async () => {
    const package_dir = await fabricatePackage("1.0.0");
    await symlink("libx.so.1.2", join(package_dir, "native/lib/libx.so"));
    expect(await Promise.all([repairLinks(package_dir), repairLinks(package_dir)])).toEqual([true, true]);
    for (const name of ["libx.so", "libx.so.1"]) {
      expect(await readlink(join(package_dir, "native/lib", name))).toBe("libx.so.1.2");
    }
  });

  it("are copied into the data folder if they are incomplete and cannot be completed in place", async () => {
    const package_dir = await fabricatePackage("1.0.0");
    await mkdir(data_dir);
    const copies = [copyPackage(package_dir, undefined, data_dir), copyPackage(package_dir, undefined, data_dir)];
    const copy = join(data_dir, "postgres-1.0.0");
    expect(await Promise.all(copies)).toEqual([copy, copy]);
    expect(readdirSync(data_dir)).toEqual(["postgres-1.0.0"]);
    expect((await lstat(join(copy, "native/lib/libx.so.1"))).isSymbolicLink()).toBe(true);
  });

  it.runIf(IS_ROOT)("are copied to where the account can run them when the installation is closed to it", async () => {
    await chmod(folder, 0o700);
    const package_dir = await fabricatePackage(`0.0.0-test-${process.pid}`);
    await expect(run(join(package_dir, "native/bin/postgres"), [], NOBODY)).rejects.toThrow("EACCES");
    const copy = await copyPackage(package_dir, NOBODY, data_dir);
    bases.add(copy);
    await run(join(copy, "native/bin/postgres"), [], NOBODY);
  });

  it("are missing on an unknown platform and with musl, and the error says what to do", async () => {
    const arch = Object.getOwnPropertyDescriptor(process, "arch")!;
    const advice = "set DATABASE_URL to a PostgreSQL 15 or later";
    try {
      Object.defineProperty(process, "arch", { ...arch, value: "riscv64" });
      await expect(openEmbeddedPostgres({ data_dir })).rejects.toThrow(EmbeddedUnavailable);
      await expect(openEmbeddedPostgres({ data_dir })).rejects.toThrow(advice);
    } finally {
      Object.defineProperty(process, "arch", arch);
    }
    if (process.platform !== "linux") return;
    const report = vi.spyOn(process.report, "getReport").mockReturnValue({ header: {} });
    await expect(openEmbeddedPostgres({ data_dir })).rejects.toThrow(`no embedded PostgreSQL for musl: ${advice}`);
    report.mockRestore();
  });
});
