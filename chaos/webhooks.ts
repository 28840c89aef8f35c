import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { openDb } from "../server/src/db/db.ts";
import { openEmbeddedPostgres } from "../server/src/db/embedded/embedded.ts";
import type { Demo } from "../server/src/seed/demo-file.ts";
import { newMessage } from "../server/test/support/intake.ts";
import { goodAddress } from "../server/test/support/patient.ts";
import { ask, insist, type Reply } from "./ask.ts";
import { deliver, intakeToken, partnerToken, placeOrder } from "./client.ts";
import { postmasterPid } from "./postmaster.ts";
import { type ServerPair, startPair } from "./server-pair.ts";
import { type From, removeDataDir } from "./server-process.ts";
import { until } from "./until.ts";
import { type Journey, judgeReceivers } from "./webhook-ledger.ts";
import { type Behaviour, openReceiver, type Receiver, WEBHOOK_SECRET } from "./webhook-receivers.ts";

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

/**
 * Events per journey that every endpoint gets: a prescription, a held order for it, and the address that releases it.
 */
const EVENTS_PER_JOURNEY = 4;
const CLIENTS = 16;
const ANSWER_DEADLINE_MS = 60_000;
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
  try {
    const { user, password, database, host, port } = postgres.connection;
    const database_url = `postgresql://${user}:${encodeURIComponent(password)}@/${database}?host=${encodeURIComponent(host)}&port=${port}`;
    pair = await startPair({ database_url, master_key: "0".repeat(64), from: options.from, pool_size: 8 });
    const demo = pair.sites()[0]!;
    await liftLimits(database_url);
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
    const feed = await readFeed(pair, tokens.partner);
    faults.push(...judgeReceivers(journeys, well, feed), ...pair.fallen());
    return {
      ...tally,
      events: feed.size,
      arrived: well.reduce((sum, { bodies }) => sum + bodies.size, 0),
      again: well.reduce((sum, { again }) => sum + again, 0),
      caught_up_ms,
      faults,
    };
  } finally {
    await pair?.stop();
    for (const receiver of receivers) await receiver.close();
    await postgres.stopIfUnused();
    await removeDataDir(data_dir);
  }
}

async function liftLimits(database_url: string): Promise<void> {
  const db = openDb({ connection: { connectionString: database_url }, pool_size: 1, named_statements: false });
  await db.raw("update account set rate_per_second = 100000, rate_burst = 100000");
  // A thousand journeys would empty the demo's shelves.
  await db.raw("update stock set on_hand_units = 1000000000 where on_hand_units > 0");
  await db.close();
}

async function register(demo: Demo, token: string, receiver: Receiver): Promise<void> {
  const body = JSON.stringify({ url: receiver.url, secret: WEBHOOK_SECRET });
  const reply = await ask(`${demo.base_url}/webhook_endpoints`, { method: "POST", headers: headersOf(token), body });
  if (reply?.status !== 201) throw new Error(`the service rejected an endpoint with ${reply?.status}`);
  receiver.signing_secret = (JSON.parse(reply.text) as { signing_secret: string }).signing_secret;
}

type Tokens = { partner: string; intake: string };

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
    while (next < count) journeys.push(await journey(pair, tokens, next++, random));
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
  await killing;
  return journeys;
}

/** A prescription arrives for a patient without an address. The order for it is held for that, then released. */
async function journey(pair: ServerPair, tokens: Tokens, number: number, random: () => number): Promise<Journey> {
  const patient_id = `JOURNEY-${number}`;
  const call = async (step: string, status: number, send: (site: Demo) => Promise<Reply | undefined>) => {
    const reply = await insist(async () => {
      const sites = pair.sites().filter((site) => site !== undefined);
      const site = sites[Math.floor(random() * sites.length)];
      return site && send(site);
    }, ANSWER_DEADLINE_MS);
    if (reply.status !== status) throw new Error(`${step} got ${reply.status}: ${reply.text.slice(0, 200)}`);
    return reply.text;
  };
  const message = newMessage({
    envelope: { message_id: `M-${number}` },
    prescription: { allergies: [] },
    patient: {
      ids: [{ kind: "medical_record", value: patient_id }],
      last_name: `Okonkwo ${number}`,
      phone: String(9_160_000_000 + number),
      email: `journey.${number}@okonkwo.example`,
      address: null,
    },
  });
  await call("intake", 200, (site) => deliver(site, tokens.intake, "script", message));
  const headers = headersOf(tokens.partner);
  const { medication_request } = JSON.parse(
    await call("rx", 200, (site) => ask(`${site.base_url}/patients/${patient_id}/rx`, { headers })),
  ) as { medication_request: { id: number }[] };
  const order = JSON.stringify({
    shipping: { method_id: 1 },
    patient: { patient_id },
    items: [{ prescription_id: medication_request[0]!.id, quantity: 1, package_size: 90 }],
  });
  const { order_number } = JSON.parse(
    await call("order", 201, (site) => placeOrder(site, tokens.partner, order, `order-${number}`)),
  ) as { order_number: string };
  await call("address", 200, (site) =>
    ask(`${site.base_url}/orders/${order_number}/shipping_address`, {
      method: "PUT",
      headers,
      body: JSON.stringify(goodAddress),
    }),
  );
  return { patient_id, order_number };
}

/** Every event in the account's feed. Receivers may get no other. */
async function readFeed(pair: ServerPair, token: string): Promise<Set<string>> {
  const ids = new Set<string>();
  let cursor: string | null = null;
  do {
    const reply = await insist(async () => {
      const site = pair.sites().find((one) => one !== undefined);
      const after = cursor === null ? "" : `&cursor=${encodeURIComponent(cursor)}`;
      return site && ask(`${site.base_url}/webhook_events?limit=200${after}`, { headers: headersOf(token) });
    }, ANSWER_DEADLINE_MS);
    const page = JSON.parse(reply.text) as { webhook_events: { event_id: string }[]; next_cursor: string | null };
    for (const { event_id } of page.webhook_events) ids.add(event_id);
    cursor = page.next_cursor;
  } while (cursor !== null);
  return ids;
}

const headersOf = (token: string) => ({
  accept: "application/json",
  "content-type": "application/json",
  authorization: `Bearer ${token}`,
});
