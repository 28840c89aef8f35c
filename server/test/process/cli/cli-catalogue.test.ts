import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Product } from "@pestle/contract";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { catalogueKinds } from "../../../src/domain/catalogue/rows.ts";
import { codesOf } from "../../support/conventions.ts";
import { addPatient, ask, stranger } from "../../support/patient.ts";
import { startTestApp, TEST_MASTER_KEY, type TestApp } from "../../support/test-app.ts";
import { runCli } from "../../support/tools/run-cli.ts";
import { runCommand } from "../../support/tools/run-command.ts";
import { SOON_MS, until } from "../../support/tools/until.ts";

let app: TestApp;
let account: string;
let folder: string;
let env: Record<string, string>;
beforeAll(async () => {
  app = await startTestApp({ unlimited: true });
  ({ account_id: account } = app.demo.partners[0]!);
  folder = mkdtempSync(join(tmpdir(), "pestle-catalogue-"));
  const { DATABASE_URL, DATABASE_OWNER_URL, DATABASE_JOBS_URL, DATA_DIR } = app.config;
  env = { DATABASE_URL, DATABASE_OWNER_URL, DATABASE_JOBS_URL, DATA_DIR, MASTER_KEY: TEST_MASTER_KEY };
});
afterAll(async () => {
  await app.stop();
  rmSync(folder, { recursive: true, force: true });
});

const run = (name: string, options: Record<string, unknown> = {}, argument = "") =>
  runCommand(env, name, options, argument);
const fileOf = (name: string, content: string | Buffer) => {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
};
const importFile = (name: string, content: string | Buffer, options: Record<string, unknown> = {}) =>
  run("catalogue import", { account, ...options }, fileOf(name, content));
const exportedText = async (options: Record<string, unknown>) =>
  `${(await run("catalogue export", { account, ...options })).text}\n`;

describe("catalogue import", () => {
  test("shows what is added, changed with old and new values, and retired, and then the version", async () => {
    const text = (await exportedText({ kind: "products" }))
      .replace(/^tretinoin-025,.*\n/m, "")
      .replace(/^(pill-organizer,.*),899,/m, "$1,999,")
      .concat("cotton-balls,,,Cotton balls,,false,0,1,1;2,1,2,1,,false,199,false,false\n");
    const dry = await importFile("products.csv", text, { dryRun: true });
    const shown = [
      "+ cotton-balls",
      "~ pill-organizer",
      "    price_cents  899 -> 999",
      "- tretinoin-025",
      "1 added, 1 changed, 1 retired, 12 unchanged",
    ].join("\n");
    expect(dry.text).toBe(`${shown}\nDry run: nothing changed.`);
    expect(dry.data).toMatchObject({ kind: "products", dry_run: true, version: null, retired: ["tretinoin-025"] });
    const applied = await importFile("products.csv", text);
    expect(applied.text).toBe(`${shown}\nVersion 1 is now active.`);
    expect((await importFile("products.csv", text)).text).toBe(
      "0 added, 0 changed, 0 retired, 14 unchanged\nNo changes.",
    );
    expect(await exportedText({ kind: "products" })).toContain(
      "cotton-balls,,,Cotton balls,,false,0,1,1;2,1,2,1,,false,199,false,false",
    );
    const versions = await run("catalogue versions", { account });
    expect(versions.text).toMatch(/1 +\d{4}-\d\d-\d\d \d\d:\d\dZ +products +1 +1 +1 +12 +products\.csv$/);
    expect(versions.data).toMatchObject([{ version: 1, summary: { added: ["cotton-balls"] } }]);
    expect((await run("catalogue versions", { environment: "sandbox" })).text).toBe("No imports yet.");
  });

  test("accepts a price list as a partial file: rows and columns that it omits stay", async () => {
    const { text } = await importFile("prices.csv", "sku,price_cents\nsertraline-50,1250\n", {
      kind: "products",
      partial: true,
    });
    expect(text).toContain("~ sertraline-50\n    price_cents  1200 -> 1250\n0 added, 1 changed, 0 retired");
  });

  test("lists all errors by line and column, and exits with 1", async () => {
    const path = fileOf("wrong.csv", "sku,price_cents,cold_chain\nsertraline-50,-1,maybe\nlipora-20,many,\n");
    const args = ["catalogue", "import", path, "--account", account, "--kind", "products", "--partial"];
    expect(await runCli(args, env)).toEqual({
      code: 1,
      stdout: [
        "where   column       fix",
        "line 2  cold_chain   Enter true or false.",
        "line 2  price_cents  Enter a whole number from 0 to 10000000.",
        "line 3  price_cents  Enter a whole number from 0 to 10000000.",
        "Nothing changed: 3 errors.",
        "",
      ].join("\n"),
      stderr: "",
      json: expect.any(Function),
    });
  });

  test.each([
    ["whose it is", { account: undefined }, "For brands, give only --account."],
    ["both", { environment: "sandbox" }, "For brands, give only --account."],
    ["an account for licences", { kind: "licences" }, "For licences, give --environment but not --account."],
  ])("without %s is a usage error", async (_what, options, words) => {
    await expect(importFile("b.csv", "id,name,default\n1,x,true\n", options)).rejects.toThrow(words);
  });

  test("of a file with an unknown kind, an unreadable file or another encoding is rejected", async () => {
    await expect(importFile("x.csv", "sku\na\n")).rejects.toThrow("Give --kind.");
    await expect(run("catalogue import", { account }, join(folder, "none.csv"))).rejects.toThrow("cannot be read");
    await expect(importFile("latin.csv", Buffer.from("id,name\n1,Caf\xe9\n", "latin1"))).rejects.toThrow("UTF-8");
    const empty = await importFile("empty.csv", "");
    expect([empty.failed, empty.text]).toEqual([true, expect.stringContaining("The file has no rows.")]);
  });

  test("of licences applies to an environment", async () => {
    const file = await exportedText({ account: undefined, environment: "production", kind: "licences" });
    const changed = file.replace(/^(NV,[^,]+),active/m, "$1,suspended");
    const options = { account: undefined, environment: "production" };
    expect((await importFile("licences.csv", changed, options)).text).toContain("    status  active -> suspended");
    expect((await run("catalogue versions", { environment: "production" })).data).toHaveLength(1);
  });

  test.each(catalogueKinds.flatMap((kind) => [[kind, "csv"] as const, [kind, "json"] as const]))(
    "of an export of %s as %s changes nothing",
    async (kind, format) => {
      const whose = kind === "licences" ? { account: undefined, environment: "sandbox" } : {};
      const text = await exportedText({ ...whose, kind, format });
      const { data } = await importFile(`same.${format}`, text, whose);
      expect(data).toMatchObject({ kind, version: null, added: [], changed: [], retired: [], faults: [] });
    },
  );
});

describe("stock", () => {
  test("is received, counted and shown", async () => {
    await run("stock receive", { account, units: "500", note: "Packing slip 4471" }, "finasteride-1");
    const counted = await run("stock count", { account, units: "100400.5" }, "finasteride-1");
    expect(counted.data).toEqual({
      sku: "finasteride-1",
      on_hand_units: 100_400.5,
      reserved_units: 0,
      available_units: 100_400.5,
    });
    expect(counted.text).toMatch(/^on_hand_units +100400\.5$/m);
    const { text } = await run("stock show", { account }, "finasteride-1");
    // When, entry, units, lot, order, note.
    expect(text).toMatch(
      /counted +-99\.5 +- +- +-\n.*received +500 +- +- +Packing slip 4471\n.*received +100000 +- +- +demo$/,
    );
    const all = await run("stock show", { account });
    expect(all.text).toMatch(/^finasteride-1 +100400\.5 +0 +100400\.5/m);
    expect((all.data as unknown[]).length).toBeGreaterThan(10);
  });

  test.each([
    ["stock receive", "0", "above 0"],
    ["stock receive", "-5", "above 0"],
    ["stock receive", "1e3", "above 0"],
    ["stock receive", "0.0001", "above 0"],
    ["stock count", "-1", "of at least 0"],
    ["stock count", "many", "of at least 0"],
  ])("%s rejects %s", async (name, units, words) => {
    await expect(run(name, { account, units }, "finasteride-1")).rejects.toThrow(words);
  });

  test("of an unknown product or account is rejected", async () => {
    await expect(run("stock show", { account }, "unheard-of")).rejects.toThrow("The account has no such product.");
    await expect(run("stock show", { account: "nobody" })).rejects.toThrow("There is no such account.");
    await expect(run("stock count", { account, units: "1", note: "a\tb" }, "lipora-20")).rejects.toThrow("plain text");
  });
});

describe("next to a running service, from its own process", () => {
  const products = async () => JSON.parse((await ask(app, "/products")).text) as Product[];

  test("an import is visible within a second, in GET /products and to an order", async () => {
    const order = async () => {
      const { patient_id, prescription_id } = await addPatient(app, { patient: stranger() });
      const items = [{ prescription_id, quantity: 1, package_size: 90 }];
      const { status, text } = await ask(app, "/orders", {
        shipping: { method_id: 1 },
        patient: { patient_id },
        items,
      });
      return status === 201 ? [] : codesOf(text).map(([code]) => code);
    };
    expect(await order()).toEqual([]);
    const kept = await exportedText({ kind: "products" });
    const path = fileOf("smaller.csv", kept.replace(/^(atorvastatin-20|lipora-20),.*\n/gm, ""));
    const ran = await runCli(["catalogue", "import", path, "--account", account], env);
    expect(ran).toMatchObject({ code: 0, stderr: "" });
    expect(ran.stdout).toContain("- atorvastatin-20\n- lipora-20\n0 added, 0 changed, 2 retired");
    const gone = async () => !(await products()).some(({ sku }) => sku === "atorvastatin-20");
    expect(await until(gone, "the product is gone")).toBeLessThan(SOON_MS);
    expect(await order()).toContain(42260);

    const back = await runCli(["catalogue", "import", fileOf("all.csv", kept), "--account", account, "--json"], env);
    expect(back.json()).toMatchObject({ added: ["atorvastatin-20", "lipora-20"], retired: [] });
    expect(await until(async () => !(await gone()), "the product is back")).toBeLessThan(SOON_MS);
    expect(await order()).toEqual([]);
  });

  test("a delivery is visible within a second", async () => {
    const inStock = async () => (await products()).find(({ sku }) => sku === "minoxidil-2-5")?.in_stock;
    expect(await inStock()).toBe(false);
    const ran = await runCli(["stock", "receive", "minoxidil-2-5", "90", "--account", account], env);
    expect(ran).toMatchObject({ code: 0, stderr: "" });
    expect(ran.stdout).toContain("available_units  90\n");
    expect(await until(async () => (await inStock()) === true, "it is in stock")).toBeLessThan(SOON_MS);
    const wrong = await runCli(["stock", "count", "minoxidil-2-5", "--account", account], env);
    expect(wrong).toMatchObject({ code: 2, stderr: "pestle: missing required argument 'units'\n" });
  });
});
