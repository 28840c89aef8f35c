import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Brand, Product, ShippingMethod } from "@pestle/contract";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findPerson } from "../../../src/db/accounts/people.ts";
import { products as cast } from "../../../src/seed/cast.ts";
import { seedDemo } from "../../../src/seed/demo.ts";
import { readDemo, writeDemo } from "../../../src/seed/demo-file.ts";
import { passwordMatches } from "../../../src/vault/password-hash.ts";
import { newOrder, placed } from "../../support/orders.ts";
import { startTestApp, type TestApp } from "../../support/test-app.ts";
import { freshToken } from "../../support/token-request.ts";
import { signedIn, type WebPerson } from "../../support/web.ts";

let app: TestApp;
let products: Product[];
let methods: ShippingMethod[];
beforeAll(async () => {
  app = await startTestApp();
  products = (await (await app.call("/products")).json()) as Product[];
  ({ shipping_methods: methods } = (await (await app.call("/shipping_methods")).json()) as {
    shipping_methods: ShippingMethod[];
  });
});
afterAll(() => app.stop());

describe("demo.json", () => {
  test("has the structure that tools rely on, and only its owner can read it", () => {
    writeDemo(app.config.DATA_DIR, app.demo);
    const file = join(app.config.DATA_DIR, "demo.json");
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const text = expect.stringMatching(/./);
    const signIn = { email: expect.stringMatching(/@/), password: expect.stringMatching(/^.{12,}$/) };
    const partner = (environment: string, workflow: string) => ({
      name: text,
      workflow,
      environment,
      account_id: expect.stringMatching(/^[a-z0-9]{12}$/),
      client_id: text,
      client_secret: text,
      ncpdp_id: expect.stringMatching(/^\d{7}$/),
      portal: signIn,
    });
    expect(JSON.parse(readFileSync(file, "utf8"))).toEqual({
      base_url: text,
      auth_url: text,
      sandbox_auth_url: text,
      operator: signIn,
      people: ["technician", "pharmacist", "pharmacist"].map((role) => ({ ...signIn, name: text, role })),
      partners: [
        partner("sandbox", "api_driven"),
        partner("sandbox", "automatic"),
        partner("production", "api_driven"),
      ],
      intake: { environment: "sandbox", client_id: text, client_secret: text },
    });
  });

  test("contains credentials and passwords that work", async () => {
    for (const partner of app.demo.partners) expect(await freshToken(app, partner)).toBeTruthy();
    expect(await freshToken(app, app.demo.intake, "intake")).toBeTruthy();
    const { operator, people, partners } = app.demo;
    for (const { email, password } of [operator, ...people, ...partners.map(({ portal }) => portal)]) {
      const person = await findPerson(app.deps.db, email.toUpperCase());
      expect(await passwordMatches(password, person!.password_hash)).toBe(true);
      expect(await passwordMatches(`${password}x`, person!.password_hash)).toBe(false);
    }
  });
});

test("the demo's people take an order from review to shipped, and its admin cannot approve", async () => {
  const { operator, people } = app.demo;
  const [admin, technician, mina, owen] = await Promise.all(
    [operator, ...people].map((person) => signedIn(app, person)),
  );
  const made = await placed(app, (await newOrder(app)).body);
  const { account_id } = app.demo.partners[0]!;
  const path = `/dashboard/orders/${account_id}/${made.order_number}/work`;
  const refused = await admin!.send("POST", path, { event: "approve_review" });
  expect([refused.status, refused.body.error.key]).toEqual([409, "not_your_role"]);
  const items = made.items.map(({ item_id }) => ({ item_id, lot: "L1", lot_expires_on: "2099-01-01" }));
  const scans = made.items.map(({ item_id, ndc }) => ({ item_id, code: ndc }));
  const steps: [WebPerson, object, string][] = [
    [mina!, { event: "approve_review" }, "Filling/fill"],
    [technician!, { event: "complete_fill", items }, "Filling/product_check"],
    [owen!, { event: "verify_product", scans }, "Filling/pack"],
    [technician!, { event: "print" }, "Filling/pack"],
    [technician!, { event: "ship" }, "Shipped"],
  ];
  for (const [by, body, state] of steps) expect((await by.send("POST", path, body)).body.state).toBe(state);
});

describe("the demo has one of everything, available through the API", () => {
  const find = (what: string, holds: (product: Product) => boolean) =>
    test(`a product ${what}`, () => expect(products.some(holds)).toBe(true));
  find("in schedule 0", ({ rx_only, drug_schedule }) => rx_only && drug_schedule === "0");
  find("in schedule 2", ({ drug_schedule }) => drug_schedule === "2");
  find("in schedule 4", ({ drug_schedule }) => drug_schedule === "4");
  find("limited to some shipping methods", ({ shipping_method_ids }) => shipping_method_ids.length < methods.length);
  find("out of stock", ({ in_stock }) => !in_stock);
  find("over the counter", ({ rx_only, ndc }) => !rx_only && ndc === null);
  test("a brand product with its generic: two NDCs of one GCN", () => {
    const gcns = products.map(({ gcn }) => gcn).filter((gcn) => gcn !== null);
    expect(new Set(gcns).size).toBeLessThan(gcns.length);
  });
  test("lists that are complete and never empty", () => {
    for (const { package_sizes, quantities, written_quantities, shipping_method_ids } of products) {
      for (const list of [package_sizes, quantities, written_quantities, shipping_method_ids])
        expect(list.length).toBeGreaterThan(0);
      for (const id of shipping_method_ids) expect(methods.map((method) => method.id)).toContain(id);
    }
  });
  test("a shipping method without PO Box delivery, one without signature confirmation, one for the cold chain", () => {
    expect(methods.some(({ po_box }) => !po_box)).toBe(true);
    expect(methods.some(({ po_box }) => po_box)).toBe(true);
    expect(methods.some(({ signature_confirmation }) => !signature_confirmation)).toBe(true);
    expect(methods.some(({ cold_chain }) => cold_chain)).toBe(true);
  });
  test("two brands, one of them the default", async () => {
    const { brands } = (await (await app.call("/brands")).json()) as { brands: Brand[] };
    expect(brands.map((brand) => brand.default).sort()).toEqual([false, true]);
  });
  test("products can be queried by SKU, NDC and GCN", async () => {
    const ask = async (query: string) =>
      ((await (await app.call(`/products?${query}`)).json()) as Product[]).map(({ sku }) => sku);
    expect(await ask("sku[]=zolpidem-5&sku%5B%5D=packaging-pouch")).toEqual(["packaging-pouch", "zolpidem-5"]);
    expect(await ask("ndc[]=70999010130")).toEqual(["atorvastatin-20"]);
    expect(await ask("gcn[]=90101")).toEqual(["atorvastatin-20", "lipora-20"]);
    expect(await ask("sku[]=nothing")).toEqual([]);
  });
});

describe("the rest of the cast", () => {
  test("California is licensed and blocks nothing; at least one state has no license; one product is blocked in some state", async () => {
    for (const environment of ["production", "sandbox"]) {
      const { rows } = await app.deps.db.raw("select state from licence where environment = $1 and status = 'active'", [
        environment,
      ]);
      const states = rows.map(({ state }) => state);
      expect(states).toContain("CA");
      expect(states).not.toContain("AK");
    }
    expect(cast.filter(({ blocked_states }) => blocked_states.includes("CA"))).toEqual([]);
    expect(cast.some(({ blocked_states }) => blocked_states.length > 0)).toBe(true);
  });
  test("one product without stock accepts back orders and one does not; the others cover a thousand fills", () => {
    const empty = cast.filter(({ on_hand_units }) => on_hand_units === 0);
    expect(empty.map(({ back_orders }) => back_orders).sort()).toEqual([false, true]);
    for (const { sku, on_hand_units, written_quantities } of cast.filter((product) => !empty.includes(product))) {
      expect([sku, on_hand_units >= 1000 * Math.max(...written_quantities)]).toEqual([sku, true]);
    }
  });
  test("only the api_driven sandbox partner may send custom labels", async () => {
    const { rows } = await app.deps.db.raw(
      "select account_id, custom_labels from account where partner_id is not null",
    );
    const may = rows.filter(({ custom_labels }) => custom_labels).map(({ account_id }) => account_id);
    expect(may).toEqual([app.demo.partners[0]!.account_id]);
  });
});

test("a database with accounts is not seeded again, and its demo.json stays", async () => {
  const data_dir = mkdtempSync(join(tmpdir(), "pestle-demo-"));
  const deps = { ...app.deps, config: { ...app.config, DATA_DIR: data_dir } };
  expect(await seedDemo(deps)).toBe(false);
  expect(readDemo(data_dir)).toBeUndefined();
  rmSync(data_dir, { recursive: true });
});
