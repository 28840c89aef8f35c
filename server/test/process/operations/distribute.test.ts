import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, inject, test, vi } from "vitest";
import { hasCitus, NO_CITUS } from "../../../../chaos/spread/spread-there-and-back.ts";
import { differences, type TableSums, tableSums } from "../../../../chaos/spread/table-sums.ts";
import { type CitusServers, findCitus, startCitus } from "../../../../scripts/citus.ts";
import { memoryFolder } from "../../../../scripts/memory-folder.ts";
import { readConfig } from "../../../src/config.ts";
import { type Db, openDb } from "../../../src/db/db.ts";
import { distribute, distributionState, placeNewTables, prepareStep } from "../../../src/db/operations/distribution.ts";
import { createRolesText, type Roles, roleChanges } from "../../../src/db/roles.ts";
import { seedDemo } from "../../../src/seed/demo.ts";
import { masterKeys } from "../../../src/vault/master-key.ts";
import { openVault } from "../../../src/vault/vault.ts";
import { dumpSchema } from "../../support/sql/dump-schema.ts";
import { EMPTY_TEMPLATE } from "../../support/test-cluster.ts";
import { freePort } from "../../support/tools/free-port.ts";
import { runCli } from "../../support/tools/run-cli.ts";

vi.setConfig({ testTimeout: 600_000, hookTimeout: 600_000 });

const ROLES: Roles = { service: "pestle_service", jobs: "pestle_jobs" };
const MASTER_KEY = "7".repeat(64);
const NAME = "pharmacy";
/** Fewer than by default, because each costs time. */
const SHARDS = 6;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "pestle-distribute-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("without Citus, pestle distribute changes nothing and says what is missing", () => {
  const pestle = (url: string, ...args: string[]) =>
    runCli(["distribute", ...args], { DATA_DIR: folder, ...(url !== "" && { DATABASE_URL: url }) });

  test("the embedded database stays on one machine", async () => {
    const { code, stderr } = await pestle("", "--worker", "127.0.0.1:5432");
    expect({ code, stderr }).toMatchObject({ code: 1, stderr: expect.stringContaining("stays on one machine") });
  });

  test("an address without a port, and two tasks at once, are wrong usage", async () => {
    const url = inject("cluster_url").replace("{database}", EMPTY_TEMPLATE);
    expect((await pestle(url, "--worker", "db2")).stderr).toContain("--worker takes HOST:PORT");
    expect((await pestle(url, "--shards", "0", "--worker", "db2:5432")).stderr).toContain("--shards takes");
    expect((await pestle(url, "--undo", "--rebalance")).stderr).toContain("not both");
  });
});

if (!hasCitus()) console.error(NO_CITUS);

describe.skipIf(!hasCitus())("pestle distribute", () => {
  let servers: CitusServers;
  let env: Record<string, string>;
  let db: Db;
  let schema: string;
  let sums: TableSums;
  const urlOf = (place: number, database = NAME) => servers.urls[place]!.replace("{database}", database);
  const workerArg = (place: number) => `127.0.0.1:${servers.hosts[place]!.port}`;
  const pestle = (...args: string[]) => runCli(args, env);
  /** Commands refuse while another program has a connection, so each test opens its own. */
  const onDb = async <Result>(work: (own: Db) => Promise<Result>): Promise<Result> => {
    db = openDb({ connection: { connectionString: urlOf(0) }, pool_size: 2, named_statements: false });
    try {
      return await work(db);
    } finally {
      await db.close();
    }
  };

  beforeAll(async () => {
    servers = await startCitus(findCitus()!, {
      workers: 3,
      settings: ["wal_level=logical", "max_locks_per_transaction=256", "fsync=off", "timezone=UTC"],
      parent: memoryFolder(),
    });
    for (const text of createRolesText(ROLES, { service: "test", jobs: "test" }))
      await asked(urlOf(0, "postgres"), text);
    for (const place of [0, 1, 3]) await asked(urlOf(place, "postgres"), `create database ${NAME}`);
    const host = `127.0.0.1:${servers.hosts[0]!.port}/${NAME}`;
    env = {
      DATA_DIR: folder,
      MASTER_KEY,
      DATABASE_OWNER_URL: `postgresql://pestle@${host}`,
      DATABASE_URL: `postgresql://${ROLES.service}@${host}`,
      DATABASE_JOBS_URL: `postgresql://${ROLES.jobs}@${host}`,
    };
    expect(await pestle("migrate")).toMatchObject({ code: 0 });
    await onDb(async (own) => {
      const config = readConfig(env);
      const now = () => new Date();
      const vault = await openVault(own, (make) => masterKeys(config, make), now());
      await seedDemo({ config, db: own, vault, now });
      schema = await dumpSchema(own);
      sums = await tableSums(own);
    });
  });
  afterAll(() => servers?.stop());

  const expectSameRows = () => onDb(async (own) => expect(differences(sums, await tableSums(own))).toEqual([]));

  test("refuses a worker that is out of reach, and one without the database", async () => {
    const nowhere = await pestle("distribute", "--worker", `127.0.0.1:${await freePort()}`);
    expect(nowhere).toMatchObject({ code: 1, stderr: expect.stringContaining("Check its address") });
    const without = await pestle("distribute", "--worker", workerArg(2));
    expect(without).toMatchObject({ code: 1, stderr: expect.stringContaining(`no database ${NAME}`) });
    await asked(urlOf(2, "postgres"), `create database ${NAME}`);
    await onDb(async (own) => expect(await distributionState(own)).toBe("none"));
  });

  test("refuses while a service has a connection", async () => {
    await onDb(async (own) => {
      await own.raw("select 1");
      const refused = await pestle("distribute", "--worker", workerArg(1), workerArg(2));
      expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining("open connection") });
      expect(await distributionState(own)).toBe("none");
    });
  });

  test("goes on after an interruption, and no other command starts meanwhile", async () => {
    for (const place of [1, 2]) await asked(urlOf(place), "create extension if not exists citus");
    await onDb(async (own) => {
      const [coordinator, ...workers] = servers.hosts;
      const interrupted = distribute(own, {
        coordinator: coordinator!,
        workers: workers.slice(0, 2),
        shards: SHARDS,
        progress(step, done) {
          if (step === "place tables" && done === 20) throw new Error("the power failed");
        },
      });
      await expect(interrupted).rejects.toThrow("the power failed");
    });
    expect(await pestle("migrate")).toMatchObject({ code: 1, stderr: expect.stringContaining("was interrupted") });
    const status = (await pestle("distribute", "--status", "--json")).json() as {
      state: string;
      tables_placed: number;
    };
    expect(status).toMatchObject({ state: "spreading", tables_placed: 20 });
    expect(await pestle("distribute", "--undo")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("again first"),
    });
    const finished = await pestle("distribute", "--worker", workerArg(1), workerArg(2), "--shards", String(SHARDS));
    expect(finished).toMatchObject({ code: 0, stdout: expect.stringContaining("are spread over") });
    await expectSameRows();
  });

  test("refuses a second time, and the roles have their rights", async () => {
    const again = await pestle("distribute", "--worker", workerArg(1));
    expect(again).toMatchObject({ code: 1, stderr: expect.stringContaining("already spread") });
    await onDb(async (own) => expect(await roleChanges(own, ROLES)).toEqual([]));
  });

  test("a table that a migration adds goes to its place", async () => {
    await onDb(async (own) => {
      await own.raw("select undistribute_table('request_minute')");
      await own.transaction(async (tx) => {
        await prepareStep(tx);
        await placeNewTables(tx);
      });
      const { rows } = await own.raw(
        "select citus_table_type as kind from citus_tables where table_name = 'request_minute'::regclass",
      );
      expect(rows).toEqual([{ kind: "distributed" }]);
    });
  });

  test("the doctor shows the servers, and an account gets parts of its own on a server that is added", async () => {
    const doctor = (await pestle("doctor", "--json")).json() as { findings: { what: string; state: string }[] };
    const about = ["servers", "parts of tables", "paths between servers"];
    for (const what of about) expect(doctor.findings.find((one) => one.what === what)).toMatchObject({ state: "ok" });
    const account_id = await onDb(async (own) =>
      String(
        (await own.raw("select account_id from account where partner_id is not null limit 1")).rows[0]?.["account_id"],
      ),
    );
    expect(await pestle("distribute", "--isolate", "nosuchaccount")).toMatchObject({ code: 1 });
    for (const _ of ["first", "again"])
      expect(await pestle("distribute", "--isolate", account_id)).toMatchObject({ code: 0, stderr: "" });
    const grown = await pestle("distribute", "--rebalance", "--worker", workerArg(3), "--json");
    expect(grown).toMatchObject({ code: 0, stderr: "" });
    expect((grown.json() as { moved: number }).moved).toBeGreaterThan(0);
    await expectSameRows();
  });

  test("a backup of several servers restores on one", async () => {
    const file = join(folder, "several.backup");
    expect(await pestle("backup", file)).toMatchObject({ code: 0, stderr: "" });
    await asked(urlOf(0, "postgres"), "create database restored");
    const one = { DATA_DIR: folder, MASTER_KEY, DATABASE_URL: urlOf(0, "restored") };
    expect(await runCli(["restore", file], one)).toMatchObject({ code: 0, stderr: "" });
    const restored = openDb({
      connection: { connectionString: one.DATABASE_URL },
      pool_size: 1,
      named_statements: false,
    });
    try {
      const { account_home, orders, patient, person, product } = await tableSums(restored);
      expect(sums).toMatchObject({ account_home, orders, patient, person, product });
    } finally {
      await restored.close();
    }
  });

  test("--undo brings back every row and the same schema, on one server", async () => {
    expect(await pestle("distribute", "--undo")).toMatchObject({
      code: 0,
      stdout: "All tables are on one server.\n",
    });
    await expectSameRows();
    await onDb(async (own) => {
      expect(await dumpSchema(own)).toBe(schema);
      expect(await roleChanges(own, ROLES)).toEqual([]);
    });
    expect(await pestle("distribute", "--undo")).toMatchObject({ code: 1 });
  });
});

async function asked(connectionString: string, text: string): Promise<void> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  await client.query(text).finally(() => client.end());
}
