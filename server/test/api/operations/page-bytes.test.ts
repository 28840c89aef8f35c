import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { MOST_PAGE_BYTES } from "../../../src/domain/values/page-bytes.ts";
import { listAnswer } from "../../../src/http/page.ts";
import { loadPage } from "../../../src/usecases/operations/load-page.ts";
import { renderEach } from "../../../src/usecases/operations/render-each.ts";
import { codesOf } from "../../support/conventions.ts";
import { newOrder, placed } from "../../support/orders.ts";
import { patientKeyOf } from "../../support/patient-key.ts";
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

  test("is serialized in slices of 64 KiB, and other work runs in between", async () => {
    let turns = 0;
    let done = false;
    const count = () => {
      turns += 1;
      if (!done) setImmediate(count);
    };
    setImmediate(count);
    await renderEach(Array.from({ length: 64 }, () => "x".repeat(64 * KIB)));
    done = true;
    expect(turns).toBeGreaterThanOrEqual(60);
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
    const { tenants, by_account } = app.environments.sandbox;
    const { of } = tenants;
    // The next request of the account asks `of` again.
    by_account.clear();
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
    by_account.clear();
    expect(seen).toEqual(sent);
    expect(pages).toBe(3);
    expect(loaded).toHaveLength(pages);
    expect(Math.max(...loaded)).toBeLessThanOrEqual(MOST_PAGE_BYTES);
  });

  test("ends the two lists without pages at a mebibyte too, and continues with next_cursor", async () => {
    const { account_id } = app.demo.partners[0]!;
    const order = await placed(app, (await newOrder(app)).body);
    const { patient_id, order_number } = order;
    await app.owner.raw(
      `insert into order_action_request (account_id, order_number, event, created_at)
      select $1, $2, 'hold', date_trunc('second', now()) - n * interval '1 second' from generate_series(1, 1500) n`,
      [account_id, order_number],
    );
    await copyPrescriptions(account_id, patient_id, 1_500);
    const lists = [
      [`/orders/${order_number}/partner_order_action_requests`, "partner_order_action_requests", 1_500],
      [`/patients/${patient_id}/rx`, "medication_request", 1_501],
    ] as const;
    for (const [path, name, count] of lists) {
      const ids: number[] = [];
      let pages = 0;
      let cursor: string | undefined;
      do {
        const answer = await app.call(cursor === undefined ? path : `${path}?cursor=${cursor}`);
        expect([path, answer.status]).toEqual([path, 200]);
        const text = await answer.text();
        expect(text.length).toBeLessThanOrEqual(MOST_PAGE_BYTES + FRAME_BYTES);
        const page = JSON.parse(text) as Record<string, { id: number }[]> & { next_cursor?: string };
        ids.push(...page[name]!.map(({ id }) => id));
        expect(answer.headers.has("link")).toBe(page.next_cursor !== undefined);
        cursor = page.next_cursor;
        pages += 1;
      } while (cursor !== undefined);
      expect([new Set(ids).size, ids.length]).toEqual([count, count]);
      expect(pages).toBeGreaterThan(1);
    }
    const other = await app.call(`/patients/${patient_id}/rx?active=false`);
    expect(await other.json()).toEqual({ medication_request: [] });
    const wrong = await app.call(`/patients/${patient_id}/rx?cursor=abc`);
    expect([wrong.status, codesOf(await wrong.text())]).toEqual([400, [[40003, "cursor"]]]);
  });

  /** Copies of a patient's prescription, earlier and earlier, with everything that is sealed to its id left out. */
  const copyPrescriptions = async (account_id: string, patient_id: string, count: number) =>
    app.owner.raw(
      `insert into prescription (account_id, patient_key, active, acceptance, source, intake_message_id, sender,
        sender_message_id, received_at, expires_at, written_date, effective_date, drug_name, ndc, gcn, sig_text,
        prescriber_name, written_qty, unit, days_supply, refills, drug_schedule, daw, details_sealed)
      select r.account_id, r.patient_key, true, r.acceptance, r.source, r.intake_message_id, r.sender, 'copy ' || n,
        r.received_at - n * interval '1 second', r.expires_at, r.written_date, r.effective_date, r.drug_name, r.ndc, r.gcn,
        repeat('Take one tablet. ', 40), 'A. Prescriber', r.written_qty, r.unit, r.days_supply, r.refills, r.drug_schedule,
        r.daw, r.details_sealed
      from prescription r, generate_series(1, $3) n
      where r.account_id = $1 and r.patient_key = $2`,
      [account_id, await patientKeyOf(app, account_id, patient_id), count],
    );

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
      body: JSON.stringify({ reference: "r", items: [], ...fields }),
    });
    const text = await answer.text();
    expect(answer.status).toBe(422);
    expect(text.length).toBeLessThan(20 * KIB);
    const { errors } = JSON.parse(text) as { errors: { code: number; error_detail: { field: string }[] }[] };
    const named = errors.find(({ code }) => code === 42200)!.error_detail.map(({ field }) => field);
    expect(named).toEqual(Array.from({ length: 20 }, (_, index) => `u${index}`));
  });
});
