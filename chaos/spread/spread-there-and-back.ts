import { randomBytes } from "node:crypto";
import pg from "pg";
import { findCitus, startCitus } from "../../scripts/citus.ts";
import { memoryFolder } from "../../scripts/memory-folder.ts";
import { type Db, openDb } from "../../server/src/db/db.ts";
import { distribute, type Progress, undistribute } from "../../server/src/db/operations/distribution.ts";
import { brokenInvariants } from "../invariants/in-database.ts";
import { playLifecycles } from "../lifecycle/lifecycle.ts";
import { cloneAccount } from "./clone-account.ts";
import { differences, rowsIn, tableSums } from "./table-sums.ts";

export type SpreadTally = {
  accounts: number;
  orders: number;
  rows: number;
  spread_ms: number;
  gather_ms: number;
  faults: string[];
};

const NAME = "pharmacy";
const WORKERS = 2;
/** One lane of stories plays on two accounts, so the larger has at least half of the orders. */
const LANE_ACCOUNTS = 2;

export const NO_CITUS =
  "SKIPPED: this machine has no Citus for PostgreSQL 15 (citus.control), so nothing was checked. Install it and run this again.";
export const hasCitus = (): boolean => findCitus() !== undefined;

/** Fills a database, spreads it over two workers, brings it back, and compares what it holds. */
export async function spreadThereAndBack(options: {
  orders: number;
  accounts: number;
  seed: number;
  onProgress: (line: string) => void;
}): Promise<SpreadTally> {
  const { orders, accounts, seed, onProgress } = options;
  const servers = await startCitus(findCitus()!, {
    workers: WORKERS,
    settings: ["max_locks_per_transaction=256", "fsync=off", "timezone=UTC"],
    parent: memoryFolder(),
  });
  let db: Db | undefined;
  try {
    for (const [place, url] of servers.urls.entries()) {
      await onServer(url.replace("{database}", "postgres"), `create database ${NAME}`);
      if (place > 0) await onServer(url.replace("{database}", NAME), "create extension citus");
    }
    const database_url = servers.urls[0]!.replace("{database}", NAME);
    const stories = Math.ceil((LANE_ACCOUNTS * orders) / accounts);
    const played = await playLifecycles({ database_url, master_key: "0".repeat(64), count: stories, seed, lanes: 1 });
    const faults = [...played.faults];
    db = openDb({ connection: { connectionString: database_url }, pool_size: 2, named_statements: false });
    const own = db;
    await cloneUntil(own, { orders, accounts });
    const count = async (text: string) => Number((await own.raw(text)).rows[0]?.["count"]);
    const account_ids = (await own.raw("select account_id from account order by 1")).rows.map((row) =>
      String(row["account_id"]),
    );
    const check = async (when: string) => {
      for (const account_id of account_ids) {
        const broken = await brokenInvariants(own, "distribute", account_id);
        faults.push(...broken.map((one) => `${when}: ${one}`));
      }
    };
    await check("before");
    const before = await tableSums(own);
    onProgress(`${account_ids.length} accounts, ${rowsIn(before)} rows`);
    let step = "";
    const progress: Progress = (name, done, of) => {
      if (name !== step) onProgress(`${name}: ${done} of ${of}`);
      step = name;
    };
    const [coordinator, ...workers] = servers.hosts;
    const spread_ms = await timed(() => distribute(own, { coordinator: coordinator!, workers, progress }));
    faults.push(...differences(before, await tableSums(own)).map((one) => `spread: ${one}`));
    await check("spread");
    const gather_ms = await timed(() => undistribute(own, progress));
    faults.push(...differences(before, await tableSums(own)).map((one) => `brought back: ${one}`));
    await check("brought back");
    return {
      accounts: account_ids.length,
      orders: await count("select count(*) from orders"),
      rows: rowsIn(before),
      spread_ms,
      gather_ms,
      faults,
    };
  } finally {
    await db?.close();
    await servers.stop();
  }
}

/** Copies the account with the most orders until there are enough of both. */
async function cloneUntil(db: Db, { orders, accounts }: { orders: number; accounts: number }): Promise<void> {
  const { rows } = await db.raw(
    `select account_id, count(*)::integer as orders, sum(count(*)) over ()::integer as all_orders
    from orders
    group by 1
    order by 2 desc
    limit 1`,
  );
  const {
    account_id,
    orders: own,
    all_orders,
  } = rows[0] as {
    account_id: string;
    orders: number;
    all_orders: number;
  };
  const { rows: known } = await db.raw("select count(*)::integer as count from account");
  const missing = Math.max(
    accounts - Number(known[0]?.["count"]),
    Math.ceil((orders - all_orders) / Math.max(1, own)),
    0,
  );
  const copies = Array.from({ length: missing }, () => randomBytes(6).toString("hex"));
  if (copies.length > 0) await cloneAccount(db, account_id, copies);
}

async function timed(work: () => Promise<void>): Promise<number> {
  const begin_ms = Date.now();
  await work();
  return Date.now() - begin_ms;
}

async function onServer(url: string, text: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(text).finally(() => client.end());
}
