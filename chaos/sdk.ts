import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Conflict, createPestle, type Order, type OrderRequest, type Pestle, Unavailable } from "@pestle/sdk";
import { readConfig } from "../server/src/config.ts";
import { type Database, openDb } from "../server/src/db/db.ts";
import { products } from "../server/src/seed/cast.ts";
import type { Demo } from "../server/src/seed/demo-file.ts";
import { openReference, type SealedReference } from "../server/src/usecases/orders/read-orders.ts";
import { masterKeys } from "../server/src/vault/master-key.ts";
import { openVault, type Vault } from "../server/src/vault/vault.ts";
import { addPatients } from "./add-patients.ts";
import { brokenInvariants } from "./invariants/in-database.ts";
import { type Fault, startBadNetwork } from "./sdk-proxy.ts";
import { type From, killServer, removeDataDir, startServer, stopServer } from "./server-process.ts";

export type SdkTally = {
  placed: number;
  /** How often the SDK gave up and the program looked the order up and continued. */
  given_up: number;
  found_after_giving_up: number;
  /** 409 answers: the SDK looked the order up and did not send it again. */
  conflicts: number;
  /** Those conflicts that the SDK reported to the program. */
  conflicts_told: number;
  requests: number;
  network: Partial<Record<Fault, number>>;
  orders_by_api: number;
  orders_by_database: number;
  /** Every violation. */
  faults: string[];
};

const CLIENTS = 32;
const SIZE = 30;
const FIRST_PRESCRIPTION = 7_000_000;
const MOST_TRIES = 20;
/** Short, because a swallowed request never gets an answer. */
const ATTEMPT_TIMEOUT_MS = 1_000;

/** Starts a service on that database and places orders with the SDK through a bad network. */
export async function campaignSdk(options: {
  database_url: string;
  master_key: string;
  from: From;
  count: number;
  random: () => number;
}): Promise<SdkTally> {
  const { database_url, master_key, from, count, random } = options;
  const data_dir = mkdtempSync(join(tmpdir(), "pestle-sdk-"));
  const env = { DATABASE_URL: database_url, MASTER_KEY: master_key };
  const server = await startServer({ data_dir, from, env, args: ["--demo"] });
  const db = openDb({ connection: { connectionString: database_url }, pool_size: 2, named_statements: true });
  try {
    const vault = await openVault(db, () => masterKeys(readConfig(env)), new Date());
    return await orderThroughBadNetwork({ demo: server.demo, db, vault, count, random });
  } finally {
    await db.close();
    await stopServer(server).finally(() => killServer(server));
    await removeDataDir(data_dir);
  }
}

/**
 * Places that many orders, each for its own patient, from a client that reaches the service only through a bad
 * network. Then checks the API over a good connection, and the database: each order must exist once and be the one
 * that the SDK returned.
 */
export async function orderThroughBadNetwork(given: {
  demo: Pick<Demo, "base_url" | "sandbox_auth_url" | "partners">;
  db: Database;
  vault: Vault;
  count: number;
  random: () => number;
}): Promise<SdkTally> {
  const { demo, db, vault, count, random } = given;
  const { account_id, client_id, client_secret } = demo.partners[0]!;
  await db.raw("update account set rate_per_second = 100000, rate_burst = 100000 where account_id = $1", [account_id]);
  const orders = await prepareOrders({ db, vault }, account_id, count);
  const api = await startBadNetwork(demo.base_url, random);
  const auth = await startBadNetwork(demo.sandbox_auth_url, random);
  const bad = { base_url: api.url, auth_url: auth.url, attempt_timeout_ms: ATTEMPT_TIMEOUT_MS };
  const pestle = createPestle({ client_id, client_secret, random, ...bad });
  const tally: SdkTally = {
    placed: 0,
    given_up: 0,
    found_after_giving_up: 0,
    conflicts: 0,
    conflicts_told: 0,
    requests: 0,
    network: {},
    orders_by_api: 0,
    orders_by_database: 0,
    faults: [],
  };
  const told = new Map<string, string>();
  const left = orders.values();
  const client = async () => {
    for (const order of left) {
      const { order_number } = await place(pestle, order, tally);
      told.set(order.reference!, order_number);
      tally.placed++;
    }
  };
  try {
    await Promise.all(Array.from({ length: CLIENTS }, client));
    await Promise.all([api.settle(), auth.settle()]);
  } finally {
    await Promise.all([api.stop(), auth.stop()]);
  }
  const { requests, conflicts, met } = api.seen();
  Object.assign(tally, { requests: requests + auth.seen().requests, conflicts, network: sum(met, auth.seen().met) });

  const direct = createPestle({
    client_id,
    client_secret,
    base_url: demo.base_url,
    auth_url: demo.sandbox_auth_url,
  });
  const by_api: Order[] = [];
  for await (const order of direct.orders.list({ limit: 200 })) by_api.push(order);
  const { rows: stored } = await db.raw(
    "select account_id, reference, reference_sealed, order_number, order_status from orders where account_id = $1",
    [account_id],
  );
  const rows = (stored as (Placed & SealedReference)[]).map((row) => ({
    ...row,
    reference: openReference({ vault }, row),
  }));
  tally.orders_by_api = by_api.length;
  tally.orders_by_database = rows.length;
  tally.faults.push(
    ...judge(told, by_api, count).map((fault) => `the API: ${fault}`),
    ...judge(told, rows, count).map((fault) => `the database: ${fault}`),
    ...(await brokenInvariants(db, "sdk", account_id)),
  );
  return tally;
}

type Placed = Pick<Order, "reference" | "order_number" | "order_status">;

/** Differences between the existing orders and what the client learned about each reference. */
export function judge(told: ReadonlyMap<string, string>, there: readonly Placed[], count: number): string[] {
  const faults: string[] = [];
  if (there.length !== count) faults.push(`${there.length} orders and not ${count}`);
  const numbers = new Map<string | null, string[]>();
  for (const { reference, order_number } of there) {
    numbers.set(reference, [...(numbers.get(reference) ?? []), order_number]);
  }
  for (const [reference, order_number] of told) {
    const found = numbers.get(reference) ?? [];
    if (found.length === 0) faults.push(`${reference} is not there`);
    else if (found.length > 1) faults.push(`${reference} is there ${found.length} times`);
    else if (found[0] !== order_number) faults.push(`${reference} is another order than the SDK returned`);
  }
  for (const { reference, order_status } of there) {
    if (!told.has(reference ?? "")) faults.push(`${reference} was never told`);
    if (order_status !== "Processing") faults.push(`${reference} is ${order_status}`);
  }
  return faults;
}

/**
 * Places orders as the README tells a partner to. Every other order has the partner's own key and can be sent again.
 * The others have the SDK's key, so after the SDK gives up, the program looks them up first.
 */
async function place(pestle: Pestle, order: OrderRequest, tally: SdkTally): Promise<Order> {
  const own_key = Number(order.reference!.split("-").at(-1)) % 2 === 0;
  const options = own_key ? { idempotency_key: order.reference! } : {};
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    try {
      const found = tries > 0 ? await pestle.orders.find(order) : undefined;
      if (found !== undefined) tally.found_after_giving_up++;
      return found ?? (await pestle.orders.create(order, options));
    } catch (error) {
      if (error instanceof Conflict) {
        tally.conflicts_told++;
        if (error.order !== undefined) return error.order;
      } else if (!(error instanceof Unavailable)) throw error;
      tally.given_up++;
    }
  }
  throw new Error(`${order.reference} could not be placed in ${MOST_TRIES} attempts`);
}

async function prepareOrders(
  deps: { db: Database; vault: Vault },
  account_id: string,
  count: number,
): Promise<OrderRequest[]> {
  const product = products.find(({ sku }) => sku === "atorvastatin-20")!;
  const patients = Array.from({ length: count }, (_, number) => ({
    patient_id: `sdk-${number}`,
    prescriptions: [{ prescription_id: FIRST_PRESCRIPTION + number, product, written_qty: SIZE, refills: 3 }],
  }));
  await addPatients(deps, account_id, patients);
  return patients.map(({ patient_id, prescriptions: [prescription] }) => ({
    reference: `inv-${patient_id}`,
    shipping: { method_id: 1 },
    patient: { patient_id },
    items: [{ prescription_id: prescription!.prescription_id, quantity: 1, package_size: SIZE }],
  }));
}

function sum(...tallies: Partial<Record<Fault, number>>[]): Partial<Record<Fault, number>> {
  const summed: Partial<Record<Fault, number>> = {};
  for (const tally of tallies) {
    for (const [fault, times] of Object.entries(tally) as [Fault, number][])
      summed[fault] = (summed[fault] ?? 0) + times;
  }
  return summed;
}
