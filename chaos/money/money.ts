import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { Order } from "@pestle/contract";
import { readConfig } from "../../server/src/config.ts";
import { enterStock } from "../../server/src/db/catalogue/stock.ts";
import { type Db, openDb } from "../../server/src/db/db.ts";
import { products } from "../../server/src/seed/cast.ts";
import { type Demo, readDemo } from "../../server/src/seed/demo-file.ts";
import { masterKeys } from "../../server/src/vault/master-key.ts";
import { openVault } from "../../server/src/vault/vault.ts";
import { type StripeFault, type StripeStandIn, startStripe } from "../../server/test/support/stand-ins/stripe.ts";
import { addPatients } from "../add-patients.ts";
import { ask, insist, type Reply } from "../ask.ts";
import { issue, placeOrder, tokenOf } from "../client.ts";
import { judgeMoney, type OrderMoney } from "./money-books.ts";
import type { BrokenMoney } from "./money-messages.ts";
import { type MoneyProcess, startMoneyProcess } from "./money-process.ts";

export type MoneyOptions = {
  database_url: string;
  master_key: string;
  orders: number;
  kills: number;
  random: () => number;
  broken?: BrokenMoney;
};
export type MoneyTally = {
  orders: number;
  kills: number;
  calls: number;
  lost_answers: number;
  doubled: number;
  shipped: number;
  canceled: number;
  held: number;
  /** At the provider, less refunds. */
  charged_cents: number;
  /** By our orders, less refunds. */
  shipped_cents: number;
  faults: string[];
};

const PRODUCTION = 2;
/** Most of them wait for a job that looks at a lost answer again. */
const CLIENTS = 96;
const FIRST_PRESCRIPTION = 40_000_000;
const PATIENTS_AT_ONCE = 200;
const SIZE = 30;
const SKU = "atorvastatin-20";
const LOST = 0.1;
const DOUBLED = 0.05;
/** Long, because a step waits for jobs and on a busy machine for the processor. */
const ANSWER_DEADLINE_MS = 600_000;
/** More than any job waits before it looks at a payment. */
const LATER_MS = 5 * 60_000;
const QUIET_DEADLINE_MS = 240_000;
const BREAKER_MS = 31_000;
/** A step that waits for a job is worth no more tries than this. */
const MOST_PAUSE_MS = 4_000;

/**
 * Production orders with cards, against a provider that loses and doubles answers and events, while the service is killed.
 * At the end the provider must have charged what shipped, to the cent.
 */
export async function campaignMoney(options: MoneyOptions): Promise<MoneyTally> {
  const { database_url, master_key, random } = options;
  const data_dir = mkdtempSync(join(tmpdir(), "pestle-money-"));
  const stripe = await startStripe();
  const tally = emptyTally();
  stripe.faults = () => faultOf(random, tally);
  const env = {
    DATABASE_URL: database_url,
    MASTER_KEY: master_key,
    DATA_DIR: data_dir,
    PORT: "0",
    AUTH_PORT: "0",
    SANDBOX_AUTH_PORT: "0",
    SANDBOX_PROCESS: "shared",
    PAYMENTS: "stripe",
    CARRIER: "simulated",
    STRIPE_SECRET_KEY: stripe.secret_key,
    STRIPE_WEBHOOK_SECRET: stripe.webhook_secret,
    STRIPE_API_BASE: stripe.base_url,
    ...(options.broken !== undefined && { BROKEN_MONEY: options.broken }),
  };
  const db = openDb({ connection: { connectionString: database_url }, pool_size: 2, named_statements: true });
  let service = await startMoneyProcess(env);
  try {
    const demo = readDemo(data_dir)!;
    const { account_id } = demo.partners[PRODUCTION]!;
    await db.raw("update account set rate_per_second = 100000, rate_burst = 100000");
    const stage = await openStage(db, { database_url, master_key }, account_id);
    const site = (): Demo => ({ ...demo, ...service.addresses });
    const token = tokenOf(await insist(() => issue(site(), demo.partners[PRODUCTION]!), ANSWER_DEADLINE_MS));
    const events = deliverEvents(stripe, () => `${service.addresses.base_url}/providers/stripe/webhook`, random);

    let next = 0;
    let killing: Promise<void> | undefined;
    const killAt = new Set(
      Array.from({ length: options.kills }, (_, kill) => Math.floor(((kill + 0.5) * options.orders) / options.kills)),
    );
    const kill = async () => {
      tally.kills++;
      await service.kill();
      service = await startMoneyProcess(env);
    };
    const client = async () => {
      while (next < options.orders) {
        const number = next++;
        if (killAt.has(number)) {
          await killing;
          killing = kill();
        }
        await playOrder(
          { service: () => service, site, token, account_id, random },
          await stage.bodyOf(number),
          number,
        );
        tally.orders++;
      }
    };
    await Promise.all(Array.from({ length: CLIENTS }, client));
    await killing;
    await events.stop();
    // From here on nothing gets lost, as after an outage.
    stripe.faults = () => undefined;
    await settleAll(service, stripe, db, account_id);
    return judged(tally, stripe, await readOrders(db, account_id));
  } finally {
    await service.kill();
    await db.close();
    await stripe.stop();
    rmSync(data_dir, { recursive: true, force: true });
  }
}

function faultOf(random: () => number, tally: MoneyTally): StripeFault | undefined {
  tally.calls++;
  const drawn = random();
  if (drawn < LOST) {
    tally.lost_answers++;
    return drawn < LOST / 2 ? "lose_answer" : "lose_request";
  }
  if (drawn >= LOST + DOUBLED) return undefined;
  tally.doubled++;
  return "double";
}

type Playing = {
  service: () => MoneyProcess;
  site: () => Demo;
  token: string;
  account_id: string;
  random: () => number;
};

/** One order, from the request to its end. Each step is repeated until it has an answer, as people and programs do. */
async function playOrder(playing: Playing, body: Record<string, unknown>, number: number): Promise<void> {
  const { site, token, random } = playing;
  const card = random() < 0.95 ? "pm_card_visa" : "pm_card_chargeDeclined";
  const text = JSON.stringify({ ...body, payment: { payer: "patient", token: card } });
  const reply = await insist(() => placeOrder(site(), token, text, `money-${number}`), ANSWER_DEADLINE_MS);
  if (reply.status !== 201) throw new Error(`an order was refused: ${reply.status} ${reply.text}`);
  const { order_number } = JSON.parse(reply.text) as Order;
  const act = (action: Record<string, unknown>) => actOn(playing, order_number, action);
  if (card !== "pm_card_visa") {
    if (random() < 0.5) return void (await act({ event: "cancel" }));
    await act({ event: "retry_payment", token: "pm_card_visa" });
  }
  const fate = random();
  if (fate < 0.1) return void (await act({ event: "cancel" }));
  await workOn(playing, order_number, "packed");
  if (fate < 0.2) {
    // The partner cancels while the pharmacy ships: one of them wins.
    await Promise.all([workOn(playing, order_number, "shipped"), act({ event: "cancel" })]);
    return;
  }
  await workOn(playing, order_number, "shipped");
  if (fate < 0.25) await act({ event: "partial_refund", reason_id: 101, amount_cents: 100 + Math.floor(fate * 1000) });
  else if (fate < 0.3) await act({ event: "refund", reason_id: 105 });
}

/** A refused action is an answer too: the order may have moved on. */
async function actOn({ site, token }: Playing, order_number: string, action: Record<string, unknown>): Promise<Reply> {
  const send = () =>
    ask(`${site().base_url}/orders/${order_number}/partner_order_action_requests`, {
      method: "POST",
      headers: {
        accept: "application/json",
        "content-type": "application/json",
        authorization: `Bearer ${token}`,
        "idempotency-key": `${order_number}-${action["event"]}`,
      },
      body: JSON.stringify(action),
    });
  return insist(send, ANSWER_DEADLINE_MS);
}

/** Repeats the pharmacy's steps while the order can take them: a step without an answer may have happened. */
async function workOn(
  { service, account_id }: Playing,
  order_number: string,
  until: "packed" | "shipped",
): Promise<void> {
  const end = Date.now() + ANSWER_DEADLINE_MS;
  for (let tries = 0; Date.now() < end; tries++) {
    const told = await service().ask({ do: "work", account_id, order_number, until });
    if (told !== undefined && "result" in told) return;
    // Refused while the payment waits for the provider, or because someone else changed the order.
    if (told !== undefined && tries > 3 && !/Unavailable|payment|Conflict|connection/i.test(told.error)) return;
    await delay(Math.min(100 * 2 ** tries, MOST_PAUSE_MS));
  }
}

/** Sends Stripe's events: some never, some twice, and never in order. */
function deliverEvents(stripe: StripeStandIn, url: () => string, random: () => number) {
  let stopped = false;
  let at = 0;
  const waiting: unknown[] = [];
  const running = (async () => {
    while (!stopped) {
      for (const event of stripe.books.events.slice(at)) {
        at++;
        const drawn = random();
        if (drawn >= LOST) waiting.push(event);
        if (drawn >= 1 - DOUBLED) waiting.push(event);
      }
      const some = waiting.splice(0, 4 + Math.floor(random() * 8)).reverse();
      await Promise.all(some.map((event) => stripe.deliver(url(), event).catch(() => 0)));
      if (waiting.length < 4) await delay(20);
    }
  })();
  return {
    stop: () => {
      stopped = true;
      return running;
    },
  };
}

/** Runs the service's jobs as if time passed, until nothing is open. */
async function settleAll(service: MoneyProcess, stripe: StripeStandIn, db: Db, account_id: string): Promise<void> {
  const end = Date.now() + QUIET_DEADLINE_MS;
  const open = `
    select (select count(*) from orders where account_id = $1 and payment_status = 'pending')
      + (select count(*) from payment_entry where account_id = $1 and state = 'asked')
      + (select count(*) from card_authorization where account_id = $1 and state = 'asked') as open`;
  // A breaker that opened at the end closes half a minute later.
  for (let round = 1; ; round++) {
    const calls = stripe.calls.length;
    const told = await service.ask({ do: "jobs", advanced_ms: round * LATER_MS });
    if (told === undefined || "error" in told) throw new Error(`the jobs failed: ${told?.error ?? "no answer"}`);
    const { rows } = await db.raw(open, [account_id]);
    const quiet = Number(rows[0]!["open"]) === 0 && round > 2;
    if (quiet || Date.now() > end) return;
    if (stripe.calls.length === calls && round > 2) await delay(BREAKER_MS / 10);
  }
}

async function readOrders(db: Db, account_id: string): Promise<OrderMoney[]> {
  const { rows } = await db.raw(
    `select o.order_number, o.order_status, o.payment_status, o.amount_cents, o.captured_cents, o.refunded_cents,
      exists (
        select
        from payment_entry e
        where e.account_id = o.account_id and e.order_number = o.order_number and e.state = 'asked') as waits
    from orders o
    where o.account_id = $1 and o.payer = 'patient'`,
    [account_id],
  );
  return rows as OrderMoney[];
}

function judged(tally: MoneyTally, stripe: StripeStandIn, orders: readonly OrderMoney[]): MoneyTally {
  const count = (status: string) => orders.filter(({ order_status }) => order_status === status).length;
  const money = stripe.books.moneyByOrder();
  const moneyOf = (order_number: string) => money.get(order_number) ?? { held: 0, taken: 0 };
  const faults = judgeMoney(orders, [...stripe.books.intents.values()], moneyOf);
  if (orders.length !== tally.orders) faults.push(`${tally.orders} orders were accepted, and ${orders.length} exist`);
  return {
    ...tally,
    shipped: count("Shipped"),
    canceled: count("Canceled"),
    held: count("On Hold"),
    charged_cents: orders.reduce((sum, { order_number }) => sum + moneyOf(order_number).taken, 0),
    shipped_cents: orders.reduce((sum, { captured_cents, refunded_cents }) => sum + captured_cents - refunded_cents, 0),
    faults,
  };
}

/** Patients with a prescription each, and shelves that never run out. */
async function openStage(db: Db, own: { database_url: string; master_key: string }, account_id: string) {
  const config = readConfig({ DATABASE_URL: own.database_url, MASTER_KEY: own.master_key });
  const vault = await openVault(db, () => masterKeys(config), new Date());
  const product = products.find(({ sku }) => sku === SKU)!;
  const added = new Map<number, Promise<void>>();
  const addSome = async (batch: number) => {
    const numbers = Array.from({ length: PATIENTS_AT_ONCE }, (_, at) => batch * PATIENTS_AT_ONCE + at);
    const entry = {
      sku: SKU,
      kind: "counted" as const,
      units: PATIENTS_AT_ONCE * SIZE,
      order_number: null,
      note: null,
    };
    await db.transaction((tx) => enterStock(tx, account_id, [entry], new Date()));
    const patients = numbers.map((number) => ({
      patient_id: `money-${number}`,
      prescriptions: [{ prescription_id: FIRST_PRESCRIPTION + number, product, written_qty: SIZE, refills: 0 }],
    }));
    await addPatients({ db, vault }, account_id, patients);
  };
  return {
    async bodyOf(number: number): Promise<Record<string, unknown>> {
      const batch = Math.floor(number / PATIENTS_AT_ONCE);
      if (!added.has(batch)) added.set(batch, addSome(batch));
      await added.get(batch);
      return {
        shipping: { method_id: 1 },
        patient: { patient_id: `money-${number}` },
        items: [{ prescription_id: FIRST_PRESCRIPTION + number, quantity: 1, package_size: SIZE }],
      };
    },
  };
}

const emptyTally = (): MoneyTally => ({
  orders: 0,
  kills: 0,
  calls: 0,
  lost_answers: 0,
  doubled: 0,
  shipped: 0,
  canceled: 0,
  held: 0,
  charged_cents: 0,
  shipped_cents: 0,
  faults: [],
});
