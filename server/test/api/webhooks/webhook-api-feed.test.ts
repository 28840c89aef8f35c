import { type EventType, eventTypeNames, WebhookEventRecord } from "@pestle/contract";
import fc from "fast-check";
import type pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readFeed } from "../../../src/db/webhooks/feed.ts";
import { startOfDay } from "../../../src/domain/values/calendar.ts";
import { randomEventId, randomOrderNumber } from "../../../src/random.ts";
import { codesOf, withoutId } from "../../support/conventions.ts";
import { newOrder, placed } from "../../support/orders.ts";
import { openReceiver } from "../../support/receiver.ts";
import { misfits } from "../../support/samples/misfits.ts";
import { rowsRead } from "../../support/sql/rows-read.ts";
import { startTestApp, type TestApp } from "../../support/test-app.ts";
import { effort } from "../../support/tools/effort.ts";
import { until } from "../../support/tools/until.ts";
import { type FeedAnswer, webhookCalls } from "../../support/webhook-api.ts";
import { writeEvents } from "../../support/webhooks.ts";

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ unlimited: true });
});
afterAll(() => app.stop());

const idsOf = (events: readonly { event_id: string }[]) => events.map(({ event_id }) => event_id);
const query = (given: Record<string, string | number | boolean>) =>
  `?${new URLSearchParams(Object.entries(given).map(([name, value]): [string, string] => [name, String(value)]))}`;

/** Follows the feed from a cursor to its end, page by page. */
async function follow(partner: number, cursor: string | null, given: Record<string, string | number> = {}) {
  const events: WebhookEventRecord[] = [];
  let page: FeedAnswer;
  let from = cursor;
  do {
    page = await webhookCalls(app, partner).feed(query({ ...given, ...(from === null ? {} : { cursor: from }) }));
    events.push(...page.webhook_events);
    from = page.end_cursor;
  } while (page.next_cursor !== null);
  return { events, end_cursor: page.end_cursor };
}
/** The current end of a partner's feed. */
const endOf = async (partner: number) =>
  (await webhookCalls(app, partner).feed("?after=9999-12-30T00:00:00Z")).end_cursor;

describe("a client that follows the feed with the last cursor", () => {
  /** Steps of several writers and a reader, in any order: a transaction may commit long after a later one. */
  const steps = fc.array(
    fc.oneof(
      { weight: 4, arbitrary: fc.record({ kind: fc.constant("write" as const), writer: fc.nat(3) }) },
      { weight: 2, arbitrary: fc.record({ kind: fc.constant("commit" as const), writer: fc.nat(3) }) },
      { weight: 1, arbitrary: fc.record({ kind: fc.constant("rollback" as const), writer: fc.nat(3) }) },
      {
        weight: 3,
        arbitrary: fc.record({ kind: fc.constant("poll" as const), limit: fc.integer({ min: 1, max: 5 }) }),
      },
    ),
    { minLength: 5, maxLength: 40 },
  );
  const INSERT = `insert into webhook_event (account_id, event_id, event_type, body, created_at)
    values ($1, $2, 'RX_UPDATED', '{}', now())`;

  test("gets every event once, regardless of the order in which transactions begin and commit", async () => {
    const { account_id } = app.demo.partners[0]!;
    const clients = await Promise.all(Array.from({ length: 4 }, () => app.deps.db.connect()));
    const api = webhookCalls(app);
    try {
      await fc.assert(
        fc.asyncProperty(steps, async (given) => {
          const open = new Map<pg.Client, string[]>();
          const committed: string[] = [];
          const seen: string[] = [];
          const full_pages: { from: string; page: FeedAnswer; limit: number }[] = [];
          let cursor = await endOf(0);
          const end = async (client: pg.Client, word: "commit" | "rollback") => {
            await client.query(word);
            if (word === "commit") committed.push(...(open.get(client) ?? []));
            open.delete(client);
          };
          const poll = async (limit: number) => {
            const page = await api.feed(query({ cursor, limit }));
            if (page.next_cursor !== null) full_pages.push({ from: cursor, page, limit });
            seen.push(...idsOf(page.webhook_events));
            cursor = page.end_cursor;
            return page.next_cursor !== null;
          };
          for (const step of given) {
            if (step.kind === "poll") {
              await poll(step.limit);
              continue;
            }
            const client = clients[step.writer]!;
            if (step.kind === "write") {
              if (!open.has(client)) await client.query("begin");
              const event_id = randomEventId();
              await client.query(INSERT, [account_id, event_id]);
              open.set(client, [...(open.get(client) ?? []), event_id]);
            } else if (open.has(client)) await end(client, step.kind);
          }
          for (const client of open.keys()) await end(client, "commit");
          await until(async () => {
            while (await poll(7));
            return seen.length >= committed.length;
          }, "all that was committed is in the feed");
          expect(seen).toHaveLength(new Set(seen).size);
          expect([...seen].sort()).toEqual([...committed].sort());
          for (const { from, page, limit } of full_pages) {
            expect(await api.feed(query({ cursor: from, limit }))).toEqual(page);
          }
        }),
        { seed: 20_261_115, numRuns: effort(40) },
      );
    } finally {
      await Promise.all(clients.map((client) => client.end()));
    }
  });

  test("gets every event once during many concurrent writes, and each order's events in order", async () => {
    const api = webhookCalls(app, 1);
    const orders = Array.from({ length: 8 }, () => randomOrderNumber());
    const from = await endOf(1);
    let writing = true;
    const written = Promise.all(
      orders.map(async (order_number) => {
        const own: string[] = [];
        for (let lot = 0; lot < 25; lot++) {
          const events = Array.from({ length: 1 + (lot % 3) }, () => ({ order_number }));
          own.push(...idsOf(await writeEvents(app, events, 1)));
        }
        return own;
      }),
    ).finally(() => {
      writing = false;
    });
    const readers = [1, 3, 200].map(async (limit) => {
      const seen: WebhookEventRecord[] = [];
      let cursor = from;
      for (let ended = false; !ended; ) {
        ended = !writing;
        const page = await api.feed(query({ cursor, limit }));
        seen.push(...page.webhook_events);
        cursor = page.end_cursor;
        if (page.next_cursor !== null) ended = false;
      }
      return { seen, cursor };
    });
    const lots = await written;
    for (const { seen, cursor } of await Promise.all(readers)) {
      const all = [...seen];
      // Another test's transaction may block a moment longer.
      await until(async () => {
        all.push(...(await follow(1, cursor)).events.slice(all.length - seen.length));
        return all.length >= lots.flat().length;
      }, "all are in the feed");
      expect(idsOf(all).sort()).toEqual(lots.flat().sort());
      for (const [index, order_number] of orders.entries()) {
        expect(idsOf(all.filter((event) => event.order_number === order_number))).toEqual(lots[index]);
      }
    }
  });

  test("can start at the beginning, at a time, or now", async () => {
    const partner = 2;
    const beginning = await webhookCalls(app, partner).feed();
    expect(beginning).toEqual({ webhook_events: [], next_cursor: null, end_cursor: expect.any(String) });
    const [first] = await writeEvents(app, [{}], partner);
    const now = await endOf(partner);
    const [second] = await writeEvents(app, [{}], partner);
    await until(async () => (await follow(partner, null)).events.length === 2, "both are there");
    expect(idsOf((await follow(partner, beginning.end_cursor)).events)).toEqual(idsOf([first!, second!]));
    const after_now = idsOf((await follow(partner, now)).events);
    expect(after_now.at(-1)).toBe(second!.event_id);
    const { created_at } = await webhookCalls(app, partner).event(first!.event_id);
    const later = await follow(partner, null, { after: created_at });
    expect(later.events.every((event) => event.created_at > created_at)).toBe(true);
    expect(idsOf((await follow(partner, later.end_cursor)).events)).toEqual([]);
  });

  test("gets the event of an order that was just placed, complete and as delivered", async () => {
    const from = await endOf(0);
    const { body } = await newOrder(app);
    const { order_number, patient_id } = await placed(app, body);
    let events: WebhookEventRecord[] = [];
    await until(async () => {
      ({ events } = await follow(0, from));
      return events.some((event) => event.order_number === order_number);
    }, "the order is in the feed");
    expect(events.map(({ event_type }) => event_type)).toEqual(["RX_RECEIVED", "RX_UPDATED", "ORDER_UPDATED"]);
    for (const event of events) {
      expect(misfits(WebhookEventRecord, event)).toEqual([]);
      expect(event).toMatchObject({ patient_id, deliveries: [], body: { event_id: event.event_id, patient_id } });
    }
    expect(idsOf((await webhookCalls(app).feed(query({ order_number }))).webhook_events)).toEqual(
      idsOf(events.filter((event) => event.order_number !== null)),
    );
  });
});

describe("the filters", () => {
  const PARTNER = 1;
  const orders = [randomOrderNumber(), randomOrderNumber(), randomOrderNumber()];
  let all: WebhookEventRecord[];
  let api: ReturnType<typeof webhookCalls>;

  /** Some delivered to all, some to one of two, some to none, on several days. */
  beforeAll(async () => {
    api = webhookCalls(app, PARTNER);
    const from = await endOf(PARTNER);
    const [good, bad] = [await openReceiver(), await openReceiver((_, response) => response.writeHead(500).end())];
    const { id: good_id } = await api.create({ url: good.url, events: ["RX_RECEIVED", "RX_UPDATED"] });
    await api.create({ url: bad.url, events: ["RX_UPDATED", "SHIPMENT_UPDATED"] });
    const written: { event_id: string }[] = [];
    for (let index = 0; index < 36; index++) {
      const event_type = eventTypeNames[index % eventTypeNames.length]!;
      const order_number = index % 5 === 0 ? null : orders[index % 3]!;
      const { clock_offset_s } = (await offset())[0]!;
      const created_at = new Date(Date.now() + clock_offset_s * 1000);
      written.push(...(await writeAt(event_type, order_number, created_at)));
      if (index % 4 === 3) await advance(index % 8 === 3 ? 3_600 : 86_400);
    }
    await until(async () => {
      all = (await follow(PARTNER, from)).events;
      return (
        all.length === written.length &&
        all.every(({ deliveries }) =>
          deliveries.every(({ endpoint_id, status }) => endpoint_id !== good_id || status === "delivered"),
        )
      );
    }, "the good endpoint has all of its events");
    await good.close();
    await bad.close();
  });
  const offset = async () =>
    (
      await app.deps.db.raw("select clock_offset_s from account where account_id = $1", [
        app.demo.partners[PARTNER]!.account_id,
      ])
    ).rows as { clock_offset_s: number }[];
  const advance = (advance_seconds: number) =>
    api.call("/simulate", { simulation_type: "clock", simulation: { advance_seconds } });
  async function writeAt(event_type: EventType, order_number: string | null, created_at: Date) {
    const event_id = randomEventId();
    await app.deps.db.raw(
      `insert into webhook_event (account_id, event_id, event_type, order_number, body, created_at)
      values ($1, $2, $3, $4, $5, $6)`,
      [
        app.demo.partners[PARTNER]!.account_id,
        event_id,
        event_type,
        order_number,
        `{"event_id":"${event_id}"}`,
        created_at,
      ],
    );
    return [{ event_id }];
  }

  type Filter = { values: () => (string | boolean)[]; passes: (event: WebhookEventRecord, value: string) => boolean };
  const instant = (value: string) =>
    value.length === 10 ? startOfDay(app.config.TIME_ZONE, value).toISOString() : new Date(value).toISOString();
  const filters: Record<"event_type" | "order_number" | "delivered" | "after", Filter> = {
    event_type: { values: () => [...eventTypeNames], passes: ({ event_type }, value) => event_type === value },
    order_number: {
      values: () => [...orders, "0000000000"],
      passes: ({ order_number }, value) => order_number === value,
    },
    delivered: {
      values: () => [true, false],
      passes: ({ deliveries }, value) =>
        String(deliveries.length > 0 && deliveries.every(({ status }) => status === "delivered")) === value,
    },
    after: {
      values: () => [
        ...new Set(all.flatMap(({ created_at }) => [created_at, created_at.slice(0, 10)])),
        "2000-01-01",
        "9999-01-01T00:00:00+01:00",
      ],
      passes: ({ created_at }, value) => created_at > instant(value),
    },
  };
  type Name = keyof typeof filters;
  /** Only those of this test: others were written before. */
  const walk = async (given: Record<string, string | number>) => {
    const known = new Set(idsOf(all));
    return (await follow(PARTNER, null, given)).events.filter(({ event_id }) => known.has(event_id));
  };

  for (const name of ["event_type", "order_number", "delivered", "after"] as const) {
    test(`${name} has those, and no others`, async () => {
      let found = 0;
      for (const value of filters[name].values()) {
        const events = await walk({ [name]: String(value), limit: 200 });
        const wanted = all.filter((event) => filters[name].passes(event, String(value)));
        expect([value, idsOf(events)]).toEqual([value, idsOf(wanted)]);
        found += events.length;
      }
      expect(found).toBeGreaterThan(0);
    });
  }

  test("together, page by page of any size, have what matches them all", async () => {
    const one = (name: Name) => fc.constantFrom(...filters[name].values().map(String));
    const names = Object.keys(filters) as Name[];
    const chosen = fc.record(Object.fromEntries(names.map((name) => [name, one(name)])), { requiredKeys: [] });
    await fc.assert(
      fc.asyncProperty(chosen, fc.integer({ min: 1, max: 7 }), async (some, limit) => {
        const wanted = all.filter((event) =>
          names.every((name) => !some[name] || filters[name].passes(event, some[name])),
        );
        expect(idsOf(await walk({ ...(some as Record<string, string>), limit }))).toEqual(idsOf(wanted));
      }),
      { seed: 20_261_115, numRuns: effort(40) },
    );
  });

  test("the Link header has the next page, with the filters and the version of this one", async () => {
    const first = await api.call<FeedAnswer>("/v1/webhook_events?event_type=RX_RECEIVED&limit=2");
    const { next_cursor, end_cursor } = first.body;
    expect(next_cursor).toBe(end_cursor);
    expect(first.headers.get("link")).toBe(
      `</v1/webhook_events?event_type=RX_RECEIVED&limit=2&cursor=${next_cursor}>; rel="next"`,
    );
    const last = await api.call<FeedAnswer>("/webhook_events?event_type=RX_RECEIVED&limit=200");
    expect([last.body.next_cursor, last.headers.get("link")]).toEqual([null, null]);
    const etag = last.headers.get("etag")!;
    const known = await api.call("/webhook_events?event_type=RX_RECEIVED&limit=200", undefined, {
      headers: { "if-none-match": etag },
    });
    expect([known.status, known.text]).toEqual([304, ""]);
  });
});

describe("an invalid request", () => {
  const bad: Record<string, string[]> = {
    limit: ["0", "201", "ten", ""],
    cursor: ["", "x", "cDE", "ZjE", "ZjEuMQ==", "ZjAxLjE", Buffer.from("f-1.1").toString("base64url"), "a".repeat(500)],
    event_type: ["", "rx_received", "NOPE", "__proto__", "RX_RECEIVED,RX_UPDATED"],
    order_number: ["", "x", "'; --", "ILOU000000", "x".repeat(500)],
    delivered: ["", "yes", "TRUE", "1"],
    after: ["", "now", "2026-02-30", "2026-11-15T08:30:00", "1794731400", "99999-01-01"],
  };
  for (const [name, values] of Object.entries(bad)) {
    test(`an invalid ${name} is 40003`, async () => {
      for (const value of values) {
        const { status, text } = await webhookCalls(app).call(`/webhook_events?${name}=${encodeURIComponent(value)}`);
        expect([value, status, codesOf(text)]).toEqual([value, 400, [[40003, name]]]);
      }
    });
  }

  test("another account's events never appear, and each of them is the same 404", async () => {
    const [event] = await writeEvents(app, [{ order_number: "0000000001" }], 1);
    const api = webhookCalls(app, 0);
    expect((await api.feed("?order_number=0000000001")).webhook_events).toEqual([]);
    const bodies = new Set<string>();
    for (const id of [event!.event_id, randomEventId(), "unknown", "0"]) {
      for (const [method, path] of [
        ["GET", `/webhook_events/${id}`],
        ["GET", `/webhook_events/${id}/attempts`],
        ["POST", `/webhook_events/${id}/redeliver`],
      ] as const) {
        const { status, text } = await api.call(path, undefined, { method });
        expect([path, status]).toEqual([path, 404]);
        bodies.add(withoutId(text));
      }
    }
    expect(bodies.size).toBe(1);
  });
});

describe("a long feed", () => {
  const MANY = 24_000;
  const PARTNER = 2;
  let from: string;
  beforeAll(async () => {
    from = await endOf(PARTNER);
    await app.deps.db.raw(
      `insert into webhook_event (account_id, event_id, event_type, order_number, body, created_at)
      select $1, (lpad(to_hex((extract(epoch from now()) * 1000)::bigint - $2 + i), 12, '0') || '7000' || '8000'
          || lpad(to_hex(i), 12, '0'))::uuid,
        case when i % 8000 = 0 then 'ENDPOINT_DISABLED' else 'RX_UPDATED' end, null, '{}', now()
      from generate_series(1, $2::integer) i`,
      [app.demo.partners[PARTNER]!.account_id, MANY],
    );
    await app.deps.db.raw("analyze webhook_event");
    await until(async () => (await endOf(PARTNER)) !== from, "they are in the feed");
  });

  test("is searched in steps: a page may be empty, and later pages have the matches", async () => {
    const api = webhookCalls(app, PARTNER);
    let cursor: string | null = from;
    const found: string[] = [];
    let pages = 0;
    while (cursor !== null) {
      const page: FeedAnswer = await api.feed(query({ event_type: "ENDPOINT_DISABLED", cursor }));
      found.push(...idsOf(page.webhook_events));
      cursor = page.next_cursor;
      pages += 1;
    }
    expect(found).toHaveLength(3);
    expect(pages).toBe(Math.ceil((MANY + 1) / 10_000));
  });

  test("gives each page at a cost that depends on its content, not on its position", async () => {
    const { account_id } = app.demo.partners[PARTNER]!;
    const none = { event_type: null, order_number: null, delivered: null, after: null };
    const [half] = (
      await app.deps.db.raw(
        "select feed_position, event_position from webhook_event where account_id = $1 order by event_id offset $2 limit 1",
        [account_id, MANY / 2],
      )
    ).rows as { feed_position: number; event_position: number }[];
    for (const start of [{ feed_position: 0, event_position: 0 }, half!]) {
      const read = await rowsRead(app.deps.db, (tx) => readFeed(tx, account_id, none, start, 25));
      // PostgreSQL may scan the few endpoints and pending deliveries of this test as a whole. Only events count.
      const rows = read
        .filter(({ table }) => table.startsWith("webhook_event"))
        .reduce((sum, one) => sum + one.rows, 0);
      // Read once and shown once, plus a row or two of each week.
      expect(rows).toBeLessThan(26 * 2 + 60);
    }
  });
});
