import {
  type Brand,
  type Environment,
  environments,
  type Order,
  type Product,
  type ShippingMethod,
} from "@pestle/contract";
import fc from "fast-check";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { readFileTable } from "../../../src/domain/catalogue/file-table.ts";
import { type CatalogueKind, catalogueKinds, type Row } from "../../../src/domain/catalogue/rows.ts";
import { writeFile } from "../../../src/domain/catalogue/write-file.ts";
import { createPartnerAccount } from "../../../src/usecases/accounts/create-partner.ts";
import { type CatalogueImport, importCatalogue } from "../../../src/usecases/catalogue/import-catalogue.ts";
import { readCatalogue } from "../../../src/usecases/catalogue/read-catalogue.ts";
import {
  type CatalogueOwner,
  readCatalogueRows,
  readCatalogueVersions,
} from "../../../src/usecases/catalogue/read-catalogue-rows.ts";
import { codesOf } from "../../support/conventions.ts";
import { addPatient, ask, goodAddress, stranger } from "../../support/patient.ts";
import { castCatalogue, catalogues } from "../../support/samples/catalogue.ts";
import { startTestApp, type TestApp } from "../../support/test-app.ts";
import { SOON_MS, until } from "../../support/tools/until.ts";

let app: TestApp;
let account_id: string;
beforeAll(async () => {
  app = await startTestApp({ unlimited: true });
  ({ account_id } = app.demo.partners[0]!);
});
afterAll(() => app.stop());

type Options = Partial<Pick<CatalogueImport, "partial" | "dry_run" | "agreed">>;

/** Imports a file into a partner's catalogue. */
const importText = (owner: CatalogueOwner, kind: CatalogueKind, text: string, options: Options = {}) =>
  importCatalogue(
    app.deps.db,
    { owner, kind, table: readFileTable(text), source: `${kind}.csv`, partial: false, dry_run: false, ...options },
    app.deps.now(),
  );
const importRows = (kind: CatalogueKind, rows: readonly object[], options: Options = {}) =>
  importText({ account_id }, kind, JSON.stringify(rows), options);
const exported = async (owner: CatalogueOwner, kind: CatalogueKind, format: "csv" | "json" = "csv") =>
  writeFile(kind, (await readCatalogueRows(app.deps.db, owner))[kind] as unknown as Row[], format);
const rowsOf = async (sql: string, ...params: unknown[]) => (await app.deps.db.raw(sql, params)).rows;

const get = async <Answer>(path: string) => JSON.parse((await ask(app, path)).text) as Answer;
const listed = {
  products: async () => (await get<Product[]>("/products")).map(({ sku }) => sku),
  brands: async () => (await get<{ brands: Brand[] }>("/brands")).brands.map(({ id }) => id),
  shipping_methods: async () =>
    (await get<{ shipping_methods: ShippingMethod[] }>("/shipping_methods")).shipping_methods.map(({ id }) => id),
};
const seen = (holds: () => Promise<boolean>) => until(holds, "the service has seen the import", SOON_MS);

/** An order of a new patient: returns its error codes. */
async function refusals(body: Record<string, unknown>): Promise<number[]> {
  const { patient_id, prescription_id } = await addPatient(app, { patient: stranger() });
  const items = [{ prescription_id, quantity: 1, package_size: 90, ...(body["item"] as object) }];
  const given = { shipping: { method_id: 1 }, patient: { patient_id }, items, ...body };
  const { item: _, ...order } = given as Record<string, unknown>;
  const { status, text } = await ask(app, "/orders", order);
  return status === 201 ? [] : codesOf(text).map(([code]) => code);
}

/** A separate account, without a catalogue. */
let accounts = 0;
async function newAccount(environment: Environment = "sandbox"): Promise<{ account_id: string }> {
  const given = { name: `Quince ${++accounts}`, environment, workflow: "api_driven" as const, ncpdp_id: null };
  return app.deps.db.transaction((tx) => createPartnerAccount(tx, given, app.deps.now()));
}

/** A quote of a new patient's order, and what the order would cost at this moment. */
async function quoted() {
  const { patient_id, prescription_id } = await addPatient(app, { patient: stranger() });
  const body = { shipping: { method_id: 1 }, patient: { patient_id }, items: [{ prescription_id }] };
  const dryRun = async () => {
    const { quote, order } = JSON.parse((await ask(app, "/orders?dry_run=true", body)).text);
    return { quoted: quote.total_cents as number, costs: order.payment.amount_cents as number };
  };
  const place = async () => JSON.parse((await ask(app, "/orders", body)).text) as Order;
  return { first: await dryRun(), dryRun, place };
}
const priced = async (price_cents: number, shipping_cents: number) => {
  await importRows("products", [{ sku: "atorvastatin-20", price_cents }], { partial: true });
  await importRows("shipping_methods", [{ id: 1, price_cents: shipping_cents }], { partial: true });
  await seen(async () => {
    const [product] = await get<Product[]>("/products?sku[]=atorvastatin-20");
    const { shipping_methods } = await get<{ shipping_methods: ShippingMethod[] }>("/shipping_methods");
    return product?.price_cents[0] === price_cents && shipping_methods[0]?.price_cents === shipping_cents;
  });
};

describe("an import", () => {
  test("with an error writes nothing at all", async () => {
    const before = await exported({ account_id }, "products");
    const rows = [
      { sku: "atorvastatin-20", price_cents: 1 },
      { sku: "lipora-20", price_cents: -1 },
    ];
    const { faults, version } = await importRows("products", rows, { partial: true });
    expect([faults.length, version]).toEqual([1, null]);
    expect(await exported({ account_id }, "products")).toBe(before);
  });

  test("as a dry run shows the difference and writes nothing", async () => {
    const counts = () =>
      rowsOf(`select (select count(*) from catalogue_version), (select count(*) from account),
        (select count(*) from product where retired_at is not null), (select max(stock_entry_id) from stock_entry)`);
    const before = await counts();
    const dry = await importRows("products", [{ sku: "atorvastatin-20", price_cents: 1 }], { dry_run: true });
    expect(dry).toMatchObject({ version: null, added: [], faults: [] });
    expect([dry.changed.length, dry.retired.length]).toEqual([1, castCatalogue.products.length - 1]);
    for (const environment of environments) {
      const owner = { environment };
      const text = (await exported(owner, "licences")).replace("active", "expired");
      expect((await importText(owner, "licences", text, { dry_run: true })).changed).toHaveLength(1);
    }
    expect(await counts()).toEqual(before);
  });

  test("that changes nothing creates no version", async () => {
    for (const kind of catalogueKinds) {
      const owner = kind === "licences" ? { environment: "sandbox" as const } : { account_id };
      const { version, unchanged } = await importText(owner, kind, await exported(owner, kind));
      expect([kind, version, unchanged > 0]).toEqual([kind, null, true]);
    }
    expect(await readCatalogueVersions(app.deps.db, { account_id })).toEqual([]);
    expect(await readCatalogueVersions(app.deps.db, { environment: "production" })).toEqual([]);
  });

  test("is rejected if the difference is no longer the confirmed one", async () => {
    const rows = [{ sku: "finasteride-1", price_cents: 1900 }];
    const tried = await importRows("products", rows, { partial: true, dry_run: true });
    const { version: _, faults: __, warnings: ___, ...agreed } = tried;
    await importRows("products", [{ sku: "finasteride-1", price_cents: 1800 }], { partial: true });
    await expect(importRows("products", rows, { partial: true, agreed })).rejects.toThrow("changed after the preview");
    await importRows("products", [{ sku: "finasteride-1", price_cents: 1200 }], { partial: true });
    expect((await importRows("products", rows, { partial: true, agreed })).version).not.toBeNull();
  });

  test("for an unknown account, or the operator's own, is rejected", async () => {
    const [operator] = await rowsOf("select account_id from account where partner_id is null");
    for (const nobody of ["nobody", String(operator?.["account_id"])]) {
      await expect(importText({ account_id: nobody }, "brands", "id,name\n1,x")).rejects.toThrow(
        "There is no such account.",
      );
    }
  });

  test("is a version that records what was added, changed and retired, and the file", async () => {
    const owner = await newAccount();
    await importText(owner, "brands", "id,name,default\n1,One,true\n2,Two,false\n");
    await importText(owner, "brands", "id,name,default\n1,Uno,true\n3,Three,false\n");
    const versions = await readCatalogueVersions(app.deps.db, owner);
    expect(versions).toEqual([
      {
        version: 2,
        kind: "brands",
        source: "brands.csv",
        imported_at: expect.any(Date),
        summary: {
          added: [3],
          changed: [{ key: 1, fields: [{ field: "name", from: "One", to: "Uno" }] }],
          retired: [2],
          unchanged: 0,
        },
      },
      expect.objectContaining({ version: 1 }),
    ]);
  });

  test("waits for a concurrent one: both are versions, and the last one applies", async () => {
    const owner = await newAccount();
    const names = ["One", "Two", "Three", "Four", "Five", "Six"];
    await Promise.all(names.map((name) => importText(owner, "brands", `id,name,default\n1,${name},true\n`)));
    const versions = await readCatalogueVersions(app.deps.db, owner);
    expect(versions.map(({ version }) => version)).toEqual(names.map((_, index) => names.length - index));
    const last = versions[0]!.summary.changed[0]!.fields[0]!.to;
    expect(await exported(owner, "brands")).toBe(`id,name,default\n1,${last},true\n`);
  });

  test("can swap unique values: two NDCs, and the default row", async () => {
    const swapped = await importRows(
      "products",
      [
        { sku: "atorvastatin-20", ndc: "70999010230" },
        { sku: "lipora-20", ndc: "70999010130" },
      ],
      { partial: true },
    );
    expect(swapped.changed).toHaveLength(2);
    const flags = [
      { id: 1, default: false },
      { id: 2, default: true },
    ];
    for (const kind of ["brands", "shipping_methods"] as const) {
      expect((await importRows(kind, flags, { partial: true })).changed).toHaveLength(2);
      const back = flags.map(({ id, default: is }) => ({ id, default: !is }));
      expect((await importRows(kind, back, { partial: true })).changed).toHaveLength(2);
    }
    await importRows("products", castCatalogue.products, {});
    expect(await exported({ account_id }, "products")).toBe(
      writeFile("products", sorted(castCatalogue.products), "csv"),
    );
  });
});

describe("a retired row", () => {
  test("a product leaves the list and the formulary; its orders stay, and it can return", async () => {
    const { patient_id, prescription_id } = await addPatient(app, { patient: stranger() });
    const order = {
      shipping: { method_id: 1 },
      patient: { patient_id },
      items: [{ prescription_id, quantity: 1, package_size: 90 }],
    };
    const made = await ask(app, "/orders", order);
    expect(made.status).toBe(201);
    const read = () => ask(app, `/orders/${(JSON.parse(made.text) as { order_number: string }).order_number}`);
    const before = await read();

    const left = castCatalogue.products.filter(({ gcn, sku }) => gcn !== "90101" && sku !== "packaging-pouch");
    const { retired, version } = await importRows("products", left);
    expect([retired, version]).toEqual([["atorvastatin-20", "lipora-20", "packaging-pouch"], expect.any(Number)]);
    await seen(async () => !(await listed.products()).includes("lipora-20"));
    expect(await refusals({ item: { ndc: "70999010130" } })).toContain(42241);
    expect(await refusals({ item: { gcn: "90101" } })).toContain(42246);
    expect(await refusals({ item: { sku: "packaging-pouch", prescription_id: undefined } })).toContain(42254);
    expect(await refusals({ item: { product_selection: "lipora-20" } })).toContain(42260);
    // The prescription's medication itself.
    expect(await refusals({})).toContain(42260);
    // Only the prescription says that it cannot be filled again.
    const why = [{ code: 42260, message: "Invalid Item Product Selection" }];
    const fillable = '"fillable":true,"not_fillable":[]';
    expect(before.text).toContain(fillable);
    const not_fillable = `"fillable":false,"not_fillable":${JSON.stringify(why)}`;
    expect((await read()).text).toBe(before.text.replace(fillable, not_fillable));

    const back = await importRows("products", castCatalogue.products);
    expect(back.added).toEqual(["atorvastatin-20", "lipora-20", "packaging-pouch"]);
    await seen(async () => (await listed.products()).includes("lipora-20"));
    expect(await refusals({})).toEqual([]);
    // Its shelf was never emptied, and its reservations remain.
    const [shelf] = await rowsOf("select * from stock where account_id = $1 and sku = 'atorvastatin-20'", account_id);
    expect(Number(shelf?.["on_hand_units"])).toBe(100_000);
    expect(Number(shelf?.["reserved_units"])).toBeGreaterThan(0);
  });

  test("a product frees its NDC for another", async () => {
    const renamed = castCatalogue.products.map((row) =>
      row.sku === "sertraline-50" ? { ...row, sku: "sertraline-50-b" } : row,
    );
    expect(await importRows("products", renamed)).toMatchObject({
      added: ["sertraline-50-b"],
      retired: ["sertraline-50"],
    });
    expect(await importRows("products", castCatalogue.products)).toMatchObject({
      added: ["sertraline-50"],
      retired: ["sertraline-50-b"],
    });
  });

  test("a brand and a shipping method are no longer offered, and their orders stay", async () => {
    const { patient_id, prescription_id } = await addPatient(app, { patient: stranger() });
    const order = {
      shipping: { method_id: 2 },
      brand_id: 2,
      patient: { patient_id },
      items: [{ prescription_id, quantity: 1, package_size: 90 }],
    };
    const made = await ask(app, "/orders", order);
    expect(made.status).toBe(201);
    const path = `/orders/${(JSON.parse(made.text) as { order_number: string }).order_number}`;
    const read = () => ask(app, path);
    const before = await read();
    const without = castCatalogue.products.map((row) => ({
      sku: row.sku,
      shipping_method_ids: row.shipping_method_ids.filter((id) => id !== 2),
    }));
    await importRows("products", without);
    await importRows("brands", castCatalogue.brands.slice(0, 1));
    await importRows(
      "shipping_methods",
      castCatalogue.shipping_methods.filter(({ id }) => id !== 2),
    );
    await seen(async () => (await listed.shipping_methods()).length === 3 && (await listed.brands()).length === 1);
    expect(await refusals({ brand_id: 2 })).toContain(42380);
    expect(await refusals({ shipping: { method_id: 2 } })).toContain(42291);
    expect(before.text).toContain('"brand_id":2');
    expect((await read()).text).toBe(before.text);
    // The order's method still knows where it delivers.
    const box = { ...goodAddress, street1: "PO Box 118", street2: null };
    const moved = await ask(app, `${path}/shipping_address`, box, { method: "PUT" });
    expect(codesOf(moved.text).map(([code]) => code)).toContain(42293);
    for (const kind of ["shipping_methods", "brands", "products"] as const) await importRows(kind, castCatalogue[kind]);
  });
});

describe("licences", () => {
  test("belong to an environment: every account in it sees the change, and others do not", async () => {
    const statesOf = async (partner: number) => {
      const { account_id: id } = app.demo.partners[partner]!;
      return (await readCatalogue(app.deps, id)).formulary.licences;
    };
    expect((await statesOf(0)).has("TX") && (await statesOf(1)).has("TX") && (await statesOf(2)).has("TX")).toBe(true);
    const owner = { environment: "sandbox" as const };
    const before = await exported(owner, "licences");
    const text = before
      .split("\n")
      .filter((line) => !line.startsWith("TX"))
      .join("\n")
      .replace(/^(NY,.*),active/m, "$1,suspended");
    const { retired, changed, version } = await importText(owner, "licences", text);
    expect([retired, changed.map(({ key }) => key), version]).toEqual([["TX"], ["NY"], 1]);
    for (const partner of [0, 1]) {
      await seen(async () => !(await statesOf(partner)).has("TX") && !(await statesOf(partner)).has("NY"));
    }
    expect((await statesOf(2)).has("TX")).toBe(true);
    expect(await importText(owner, "licences", before)).toMatchObject({ added: ["TX"], version: 2 });
    const versions = await readCatalogueVersions(app.deps.db, owner);
    expect(versions.map(({ kind }) => kind)).toEqual(["licences", "licences"]);
  });
});

test("an export imports without any difference, and gives an empty account the same catalogue", async () => {
  const order = ["shipping_methods", "brands", "products"] as const;
  await fc.assert(
    fc.asyncProperty(catalogues, fc.constantFrom("csv" as const, "json" as const), async (catalogue, format) => {
      const [one, two] = [await newAccount(), await newAccount()];
      for (const kind of order) {
        await importText(one, kind, writeFile(kind, catalogue[kind] as unknown as Row[], format));
        const text = await exported(one, kind, format);
        expect(await importText(one, kind, text)).toMatchObject({ version: null, faults: [], added: [], changed: [] });
        expect((await importText(two, kind, text)).faults).toEqual([]);
        expect(await exported(two, kind, format)).toBe(text);
      }
      const counted = catalogue.stock.map(({ sku, on_hand_units }) => ({ sku, on_hand_units }));
      expect((await importText(one, "stock", JSON.stringify(counted))).changed).toHaveLength(counted.length);
      const stock = await exported(one, "stock", format);
      expect((await importText(one, "stock", stock)).version).toBeNull();
      await importText(two, "stock", stock);
      expect(await exported(two, "stock", format)).toBe(stock);
    }),
    { seed: 20_261_115, numRuns: 12 },
  );
});

function sorted<Product extends { sku: string }>(rows: readonly Product[]): Row[] {
  return [...rows].sort((a, b) => (a.sku < b.sku ? -1 : 1)) as unknown as Row[];
}

describe("a quote", () => {
  const MINUTE_MS = 60_000;
  beforeEach(async () => {
    await priced(1200, 500);
    app.advance(20 * MINUTE_MS);
  });

  test("is the most that the order costs for 15 minutes, however often prices change", async () => {
    const { first, dryRun, place } = await quoted();
    expect(first).toEqual({ quoted: 1700, costs: 1700 });
    await priced(1500, 700);
    app.advance(7 * MINUTE_MS);
    await priced(1600, 500);
    app.advance(7 * MINUTE_MS);
    expect(await dryRun()).toEqual({ quoted: 2100, costs: 1700 });
    expect((await place()).payment.amount_cents).toBe(1700);
  });

  test("of a lower price also outlives the next rise", async () => {
    await priced(900, 500);
    const { first, place } = await quoted();
    await priced(1200, 500);
    app.advance(14 * MINUTE_MS);
    expect([first.quoted, (await place()).payment.amount_cents]).toEqual([1400, 1400]);
  });

  test("ends: an order that comes later pays the new price", async () => {
    const { place } = await quoted();
    await priced(1500, 700);
    app.advance(17 * MINUTE_MS);
    expect((await place()).payment.amount_cents).toBe(2200);
  });
});
