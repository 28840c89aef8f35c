import {
  type Order,
  type Statement,
  type StatementLine,
  type StatementPage,
  StatementPage as StatementPageSchema,
  statementCsv,
} from "@pestle/contract";
import fc from "fast-check";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { isConflict } from "../../../src/db/conflict.ts";
import { listLedgerFaults } from "../../../src/db/statements/ledger-faults.ts";
import { bookAdjustment } from "../../../src/usecases/statements/book-adjustment.ts";
import { closeMonths } from "../../../src/usecases/statements/close-months.ts";
import { acted, readOrder } from "../../support/actions.ts";
import { expectBalanced } from "../../support/books.ts";
import { codesOf } from "../../support/conventions.ts";
import { newOrder, placed } from "../../support/orders.ts";
import { ask } from "../../support/patient.ts";
import { misfits } from "../../support/samples/misfits.ts";
import { simulate } from "../../support/simulate.ts";
import { startTestApp, type TestApp } from "../../support/test-app.ts";
import { type WebPerson, webPerson } from "../../support/web.ts";

const DAY_S = 24 * 3600;
const ORGANIZER = 899;
const POUCH = 150;
const PARCEL = 495;

let app: TestApp;
let account_id: string;
let patient_id: string;
beforeAll(async () => {
  app = await startTestApp({ unlimited: true });
  account_id = app.demo.partners[0]!.account_id;
  patient_id = (await newOrder(app)).patient_id;
});
afterEach(async () => {
  await expectBalanced(app);
  expect(await listLedgerFaults(app.deps.db, account_id)).toEqual([]);
});
afterAll(() => app.stop());

let made = 0;
/** An order of products that need no prescription. */
const order = (items: object[] = [{ sku: "pill-organizer" }], more: object = {}, partner = 0) =>
  placed(
    app,
    { reference: `inv-${++made}`, shipping: { method_id: 1 }, patient: { patient_id }, items, ...more },
    { partner },
  );
const PATIENT_PAYS = { payment: { payer: "patient", token: "tok_visa" } };
async function shipped(given: Order): Promise<Order> {
  const { order_number } = given;
  const { status, text } = await simulate(app, "order", { order_number, to: "Shipped" });
  expect([status, text]).toEqual([202, expect.stringContaining("Shipped")]);
  return readOrder(app, order_number);
}
const pass = async (days: number): Promise<Date> => {
  const { body } = await simulate(app, "clock", { advance_seconds: Math.round(days * DAY_S) });
  return new Date((body as { now: string }).now);
};
const monthOf = (at: string | Date) =>
  new Date(at).toLocaleDateString("sv-SE", { timeZone: "America/New_York" }).slice(0, 7);

const get = async (path: string, partner = 0) => ask(app, path, undefined, { partner });
async function statementsOf(limit = 200): Promise<Statement[]> {
  const found: Statement[] = [];
  for (let cursor = ""; ; ) {
    const { text } = await get(`/statements?limit=${limit}${cursor && `&cursor=${cursor}`}`);
    const { statements, next_cursor } = JSON.parse(text) as { statements: Statement[]; next_cursor: string | null };
    found.push(...statements);
    if (next_cursor === null) return found;
    cursor = next_cursor;
  }
}
/** A month with all of its lines, read in pages of this length. */
async function monthly(month: string, limit = 200): Promise<StatementPage> {
  const lines: StatementLine[] = [];
  for (let cursor = ""; ; ) {
    const { status, text } = await get(`/statements/${month}?limit=${limit}${cursor && `&cursor=${cursor}`}`);
    expect(status, text).toBe(200);
    const page = JSON.parse(text) as StatementPage;
    expect(misfits(StatementPageSchema, page)).toEqual([]);
    lines.push(...page.lines);
    if (page.next_cursor === null) return { ...page, lines };
    cursor = page.next_cursor;
  }
}
const linesOf = async ({ order_number, shipments }: Order) =>
  (await monthly(monthOf(shipments[0]!.shipped_at))).lines
    .filter((line) => line.order_number === order_number)
    .map(({ kind, payer, amount_cents, sku, description }) => [kind, payer, amount_cents, sku ?? description]);

describe("an order", () => {
  test("is booked when it ships: a line per item and one for the parcel, with its number and reference", async () => {
    const placed_order = await order([{ sku: "pill-organizer", quantity: 2 }, { sku: "packaging-pouch" }]);
    const before = await statementsOf();
    const was = before.reduce((count, { line_count }) => count + line_count, 0);
    const done = await shipped(placed_order);
    const { lines, status, due_cents, totals } = await monthly(monthOf(done.shipments[0]!.shipped_at));
    expect(lines.length).toBe(was + 3);
    const own = lines.filter(({ order_number }) => order_number === done.order_number);
    const same = { payer: "partner", reference: done.reference, booked_at: done.shipments[0]!.shipped_at };
    expect(own).toMatchObject([
      { ...same, kind: "item", item_id: 1, sku: "pill-organizer", quantity: 2, amount_cents: 2 * ORGANIZER },
      { ...same, kind: "item", item_id: 2, sku: "packaging-pouch", quantity: 1, amount_cents: POUCH },
      { ...same, kind: "shipment", description: "Standard Mail", amount_cents: PARCEL },
    ]);
    expect(own.reduce((sum, { amount_cents }) => sum + amount_cents, 0)).toBe(done.payment.amount_cents);
    expect([status, due_cents]).toEqual(["open", totals.partner.total_cents]);
  });

  test("that a patient pays is listed and not owed; a removed item has no line; a canceled order has none", async () => {
    const due = async () => (await statementsOf())[0]?.due_cents ?? 0;
    const before = await due();
    const two = await order([{ sku: "pill-organizer" }, { sku: "packaging-pouch" }], PATIENT_PAYS);
    await simulate(app, "order", { order_number: two.order_number, exception_id: 76 });
    const { order: left } = await acted(app, two, { event: "remove_item", item_id: 1 });
    expect(await linesOf(await shipped(left))).toEqual([
      ["item", "patient", POUCH, "packaging-pouch"],
      ["shipment", "patient", PARCEL, "Standard Mail"],
    ]);
    const canceled = await order();
    await acted(app, canceled, { event: "cancel" });
    const { order_number } = canceled;
    const { lines } = await monthly((await statementsOf())[0]!.month);
    expect(lines.filter((line) => line.order_number === order_number)).toEqual([]);
    expect(await due()).toBe(before);
  });

  test("that is refunded after its month closed changes the month of the refund", async () => {
    const done = await shipped(await order());
    const month = monthOf(done.shipments[0]!.shipped_at);
    await pass(40);
    const closed = await get(`/statements/${month}?limit=200`);
    expect(JSON.parse(closed.text)).toMatchObject({ status: "closed" });
    const { created_at } = await acted(app, done, { event: "partial_refund", reason_id: 102, amount_cents: 300 });
    expect(monthOf(created_at) > month).toBe(true);
    const { lines, totals } = await monthly(monthOf(created_at));
    expect(lines).toMatchObject([
      { kind: "refund", amount_cents: -300, reason_id: 102, description: "Lost in Transit", reference: done.reference },
    ]);
    expect(totals.partner).toMatchObject({ refunds_cents: -300, total_cents: -300 });
    expect((await get(`/statements/${month}?limit=200`)).text).toBe(closed.text);
  });
});

describe("a month", () => {
  test("closes three days after its end by the account's clock, and not before", async () => {
    const done = await shipped(await order());
    const { month, closes_at } = await monthly(monthOf(done.shipments[0]!.shipped_at));
    const now = await pass(1 / DAY_S);
    const seconds = Math.floor((Date.parse(closes_at) - now.getTime()) / 1000);
    await pass((seconds - 3600) / DAY_S);
    expect(await monthly(month)).toMatchObject({ status: "open", closed_at: null });
    const later = await pass(2 / 24);
    const closed = await monthly(month);
    expect(closed.status).toBe("closed");
    expect(Date.parse(closed.closed_at!)).toBeGreaterThanOrEqual(Date.parse(closes_at));
    expect(Date.parse(closed.closed_at!)).toBeLessThanOrEqual(later.getTime() + 60_000);
  });

  test("that is closed takes no line, and no line, statement or ledger can be changed, not even by the owner", async () => {
    await shipped(await order());
    await pass(40);
    const [{ month, from }] = (await statementsOf()) as [Statement];
    const { owner } = app;
    const given = {
      account_id,
      kind: "fee" as const,
      amount_cents: 5,
      description: "Late",
      order_number: null,
      key: "k",
    };
    const booking = { db: app.deps.db, zone: app.config.TIME_ZONE, now: app.deps.now() };
    await expect(bookAdjustment(booking, { ...given, on: `${month}-02` })).rejects.toThrow("is closed");
    const insert = `insert into money_entry (account_id, booked_at, source_id, line_no, kind, payer, amount_cents)
      values ('${account_id}', '${from}', gen_random_uuid(), 1, 'fee', 'partner', 5)`;
    const failure = await owner.raw(insert).catch((error: Error) => error);
    expect([isConflict(failure), String(failure)]).toEqual([
      true,
      expect.stringContaining("month of this line is closed"),
    ]);
    for (const text of [
      "update money_entry set amount_cents = amount_cents + 1 where kind = 'item'",
      "delete from money_entry",
      "update statement set sums = '[]'",
      "delete from statement",
      "update ledger set closed_until = 'epoch'",
      "delete from ledger",
    ]) {
      await expect(owner.raw(text), text).rejects.toThrow(/never changes/);
    }
  });

  test("waits for the lines that are being written when it closes", async () => {
    await shipped(await order());
    const [{ month, line_count }] = (await statementsOf()) as [Statement];
    const { rows } = await app.owner.raw("select booked_at from money_entry order by booked_at desc limit 1");
    let commit = () => {};
    let tellWritten = () => {};
    const may_commit = new Promise<void>((resolve) => {
      commit = resolve;
    });
    const written = new Promise<void>((resolve) => {
      tellWritten = resolve;
    });
    const writing = app.deps.db.transaction(async (tx) => {
      await tx.run(
        {
          name: "late_line",
          text: `insert into money_entry (account_id, booked_at, source_id, line_no, kind, payer, amount_cents)
          values ($1, $2, gen_random_uuid(), 1, 'fee', 'partner', 5)`,
        },
        [account_id, rows[0]!["booked_at"]],
      );
      tellWritten();
      await may_commit;
    });
    await written;
    const moved = pass(40);
    const waits = async () =>
      (
        await app.owner.raw(
          "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query ~ 'close_month'",
        )
      ).rows.length;
    await expect.poll(waits, { timeout: 60_000 }).toBeGreaterThan(0);
    commit();
    await Promise.all([writing, moved]);
    expect(await monthly(month)).toMatchObject({ status: "closed", line_count: line_count + 1 });
  });

  test("is closed once when several processes close it at the same time", async () => {
    await shipped(await order());
    await app.owner.raw(`update account set clock_offset_s = clock_offset_s + ${40 * DAY_S} where account_id = $1`, [
      account_id,
    ]);
    await Promise.all(Array.from({ length: 4 }, () => closeMonths(app.deps, account_id)));
    const [newest] = await statementsOf();
    expect(newest!.status).toBe("closed");
  });

  test("has the fees and credits that the pharmacy adds, on a day of an open month", async () => {
    const now = await pass(1);
    const booking = { db: app.deps.db, zone: app.config.TIME_ZONE, now: app.deps.now() };
    const given = { account_id, order_number: null, on: null, key: "november" };
    await bookAdjustment(booking, { ...given, kind: "fee", amount_cents: 2500, description: "Service fee" });
    const credit = { ...given, kind: "credit" as const, amount_cents: 400, description: "Goodwill" };
    await bookAdjustment(booking, { ...credit, key: "goodwill-1" });
    const { lines, totals } = await monthly(monthOf(now));
    expect(lines.map(({ kind, amount_cents, description }) => [kind, amount_cents, description])).toEqual(
      expect.arrayContaining([
        ["fee", 2500, "Service fee"],
        ["credit", -400, "Goodwill"],
      ]),
    );
    expect(totals.partner).toMatchObject({ fees_cents: 2500, credits_cents: -400 });
    for (const [wrong, says] of [
      [{ amount_cents: 0 }, "whole number of cents"],
      [{ amount_cents: 1.5 }, "whole number of cents"],
      [{ description: " " }, "1 to 200 characters"],
      [{ description: "a\nb" }, "1 to 200 characters"],
      [{ on: "2199-01-01" }, "in the future"],
      [{ on: "soon" }, "YYYY-MM-DD"],
      [{ order_number: "0000000000" }, "no such order"],
      [{ account_id: "nobodynobody" }, "no such account"],
      [{ key: "" }, "key has 1 to 64"],
      [{ key: "a b" }, "key has 1 to 64"],
      [{ key: "a".repeat(65) }, "key has 1 to 64"],
      [{ key: "november" }, "has this key"],
    ] as const) {
      const asked = { ...given, kind: "fee" as const, amount_cents: 1, description: "x", key: "wrong", ...wrong };
      await expect(bookAdjustment(booking, asked), says).rejects.toThrow(says);
    }
  });
});

describe("a fee or a credit", () => {
  const booking = () => ({ db: app.deps.db, zone: app.config.TIME_ZONE, now: app.deps.now() });
  const fee = { kind: "fee" as const, amount_cents: 700, description: "Rush", order_number: null, on: null };

  test("that is sent again with its key is booked once, also at the same time and after its month closed", async () => {
    const given = { ...fee, account_id, key: "rush/1" };
    const booked = await Promise.all(Array.from({ length: 4 }, () => bookAdjustment(booking(), given)));
    expect(booked.map(({ repeated }) => repeated).sort()).toEqual([false, true, true, true]);
    const [first] = booked as [(typeof booked)[number]];
    expect(new Set(booked.map(({ line_id }) => line_id)).size).toBe(1);
    const month = monthOf(first.booked_at);
    const before = await monthly(month);
    expect(before.lines.filter(({ line_id }) => line_id === first.line_id)).toHaveLength(1);
    await pass(40);
    expect(await bookAdjustment(booking(), given)).toEqual({ ...first, repeated: true });
    expect((await monthly(month)).line_count).toBe(before.line_count);
    expect((await statementsOf())[0]!.month).toBe(month);
  });

  test("with a used key and other content is refused, and another account can use the key", async () => {
    const given = { ...fee, account_id, key: "rush/2" };
    await bookAdjustment(booking(), given);
    const today = (await pass(1)).toISOString().slice(0, 10);
    for (const other of [{ amount_cents: 701 }, { kind: "credit" as const }, { description: "Else" }, { on: today }]) {
      await expect(bookAdjustment(booking(), { ...given, ...other })).rejects.toThrow("has this key");
    }
    const elsewhere = { ...given, account_id: app.demo.partners[2]!.account_id };
    expect(await bookAdjustment(booking(), elsewhere)).toMatchObject({ repeated: false });
  });
});

describe("a request", () => {
  test("for a month without lines, a future or malformed one, or another account's gets the same 404", async () => {
    await shipped(await order());
    const [{ month }] = (await statementsOf()) as [Statement];
    const missing = await get("/statements/1999-12");
    expect(missing.status).toBe(404);
    for (const path of ["9998-12", "2026-13", "2026-00", "2026-1", "202611", "x", "2026-11-01", "%00", "２０２６-11"]) {
      expect([path, (await get(`/statements/${path}`)).status]).toEqual([path, 404]);
    }
    expect((await get(`/statements/${month}`, 1)).status).toBe(404);
    expect(JSON.parse((await get("/statements", 1)).text)).toEqual({ statements: [], next_cursor: null });
  });

  test("with an unknown parameter, a wrong limit or another list's cursor gets 40003", async () => {
    await shipped(await order());
    const [{ month }] = (await statementsOf()) as [Statement];
    const { next_cursor } = JSON.parse((await get(`/statements/${month}?limit=1`)).text) as StatementPage;
    for (const [query, field] of [
      ["?mont=2026-11", expect.any(String)],
      ["?limit=0", "limit"],
      ["?limit=201", "limit"],
      ["?cursor=x", "cursor"],
    ]) {
      for (const path of ["/statements", `/statements/${month}`]) {
        const { status, text } = await get(`${path}${query}`);
        expect([status, codesOf(text)]).toEqual([400, [[40003, field]]]);
      }
    }
    const { status } = await get(`/statements?cursor=${next_cursor}`);
    expect(status).toBe(400);
  });

  test("in pages of any length gives the same months and lines, and the Link of the next page", async () => {
    await shipped(await order());
    const whole = await statementsOf();
    expect(whole.length).toBeGreaterThan(2);
    expect(await statementsOf(1)).toEqual(whole);
    expect(whole.map(({ month }) => month)).toEqual([...new Set(whole.map(({ month }) => month))].sort().reverse());
    const { month } = whole.find(({ line_count }) => line_count > 2)!;
    expect((await monthly(month, 1)).lines).toEqual((await monthly(month)).lines);
    const first = await app.call(`/v1/statements/${month}?limit=1`);
    const { next_cursor } = (await first.json()) as StatementPage;
    expect(first.headers.get("link")).toBe(`</v1/statements/${month}?limit=1&cursor=${next_cursor}>; rel="next"`);
  });

  test("with the ETag of the answer gets 304, and the log names the patients of the orders", async () => {
    const done = await shipped(await order());
    const path = `/v1/statements/${monthOf(done.shipments[0]!.shipped_at)}?limit=200`;
    const first = await app.call(path);
    await first.arrayBuffer();
    const again = await app.call(path, { headers: { "if-none-match": first.headers.get("etag")! } });
    expect([again.status, await again.text()]).toEqual([304, ""]);
    const entries = async () =>
      (
        await app.owner.raw(
          `select a.subject, a.field_groups, p.patient_key is not null as named
          from audit_entry a
          left join orders o on o.account_id = a.account_id and o.order_number = $1
          left join patient p on p.account_id = o.account_id and p.patient_key = o.patient_key
            and p.patient_key = any(a.patient_keys)
          where a.request_id = $2`,
          [done.order_number, first.headers.get("x-request-id")],
        )
      ).rows;
    await expect.poll(entries, { timeout: 60_000 }).toEqual([
      {
        subject: monthOf(done.shipments[0]!.shipped_at),
        field_groups: ["order", "payment"],
        named: true,
      },
    ]);
  });
});

describe("the pages", () => {
  const partnerIdOf = async () =>
    (await app.owner.raw("select partner_id from account where account_id = $1", [account_id])).rows[0]![
      "partner_id"
    ] as string;
  const csvOf = async (person: WebPerson, path: string) => {
    const response = await fetch(`${app.addresses.base_url}/web${path}`, { headers: person.headers });
    return { status: response.status, text: await response.text(), headers: response.headers };
  };

  test("of the portal have the same months, lines and file as the API, and the log names the patients", async () => {
    const done = await shipped(await order());
    const month = monthOf(done.shipments[0]!.shipped_at);
    const viewer = await webPerson(app, "partner_viewer", await partnerIdOf());
    const listed = await viewer.get("/portal/sandbox/statements?limit=200");
    expect(listed.body.statements).toEqual(await statementsOf());
    const path = `/portal/sandbox/statements/${month}`;
    const page = await viewer.get(`${path}?limit=200`);
    const whole = await monthly(month);
    expect([page.status, page.body.lines, page.body.due_cents]).toEqual([200, whole.lines, whole.due_cents]);
    const file = await csvOf(viewer, `${path}/csv`);
    expect([file.status, file.text]).toEqual([200, statementCsv(whole.lines)]);
    expect(file.headers.get("content-disposition")).toBe(`attachment; filename="statement-${month}.csv"`);
    for (const missing of ["1999-12", "2026-13", "x"]) {
      expect((await viewer.get(`/portal/sandbox/statements/${missing}`)).status).toBe(404);
      expect((await csvOf(viewer, `/portal/sandbox/statements/${missing}/csv`)).status).toBe(404);
    }
    const { rows } = await app.owner.raw(
      `select a.action, o.patient_key = any(a.patient_keys) as named
      from audit_entry a
      join orders o on o.account_id = a.account_id and o.order_number = $1
      where a.person_id = $2 and a.subject = $3`,
      [done.order_number, viewer.person_id, month],
    );
    expect(rows).toEqual([
      { action: "statement_read", named: true },
      { action: "statement_read", named: true },
    ]);
  });

  test("of the dashboard show a partner's months, and a lead books a fee once", async () => {
    const now = await pass(1);
    const [technician, lead] = [await webPerson(app, "technician"), await webPerson(app, "lead")];
    const path = `/dashboard/statements/${account_id}`;
    const fee = { kind: "fee", amount_cents: 1234, description: "Courier", key: "desk-1" };
    expect((await technician.send("POST", path, fee)).status).toBe(404);
    const first = await lead.send("POST", path, fee);
    const again = await lead.send("POST", path, fee);
    expect([first.status, again.status, again.body]).toEqual([201, 201, { ...first.body, repeated: true }]);
    for (const [wrong, message] of [
      [{ amount_cents: 1 }, "has this key"],
      [{ amount_cents: 0, key: "desk-2" }, "whole number of cents"],
      [{ order_number: "ZZZZZZZZZZ", key: "desk-2" }, "no such order"],
      [{ on: "2199-01-01", key: "desk-2" }, "in the future"],
    ] as const) {
      const refused = await lead.send("POST", path, { ...fee, ...wrong });
      expect([refused.status, refused.text]).toEqual([422, expect.stringContaining(message)]);
    }
    for (const field of ["kind", "amount_cents", "description", "key"]) {
      const { status, text } = await lead.send("POST", path, { ...fee, [field]: undefined });
      expect([status, codesOf(text)]).toEqual([422, [[42200, field]]]);
    }
    const month = monthOf(now);
    const { body } = await technician.get(`${path}/${month}?limit=200`);
    expect(body.lines.filter(({ description }: StatementLine) => description === "Courier")).toHaveLength(1);
    expect((await technician.get(`${path}?limit=200`)).body.statements).toEqual(await statementsOf());
    expect((await csvOf(lead, `${path}/${month}/csv`)).text).toBe(statementCsv((await monthly(month)).lines));
    expect((await technician.get("/dashboard/statements/nobodynobody")).status).toBe(404);
    const { rows } = await app.owner.raw(
      "select account_id, subject from audit_entry where person_id = $1 and action = 'adjustment_booked'",
      [lead.person_id],
    );
    expect(rows).toEqual([{ account_id, subject: first.body.line_id }]);
  });
});

type Command =
  | { do: "order"; organizers: number; pouch: boolean; patient_pays: boolean }
  | { do: "remove" | "ship" | "cancel" | "refund"; nth: number }
  | { do: "part"; nth: number; cents: number }
  | { do: "pass"; days: number };

const nth = fc.nat({ max: 20 });
const command: fc.Arbitrary<Command> = fc.oneof(
  fc.record({
    do: fc.constant("order" as const),
    organizers: fc.integer({ min: 1, max: 3 }),
    pouch: fc.boolean(),
    patient_pays: fc.boolean(),
  }),
  fc.record({ do: fc.constantFrom("remove" as const, "ship" as const, "cancel" as const, "refund" as const), nth }),
  fc.record({ do: fc.constant("ship" as const), nth }),
  fc.record({ do: fc.constant("part" as const), nth, cents: fc.integer({ min: 1, max: 900 }) }),
  fc.record({ do: fc.constant("pass" as const), days: fc.integer({ min: 1, max: 25 }) }),
);

test("after any orders, removals, shipments, refunds and cancellations, statements equal payments to the cent, and closed months never change", async () => {
  const closed = new Map<string, string>();
  const known = new Set((await monthsSoFar()).flatMap(({ lines }) => lines.map(({ line_id }) => line_id)));
  const booked: { month: string; payer: string; amount_cents: number; order_number: string }[] = [];
  const orders: Order[] = [];
  const any = (index: number, fits: (order: Order) => boolean) => {
    const fitting = orders.filter(fits);
    return fitting[index % fitting.length];
  };
  const replaced = async ({ order_number }: Order) => {
    const at = orders.findIndex((one) => one.order_number === order_number);
    orders[at] = await readOrder(app, order_number);
  };
  const refund = async (one: Order, asked: { event: string; amount_cents?: number }, amount_cents: number) => {
    const { created_at } = await acted(app, one, { ...asked, reason_id: 105 });
    const { order_number, payment } = one;
    booked.push({ month: monthOf(created_at), payer: payment.payer, amount_cents: -amount_cents, order_number });
    await replaced(one);
  };
  const isNew = ({ order_status }: Order) => order_status === "Processing";
  const left = ({ order_status, payment }: Order) =>
    order_status === "Shipped" || order_status === "Delivered" ? payment.amount_cents - payment.refunded_cents : 0;
  let passed_days = 0;

  const perform = async (asked: Command) => {
    if (asked.do === "order") {
      const { organizers, pouch, patient_pays } = asked;
      const items = [{ sku: "pill-organizer", quantity: organizers }, ...(pouch ? [{ sku: "packaging-pouch" }] : [])];
      orders.push(await order(items, patient_pays ? PATIENT_PAYS : {}));
      return;
    }
    if (asked.do === "pass") {
      passed_days += asked.days;
      await pass(asked.days);
      for (const one of orders) await replaced(one);
      for (const { month, status } of await statementsOf()) {
        if (status === "open") continue;
        const { text } = await get(`/statements/${month}?limit=200`);
        expect(text).toBe(closed.get(month) ?? text);
        closed.set(month, text);
      }
      return;
    }
    if (asked.do === "remove") {
      const one = any(asked.nth, (each) => isNew(each) && each.items.length > 1);
      if (one === undefined) return;
      await simulate(app, "order", { order_number: one.order_number, exception_id: 76 });
      await acted(app, one, { event: "remove_item", item_id: 1 + (asked.nth % 2) });
      return replaced(one);
    }
    if (asked.do === "ship" || asked.do === "cancel") {
      const one = any(asked.nth, isNew);
      if (one === undefined) return;
      if (asked.do === "cancel") await acted(app, one, { event: "cancel" });
      else {
        const { shipments, payment, order_number } = await shipped(one);
        const { payer, amount_cents } = payment;
        booked.push({ month: monthOf(shipments[0]!.shipped_at), payer, amount_cents, order_number });
      }
      return replaced(one);
    }
    const one = any(asked.nth, (each) => left(each) > 0);
    if (one === undefined) return;
    if (asked.do !== "part") return refund(one, { event: "refund" }, left(one));
    const amount_cents = Math.min(asked.cents, left(one));
    return refund(one, { event: "partial_refund", amount_cents }, amount_cents);
  };

  const script = fc.array(command, { minLength: 15, maxLength: 25 });
  await fc.assert(
    fc.asyncProperty(script, async (commands) => {
      for (const one of commands) await perform(one);
      const months = await monthsSoFar();
      const lines = months.flatMap(({ month, lines: own }) =>
        own.filter(({ line_id }) => !known.has(line_id)).map((line) => ({ month, ...line })),
      );
      const sumBy = (
        rows: readonly { month: string; payer: string; amount_cents: number; order_number: string | null }[],
        key: (row: { month: string; payer: string; order_number: string | null }) => string,
      ) => {
        const sums = new Map<string, number>();
        for (const row of rows) sums.set(key(row), (sums.get(key(row)) ?? 0) + row.amount_cents);
        return Object.fromEntries([...sums].sort());
      };
      const byMonth = ({ month, payer }: { month: string; payer: string }) => `${month} ${payer}`;
      expect(sumBy(lines, byMonth)).toEqual(sumBy(booked, byMonth));
      const byOrder = ({ order_number }: { order_number: string | null }) => order_number!;
      expect(sumBy(lines, byOrder)).toEqual(sumBy(booked, byOrder));
      for (const { totals, lines: own, line_count, due_cents } of months) {
        expect(line_count).toBe(own.length);
        for (const payer of ["partner", "patient"] as const) {
          const sum = own.filter((line) => line.payer === payer).reduce((cents, one) => cents + one.amount_cents, 0);
          expect(totals[payer].total_cents).toBe(sum);
        }
        expect(due_cents).toBe(totals.partner.total_cents);
      }
      for (const one of orders) expect((await readOrder(app, one.order_number)).payment).toEqual(one.payment);
      await expectBalanced(app);
      expect(await listLedgerFaults(app.deps.db, account_id)).toEqual([]);
    }),
    { numRuns: 6, endOnFailure: true },
  );
  expect(passed_days).toBeGreaterThan(60);
  expect(closed.size).toBeGreaterThan(1);
}, 240_000);

const monthsSoFar = async () => Promise.all((await statementsOf()).map(({ month }) => monthly(month, 100)));
