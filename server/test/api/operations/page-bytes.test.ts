import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { MOST_PAGE_BYTES } from "../../../src/domain/values/page-bytes.ts";
import { listAnswer, renderEach } from "../../../src/http/page.ts";
import { loadPage } from "../../../src/usecases/operations/load-page.ts";
import { startTestApp, type TestApp } from "../../support/test-app.ts";

const KIB = 1024;
/** What a page has beside its records. */
const FRAME_BYTES = 1_000;

describe("a page", () => {
  test("of large rows loads few more than it shows", async () => {
    const asked: number[] = [];
    const load = async (after: number | undefined, most: number) => {
      asked.push(most);
      return Array.from({ length: most }, (_, index) => (after ?? 0) + index + 1);
    };
    const { rows, more } = await loadPage(200, load, () => 64 * KIB);
    expect([rows.length, more]).toEqual([25, true]);
    expect(asked).toEqual([26]);
    asked.length = 0;
    const small = await loadPage(200, load, () => 100);
    expect([small.rows, small.more]).toEqual([Array.from({ length: 200 }, (_, index) => index + 1), true]);
    expect(asked).toEqual([26, 101, 76]);
  });

  test("ends with the list", async () => {
    const load = async (after = 0, most = 0) =>
      Array.from({ length: 30 }, (_, index) => index + 1).filter((row) => row > after && row <= after + most);
    expect(await loadPage(200, load, () => 100)).toEqual({ rows: await load(0, 30), more: false });
  });

  test("ends before the record that exceeds its bytes, and shows a record that alone exceeds them", async () => {
    const record = (size: number) => "x".repeat(size);
    const given = { cursorAfter: (index: number) => `after ${index}`, next_cursor: null, end: "the end" };
    const page = async (records: string[]) => {
      const { body, headers } = await listAnswer("/list?limit=9", "records", records, given);
      const { records: shown, ...rest } = JSON.parse(String(body.text));
      return { shown: shown.length, rest, link: headers?.["link"] };
    };
    expect(await page([record(400 * KIB), record(400 * KIB), record(400 * KIB)])).toEqual({
      shown: 2,
      rest: { end_cursor: "after 1", next_cursor: "after 1" },
      link: '</list?limit=9&cursor=after+1>; rel="next"',
    });
    expect((await page([record(3_000 * KIB), record(10)])).shown).toBe(1);
    expect(await page([record(10)])).toEqual({
      shown: 1,
      rest: { end_cursor: "the end", next_cursor: null },
      link: undefined,
    });
  });

  test("is serialized in slices of 256 KiB, and other work runs in between", async () => {
    let turns = 0;
    let done = false;
    const count = () => {
      turns += 1;
      if (!done) setImmediate(count);
    };
    setImmediate(count);
    await renderEach(Array.from({ length: 64 }, () => "x".repeat(64 * KIB)));
    done = true;
    expect(turns).toBeGreaterThanOrEqual(15);
  });
});

describe("the service", () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startTestApp({ unlimited: true });
  });
  afterAll(() => app.stop());

  const simulate = (size: number) =>
    app.call("/simulate", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({
        simulation_type: "event",
        simulation: { event_type: "RX_RECEIVED", note: "n".repeat(size) },
      }),
    });

  test("lists large events a mebibyte at a time, and reads no more of them from the database", async () => {
    const sent: string[] = [];
    for (let made = 0; made < 40; made++) {
      const { event_id } = (await (await simulate(60 * KIB)).json()) as { event_id: string };
      sent.push(event_id);
    }
    const { tenants } = app.environments.sandbox;
    const { of } = tenants;
    const loaded: number[] = [];
    tenants.of = (account_id) => {
      const db = of(account_id);
      return {
        ...db,
        rows: async (statement, params) => {
          const found = await db.rows(statement, params);
          const bodies = (found as { body_sealed?: unknown }[]).flatMap(({ body_sealed }) =>
            Buffer.isBuffer(body_sealed) ? [body_sealed] : [],
          );
          if (bodies.length > 0) loaded.push(bodies.reduce((sum, body) => sum + body.length, 0));
          return found;
        },
      };
    };
    const seen: string[] = [];
    let pages = 0;
    for (let cursor: string | null = ""; cursor !== null; pages++) {
      const answer = await app.call(`/webhook_events?limit=200${cursor === "" ? "" : `&cursor=${cursor}`}`);
      const text = await answer.text();
      expect(text.length).toBeLessThanOrEqual(MOST_PAGE_BYTES + FRAME_BYTES);
      const page = JSON.parse(text) as { webhook_events: { event_id: string }[]; next_cursor: string | null };
      seen.push(...page.webhook_events.map(({ event_id }) => event_id));
      cursor = page.next_cursor;
    }
    tenants.of = of;
    expect(seen).toEqual(sent);
    expect(pages).toBe(3);
    expect(loaded).toHaveLength(pages);
    expect(Math.max(...loaded)).toBeLessThanOrEqual(MOST_PAGE_BYTES);
  });

  test("takes simulated events of at most 64 KiB", async () => {
    const refused = await simulate(64 * KIB);
    expect(refused.status).toBe(422);
    expect(await refused.json()).toMatchObject({ errors: [{ code: 42200, error_detail: [{ field: "simulation" }] }] });
  });

  test("names the first 20 problems of a code, however many fields are wrong", async () => {
    const fields = Object.fromEntries(Array.from({ length: 60_000 }, (_, index) => [`u${index}`, 1]));
    const answer = await app.call("/orders", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(fields),
    });
    const text = await answer.text();
    expect(answer.status).toBe(422);
    expect(text.length).toBeLessThan(20 * KIB);
    const { errors } = JSON.parse(text) as { errors: { code: number; error_detail: { field: string }[] }[] };
    expect(errors.find(({ code }) => code === 42200)?.error_detail).toHaveLength(20);
  });
});
