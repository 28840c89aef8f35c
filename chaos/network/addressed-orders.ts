import { readConfig } from "../../server/src/config.ts";
import { enterStock } from "../../server/src/db/catalogue/stock.ts";
import type { Db } from "../../server/src/db/db.ts";
import { products } from "../../server/src/seed/cast.ts";
import type { Demo } from "../../server/src/seed/demo-file.ts";
import { masterKeys } from "../../server/src/vault/master-key.ts";
import { openVault } from "../../server/src/vault/vault.ts";
import { goodAddress } from "../../server/test/support/patient.ts";
import { addPatients } from "../add-patients.ts";
import { insist } from "../ask.ts";
import { issue, placeOrder, tokenOf } from "../client.ts";
import { runWriters } from "../kills/workload.ts";

const PRODUCTION = 2;
const CLIENTS = 2;
const PATIENTS_AT_ONCE = 200;
const FIRST_PRESCRIPTION = 60_000_000;
const SIZE = 30;
const SKU = "atorvastatin-20";
const ANSWER_DEADLINE_MS = 120_000;

/** Clients that order in production with an address, which the service asks the provider about before it answers. */
export async function runAddressed({
  db,
  database_url,
  master_key,
  sites,
}: {
  db: Db;
  database_url: string;
  master_key: string;
  sites: () => readonly Demo[];
}) {
  const demo = sites()[0]!;
  const partner = demo.partners[PRODUCTION]!;
  const { account_id } = partner;
  const vault = await openVault(
    db,
    () => masterKeys(readConfig({ DATABASE_URL: database_url, MASTER_KEY: master_key })),
    new Date(),
  );
  const product = products.find(({ sku }) => sku === SKU)!;
  await db.raw("update account set rate_per_second = 100000, rate_burst = 100000 where account_id = $1", [account_id]);
  const token = tokenOf(await insist(() => issue(demo, partner), ANSWER_DEADLINE_MS));
  const ordersThere = async () => {
    const { rows } = await db.raw("select order_number from orders where account_id = $1", [account_id]);
    return rows.map(({ order_number }) => String(order_number));
  };
  const before = new Set(await ordersThere());
  const told = new Map<number, string>();
  const faults: string[] = [];
  const prepared = new Map<number, Promise<void>>();
  const prepare = async (batch: number) => {
    const stock = {
      sku: SKU,
      kind: "counted" as const,
      units: PATIENTS_AT_ONCE * SIZE,
      order_number: null,
      note: null,
    };
    await db.transaction((tx) => enterStock(tx, account_id, [stock], new Date()));
    const numbers = Array.from({ length: PATIENTS_AT_ONCE }, (_, at) => batch * PATIENTS_AT_ONCE + at);
    await addPatients(
      { db, vault },
      account_id,
      numbers.map((number) => ({
        patient_id: `addressed-${number}`,
        prescriptions: [{ prescription_id: FIRST_PRESCRIPTION + number, product, written_qty: SIZE, refills: 0 }],
      })),
    );
  };
  let next = 0;
  const client = async (isStopping: () => boolean) => {
    while (!isStopping()) {
      const number = next++;
      const batch = Math.floor(number / PATIENTS_AT_ONCE);
      if (!prepared.has(batch)) prepared.set(batch, prepare(batch));
      await prepared.get(batch);
      const body = JSON.stringify({
        shipping: { method_id: 1 },
        patient: { patient_id: `addressed-${number}` },
        // The service remembers a verified address, so each order has another one.
        address: { ...goodAddress, street1: `${number + 1} Mission St` },
        items: [{ prescription_id: FIRST_PRESCRIPTION + number, quantity: 1, package_size: SIZE }],
      });
      const send = () => placeOrder(sites()[0]!, token, body, `addressed-${number}`);
      const reply = await insist(send, ANSWER_DEADLINE_MS);
      if (reply.status === 201) told.set(number, (JSON.parse(reply.text) as { order_number: string }).order_number);
      else faults.push(`a production order got ${reply.status}: ${reply.text.slice(0, 200)}`);
    }
  };
  const running = runWriters(Array.from({ length: CLIENTS }, () => client));
  return {
    async stop(): Promise<{ placed: number; faults: string[] }> {
      await running.stop();
      const there = new Set((await ordersThere()).filter((order_number) => !before.has(order_number)));
      const missing = [...told.values()].filter((order_number) => !there.has(order_number)).length;
      if (missing > 0) faults.push(`${missing} times: an acknowledged production order is missing`);
      if (there.size > told.size) faults.push(`${there.size - told.size} production orders that no client knows`);
      return { placed: told.size, faults };
    },
  };
}
