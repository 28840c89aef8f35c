import { type Order, orderStatuses } from "@pestle/contract";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startOfDay } from "../../../src/domain/values/calendar.ts";
import { codesOf, withoutId } from "../../support/conventions.ts";
import { newOrder, placed, post } from "../../support/orders.ts";
import { type AskOptions, ask } from "../../support/patient.ts";
import { startTestApp, type TestApp } from "../../support/test-app.ts";
import { effort } from "../../support/tools/effort.ts";

type Page = { orders: Order[]; next_cursor: string | null };

let app: TestApp;
/** All orders, newest first, in their current state. */
let all: Order[];
beforeAll(async () => {
  app = await startTestApp({ unlimited: true });
  await fillBook();
  all = (await list("?limit=200")).orders;
});
afterAll(() => app.stop());

const set = (text: string, ...params: unknown[]) => app.deps.db.raw(text, params);
const list = async (query: string, options: AskOptions = {}): Promise<Page> => {
  const { status, text } = await ask(app, `/orders${query}`, undefined, options);
  if (status !== 200) throw new Error(`${status}: ${text}`);
  return JSON.parse(text);
};
const query = (filters: Record<string, string | number>) =>
  `?${Object.entries(filters)
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    .join("&")}`;

const ORDERS = 24;

/**
 * Three patients, two brands, some references, an occasional hold, every status, and an hour or a day between orders.
 */
async function fillBook(): Promise<void> {
  const patients = [];
  for (const email of [null, "z@quill.example", "y@quill.example"]) {
    patients.push(await newOrder(app, { patient: { email }, prescription: { refills: 99 } }));
  }
  for (let index = 0; index < ORDERS; index++) {
    const { body } = patients[index % 3]!;
    const otc = index % 4 === 3;
    const { order_number } = await placed(app, {
      ...body,
      patient: { ...body.patient, ...(index % 5 === 0 ? { dob: "1900-01-01" } : {}) },
      ...(otc ? { items: [{ sku: "packaging-pouch" }] } : {}),
      // Distinguished by an irrelevant field, because the same body would be a duplicate.
      payment: { payer: "partner", token: `unused-${index}` },
      brand_id: 1 + (index % 2),
      ...(index % 3 === 0 ? {} : { reference: `inv-${index % 7}` }),
    });
    const order_status = orderStatuses[index % orderStatuses.length]!;
    // Updates the rows directly instead of shipping and canceling the orders.
    if (order_status === "Shipped" || order_status === "Delivered" || order_status === "Canceled") {
      await set("delete from order_exception where order_number = $1", order_number);
      await set("update order_item set pending = false where order_number = $1", order_number);
      await set(
        `update orders set order_status = $2, stage = null, held_from = null, open_exceptions = 0, exception_ids = '{}',
          updated_at = updated_at + interval '3 hours' where order_number = $1`,
        order_number,
        order_status,
      );
    }
    const advance_seconds = index % 6 === 0 ? 86_400 : 3_600;
    await post(app, { simulation_type: "clock", simulation: { advance_seconds } }, { path: "/simulate" });
  }
}

/** Every page from the first to the last. */
async function walk(filters: Record<string, string | number>, limit: number): Promise<Order[]> {
  const found: Order[] = [];
  for (let cursor: string | null = ""; cursor !== null; ) {
    const page: Page = await list(query({ ...filters, limit, ...(cursor === "" ? {} : { cursor }) }));
    expect(page.orders.length).toBeLessThanOrEqual(limit);
    if (page.next_cursor !== null) expect(page.orders).toHaveLength(limit);
    found.push(...page.orders);
    cursor = page.next_cursor;
  }
  return found;
}

/** A filter's values, and whether an order matches it. */
type Filter = { values: () => (string | number)[]; passes: (order: Order, value: string) => boolean };
const distinct = <Value>(given: (Value | null)[]) =>
  [...new Set(given)].filter((value): value is Value => value !== null);
const instant = (value: string) =>
  value.length === 10 ? startOfDay(app.config.TIME_ZONE, value).toISOString() : new Date(value).toISOString();
const times = () => [
  ...distinct(all.map(({ created_at }) => created_at)),
  ...distinct(all.map((order) => order.created_at.slice(0, 10))),
];

const filters: Record<string, Filter> = {
  patient_id: {
    values: () => [...distinct(all.map(({ patient_id }) => patient_id)), "nobody-here"],
    passes: ({ patient_id }, value) => patient_id === value,
  },
  order_status: { values: () => [...orderStatuses], passes: ({ order_status }, value) => order_status === value },
  prescription_id: {
    values: () => [...distinct(all.flatMap(({ items }) => items.map((item) => item.prescription_id))), 999_999_999],
    passes: ({ items }, value) => items.some(({ prescription_id }) => prescription_id === Number(value)),
  },
  brand_id: { values: () => [1, 2, 3], passes: ({ brand_id }, value) => brand_id === Number(value) },
  reference: {
    values: () => [...distinct(all.map(({ reference }) => reference)), "inv-99", "'; --", "😀"],
    passes: ({ reference }, value) => reference === value,
  },
  exception_id: {
    values: () => [64, 65, 68, 71, 80],
    passes: ({ exceptions }, value) => exceptions.some(({ id }) => id === Number(value)),
  },
  created_after: { values: times, passes: ({ created_at }, value) => created_at > instant(value) },
  created_before: { values: times, passes: ({ created_at }, value) => created_at < instant(value) },
  updated_after: { values: times, passes: ({ updated_at }, value) => updated_at > instant(value) },
};
const passesAll = (order: Order, chosen: Record<string, string | number>) =>
  Object.entries(chosen).every(([name, value]) => filters[name]!.passes(order, String(value)));
const numbers = (orders: readonly Order[]) => orders.map(({ order_number }) => order_number);

describe("the list of orders", () => {
  test("has all of them, newest first, each equal to a single read", async () => {
    expect(all).toHaveLength(ORDERS);
    const created = all.map(({ created_at }) => created_at);
    expect(created).toEqual([...created].sort().reverse());
    for (const order of all) {
      expect(JSON.parse((await ask(app, `/orders/${order.order_number}`)).text)).toEqual(order);
    }
    // For every filter, some orders match and some do not.
    expect(distinct(all.map(({ order_status }) => order_status)).sort()).toEqual([...orderStatuses].sort());
  });

  for (const [name, { values }] of Object.entries(filters)) {
    test(`by ${name} has those, and no others`, async () => {
      let found = 0;
      for (const value of values()) {
        const orders = (await list(query({ [name]: value, limit: 200 }))).orders;
        expect(orders, `${name}=${value}`).toEqual(all.filter((order) => passesAll(order, { [name]: value })));
        found += orders.length;
      }
      expect(found).toBeGreaterThan(0);
    });
  }

  test("by any combination of filters, page by page of any size, has what matches them all", async () => {
    const one = (name: string) => fc.constantFrom(...filters[name]!.values());
    const chosen = fc.record(Object.fromEntries(Object.keys(filters).map((name) => [name, one(name)])), {
      requiredKeys: [],
    });
    await fc.assert(
      fc.asyncProperty(chosen, fc.integer({ min: 1, max: 7 }), async (some, limit) => {
        const wanted = some as Record<string, string | number>;
        expect(numbers(await walk(wanted, limit))).toEqual(numbers(all.filter((order) => passesAll(order, wanted))));
      }),
      { seed: 20_261_115, numRuns: effort(60) },
    );
  });

  test("has 25 on a page by default, and 1 to 200 on request", async () => {
    expect((await list("")).orders).toHaveLength(ORDERS);
    expect((await list("?limit=1")).orders).toEqual(all.slice(0, 1));
    expect((await list("?limit=24")).next_cursor).toBeNull();
    expect((await list("?limit=23")).next_cursor).not.toBeNull();
    expect((await list("?limit=200")).orders).toHaveLength(ORDERS);
  });

  test("gives the same page the same bytes and the same cursor, and 304 to a client that has it", async () => {
    const first = await ask(app, "/orders?limit=5&brand_id=1");
    const again = await ask(app, "/orders?limit=5&brand_id=1");
    expect(again.text).toBe(first.text);
    const headers = { "if-none-match": first.headers.get("etag")! };
    const known = await ask(app, "/orders?limit=5&brand_id=1", undefined, { headers });
    expect([known.status, known.text, known.headers.get("etag")]).toEqual([304, "", first.headers.get("etag")]);
  });

  test("names the next page in the Link header, with the filters and the version of this one", async () => {
    const first = await ask(app, "/v1/orders?brand_id=1&limit=5&reference=inv-1");
    expect(first.headers.get("link")).toBeNull();
    let path: string | undefined = "/v1/orders?brand_id=2&limit=3";
    const found: Order[] = [];
    while (path !== undefined) {
      const { text, headers } = await ask(app, path);
      const page: Page = JSON.parse(text);
      found.push(...page.orders);
      const link = headers.get("link");
      expect(link === null).toBe(page.next_cursor === null);
      path = link === null ? undefined : /^<(\/v1\/orders\?[^>]+)>; rel="next"$/.exec(link)?.[1];
      if (path !== undefined) {
        const next = new URL(path, "http://list").searchParams;
        expect(Object.fromEntries(next)).toEqual({ brand_id: "2", limit: "3", cursor: page.next_cursor });
      }
    }
    expect(numbers(found)).toEqual(numbers(all.filter(({ brand_id }) => brand_id === 2)));
  });

  test("is stable while orders arrive: no repeats and no gaps", async () => {
    const { body } = await newOrder(app, { prescription: { refills: 99 } });
    const before = await list("?limit=200");
    const found: Order[] = [];
    let cursor: string | null = "";
    for (let index = 0; cursor !== null; index++) {
      const path: string = query({ limit: 4, ...(cursor === "" ? {} : { cursor }) });
      const page = await list(path);
      await Promise.all([0, 1, 2].map((turn) => placed(app, { ...body, reference: `new-${index}-${turn}` })));
      // A page reads the same again, except the first, which has the newest orders.
      if (cursor !== "") expect((await list(path)).next_cursor).toBe(page.next_cursor);
      found.push(...page.orders);
      cursor = page.next_cursor;
    }
    expect(numbers(found)).toEqual(numbers(before.orders));
  });

  const bad: Record<string, string[]> = {
    limit: ["0", "-1", "201", "1000", "1.5", "01", "+1", "1e2", "ten", "", "%20", "１"],
    cursor: [
      "",
      "x",
      "p1",

      "cDE=",
      "cDAx",
      "bm90aGluZw",
      "cC0x",
      "a".repeat(500),
      "cDk5OTk5OTk5OTk5OTk5OTk5OTk5",
    ],
    patient_id: ["", "abc", "a%20bcd", "x".repeat(36), "'; --"],
    order_status: ["", "Lost", "on hold", "ON%20HOLD", "Processing/clinical_review"],
    prescription_id: ["", "0", "-1", "1.5", "1e3", "0x1", "abc", "1".repeat(30)],
    brand_id: ["", "0", "one", "2147483648000"],
    reference: ["x".repeat(256)],
    exception_id: ["", "63", "81", "0", "seventy"],
    created_after: [
      "",
      "yesterday",
      "2026-02-30",
      "2026-13-01",
      "2026-1-1",
      "2026-11-15T25:00:00Z",
      "2026-11-15T08:30:00",
      "1794731400",
    ],
    created_before: ["", "2026-02-30T00:00:00Z", "2026-11-15T08:30:00+25:00", "0000-00-00"],
    updated_after: ["", "now", "2026-11-31", "99999-01-01"],
  };
  for (const [name, values] of Object.entries(bad)) {
    test(`rejects an invalid ${name} with 40003`, async () => {
      for (const value of [...values, ...(name === "cursor" ? [] : [`1&${name}=1`])]) {
        const { status, text } = await ask(app, `/orders?${name}=${value}`);
        expect([value, status, codesOf(text)]).toEqual([value, 400, [[40003, name]]]);
      }
    });
  }

  test("rejects unknown parameters with 40003: a misspelled filter must not return everything", async () => {
    for (const query of [
      "patient=x",
      "status=Shipped",
      "order_status[]=Shipped",
      "Limit=1",
      "%00=1",
      "reference=%00",
    ]) {
      const { status, text } = await ask(app, `/orders?${query}`);
      expect([query, status, codesOf(text).map(([code]) => code)]).toEqual([query, 400, [40003]]);
    }
  });
});

describe("an order and its history", () => {
  test("are read, and 304 to a client that has them", async () => {
    const [{ order_number }] = all as [Order];
    for (const path of [`/orders/${order_number}`, `/v1/orders/${order_number}/history`]) {
      const { status, headers } = await ask(app, path);
      expect(status).toBe(200);
      const known = await ask(app, path, undefined, { headers: { "if-none-match": `"x", ${headers.get("etag")}` } });
      expect([known.status, known.text]).toEqual([304, ""]);
    }
  });

  test("start with the creation, and are paged newest first", async () => {
    const { body } = await newOrder(app);
    const { status, headers, body: made } = await post(app, body);
    expect(status).toBe(201);
    const { order_number, created_at } = made as Order;
    const creation = {
      at: created_at,
      actor: "partner",
      event: "create",
      from: null,
      to: "Processing",
      exception_id: null,
      request_id: headers.get("x-request-id"),
    };
    const read = async (query = "") => JSON.parse((await ask(app, `/orders/${order_number}/history${query}`)).text);
    expect(await read()).toEqual({ history: [creation], next_cursor: null });
    for (const exception_id of [64, 77, 69]) {
      await set(
        `insert into order_history (account_id, order_number, at, actor, event, "from", "to", exception_id)
        select account_id, order_number, at, 'operator', 'raise_exception', 'On Hold', 'On Hold', $2
        from order_history where order_number = $1 and event = 'create'`,
        order_number,
        exception_id,
      );
    }
    const whole = (await read()).history;
    expect(whole.map((row: typeof creation) => row.exception_id)).toEqual([69, 77, 64, null]);
    const first = await ask(app, `/orders/${order_number}/history?limit=3`);
    const { history, next_cursor } = JSON.parse(first.text);
    expect(history).toEqual(whole.slice(0, 3));
    expect(first.headers.get("link")).toBe(
      `</orders/${order_number}/history?limit=3&cursor=${next_cursor}>; rel="next"`,
    );
    expect(await read(`?limit=3&cursor=${next_cursor}`)).toEqual({ history: [creation], next_cursor: null });
    for (const query of ["limit=0", "limit=201", "cursor=x", "after=1"]) {
      const { status, text } = await ask(app, `/orders/${order_number}/history?${query}`);
      expect([query, status, codesOf(text)[0]![0]]).toEqual([query, 400, 40003]);
    }
  });

  test("of another account, of an unknown or of a malformed number get the same 404", async () => {
    const { body } = await newOrder(app, { partner: 2 });
    const { order_number, patient_id } = await placed(app, body, { partner: 2 });
    const bodies = new Set([withoutId((await ask(app, "/nowhere")).text)]);
    const own = all[0]!.order_number;
    for (const number of [
      order_number,
      "0000000000",
      own.toLowerCase(),
      `${own}0`,
      own.slice(1),
      "%00",
      "ORDERS%2F..",
    ]) {
      for (const path of [`/orders/${number}`, `/orders/${number}/history`, `/orders/${number}/history?limit=1`]) {
        const { status, text } = await ask(app, path);
        expect([path, status]).toEqual([path, 404]);
        bodies.add(withoutId(text));
      }
    }
    expect(bodies.size).toBe(1);
    expect((await list("?limit=200", { partner: 2 })).orders.map((one) => one.order_number)).toEqual([order_number]);
    for (const filter of [{ patient_id }, { prescription_id: String(body.items[0]["prescription_id"]) }]) {
      expect((await list(query(filter))).orders).toEqual([]);
    }
    expect(numbers((await list("?limit=200")).orders)).not.toContain(order_number);
  });
});
