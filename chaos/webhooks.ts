import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { type Db, openDb } from "../server/src/db/db.ts";
import { openEmbeddedPostgres } from "../server/src/db/embedded/embedded.ts";
import { intakeToken, partnerToken } from "./client.ts";
import { brokenInvariants } from "./invariants/in-database.ts";
import { EVENTS_PER_JOURNEY, journey, liftLimits, readFeed, register, type Tokens } from "./journeys.ts";
import { postmasterPid } from "./postmaster.ts";
import { type ServerPair, startPair } from "./server-pair.ts";
import { type From, removeDataDir } from "./server-process.ts";
import { until } from "./until.ts";
import { type Journey, judgeReceivers } from "./webhook-ledger.ts";
import { type Behaviour, openReceiver, type Receiver } from "./webhook-receivers.ts";

export type WebhookOptions = {
  from: From;
  /** Number of deliveries to all endpoints together. */
  deliveries: number;
  endpoints: number;
  hostile: readonly Exclude<Behaviour, "well">[];
  /** Kills while events are created, alternating between a process and the database. */
  kills: number;
  random: () => number;
};
export type WebhookTally = {
  events: number;
  /** First arrivals at healthy endpoints. */
  arrived: number;
  /** Repeated arrivals. These are allowed and caused by kills. */
  again: number;
  process_kills: number;
  database_kills: number;
  /** From the last answer to a partner to the last arrival. */
  caught_up_ms: number;
  faults: string[];
};

const CLIENTS = 16;
/** Another process takes over a killed process's claims after the lease, and a broken attempt repeats after 5 s. */
const CATCH_UP_DEADLINE_MS = 180_000;

/**
 * Partners' journeys at two server processes that send webhooks to many endpoints, some hostile, while the campaign
 * kills the processes and their database at random. Afterwards checks what the receivers got.
 */
export async function campaignWebhooks(options: WebhookOptions): Promise<WebhookTally> {
  const data_dir = mkdtempSync(join(tmpdir(), "pestle-webhooks-"));
  const postgres = await openEmbeddedPostgres({ data_dir });
  const receivers: Receiver[] = [];
  let pair: ServerPair | undefined;
  let db: Db | undefined;
  try {
    const { user, password, database, host, port } = postgres.connection;
    const database_url = `postgresql://${user}:${encodeURIComponent(password)}@/${database}?host=${encodeURIComponent(host)}&port=${port}`;
    pair = await startPair({ database_url, master_key: "0".repeat(64), from: options.from, pool_size: 8 });
    const demo = pair.sites()[0]!;
    const { account_id } = demo.partners[0]!;
    db = openDb({ connection: { connectionString: database_url }, pool_size: 1, named_statements: false });
    await liftLimits(db, account_id);
    const tokens = { partner: await partnerToken(demo), intake: await intakeToken(demo) };
    for (let number = 0; number < options.endpoints; number++) {
      const behaviour = options.hostile[number] ?? "well";
      receivers.push(await openReceiver(behaviour, demo.partners[0]!.client_secret, options.random));
    }
    for (const receiver of receivers) await register(demo, tokens.partner, receiver);

    const tally = { process_kills: 0, database_kills: 0 };
    const journeys = await travel(pair, tokens, options, async (kill) => {
      if (kill % 2 === 0) {
        tally.process_kills += 1;
        await pair!.kill(Math.floor(options.random() * 2));
      } else {
        tally.database_kills += 1;
        process.kill(postmasterPid(data_dir)!, "SIGKILL");
        // Remains of the killed database may block the restart for a moment.
        await until("the database runs again", () =>
          postgres.ensureRunning().then(
            () => true,
            () => false,
          ),
        );
      }
    }).catch((error: Error) => {
      throw new Error([error.message, ...pair!.fallen()].join("\n"), { cause: error });
    });
    const done_ms = Date.now();
    const well = receivers.filter(({ behaviour }) => behaviour === "well");
    const expected = journeys.length * EVENTS_PER_JOURNEY;
    const faults: string[] = [];
    await until("everything arrived", () => well.every(({ bodies }) => bodies.size >= expected), {
      deadline_ms: CATCH_UP_DEADLINE_MS,
      pause_ms: 100,
    }).catch((error: Error) => faults.push(error.message));
    const caught_up_ms = Date.now() - done_ms;
    const feed = await readFeed(pair.sites, tokens.partner);
    faults.push(...judgeReceivers(journeys, well, feed), ...pair.fallen());
    faults.push(...(await brokenInvariants(db, "webhooks", account_id)));
    return {
      ...tally,
      events: feed.size,
      arrived: well.reduce((sum, { bodies }) => sum + bodies.size, 0),
      again: well.reduce((sum, { again }) => sum + again, 0),
      caught_up_ms,
      faults,
    };
  } finally {
    await db?.close();
    await pair?.stop();
    for (const receiver of receivers) await receiver.close();
    await postgres.stopIfUnused();
    await removeDataDir(data_dir);
  }
}

/** Runs all journeys, a few at a time, with kills spread over them. */
async function travel(
  pair: ServerPair,
  tokens: Tokens,
  { deliveries, endpoints, kills, random }: WebhookOptions,
  kill: (number: number) => Promise<void>,
): Promise<Journey[]> {
  const count = Math.ceil(deliveries / (EVENTS_PER_JOURNEY * endpoints));
  const journeys: Journey[] = [];
  let next = 0;
  const killing = (async () => {
    for (let number = 0; number < kills; number++) {
      const at = Math.floor(((number + random()) * count) / kills);
      while (journeys.length < at) await delay(20);
      await kill(number);
    }
  })();
  const client = async () => {
    while (next < count) journeys.push(await journey(pair.sites, tokens, `${next++}`, random));
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
  await killing;
  return journeys;
}
