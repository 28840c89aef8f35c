import { setTimeout as delay } from "node:timers/promises";
import type { Db } from "../../server/src/db/db.ts";
import { intakeToken, partnerToken } from "../client.ts";
import { followFeed, judgeFeed, replayFeed } from "../failover/feed-reader.ts";
import { judgeJourneys, storedOrders } from "../failover/journey-ledger.ts";
import { runJourneys } from "../failover/journey-load.ts";
import type { Campaign } from "../invariants/campaigns.ts";
import { brokenInvariants } from "../invariants/in-database.ts";
import { EVENTS_PER_JOURNEY, journey, liftLimits, register, type Sites, type Tokens } from "../journeys.ts";
import { until } from "../until.ts";
import { judgeReceivers } from "../webhook-ledger.ts";
import { openReceiver, type Receiver } from "../webhook-receivers.ts";
import { runTokens } from "./token-loop.ts";

export type BusyTally = {
  /** Number of faults of each kind. */
  kinds: Record<string, number>;
  /** The longest time without an acknowledged write around a fault of each kind. */
  longest_outage_ms: Record<string, number>;
  /** Acknowledged orders, each checked. */
  orders: number;
  tokens: number;
  events: number;
  /** First arrivals at receivers, and those that a fault repeated. */
  arrived: number;
  again: number;
  faults: string[];
};
export type Busy = {
  /**
   * Injures the service some time after the last write, and waits until writes succeed again. `fault` returns when everything that
   * it stopped runs again.
   */
  suffer(kind: string, fault: () => Promise<unknown>): Promise<number>;
  faults: string[];
};
type Given = {
  campaign: Campaign;
  sites: Sites;
  db: Db;
  random: () => number;
  /** Partners that order at once; absent for as many as keep both cores busy. */
  clients?: number;
  /** Between the service and a receiver: returns the address that the service calls. */
  through?: (url: string) => Promise<string>;
  /** Error output of processes that ended by themselves. */
  fallen?: () => string[];
  /** No write may fail for longer after a fault. */
  writes_return_within_ms?: number;
};

const CLIENTS = 6;
const RECEIVERS = 2;
/** Partners of the demo: one of the sandbox beside the one that orders, and one of production. */
const TOKEN_PARTNERS = [1, 2];
const CATCH_UP_DEADLINE_MS = 180_000;
/** Faults hit a busy service, some time after the last one. */
const BUSY_MS = 1_500;

/**
 * Partners' journeys, tokens, webhooks and a reader of the feed, while `work` injures the service. Then checks what clients,
 * receivers and the reader got.
 */
export async function whileBusy(given: Given, work: (busy: Busy) => Promise<void>): Promise<BusyTally> {
  const {
    sites,
    db,
    random,
    clients = CLIENTS,
    writes_return_within_ms = Number.POSITIVE_INFINITY,
    fallen = () => [],
  } = given;
  const receivers: Receiver[] = [];
  const stopping: (() => Promise<unknown>)[] = [];
  const tally: BusyTally = {
    ...{ kinds: {}, longest_outage_ms: {} },
    ...{ orders: 0, tokens: 0, events: 0, arrived: 0, again: 0, faults: [] },
  };
  try {
    const demo = sites().find((site) => site !== undefined)!;
    const { account_id, client_secret } = demo.partners[0]!;
    await liftLimits(db, account_id);
    const tokens: Tokens = { partner: await partnerToken(demo), intake: await intakeToken(demo) };
    for (let number = 0; number < RECEIVERS; number++) {
      const receiver = await openReceiver("well", client_secret, random);
      receivers.push(receiver);
      if (given.through !== undefined) receiver.url = await given.through(receiver.url);
      await register(demo, tokens.partner, receiver);
    }
    const before = (await storedOrders(db, account_id)).map(({ order_number }) => order_number);
    const reader = followFeed(sites, tokens.partner);
    const issuing = runTokens(sites, TOKEN_PARTNERS);
    const load = runJourneys(clients, (number, onWritten) => journey(sites, tokens, number, random, onWritten));
    stopping.push(reader.pause, issuing.stop, load.stop);
    const suffer = async (kind: string, fault: () => Promise<unknown>) => {
      await load.written();
      await delay(random() * BUSY_MS);
      const since_ms = Date.now();
      await fault();
      await load.written();
      const outage_ms = load.longestGap(since_ms);
      tally.kinds[kind] = (tally.kinds[kind] ?? 0) + 1;
      tally.longest_outage_ms[kind] = Math.max(tally.longest_outage_ms[kind] ?? 0, outage_ms);
      if (outage_ms > writes_return_within_ms) tally.faults.push(`${kind}: no write succeeded for ${outage_ms} ms`);
      return outage_ms;
    };
    await work({ suffer, faults: tally.faults }).catch((error: Error) => {
      throw new Error([error.message, ...fallen()].join("\n"), { cause: error });
    });

    const journeys = await load.stop();
    tally.orders = journeys.length;
    const expected = journeys.length * EVENTS_PER_JOURNEY;
    await until("everything arrived", () => receivers.every(({ bodies }) => bodies.size >= expected), {
      deadline_ms: CATCH_UP_DEADLINE_MS,
      pause_ms: 100,
    }).catch((error: Error) => tally.faults.push(error.message));
    await noteRetries(db, account_id, receivers);
    const followed = await reader.finish();
    const replayed = await replayFeed(sites, tokens.partner);
    tally.faults.push(...(await issuing.stop()));
    tally.tokens = issuing.issued();
    tally.events = replayed.length;
    tally.arrived = receivers.reduce((sum, { bodies }) => sum + bodies.size, 0);
    tally.again = receivers.reduce((sum, { again }) => sum + again, 0);
    tally.faults.push(
      ...judgeFeed(followed, replayed),
      ...judgeJourneys(journeys, before, await storedOrders(db, account_id)),
      ...judgeReceivers(journeys, receivers, new Set(replayed)),
      ...(await brokenInvariants(db, given.campaign, account_id)),
      ...fallen(),
    );
    return tally;
  } finally {
    // After a failure they would call a service that is gone.
    for (const stop of stopping) stop().catch(() => {});
    for (const receiver of receivers) await receiver.close();
  }
}

/** A fault of the network can be the end of a first attempt. Newer events of the order then go ahead of its retry. */
async function noteRetries(db: Db, account_id: string, receivers: readonly Receiver[]): Promise<void> {
  const { rows } = await db.raw(
    `select e.url, a.event_id
    from webhook_attempt a
    join webhook_endpoint e using (account_id, endpoint_id)
    where a.account_id = $1 and a.attempt > 1`,
    [account_id],
  );
  for (const { url, event_id } of rows as { url: string; event_id: string }[])
    receivers.find((receiver) => receiver.url === url)?.retried.add(event_id);
}
