import { readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { type Db, openDb } from "../../server/src/db/db.ts";
import { listLosses } from "../../server/src/db/operations/database-runs.ts";
import { checkLosses } from "../../server/src/usecases/operations/losses/check-up-losses.ts";
import { ask } from "../ask.ts";
import { partnerToken } from "../client.ts";
import { brokenInvariants } from "../invariants/in-database.ts";
import { headersOf, liftLimits, type Sites } from "../journeys.ts";
import { type ServerPair, startPair } from "../server-pair.ts";
import { until } from "../until.ts";
import { type Cluster, type Machine, signal, startCluster } from "./cluster.ts";
import { compareServers } from "./cluster-check.ts";
import { MOST_LAG_BYTES } from "./cluster-config.ts";
import { type Fault, failovers } from "./cluster-faults.ts";
import type { FailoverOptions } from "./failover.ts";
import { followFeed, missedEvents, replayFeed } from "./feed-reader.ts";
import { judgeLosses, type ToldLoss } from "./loss-ledger.ts";
import { runOrders } from "./order-load.ts";

export type LossTally = {
  failovers: number;
  kinds: Record<string, number>;
  longest_outage_ms: Record<string, number>;
  /** Orders that clients know of, and those of them that are gone. */
  orders: number;
  lost_orders: number;
  /** Lost orders that came back when the partner sent its requests again. */
  repaired: number;
  /** Losses that the service noticed. */
  losses: number;
  longest_loss_ms: number;
  most_lost_bytes: number;
  faults: string[];
};

/** The primary sends its replicas nothing for a while before it fails. Otherwise they would have almost everything. */
const LONGEST_LAG_MS = 500;
const SHORTEST_LAG_MS = 150;
const BUSY_MS = 1_500;
const TOLD_WITHIN_MS = 60_000;
/** From the last write that the new primary has until a process notices: the lease, the promotion, a reconnection. */
const LONGEST_LOSS_MS = 90_000;
/** Patroni compares with what the primary reported some seconds before. */
const MOST_LOST_BYTES = MOST_LAG_BYTES + 16 * 2 ** 20;

/**
 * Failovers with asynchronous replication. Acknowledged orders get lost. The service must notice each loss, name a time that contains
 * every lost order, and tell operator and partners. The partner then sends again what that time contains, and has every order.
 */
export async function loseWrites(options: FailoverOptions): Promise<LossTally> {
  const { from, random, onProgress = () => {} } = options;
  const cluster = await startCluster({ synchronous: false, onStuck: onProgress });
  const { database_url } = cluster;
  const master_key = "0".repeat(64);
  const db = openDb({ connection: { connectionString: database_url }, pool_size: 2, named_statements: false });
  let pair: ServerPair | undefined;
  try {
    pair = await startPair({ database_url, master_key, from, pool_size: 8 });
    const { sites } = pair;
    const demo = sites()[0]!;
    const { account_id } = demo.partners[0]!;
    await liftLimits(db, account_id);
    const token = await partnerToken(demo);
    const load = await runOrders({ db, database_url, master_key, account_id, sites, token, random });
    const reader = followFeed(sites, token);
    const tally: LossTally = {
      ...{ failovers: 0, kinds: {}, longest_outage_ms: {} },
      ...{ orders: 0, lost_orders: 0, repaired: 0, losses: 0, longest_loss_ms: 0, most_lost_bytes: 0, faults: [] },
    };
    const kinds = Object.entries<Fault>(failovers);
    for (let number = options.first; tally.failovers < options.failovers; number++) {
      const [kind, fault] = kinds[number % kinds.length]!;
      const leader = await cluster.healthy();
      await load.written(20);
      await delay(random() * BUSY_MS);
      const since_ms = Date.now();
      const senders = await holdBack(cluster, leader, SHORTEST_LAG_MS + random() * (LONGEST_LAG_MS - SHORTEST_LAG_MS));
      const failing = fault(cluster, leader, random);
      // A process that stands still would keep the files of its dead server locked. A frozen machine goes on with all of them.
      if (kind === "primary_server") for (const pid of senders) signal(pid, "SIGKILL");
      await failing;
      const next = await cluster.healthy();
      await load.written();
      const outage_ms = load.longestGap(since_ms);
      tally.kinds[kind] = (tally.kinds[kind] ?? 0) + 1;
      tally.longest_outage_ms[kind] = Math.max(tally.longest_outage_ms[kind] ?? 0, outage_ms);
      if (next !== leader) tally.failovers += 1;
      onProgress(`${kind.padEnd(16)} primary ${leader.name} → ${next.name}  no write for ${outage_ms} ms`);
    }
    const orders = await load.stop();
    const losses = await toldLosses(db, tally.failovers, tally.faults);
    const stored = await load.stored();
    const lost = orders.filter(({ order_number }) => !stored.has(order_number));
    Object.assign(tally, {
      ...{ orders: orders.length, lost_orders: lost.length, losses: losses.length },
      longest_loss_ms: Math.max(0, ...losses.map(({ from_ms, until_ms }) => until_ms - from_ms)),
      most_lost_bytes: Math.max(0, ...losses.map(({ bytes }) => bytes ?? 0)),
    });
    tally.faults.push(...judgeLosses(lost, losses));
    if (tally.longest_loss_ms > LONGEST_LOSS_MS) tally.faults.push(`a loss of ${tally.longest_loss_ms} ms`);
    if (tally.most_lost_bytes > MOST_LOST_BYTES) tally.faults.push(`a loss of ${tally.most_lost_bytes} bytes`);
    if (lost.length === 0) tally.faults.push("no order was lost, so the run shows nothing");
    tally.faults.push(...(await judgeTelling(db, sites, token, losses)));
    const followed = await reader.finish();
    tally.faults.push(...missedEvents(followed, await replayFeed(sites, token)));
    // What the event tells a partner to do.
    const again = await load.repeat(losses);
    tally.faults.push(...again.faults);
    const repaired = await load.storedReferences();
    const missing = orders.filter(({ reference }) => !repaired.has(reference)).length;
    tally.repaired = lost.length - missing;
    if (missing > 0) tally.faults.push(`${missing} times: an order is missing after its request was sent again`);
    tally.faults.push(...(await brokenInvariants(db, "failover", account_id)), ...pair.fallen());
    await pair.stop();
    pair = undefined;
    tally.faults.push(...(await compareServers(cluster)));
    return tally;
  } finally {
    await db.close();
    await pair?.stop();
    await cluster.stop();
  }
}

/** The primary's replicas get nothing more. */
async function holdBack(cluster: Cluster, leader: Machine, ms: number): Promise<number[]> {
  const senders = cluster.processes(leader).filter((pid) => titleOf(pid).includes("walsender"));
  for (const pid of senders) signal(pid, "SIGSTOP");
  await delay(ms);
  return senders;
}

function titleOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8");
  } catch {
    return "";
  }
}

/** Each change of the primary is a loss, and partners receive an event for each. */
async function toldLosses(db: Db, failovers: number, faults: string[]): Promise<ToldLoss[]> {
  const look = async () => {
    const { rows } = await db.raw("select count(*)::integer as untold from data_loss where told_until is null");
    return rows[0]!["untold"] === 0;
  };
  await until("partners have an event for each loss", look, { deadline_ms: TOLD_WITHIN_MS, pause_ms: 200 }).catch(
    (error: Error) => faults.push(error.message),
  );
  const losses = await listLosses(db);
  if (losses.length < failovers) faults.push(`${failovers} failovers, and ${losses.length} losses were noticed`);
  return losses.map(({ lost_from, lost_until, lost_bytes }) => ({
    ...{ from_ms: lost_from.getTime(), until_ms: lost_until.getTime(), bytes: lost_bytes },
  }));
}

/** `pestle doctor`, the metric and the partner's feed must say so. */
async function judgeTelling(db: Db, sites: Sites, token: string, losses: readonly ToldLoss[]): Promise<string[]> {
  const faults: string[] = [];
  if ((await checkLosses(db)).state !== "failed") faults.push("doctor does not tell of the loss");
  const { base_url } = sites().find((site) => site !== undefined)!;
  const metric = `pestle_data_losses_open ${losses.length}`;
  await until("the metric has every loss", async () => (await ask(`${base_url}/metrics`))?.text.includes(metric), {
    deadline_ms: TOLD_WITHIN_MS * 2,
    pause_ms: 500,
  }).catch((error: Error) => faults.push(error.message));
  const reply = await ask(`${base_url}/webhook_events?event_type=DATA_LOST&limit=200`, { headers: headersOf(token) });
  const page = JSON.parse(reply?.text ?? "{}") as {
    webhook_events?: { body: { lost_from: string; lost_until: string } }[];
  };
  const told = (page.webhook_events ?? []).map(({ body }) => `${body.lost_from} ${body.lost_until}`);
  for (const { from_ms, until_ms } of losses) {
    const wanted = `${new Date(from_ms).toISOString()} ${new Date(until_ms).toISOString()}`;
    if (!told.includes(wanted)) faults.push("the feed does not tell of a loss");
  }
  return faults;
}
