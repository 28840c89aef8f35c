import { randomUUID } from "node:crypto";
import type { Carriers } from "../../server/src/adapters/carriers/carriers.ts";
import { adaptersInUse } from "../../server/src/adapters-in-use.ts";
import { readConfig } from "../../server/src/config.ts";
import { createCopies } from "../../server/src/copies.ts";
import {
  saveBrands,
  saveLicences,
  saveProducts,
  saveShippingMethods,
} from "../../server/src/db/catalogue/catalogue-rows.ts";
import { enterStock } from "../../server/src/db/catalogue/stock.ts";
import { openDb } from "../../server/src/db/db.ts";
import { migrate } from "../../server/src/db/migrate.ts";
import type { Deps } from "../../server/src/deps.ts";
import type { Scan } from "../../server/src/domain/fulfillment/parcel.ts";
import { createQuotaBook } from "../../server/src/limits/quota-book.ts";
import { createRateLimiter } from "../../server/src/limits/rate-limiter.ts";
import { createMetrics } from "../../server/src/metrics/metrics.ts";
import { notServing } from "../../server/src/not-serving.ts";
import { brands, licences, products, shippingMethods } from "../../server/src/seed/cast.ts";
import { createPartnerAccount } from "../../server/src/usecases/accounts/create-partner.ts";
import { openSafetyEngine } from "../../server/src/usecases/safety/safety-engine.ts";
import { masterKeys } from "../../server/src/vault/master-key.ts";
import { openVault } from "../../server/src/vault/vault.ts";
import { addPatients, type NewPatient } from "../add-patients.ts";
import { resetClock } from "../reset-clock.ts";
import { type Story, scarce, written } from "./lifecycle-commands.ts";
import type { Model } from "./lifecycle-model.ts";
import { END_MS, IN_TRANSIT_MS } from "./lifecycle-track.ts";

export type World = {
  deps: Deps;
  /** Errors logged since the last read. Reading clears them. */
  warnings: string[];
  openStage(automatic: boolean): Promise<Stage>;
  close(): Promise<void>;
};
/** An account with the cast's catalogue, which plays one story after another. */
export type Stage = { account_id: string; begin(story: Story, real_ms: number): Promise<Scene> };
/** Starts a story: a patient without orders, shelves at their initial stock, and the clock unchanged. */
export type Scene = { account_id: string; patient_id: string; model: Model };

const PATIENTS_AT_ONCE = 25;
const FIRST_PRESCRIPTION = 20_000_000;
/** More than any story uses. */
const PLENTY = 10_000;

/** The real use cases on a real database, without jobs or listeners, so that only commands cause changes. */
export async function openWorld(options: {
  database_url: string;
  master_key: string;
  pool_size: number;
}): Promise<World> {
  const config = readConfig({ DATABASE_URL: options.database_url, MASTER_KEY: options.master_key });
  // This database need not survive a crash, so it does not wait for the disk.
  const connection = { connectionString: options.database_url, options: "-c synchronous_commit=off" };
  const db = openDb({ connection, pool_size: options.pool_size, named_statements: true });
  await migrate(db);
  const now = () => new Date();
  const warnings: string[] = [];
  const warn = (facts: unknown, message: string) => void warnings.push(`${message}: ${JSON.stringify(facts)}`);
  const log = { info: () => {}, warn, error: warn } as unknown as Deps["log"];
  const metrics = createMetrics();
  const adapters = adaptersInUse(config, { demo: true, metrics, now });
  const deps: Deps = {
    config,
    db,
    across: db,
    tenants: db,
    queue: db,
    vault: await openVault(db, () => masterKeys(config), now()),
    // The catalogue never changes here, so cached copies stay valid.
    bus: { fresh: () => true },
    copies: createCopies(),
    limiter: createRateLimiter(),
    strangers: createRateLimiter(),
    quotas: createQuotaBook(),
    ...adapters,
    carriers: { ...adapters.carriers, sandbox: quickCarrier },
    safety: await openSafetyEngine({ config, db, log, metrics }),
    deliveries: { wake() {} },
    ...notServing({ config, db, now, log }),
    log,
    metrics,
    now,
  };
  await db.transaction((tx) => saveLicences(tx, "sandbox", licences(now())));
  return { deps, warnings, openStage: (automatic) => openStage(deps, automatic), close: () => db.close() };
}

async function openStage(deps: Deps, automatic: boolean): Promise<Stage> {
  const { db } = deps;
  const { account_id } = await db.transaction(async (tx) => {
    const workflow = automatic ? ("automatic" as const) : ("api_driven" as const);
    const partner = { name: `Partner ${randomUUID()}`, environment: "sandbox" as const, workflow, ncpdp_id: null };
    const account = await createPartnerAccount(tx, partner, deps.now());
    await saveShippingMethods(tx, account.account_id, shippingMethods, deps.now());
    await saveBrands(tx, account.account_id, brands);
    await saveProducts(tx, account.account_id, products, deps.now());
    return account;
  });
  // The next story inherits the shelves, except those that must be scarce.
  const shelves = new Map(products.map(({ sku }) => [sku, { on_hand: 0, reserved: 0 }]));
  const waiting = new Map<boolean, NewPatient[]>();
  const nextPatient = async (email: boolean): Promise<NewPatient> => {
    const queue = waiting.get(email) ?? [];
    waiting.set(email, queue);
    if (queue.length === 0) {
      queue.push(...Array.from({ length: PATIENTS_AT_ONCE }, () => newPatient(email)));
      await addPatients(deps, account_id, queue);
    }
    return queue.shift()!;
  };
  return {
    account_id,
    async begin({ email }, real_ms) {
      await db.transaction(async (tx) => {
        await resetClock(tx, account_id);
        const entries = [...shelves].flatMap(([sku, shelf]) => {
          const wanted = scarce[sku] ?? (shelf.on_hand < PLENTY ? PLENTY * 10 : shelf.on_hand);
          const units = wanted - shelf.on_hand;
          shelf.on_hand = wanted;
          return units === 0 ? [] : [{ sku, kind: "counted" as const, units, order_number: null, note: null }];
        });
        if (entries.length > 0) await enterStock(tx, account_id, entries, deps.now());
      });
      const { patient_id, prescriptions } = await nextPatient(email);
      const model: Model = {
        automatic,
        real_ms,
        ahead_ms: 0,
        email,
        allergies: [],
        shelves,
        prescriptions: new Map(
          prescriptions.map(({ prescription_id, product, written_qty, refills, written: how = {} }) => [
            prescription_id,
            {
              sku: (product as (typeof products)[number]).sku,
              units_left: written_qty * (1 + refills),
              units_ordered: 0,
              daw: how.daw ?? false,
              unclear: how.sig_text === "",
            },
          ]),
        ),
        orders: [],
      };
      return { account_id, patient_id, model };
    },
  };
}

let next_prescription = FIRST_PRESCRIPTION;
let next_patient = 0;

const newPatient = (email: boolean): NewPatient => ({
  patient_id: `life-${next_patient++}`,
  ...(email ? {} : { record: { email: null } }),
  prescriptions: written.map(({ sku, written_qty, refills, ...how }) => ({
    prescription_id: next_prescription++,
    product: products.find((product) => product.sku === sku)!,
    written_qty,
    refills,
    written: { ...("daw" in how && { daw: true }), ...("unclear" in how && { sig_text: "" }) },
  })),
});

/** A fake carrier whose parcels report three scans and whose labels cost nothing. */
const quickCarrier: Carriers = {
  async createLabel({ key }) {
    return {
      tracking_no: `LIFE${key}`,
      tracking_url: null,
      label: { format: "PDF", data: Buffer.from("%PDF-"), zpl: "" },
    };
  },
  voidLabel: async () => "done",
  async track(parcel, now) {
    return scansOf(parcel).filter(({ at }) => at <= now);
  },
  nextLookAt: (parcel, now) => scansOf(parcel).find(({ at }) => at > now)?.at ?? null,
};

function scansOf({ shipped_at, street1 = "" }: Parameters<Carriers["track"]>[0]): Scan[] {
  const end = street1.startsWith("102 ") ? "lost" : street1.startsWith("106 ") ? "returned" : "delivered";
  const scan = (status: Scan["status"], after_ms: number): Scan => ({
    at: new Date(shipped_at.getTime() + after_ms),
    status,
    place: null,
    description: "Scanned.",
  });
  return [scan("label_created", 0), scan("in_transit", IN_TRANSIT_MS), scan(end, END_MS)];
}
