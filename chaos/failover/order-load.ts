import { readConfig } from "../../server/src/config.ts";
import type { Db } from "../../server/src/db/db.ts";
import { products } from "../../server/src/seed/cast.ts";
import { openReference, type SealedReference } from "../../server/src/usecases/orders/read-orders.ts";
import { masterKeys } from "../../server/src/vault/master-key.ts";
import { openVault } from "../../server/src/vault/vault.ts";
import { addPatients } from "../add-patients.ts";
import { insist } from "../ask.ts";
import { placeOrder } from "../client.ts";
import type { Sites } from "../journeys.ts";
import { until } from "../until.ts";
import { isWithin, type TimedOrder, type ToldLoss } from "./loss-ledger.ts";

type Placed = TimedOrder & { reference: string; number: number };

const CLIENTS = 6;
const PATIENTS = 4_000;
const FIRST_PRESCRIPTION = 90_000_000;
const SIZE = 30;
const SKU = "atorvastatin-20";
const ANSWER_DEADLINE_MS = 120_000;
const WRITTEN_WITHIN_MS = 120_000;

/** Clients that order, each time for another patient. All patients are there before the first failover. */
export async function runOrders(given: {
  db: Db;
  database_url: string;
  master_key: string;
  account_id: string;
  sites: Sites;
  token: string;
  random: () => number;
}) {
  const { db, database_url, master_key, account_id, sites, token, random } = given;
  const config = readConfig({ DATABASE_URL: database_url, MASTER_KEY: master_key });
  const vault = await openVault(db, () => masterKeys(config), new Date());
  const product = products.find(({ sku }) => sku === SKU)!;
  const patients = Array.from({ length: PATIENTS }, (_, number) => ({
    patient_id: `lost-${number}`,
    prescriptions: [{ prescription_id: FIRST_PRESCRIPTION + number, product, written_qty: SIZE, refills: 0 }],
  }));
  await addPatients({ db, vault }, account_id, patients);
  const placed: Placed[] = [];
  const written_ms: number[] = [];
  let [next, stopping] = [0, false];
  const send = (number: number) => {
    const body = JSON.stringify({
      reference: `lost-${number}`,
      shipping: { method_id: 1 },
      patient: { patient_id: `lost-${number}` },
      items: [{ prescription_id: FIRST_PRESCRIPTION + number, quantity: 1, package_size: SIZE }],
    });
    const atAny = async () => {
      const running = sites().filter((site) => site !== undefined);
      const site = running[Math.floor(random() * running.length)];
      return site && placeOrder(site, token, body, `lost-${number}`);
    };
    return insist(atAny, ANSWER_DEADLINE_MS);
  };
  const client = async () => {
    while (!stopping) {
      const number = next++;
      if (number >= PATIENTS) throw new Error("the campaign has no more patients");
      const begun_ms = Date.now();
      const reply = await send(number);
      const answered_ms = Date.now();
      if (reply.status !== 201) throw new Error(`an order got ${reply.status}: ${reply.text.slice(0, 200)}`);
      const { order_number } = JSON.parse(reply.text) as { order_number: string };
      written_ms.push(answered_ms);
      placed.push({ order_number, begun_ms, answered_ms, number, reference: `lost-${number}` });
    }
  };
  const running = Promise.all(Array.from({ length: CLIENTS }, client));
  // `stop` reports a failure. Until then an unhandled rejection would end the process.
  running.catch(() => {});
  const rows = async () =>
    (
      await db.raw("select account_id, reference, reference_sealed, order_number from orders where account_id = $1", [
        account_id,
      ])
    ).rows as (SealedReference & { order_number: string })[];
  return {
    written(count = 1): Promise<unknown> {
      const enough = written_ms.length + count;
      const look = () => written_ms.length >= enough;
      return Promise.race([running, until("orders succeed", look, { deadline_ms: WRITTEN_WITHIN_MS })]);
    },
    longestGap(since_ms: number): number {
      const times = written_ms.slice(
        Math.max(
          0,
          written_ms.findLastIndex((at) => at <= since_ms),
        ),
      );
      return times.reduce((longest, at, index) => Math.max(longest, at - (times[index - 1] ?? at)), 0);
    },
    async stop(): Promise<readonly Placed[]> {
      stopping = true;
      await running;
      return placed;
    },
    stored: async () => new Set((await rows()).map(({ order_number }) => order_number)),
    storedReferences: async () => new Set((await rows()).map((row) => openReference({ vault }, row))),
    /** Sends every request of the lost times again, with its key. What is there is replayed, and what is not is made again. */
    async repeat(losses: readonly ToldLoss[]): Promise<{ faults: string[] }> {
      const there = new Set((await rows()).map(({ order_number }) => order_number));
      const faults: string[] = [];
      for (const order of placed.filter((one) => losses.some((loss) => isWithin(one, loss)))) {
        const reply = await send(order.number);
        const replayed = reply.headers.get("idempotent-replayed") === "true";
        if (reply.status !== 201) faults.push(`a request that was sent again got ${reply.status}`);
        else if (replayed !== there.has(order.order_number))
          faults.push(replayed ? "a lost order was replayed" : "an order that is there was made again");
      }
      return { faults };
    },
  };
}
