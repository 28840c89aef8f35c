import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type ContinuityEntry,
  type HistoryEntry,
  type Order,
  type OrderAction,
  orderActions,
  type Statement,
  type StatementPage,
} from "@pestle/contract";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { writeDemo } from "../../../src/seed/demo-file.ts";
import { newOrder, placed, prescribed } from "../../support/orders.ts";
import { goodAddress } from "../../support/patient.ts";
import { startTestApp, TEST_MASTER_KEY, type TestApp } from "../../support/test-app.ts";
import { followCli, runCli } from "../../support/tools/run-cli.ts";
import { refusalOf, runCommand } from "../../support/tools/run-command.ts";
import { until } from "../../support/tools/until.ts";

let app: TestApp;
let folder: string;
let env: Record<string, string>;
beforeAll(async () => {
  app = await startTestApp({ unlimited: true });
  folder = mkdtempSync(join(tmpdir(), "pestle-orders-"));
  writeDemo(app.config.DATA_DIR, app.demo);
  // No database access: it talks only to the service.
  env = { DATA_DIR: app.config.DATA_DIR };
});
afterAll(async () => {
  await app.stop();
  rmSync(folder, { recursive: true, force: true });
});

const run = <Data>(name: string, options: Record<string, unknown> = {}, argument = "") =>
  runCommand<Data>(env, name, options, argument);
const refused = (...given: Parameters<typeof run>) => refusalOf(run(...given));
const fileOf = (name: string, content: unknown) => {
  const path = join(folder, name);
  writeFileSync(path, JSON.stringify(content));
  return path;
};

describe("orders create", () => {
  test("needs only a patient if there is exactly one prescription to fill", async () => {
    const { patient_id, prescription_id } = await newOrder(app);
    const { data, text } = await run<Order>("orders create", { patient: patient_id, reference: "inv-1" });
    expect(data).toMatchObject({ order_status: "Processing", reference: "inv-1", shipping: { method_id: 1 } });
    expect(data.items).toMatchObject([{ prescription_id, quantity: 1 }]);
    expect(text).toContain(`order_number  ${data.order_number}`);
    // Patient and address appear only with --json.
    expect(text).not.toContain(data.address!.street1);
    expect(await refused("orders create", { patient: "nobody" })).toBe("5 The account has no such patient.");
  });

  test("accepts options, and lists every rejected field", async () => {
    const { patient_id, prescription_id } = await newOrder(app);
    const typed = { patient: patient_id, rx: [String(prescription_id)], packageSize: "90", method: "3", brand: "1" };
    const { data, text } = await run<Order>("orders create", { ...typed, quiet: true });
    expect(data).toMatchObject({ brand_id: 1, shipping: { method_id: 3 }, items: [{ package_size: 90 }] });
    expect(text).toBe(data.order_number);
    expect(await refused("orders create", { ...typed, method: "99", quantity: "77" })).toMatch(
      /^3 Refused\. .*items\[0\]\.quantity \(42242\): .+ shipping\.method_id \(42291\): /,
    );
    expect(await refused("orders create", { ...typed, rx: ["many"] })).toBe("2 --rx takes a whole number.");
  });

  test("reads the body from a file or from standard input, and with a key creates it once", async () => {
    const { body } = await newOrder(app);
    const file = fileOf("order.json", { ...body, reference: "from-file" });
    const made = await run<Order>("orders create", { idempotencyKey: "key-1" }, file);
    const again = await run<Order>("orders create", { idempotencyKey: "key-1" }, file);
    expect(again.data).toEqual(made.data);
    // The same body without the key is rejected with the existing order.
    expect(await refused("orders create", {}, file)).toMatch(/^3 .+/);
    const other = await newOrder(app);
    const piped = await runCli(["orders", "create", "-", "--json"], env, JSON.stringify(other.body));
    expect([piped.code, (piped.json() as Order).patient_id]).toEqual([0, other.patient_id]);
    expect(await refused("orders create", { rx: ["1"] }, file)).toMatch(/^2 The file contains the whole order/);
    expect(await refused("orders create")).toBe("2 Give either a file or --patient.");
    expect(await refused("orders create", {}, fileOf("list.json", []))).toBe(
      "1 The file does not contain a JSON object.",
    );
  });

  test("with --dry-run shows what would happen, and creates nothing", async () => {
    const { patient_id } = await newOrder(app);
    const good = await run<{ would_create: boolean }>("orders create", { patient: patient_id, dryRun: true });
    expect(good.failed).toBe(false);
    expect(good.text).toMatch(
      /^The order would be accepted\.\nIt costs at most \$16\.95 for 15 minutes, with \$4\.95 for shipping\.\nIt ships by \d{4}-\d\d-\d\d and arrives by \d{4}-\d\d-\d\d\.$/,
    );
    const bad = await run("orders create", { patient: patient_id, method: "99", dryRun: true });
    expect(bad).toMatchObject({ failed: true });
    expect(bad.text).toMatch(/^The order would be refused\.\n✗ shipping\.method_id \(42291\): /);
    expect((await run<{ items: [] }>("orders list", { patient: patient_id })).data.items).toEqual([]);
    const { data } = await run<Order>("orders create", { patient: patient_id });
    const again = await run("orders create", { patient: patient_id, dryRun: true });
    expect([again.failed, again.text]).toEqual([true, expect.stringContaining(`created order ${data.order_number}`)]);
  });
});

describe("orders list and get", () => {
  test("supports every filter of the API, and continues with the cursor", async () => {
    const { body, patient_id, prescription_id } = await newOrder(app);
    const order = await placed(app, { ...body, reference: "to-find", brand_id: 1 });
    const before = new Date(Date.parse(order.created_at) - 1000).toISOString();
    const numbers = async (options: Record<string, unknown>) =>
      (await run<{ items: Order[] }>("orders list", { limit: "200", ...options })).data.items.map(
        ({ order_number }) => order_number,
      );
    for (const filter of [
      { patient: patient_id },
      { rx: String(prescription_id) },
      { reference: "to-find" },
      { brand: "1", status: "Processing", createdAfter: before, updatedAfter: before, createdBefore: "2999-01-01" },
    ]) {
      expect(await numbers(filter)).toContain(order.order_number);
    }
    expect(await numbers({ reference: "to-find", status: "Delivered" })).toEqual([]);
    expect(await numbers({ exception: "77" })).not.toContain(order.order_number);

    const all = await numbers({});
    expect(all.length).toBeGreaterThan(2);
    const first = await run<{ items: Order[]; next_cursor: string }>("orders list", { limit: "2" });
    expect(first.text).toContain(`There are more. Raise --limit, or continue with --cursor ${first.data.next_cursor}`);
    expect([
      ...first.data.items.map(({ order_number }) => order_number),
      ...(await numbers({ cursor: first.data.next_cursor })),
    ]).toEqual(all);
    expect(await refused("orders list", { limit: "0" })).toMatch(/^2 --limit takes a number/);
  });

  test("shows an order with its history", async () => {
    const order = await placed(app, (await newOrder(app)).body);
    const { data, text } = await run<Order & { history: HistoryEntry[] }>(
      "orders get",
      { history: true },
      order.order_number,
    );
    expect(data.history).toMatchObject([{ event: "create", to: "Processing" }]);
    expect(text).toMatch(/Z {2}partner +create +Processing$/);
    expect(await refused("orders get", {}, "0000000000")).toBe(
      "5 The account has no such order. Run `pestle orders list` to see its orders.",
    );
  });
});

describe("orders act", () => {
  const held = async (exception_id: number) => {
    const order = await placed(app, (await newOrder(app)).body);
    await run("simulate order", { exception: String(exception_id) }, order.order_number);
    return order;
  };
  const offered = async ({ order_number }: Order) =>
    (await run<OrderAction[]>("orders actions", {}, order_number)).data.map(({ event_key }) => event_key);

  test("actions lists what the order offers now, and every action", async () => {
    const order = await placed(app, (await newOrder(app)).body);
    expect(await offered(order)).toEqual(["cancel", "hold"]);
    const on_hold = await held(77);
    const { exceptions } = (await run<Order>("orders get", {}, on_hold.order_number)).data;
    const wanted = exceptions.flatMap(({ order_actions }) => order_actions.map(({ event_key }) => event_key));
    expect((await offered(on_hold)).sort()).toEqual([...new Set([...wanted, "cancel" as const])].sort());
    await run("simulate order", { to: "Delivered" }, order.order_number);
    expect(await offered(order)).toEqual(["refund", "partial_refund"]);
    const { data, text } = await run<OrderAction[]>("orders actions");
    expect(data).toEqual(JSON.parse(JSON.stringify(orderActions)));
    for (const { event_key } of orderActions) expect(text).toContain(event_key);
  });

  test("sends the event with its fields, numbers as numbers", async () => {
    const order = await placed(app, (await newOrder(app)).body);
    const act = (event: string, more: Record<string, unknown> = {}) =>
      run<{ order: Order }>("orders act", { event, ...more }, order.order_number);
    expect((await act("hold")).data.order).toMatchObject({ order_status: "On Hold", exceptions: [{ id: 64 }] });
    expect((await act("release", { exception: "64" })).data.order.order_status).toBe("Processing");
    await run("simulate order", { to: "Shipped" }, order.order_number);
    const refund = await act("partial_refund", { set: ["reason_id=101", "amount_cents=500"] });
    expect(refund.data.order.payment.refunded_cents).toBe(500);
    const rest = await act("refund", { file: fileOf("refund.json", { reason_id: 102 }) });
    expect(rest.text).toMatch(/payment +refunded, \$\d+\.\d\d, \$\d+\.\d\d refunded/);
    expect(await refused("orders act", { event: "explode" }, order.order_number)).toMatch(
      /^2 The event must be one of release, cancel/,
    );
    expect(await refused("orders act", { event: "release" }, order.order_number)).toMatch(/^3 Refused\. /);
  });

  test("cancels, redirects and reorders", async () => {
    const order = await placed(app, (await newOrder(app, { prescription: prescribed("atorvastatin-20", 90) })).body);
    const file = fileOf("address.json", goodAddress);
    const moved = await run<Order>("orders address", { file }, order.order_number);
    expect(moved.data.address).toMatchObject({ street1: goodAddress.street1 });
    expect((await run<{ order: Order }>("orders cancel", {}, order.order_number)).data.order.order_status).toBe(
      "Canceled",
    );
    const other = await placed(app, (await newOrder(app)).body);
    await run("simulate order", { to: "Delivered" }, other.order_number);
    const again = await run<Order>("orders reorder", { quiet: true }, other.order_number);
    expect(again.data.items[0]).toMatchObject({ prescription_id: other.items[0]!.prescription_id });
    expect(again.text).not.toBe(other.order_number);
  });
});

describe("continuity", () => {
  test("lists who runs out, and why the next fill would fail", async () => {
    const { body, patient_id } = await newOrder(app, { prescription: { refills: 0 } });
    const { order_number } = await placed(app, body);
    await run("simulate order", { to: "Shipped" }, order_number);
    expect((await run("continuity", { withinDays: "1" })).text).toBe("No patient runs out in this time.");
    const { text, data } = await run<ContinuityEntry[]>("continuity", {
      withinDays: "90",
      failing: true,
    });
    expect(data.filter((entry) => entry.patient_id === patient_id)).toHaveLength(1);
    expect(text).toMatch(
      new RegExp(`^\\d{4}-\\d\\d-\\d\\d +\\d+ +${patient_id} .*42250 Invalid Item Prescription Refills`, "m"),
    );
    expect(await refused("continuity", { withinDays: "many" })).toMatch(/^2 --within-days takes a whole number/);
    expect(await refused("continuity", { withinDays: "181" })).toMatch(/^3 .*within_days/);
  });
});

describe("statements", () => {
  test("list, show and export a month, and a fee of the pharmacy is in it", async () => {
    const { body } = await newOrder(app);
    const { order_number } = await placed(app, { ...body, reference: "=1+1" });
    await run("simulate order", { to: "Shipped" }, order_number);
    const { account_id } = app.demo.partners[0]!;
    const admin = {
      DATA_DIR: app.config.DATA_DIR,
      DATABASE_URL: app.config.DATABASE_URL,
      DATABASE_OWNER_URL: app.config.DATABASE_OWNER_URL,
      DATABASE_JOBS_URL: app.config.DATABASE_JOBS_URL,
      MASTER_KEY: TEST_MASTER_KEY,
    };
    const fee = { amount_cents: "2500", text: "Service fee", reference: "fee-1" };
    const booked = await runCommand(admin, "ledger fee", fee, account_id);
    const again = await runCommand(admin, "ledger fee", fee, account_id);
    expect(again.text).toBe(`${booked.text}\nnote       This reference was booked before. Nothing was added.`);
    const many = { amount_cents: "many", text: "Service fee", reference: "fee-2" };
    expect(await refusalOf(runCommand(admin, "ledger credit", many, account_id))).toBe(
      "2 amount_cents takes a whole number.",
    );
    expect((await runCommand(admin, "ledger check")).text).toBe("Statements, lines and payments agree.");

    const { data, text } = await run<Statement[]>("statements list");
    const [{ month, due_cents }] = data as [Statement];
    expect(text).toMatch(new RegExp(`^${month} +open +\\d+ +\\$${(due_cents / 100).toFixed(2)} `, "m"));
    const shown = await run<StatementPage>("statements show", {}, month);
    const own = shown.data.lines.filter((line) => line.order_number === order_number);
    expect(own.map(({ kind, reference }) => [kind, reference])).toEqual([
      ["item", "=1+1"],
      ["shipment", "=1+1"],
    ]);
    expect(shown.text).toContain("Service fee");
    const out = join(folder, "month.csv");
    const written = await run("statements export", { csv: true, out }, month);
    expect(written.text).toBe(`Wrote ${shown.data.lines.length} lines to ${out}.`);
    const csv = readFileSync(out, "utf8");
    expect(csv).toContain(`,${order_number},'=1+1,`);
    expect((await run("statements export", { csv: true }, month)).text).toBe(csv.trimEnd());
    expect(await refused("statements show", {}, "1999-12")).toMatch(/^5 The account has no statement of this month/);
  });
});

describe("orders watch", () => {
  test("shows each change once and ends with the order", async () => {
    const order = await placed(app, (await newOrder(app)).body);
    const watching = followCli(["orders", "watch", order.order_number, "--json"], env);
    await until(() => watching.lines().length === 1, "it watches");
    await run("simulate order", { exception: "77" }, order.order_number);
    await until(() => watching.lines().length === 2, "it tells of the hold");
    await run("orders cancel", {}, order.order_number);
    await until(() => watching.lines().length === 3, "it tells of the end");
    expect(await watching.ended()).toBe(0);
    expect(watching.lines().map((line) => (JSON.parse(line) as HistoryEntry).to)).toEqual([
      "Processing",
      "On Hold",
      "Canceled",
    ]);
  });

  test("exits with 1 if the order ends in another status than expected", async () => {
    const order = await placed(app, (await newOrder(app)).body);
    await run("simulate order", { to: "Canceled" }, order.order_number);
    const { code, stdout, stderr } = await runCli(["orders", "watch", order.order_number, "--until", "Shipped"], env);
    expect([code, stderr]).toEqual([1, ""]);
    expect(stdout).toMatch(/Processing → Canceled\n$/);
  });
});
