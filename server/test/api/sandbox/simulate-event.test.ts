import { compactAsciiJson, eventTypeNames } from "@pestle/contract";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { footprint } from "../../support/orders.ts";
import { fieldsOf, simulate } from "../../support/simulate.ts";
import { storedEvents } from "../../support/stored-events.ts";
import { startTestApp, type TestApp } from "../../support/test-app.ts";
import { effort } from "../../support/tools/effort.ts";

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ unlimited: true });
});
afterAll(() => app.stop());

async function sent(simulation: Record<string, unknown>) {
  const { status, text, body } = await simulate(app, "event", simulation);
  if (status !== 202) throw new Error(text);
  const { event_id } = body as { event_id: string };
  const [row] = await storedEvents(app.deps, "where event_id = $1", [event_id]);
  return { event_id, row: row! };
}

describe("a simulated event", () => {
  test.each(eventTypeNames)("%s is written as given, and nothing else happens", async (event_type) => {
    const before = await footprint(app);
    const rest = { patient_id: "ay87nt", order_number: "7K2M9XQ4TB", sequence: 3, medication_requests: [{ id: 1 }] };
    const { event_id, row } = await sent({ event_type, ...rest });
    const timestamp = Math.floor(row.created_at.getTime() / 1000);
    expect(row.body).toBe(compactAsciiJson({ event_id, event_type, timestamp, ...rest }));
    expect(row).toMatchObject({
      account_id: app.demo.partners[0]!.account_id,
      event_type,
      patient_id: "ay87nt",
      order_number: "7K2M9XQ4TB",
    });
    expect(await footprint(app)).toEqual({ ...before, events: Number(before["events"]) + 1 });
  });

  test("is one line of ASCII for any input", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.dictionary(
          fc.string({ unit: "binary" }).filter((name) => !["event_id", "timestamp", "event_type"].includes(name)),
          fc.jsonValue({ maxDepth: 3 }),
        ),
        async (rest) => {
          const { row } = await sent({ event_type: "RX_RECEIVED", ...rest });
          expect(row.body).toMatch(/^[\x20-\x7e]+$/);
          expect(row.body).not.toMatch(/[!'()*~]/);
          const { event_id: _, timestamp: __, ...body } = JSON.parse(row.body);
          expect(body).toEqual(JSON.parse(JSON.stringify({ event_type: "RX_RECEIVED", ...rest })));
        },
      ),
      { seed: 20_261_115, numRuns: effort(100) },
    );
  });

  test("with a malformed patient or order number is sent anyway, and cannot be found by either", async () => {
    const rest = { patient_id: 7, order_number: "x".repeat(5_000) };
    const { row } = await sent({ event_type: "ORDER_UPDATED", ...rest });
    expect([row["patient_id"], row["order_number"]]).toEqual([null, null]);
    expect(JSON.parse(row.body)).toMatchObject(rest);
  });

  test("is stamped with the account's own time", async () => {
    await simulate(app, "clock", { advance_seconds: 86_400 });
    const { row } = await sent({ event_type: "RX_UPDATED" });
    const ahead_s = JSON.parse(row.body).timestamp - Date.now() / 1000;
    expect(ahead_s).toBeGreaterThan(86_000);
    expect(ahead_s).toBeLessThan(86_500);
  });

  test("of an unknown type, or with a field that only the service sets, is rejected", async () => {
    const before = await footprint(app);
    for (const event_type of ["RX_LOST", 7, null, undefined, "toString"]) {
      const { status, text } = await simulate(app, "event", { event_type });
      expect([status, fieldsOf(text)]).toEqual([422, ["simulation.event_type"]]);
    }
    const { text } = await simulate(app, "event", { event_type: "x", event_id: "mine", timestamp: 1 });
    expect(fieldsOf(text)).toEqual(["simulation.event_type", "simulation.event_id", "simulation.timestamp"]);
    expect(await footprint(app)).toEqual(before);
  });

  test("with its key is sent once", async () => {
    const headers = { "idempotency-key": "event-1" };
    const [one, two] = [
      await simulate(app, "event", { event_type: "RX_UPDATED" }, { headers }),
      await simulate(app, "event", { event_type: "RX_UPDATED" }, { headers }),
    ];
    expect([two.text, two.headers.get("idempotent-replayed")]).toEqual([one.text, "true"]);
  });
});
