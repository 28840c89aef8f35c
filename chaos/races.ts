import { setTimeout as delay } from "node:timers/promises";
import { readConfig } from "../server/src/config.ts";
import { enterStock } from "../server/src/db/catalogue/stock.ts";
import { type Db, openDb } from "../server/src/db/db.ts";
import { openReference, type SealedReference } from "../server/src/usecases/orders/read-orders.ts";
import { patientIndex } from "../server/src/usecases/patients/patient-rows.ts";
import { masterKeys } from "../server/src/vault/master-key.ts";
import { openVault, type Vault } from "../server/src/vault/vault.ts";
import { addPatients } from "./add-patients.ts";
import { partnerToken, placeOrder } from "./client.ts";
import { brokenInvariants } from "./invariants/in-database.ts";
import { type SeededBug, seedBug } from "./invariants/seeded-bugs.ts";
import { type Found, judgeAct, readReply, type Submission } from "./race-ledger.ts";
import { type RacedOrder, raceScene, type Scene } from "./race-scene.ts";
import { type ServerPair, startPair } from "./server-pair.ts";
import type { From } from "./server-process.ts";

export type RaceOptions = {
  database_url: string;
  master_key: string;
  from: From;
  /** Connections per process. */
  pool_size?: number;
  count: number;
  kills: number;
  random: () => number;
  /** A defect that this run must notice. */
  bug?: SeededBug;
};
export type RaceTally = {
  submissions: number;
  kills: number;
  /** Number of answers of each kind. */
  answers: Record<string, number>;
  /** Attempts that a kill left without an answer. */
  lost_answers: number;
  /** Every violation. */
  faults: string[];
  orders: number;
  slowest_ms: number;
  deadlocks: number;
};

const CLIENTS = 50;
/** All clients start a scene at once, which gives the most contention. */
const SUBMISSIONS_PER_SCENE = 2 * CLIENTS;
const ACTS = 2;
const POOL_SIZE = 16;
const LATEST_KILL_MS = 300;
const TRY_AGAIN_AFTER_MS = 20;
const ANSWER_DEADLINE_MS = 60_000;
/** Keys per body. Most submissions use no key or the first one. */
const KEYS = [null, null, "a", "a", "b", "c"];

/** Fifty clients of two server processes race for the same units, shelves and keys, scene after scene. */
export async function race(options: RaceOptions): Promise<RaceTally> {
  const { database_url, master_key, from, pool_size = POOL_SIZE, count, kills, random } = options;
  const pair = await startPair({ database_url, master_key, from, pool_size });
  const db = openDb({ connection: { connectionString: database_url }, pool_size: 2, named_statements: true });
  try {
    const config = readConfig({ DATABASE_URL: database_url, MASTER_KEY: master_key });
    const vault = await openVault(db, () => masterKeys(config), new Date());
    const { account_id } = pair.sites()[0]!.partners[0]!;
    await db.raw("update account set rate_per_second = 100000, rate_burst = 100000 where account_id = $1", [
      account_id,
    ]);
    if (options.bug !== undefined) await seedBug(db, options.bug);
    const token = await partnerToken(pair.sites()[0]!);
    const tally: RaceTally = {
      submissions: 0,
      kills: 0,
      answers: {},
      lost_answers: 0,
      faults: [],
      orders: 0,
      slowest_ms: 0,
      deadlocks: 0,
    };
    const acknowledged = new Set<string>();
    const scenes = Math.ceil(count / SUBMISSIONS_PER_SCENE);
    const killAt = new Set(Array.from({ length: kills }, (_, kill) => Math.floor(((kill + 0.5) * scenes) / kills)));
    for (let number = 0; number < scenes; number++) {
      const scene = raceScene(number);
      await addPatients({ db, vault }, account_id, scene.patients);
      await fillShelves(db, account_id, scene.shelves);
      const killed = killAt.has(number) ? killSoon(pair, tally, random) : undefined;
      const answers = new Map<string, string>();
      const in_scene = Math.min(SUBMISSIONS_PER_SCENE, count - number * SUBMISSIONS_PER_SCENE);
      for (let act = 0; act < ACTS; act++) {
        const since = new Date();
        const size = Math.floor(in_scene / ACTS) + (act < in_scene % ACTS ? 1 : 0);
        const submissions = await play(pair, token, scene, { size, random, tally });
        for (const { told } of submissions) if ("text" in told) acknowledged.add(told.order_number);
        const found = await look({ db, vault }, account_id, scene, since);
        tally.faults.push(...judgeAct(submissions, found, answers));
        // Makes the next act appear a minute later to the duplicate check.
        const later =
          "update order_fingerprint set created_at = created_at - interval '1 minute' where account_id = $1";
        await db.raw(later, [account_id]);
      }
      await killed;
    }
    tally.faults.push(...(await brokenInvariants(db, "races", account_id)), ...pair.fallen());
    const made = await db.raw("select order_number from orders where account_id = $1", [account_id]);
    tally.orders = made.count;
    // A later kill must not lose what survived an earlier one.
    for (const { order_number } of made.rows) acknowledged.delete(String(order_number));
    if (acknowledged.size > 0) tally.faults.push(`${acknowledged.size} acknowledged orders are missing`);
    const { rows } = await db.raw("select deadlocks::int from pg_stat_database where datname = current_database()");
    tally.deadlocks = Number(rows[0]!["deadlocks"]);
    return tally;
  } finally {
    await db.close();
    await pair.stop();
  }
}

/** Includes stock left by earlier scenes. */
async function fillShelves(db: Db, account_id: string, shelves: Scene["shelves"]): Promise<void> {
  const text = "select sku, (on_hand_units - reserved_units)::float8 as available from stock where account_id = $1";
  await db.transaction(async (tx) => {
    const { rows } = await tx.raw(text, [account_id]);
    const entries = Object.entries(shelves).map(([sku, wanted]) => {
      const available = Number(rows.find((row) => row["sku"] === sku)?.["available"] ?? 0);
      // Any excess is a miscount.
      return { sku, kind: "counted" as const, units: wanted - available, order_number: null, note: "race" };
    });
    await enterStock(tx, account_id, entries, new Date());
  });
}

async function killSoon(pair: ServerPair, tally: RaceTally, random: () => number): Promise<void> {
  await delay(random() * LATEST_KILL_MS);
  await pair.kill(tally.kills++ % pair.sites().length);
}

/** All clients at once. Each sends its submissions one after another. */
async function play(
  pair: ServerPair,
  token: string,
  { orders }: Scene,
  { size, random, tally }: { size: number; random: () => number; tally: RaceTally },
): Promise<Submission[]> {
  const pick = <One>(from: readonly One[]): One => from[Math.floor(random() * from.length)]!;
  const submissions: Submission[] = [];
  let left = size;
  const client = async () => {
    while (left-- > 0) {
      const order = pick(orders);
      const name = pick(KEYS);
      const submission = await submit(pair, token, order, name && `${order.reference}-${name}`, random);
      submissions.push(submission);
      tally.submissions++;
      tally.lost_answers += submission.lost;
      tally.slowest_ms = Math.max(tally.slowest_ms, submission.took_ms);
      const answer = nameOf(submission);
      tally.answers[answer] = (tally.answers[answer] ?? 0) + 1;
      if (submission.told.kind === "unexpected") tally.faults.push(submission.told.what);
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
  return submissions;
}

/** Retries at any running process, with the same body and key, until there is an answer. */
async function submit(
  pair: ServerPair,
  token: string,
  order: RacedOrder,
  key: string | null,
  random: () => number,
): Promise<Submission & { took_ms: number }> {
  const begin_ms = Date.now();
  for (let lost = 0; ; ) {
    const sites = pair.sites().filter((site) => site !== undefined);
    const site = sites[Math.floor(random() * sites.length)];
    const reply = site && (await placeOrder(site, token, order.body, key));
    const took_ms = Date.now() - begin_ms;
    if (reply !== undefined) return { order, key, lost, told: readReply(reply, key), took_ms };
    if (took_ms > ANSWER_DEADLINE_MS) throw new Error("a submission got no answer");
    lost++;
    await delay(TRY_AGAIN_AFTER_MS);
  }
}

function nameOf({ told, key }: Submission): string {
  if (told.kind === "created") return told.held ? "201, held by 68" : "201";
  if (told.kind === "replayed") return "201, replayed";
  if (told.kind === "conflict") return told.order_number === null ? "409, the key is in use" : "409 with the order";
  if (told.kind === "refused") return `422 ${[...new Set(told.codes)].sort().join(" ")}`;
  return `unexpected${key === null ? "" : ", with a key"}`;
}

async function look(
  { db, vault }: { db: Db; vault: Vault },
  account_id: string,
  { patients }: Scene,
  since: Date,
): Promise<Found> {
  const ids = patients.map(({ patient_id }) => patientIndex({ vault }, account_id, patient_id));
  const made = await db.raw(
    `select account_id, reference, reference_sealed, order_number
    from orders
    where account_id = $1 and patient_key = any(array(
    select p.patient_key from patient p where p.account_id = $1 and p.id_index = any($2))) and created_at >= $3`,
    [account_id, ids, since],
  );
  const left = await db.raw(
    `select prescription_id, (units_authorized - units_ordered)::float8 as units
    from prescription
    where account_id = $1 and patient_key = any(array(
    select p.patient_key from patient p where p.account_id = $1 and p.id_index = any($2)))`,
    [account_id, ids],
  );
  const shelves = await db.raw(
    "select sku, (on_hand_units - reserved_units)::float8 as units from stock where account_id = $1",
    [account_id],
  );
  return {
    made: (made.rows as (Found["made"][number] & SealedReference)[]).map((row) => ({
      order_number: row.order_number,
      reference: openReference({ vault }, row),
    })) as Found["made"],
    units_left: new Map(left.rows.map((row) => [Number(row["prescription_id"]), Number(row["units"])])),
    available: new Map(shelves.rows.map((row) => [String(row["sku"]), Number(row["units"])])),
  };
}
