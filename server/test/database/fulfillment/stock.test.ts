import type { Product } from "@pestle/contract";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { announce, type Change } from "../../../src/db/bus.ts";
import { enterStock, listShelves } from "../../../src/db/catalogue/stock.ts";
import { CHANNEL, openDb } from "../../../src/db/db.ts";
import { migrate } from "../../../src/db/migrate.ts";
import { type StockEntryKind, stockEntryKinds } from "../../../src/domain/catalogue/stock.ts";
import { partner } from "../../../src/domain/orders/order.ts";
import { createPartnerAccount } from "../../../src/usecases/accounts/create-partner.ts";
import { countStock, moveStock, receiveStock } from "../../../src/usecases/catalogue/move-stock.ts";
import { cancelOrder } from "../../../src/usecases/orders/cancel-order.ts";
import { addPatient, ask, stranger } from "../../support/patient.ts";
import { createTestDatabase, startTestApp, type TestApp } from "../../support/test-app.ts";
import { SOON_MS, until } from "../../support/tools/until.ts";

let app: TestApp;
let account_id: string;
beforeAll(async () => {
  app = await startTestApp({ unlimited: true });
  ({ account_id } = app.demo.partners[0]!);
});
afterAll(() => app.stop());

const change = (sku: string, units: number, note: string | null = null) => ({ account_id, sku, units, note });
const receive = (sku: string, units: number) => receiveStock(app.deps.db, change(sku, units), app.deps.now());
const count = (sku: string, units: number) => countStock(app.deps.db, change(sku, units), app.deps.now());
const shelfOf = async (sku: string) => (await listShelves(app.deps.db, account_id, sku, 5))[0]!;
/** As orders do it. */
const enter = (sku: string, kind: StockEntryKind, units: number) =>
  app.deps.db.transaction((tx) =>
    enterStock(tx, account_id, [{ sku, kind, units, order_number: null, note: null }], app.deps.now()),
  );
const inStock = async (sku: string) =>
  (JSON.parse((await ask(app, `/products?sku[]=${sku}`)).text) as Product[])[0]?.in_stock;

/** Shelves whose stock differs from the sum of their entries. */
async function wrongShelves(): Promise<unknown[]> {
  const effect = (of: "on_hand" | "reserved") =>
    `sum(e.units * case e.kind ${Object.entries(stockEntryKinds)
      .map(([kind, effects]) => `when '${kind}' then ${effects[of]}`)
      .join(" ")} end)`;
  const { rows } = await app.deps.db.raw(`
    select s.account_id, s.sku, s.on_hand_units, s.reserved_units
    from stock s
    left join stock_entry e on e.account_id = s.account_id and e.sku = s.sku
    group by s.account_id, s.sku
    having s.on_hand_units <> coalesce(${effect("on_hand")}, 0)
      or s.reserved_units <> coalesce(${effect("reserved")}, 0)`);
  return rows;
}

describe("a shelf", () => {
  test("of the demo was filled by a delivery", async () => {
    expect(await wrongShelves()).toEqual([]);
    expect((await shelfOf("lipora-20")).last_entries).toEqual([
      {
        kind: "received",
        units: 100_000,
        order_number: null,
        at: expect.any(String),
        note: "demo",
        lot: null,
        reason: null,
      },
    ]);
    expect((await shelfOf("tretinoin-025")).last_entries).toEqual([]);
  });

  test("adds received units, and records the receipt", async () => {
    const before = await shelfOf("finasteride-1");
    await receiveStock(app.deps.db, change("finasteride-1", 12.5, "Packing slip 4471"), app.deps.now());
    const after = await shelfOf("finasteride-1");
    expect(after.on_hand_units - before.on_hand_units).toBe(12.5);
    expect(after.last_entries[0]).toMatchObject({ kind: "received", units: 12.5, note: "Packing slip 4471" });
  });

  test("equals the count: the entry is the difference, even if it is zero", async () => {
    expect(await count("sildenafil-50", 99_990)).toMatchObject({ on_hand_units: 99_990 });
    expect(await count("sildenafil-50", 99_990.5)).toMatchObject({ on_hand_units: 99_990.5 });
    await count("sildenafil-50", 99_990.5);
    const { last_entries } = await shelfOf("sildenafil-50");
    expect(last_entries.slice(0, 3).map(({ kind, units }) => [kind, units])).toEqual([
      ["counted", 0],
      ["counted", 0.5],
      ["counted", -10],
    ]);
  });

  test("is never counted below the reserved units", async () => {
    await enter("sertraline-50", "reserved", 30);
    const before = await shelfOf("sertraline-50");
    await expect(count("sertraline-50", 29.999)).rejects.toThrow(
      "Orders have reserved 30 units. The count cannot be lower.",
    );
    expect(await shelfOf("sertraline-50")).toEqual(before);
    expect(await count("sertraline-50", 30)).toEqual({ sku: "sertraline-50", on_hand_units: 30, reserved_units: 30 });
  });

  test("that does not exist, or of an unknown account, is rejected", async () => {
    await expect(receive("unheard-of", 1)).rejects.toThrow("The account has no such product.");
    const nobody = { ...change("lipora-20", 1), account_id: "nobody" };
    await expect(countStock(app.deps.db, nobody, app.deps.now())).rejects.toThrow("There is no such account.");
  });

  test("is dated by the account's own clock", async () => {
    const owner = await app.deps.db.transaction((tx) =>
      createPartnerAccount(
        tx,
        { name: "Medlar", environment: "sandbox", workflow: "api_driven", ncpdp_id: null },
        app.deps.now(),
      ),
    );
    const { db } = app.deps;
    await db.raw("update account set clock_offset_s = 86400 where account_id = $1", [owner.account_id]);
    await db.raw(
      `insert into product (account_id, sku, name, ingredients, rx_only, drug_schedule, package_sizes, quantities,
        written_quantities, max_units, shipping_method_ids, price_cents)
      values ($1, 'a', 'A', '{}', false, '0', '{1}', '{1}', '{1}', 1, '{1}', 1)`,
      [owner.account_id],
    );
    await db.raw("insert into stock (account_id, sku, on_hand_units) values ($1, 'a', 0)", [owner.account_id]);
    const now = new Date("2027-01-01T00:00:00Z");
    await receiveStock(db, { account_id: owner.account_id, sku: "a", units: 1, note: null }, now);
    const [shelf] = await listShelves(db, owner.account_id, null, 1);
    expect(new Date(shelf!.last_entries[0]!.at).toISOString()).toBe("2027-01-02T00:00:00.000Z");
  });
});

describe("in_stock", () => {
  test("follows the shelf within a second: received units can be ordered, and used ones cannot", async () => {
    expect(await inStock("tretinoin-025")).toBe(false);
    await receive("tretinoin-025", 45);
    expect(await until(async () => (await inStock("tretinoin-025")) === true, "it is in stock")).toBeLessThan(SOON_MS);
    await count("tretinoin-025", 0);
    expect(await until(async () => (await inStock("tretinoin-025")) === false, "it is gone")).toBeLessThan(SOON_MS);
  });

  test("notifies other processes only if it changes", async () => {
    const listener = await app.deps.db.connect();
    const heard: Change[] = [];
    listener.on("notification", ({ payload }) => heard.push(JSON.parse(payload!)));
    await listener.query(`listen ${CHANNEL}`);
    await receive("amoxicillin-500", 1);
    await count("amoxicillin-500", 100_000);
    // Notifications arrive in commit order: once this one has arrived, so have all earlier ones.
    await announce(app.deps.db, { kind: "catalogue", account_id: "somebody-else" });
    await until(() => heard.some((change) => change.account_id === "somebody-else"), "the last change arrives");
    expect(heard.filter((change) => change.kind === "catalogue" && change.account_id === account_id)).toEqual([]);
    await listener.end();
  });
});

describe("the ledger", () => {
  const kinds = Object.keys(stockEntryKinds) as StockEntryKind[];
  const thousandths = fc.integer({ min: 1, max: 60_000 });

  test("has every kind of entry that the database knows", async () => {
    const { rows } = await app.deps.db.raw("select pg_get_functiondef('stock_entry_fits'::regproc) as text");
    const known = /kind in \(([^)]*)\)/.exec(String(rows[0]!["text"]))![1]!;
    expect([...known.matchAll(/'(\w+)'/g)].map(([, kind]) => kind).sort()).toEqual([...kinds].sort());
    await expect(enter("lipora-20", "received", 0)).rejects.toThrow("check constraint");
    await expect(enter("lipora-20", "released", -1)).rejects.toThrow("check constraint");
  });

  test("adds up to the on-hand and reserved units after any sequence, and no shelf goes below zero", async () => {
    const steps = fc.array(fc.tuple(fc.constantFrom(...kinds), thousandths), { minLength: 1, maxLength: 25 });
    const sku = "minoxidil-2-5";
    // In thousandths, so that sums are exact.
    const model = { on_hand: 0, reserved: 0 };
    await fc.assert(
      fc.asyncProperty(steps, async (sequence) => {
        for (const [kind, amount] of sequence) {
          const target = kind === "counted" ? amount - model.on_hand : amount;
          const next = {
            on_hand: model.on_hand + stockEntryKinds[kind].on_hand * target,
            reserved: model.reserved + stockEntryKinds[kind].reserved * target,
          };
          const possible = next.reserved >= 0 && next.reserved <= next.on_hand;
          const units = amount / 1000;
          const done =
            kind === "received"
              ? receive(sku, units)
              : kind === "counted"
                ? count(sku, units)
                : enter(sku, kind, units);
          if (!possible) {
            await expect(done).rejects.toThrow();
            continue;
          }
          await done;
          Object.assign(model, next);
        }
        const shelf = await shelfOf(sku);
        expect([shelf.on_hand_units, shelf.reserved_units]).toEqual([model.on_hand / 1000, model.reserved / 1000]);
        expect(await wrongShelves()).toEqual([]);
      }),
      { seed: 20_261_115, numRuns: 20 },
    );
  });

  test("adds up after concurrent orders, cancels, deliveries and counts", async () => {
    const sku = "pill-organizer";
    const { patient_id } = await addPatient(app, { patient: stranger() });
    const order = (number: number) => ({
      shipping: { method_id: 1 },
      patient: { patient_id },
      reference: `race ${number}`,
      items: [{ sku, quantity: 1 + (number % 3), package_size: 1 }],
    });
    await count(sku, 20);
    const race = Array.from({ length: 30 }, (_, number) => number);
    const answers = await Promise.all(
      race.map(async (number) => {
        if (number % 5 === 0) await receive(sku, 1);
        if (number % 7 === 0) await count(sku, 25).catch(() => {});
        const answer = await ask(app, "/orders", order(number));
        if (answer.status !== 201 || number % 4 !== 0) return { ...answer, canceled: false };
        const { order_number } = JSON.parse(answer.text) as { order_number: string };
        await cancelOrder(app.deps, app.deps.db, { account_id, order_number, actor: partner });
        return { ...answer, canceled: true };
      }),
    );
    const made = race.filter((number) => answers[number]!.status === 201 && !answers[number]!.canceled);
    expect(answers.some(({ canceled }) => canceled)).toBe(true);
    expect(made.length).toBeGreaterThan(5);
    for (const { status, text } of answers) if (status !== 201) expect(text).toContain("42253");
    const shelf = await shelfOf(sku);
    expect(shelf.reserved_units).toBe(made.reduce((sum, number) => sum + 1 + (number % 3), 0));
    expect(shelf.available_units).toBeGreaterThanOrEqual(0);
    expect(await wrongShelves()).toEqual([]);
  });

  test("changes several shelves at once, or none", async () => {
    const entry = (sku: string, units: number) => ({
      sku,
      kind: "dispensed" as const,
      units,
      order_number: "7K2M9XQ4TB",
      note: null,
    });
    await enter("lipora-20", "reserved", 60);
    const before = [await shelfOf("lipora-20"), await shelfOf("phenelzine-15")];
    const both = [entry("lipora-20", 30), entry("lipora-20", 30), entry("phenelzine-15", 1)];
    const move = (entries: typeof both) =>
      app.deps.db.transaction((tx) => moveStock(tx, account_id, before, entries, app.deps.now()));
    await expect(move(both)).rejects.toThrow("check constraint");
    expect([await shelfOf("lipora-20"), await shelfOf("phenelzine-15")]).toEqual(before);
    expect(await move(both.slice(0, 2))).toEqual([
      { sku: "lipora-20", on_hand_units: before[0]!.on_hand_units - 60, reserved_units: 0 },
    ]);
    expect(await wrongShelves()).toEqual([]);
  });

  test("starts with the on-hand units of a shelf without a ledger", async () => {
    const old = await createTestDatabase("");
    const db = openDb({ connection: { connectionString: old.url }, pool_size: 2, named_statements: true });
    await migrate(db, { upTo: 7 });
    await db.raw(`
      insert into account (account_id, environment, created_at) values ('abcdefghijkl', 'sandbox', now());
      insert into product (account_id, sku, name, ingredients, rx_only, drug_schedule, package_sizes, quantities,
        written_quantities, max_units, shipping_method_ids, price_cents)
      select 'abcdefghijkl', sku, sku, '{}', false, '0', '{1}', '{1}', '{1}', 1, '{1}', 1
      from unnest('{full,empty}'::text[]) as sku;
      insert into stock (account_id, sku, on_hand_units) values ('abcdefghijkl', 'full', 12), ('abcdefghijkl', 'empty', 0)`);
    await migrate(db);
    const { rows } = await db.raw("select sku, kind, units from stock_entry");
    expect(rows).toEqual([{ sku: "full", kind: "received", units: "12" }]);
    await db.close();
    await old.drop();
  });
});
