import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type Db, openDb } from "../../server/src/db/db.ts";
import { ask, insist, type Reply } from "../ask.ts";
import { intakeToken, partnerToken } from "../client.ts";
import { followFeed, missedEvents, replayFeed } from "../failover/feed-reader.ts";
import { judgeJourneys, storedOrders } from "../failover/journey-ledger.ts";
import { runJourneys } from "../failover/journey-load.ts";
import { brokenInvariants } from "../invariants/in-database.ts";
import { EVENTS_PER_JOURNEY, headersOf, journey, liftLimits, readFeed, register, type Sites } from "../journeys.ts";
import { startPair } from "../server-pair.ts";
import type { From } from "../server-process.ts";
import { until } from "../until.ts";
import { judgeReceivers } from "../webhook-ledger.ts";
import { openReceiver } from "../webhook-receivers.ts";
import { DRAIN } from "./rolling.ts";
import { openSwitch } from "./switch.ts";

export type VersionsTally = {
  requests: number;
  orders: number;
  events: number;
  /** Requests whose connection broke while a process stopped that cannot drain yet. Their repetition was answered. */
  repeated: number;
  migrated: string;
  worst_p50_ms: number;
  worst_p99_ms: number;
  faults: string[];
};

const CLIENTS = 4;
const READERS = 3;
const READS = ["orders", "orders?limit=100", "webhook_events?limit=50", "products", "statements", "refill_schedules"];
/** The parts of the requests before each step: the new version beside the old one, the first and the second replacement. */
const STEPS = [0.2, 0.6, 0.75];
const ARRIVES_WITHIN_MS = 120_000;

/**
 * Two processes of an earlier version serve. A process of this version starts beside them and migrates the database, and then takes
 * the place of each. Clients use all of them through a load balancer. No request may fail, no event may be lost or arrive
 * twice, and the invariants of the database must hold.
 */
export async function runTwoVersions(options: {
  database_url: string;
  master_key: string;
  from: From;
  /** The checkout of the earlier version, installed and built. */
  old: string;
  requests: number;
  random: () => number;
  onProgress?: (line: string) => void;
}): Promise<VersionsTally> {
  const { database_url, master_key, from, old, requests: wanted, random, onProgress = () => {} } = options;
  const drains = readFileSync(join(old, "server/src/config.ts"), "utf8").includes("DRAIN_SECONDS");
  const faults: string[] = [];
  const times_ms: number[] = [];
  let [requests, repeated] = [0, 0];
  const closers: (() => unknown)[] = [];
  try {
    const pair = await startPair({ database_url, master_key, from, root: old, env: DRAIN });
    closers.unshift(() => pair.stop());
    const balancer = await openSwitch(() => pair.sites().map((site) => site?.base_url));
    closers.unshift(() => balancer.close());
    const demo = { ...pair.sites()[0]!, base_url: balancer.base_url };
    const sites: Sites = () => [demo];
    const db: Db = openDb({ connection: { connectionString: database_url }, pool_size: 2, named_statements: false });
    closers.unshift(() => db.close());
    const { account_id, client_secret } = demo.partners[0]!;
    await liftLimits(db, account_id);
    const tokens = { partner: await partnerToken(demo), intake: await intakeToken(demo) };
    const receiver = await openReceiver("well", client_secret, random);
    closers.unshift(() => receiver.close());
    await register(demo, tokens.partner, receiver);
    const before = (await storedOrders(db, account_id)).map(({ order_number }) => order_number);
    const schema = async () => (await db.raw("select max(version) as newest from schema_migration")).rows[0]!["newest"];
    const first = await schema();

    /** One try. After a failure it notes the fault, and repeats the request so that the rest can be judged. */
    const once = async (send: () => Promise<Reply | undefined>, deadline_ms: number): Promise<Reply> => {
      requests += 1;
      const begin_ms = performance.now();
      const reply = await send();
      times_ms.push(performance.now() - begin_ms);
      if (reply !== undefined && reply.status < 500 && reply.status !== 409 && reply.status !== 429) return reply;
      if (reply === undefined && !drains) repeated += 1;
      else faults.push(`a request got ${reply?.status ?? "no answer"}: ${reply?.text.slice(0, 200) ?? ""}`);
      return insist(send, deadline_ms);
    };
    const reader = followFeed(sites, tokens.partner);
    const load = runJourneys(CLIENTS, (number, onWritten) => journey(sites, tokens, number, random, onWritten, once));
    let over = false;
    const reading = Array.from({ length: READERS }, async (_, nth) => {
      for (let number = nth; !over; number++) {
        const url = `${demo.base_url}/${READS[number % READS.length]}`;
        const reply = await once(() => ask(url, { headers: headersOf(tokens.partner) }), ARRIVES_WITHIN_MS);
        if (reply.status !== 200) faults.push(`GET ${url} got ${reply.status}`);
      }
    });
    const sent = (part: number) =>
      until("requests are answered", () => requests >= part * wanted, { deadline_ms: 24 * 3_600_000, pause_ms: 20 });
    const ready = (count: number) => until("all processes take requests", () => balancer.ready() === count);

    await sent(STEPS[0]!);
    await pair.add();
    await ready(3);
    const migrated = `${first} to ${await schema()}`;
    onProgress(`${requests} requests; the database is migrated from ${migrated}`);
    for (const which of [0, 1]) {
      await sent(STEPS[which + 1]!);
      await pair.restart(which, "new");
      await ready(3);
      onProgress(`${requests} requests; process ${which + 1} is replaced`);
    }
    await sent(1);
    over = true;
    await Promise.all(reading);
    const journeys = await load.stop();
    const followed = await reader.finish();
    const feed = await readFeed(sites, tokens.partner);
    // The feed also has events that an endpoint gets only if it asks for them.
    const arrived = () => receiver.bodies.size >= EVENTS_PER_JOURNEY * journeys.length;
    await until("every event arrives", arrived, { deadline_ms: ARRIVES_WITHIN_MS }).catch((error: Error) =>
      faults.push(error.message),
    );
    if (receiver.again > 0) faults.push(`${receiver.again} times: an event arrived twice`);
    faults.push(
      ...judgeReceivers(journeys, [receiver], feed),
      ...missedEvents(followed, await replayFeed(sites, tokens.partner)),
      ...judgeJourneys(journeys, before, await storedOrders(db, account_id)),
      ...(await brokenInvariants(db, "versions", account_id)),
      ...pair.fallen(),
    );
    const sorted = times_ms.toSorted((a, b) => a - b);
    const at = (share: number) => sorted[Math.floor(share * (sorted.length - 1))] ?? 0;
    const counts = { requests, orders: journeys.length, events: receiver.bodies.size, repeated, migrated };
    return { ...counts, worst_p50_ms: at(0.5), worst_p99_ms: at(0.99), faults };
  } finally {
    for (const close of closers) await close();
  }
}
