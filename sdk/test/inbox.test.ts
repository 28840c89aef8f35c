import fc from "fast-check";
import { expect, test } from "vitest";
import { createMemoryStore, type EventFacts, type Gap, hear, openInbox, type WebhookBody } from "../src/webhooks.ts";

const changed = (sequence: number, more: Partial<Record<string, unknown>> = {}) =>
  ({
    event_id: `event-${sequence}`,
    event_type: "ORDER_UPDATED",
    timestamp: 1_794_731_400 + sequence,
    patient_id: "ay87nt",
    order_number: "7K2M9XQ4TB",
    sequence,
    order_status: "Filling",
    previous_order_status: "Processing",
    ...more,
  }) as unknown as WebhookBody;

/** An inbox that records the work it does. */
function noted(store = createMemoryStore()) {
  const worked: [event_id: string, late: boolean, missing: readonly number[]][] = [];
  const gaps: Gap[] = [];
  const tests: string[] = [];
  const work = ({ event_id }: WebhookBody, { late, missing }: EventFacts) =>
    void worked.push([event_id, late, missing]);
  const inbox = openInbox({
    store,
    on: { ORDER_UPDATED: work, RX_RECEIVED: work },
    onGap: (gap) => void gaps.push(gap),
    onTest: ({ event_id }) => void tests.push(event_id),
  });
  return { inbox, worked, gaps, tests };
}

test("the inbox processes an event once, however often it arrives", async () => {
  const { inbox, worked } = noted();
  expect(await inbox.take(changed(1))).toBe("worked");
  expect(await inbox.take(changed(1))).toBe("duplicate");
  const at_once = await Promise.all(Array.from({ length: 10 }, () => inbox.take(changed(2))));
  expect(at_once.toSorted()).toEqual([...Array(9).fill("duplicate"), "worked"]);
  expect(worked.map(([event_id]) => event_id)).toEqual(["event-1", "event-2"]);
});

test("an event whose handler failed is processed when it arrives again, also by a call that waited for it", async () => {
  let failures = 1;
  const done: string[] = [];
  const inbox = openInbox({
    on: {
      async ORDER_UPDATED({ event_id }) {
        await Promise.resolve();
        if (failures-- > 0) throw new Error("the database is away");
        done.push(event_id);
      },
    },
  });
  const [first, second, third] = await Promise.allSettled([1, 1, 1].map((number) => inbox.take(changed(number))));
  expect([first!.status, second, third]).toEqual([
    "rejected",
    { status: "fulfilled", value: "worked" },
    { status: "fulfilled", value: "duplicate" },
  ]);
  expect(done).toEqual(["event-1"]);
});

test("a change whose handler failed counts as missing until it is processed", async () => {
  const gaps: Gap[] = [];
  let well = false;
  const inbox = openInbox({
    on: {
      ORDER_UPDATED({ sequence }) {
        if (sequence === 2 && !well) throw new Error("not now");
      },
    },
    onGap: (gap) => void gaps.push(gap),
  });
  await inbox.take(changed(1));
  await expect(inbox.take(changed(2))).rejects.toThrow("not now");
  await inbox.take(changed(3));
  well = true;
  expect(await inbox.take(changed(2))).toBe("worked");
  await inbox.take(changed(4));
  expect(gaps).toEqual([{ order_number: "7K2M9XQ4TB", missing: [2] }]);
});

test("the inbox reports a gap in an order's changes with the missing numbers, and marks late events as late", async () => {
  const { inbox, worked, gaps } = noted();
  for (const sequence of [1, 2, 5, 3]) await inbox.take(changed(sequence));
  await inbox.take(changed(5, { event_id: "another of change 5" }));
  await inbox.take(changed(4));
  await inbox.take(changed(1, { order_number: "8K2M9XQ4TB", event_id: "another order" }));
  expect(gaps).toEqual([
    { order_number: "7K2M9XQ4TB", missing: [3, 4] },
    { order_number: "7K2M9XQ4TB", missing: [4] },
  ]);
  expect(worked).toEqual([
    ["event-1", false, []],
    ["event-2", false, []],
    ["event-5", false, [3, 4]],
    ["event-3", true, [4]],
    ["another of change 5", false, [4]],
    ["event-4", true, []],
    ["another order", false, []],
  ]);
});

test("an event of an unknown order, of an unknown type or with an invalid number causes no error", async () => {
  const { inbox, worked, gaps } = noted();
  const received = {
    event_id: "rx",
    event_type: "RX_RECEIVED",
    timestamp: 1,
    patient_id: "p",
    medication_requests: [],
  };
  expect(await inbox.take(received as WebhookBody)).toBe("worked");
  expect(await inbox.take(changed(1, { event_type: "NEWER_THAN_THIS", event_id: "new" }))).toBe("worked");
  expect(await inbox.take(changed(1, { sequence: "x", event_id: "odd" }))).toBe("worked");
  expect(await inbox.take(changed(2 ** 52))).toBe("worked");
  expect(worked.map(([event_id]) => event_id)).toEqual(["rx", "odd", `event-${2 ** 52}`]);
  expect(gaps.map(({ missing }) => missing.length)).toEqual([1_000]);
});

test("an event type without its own handler goes to the default handler", async () => {
  const told: string[] = [];
  const inbox = openInbox({
    on: { ORDER_UPDATED: () => void told.push("its own") },
    otherwise: ({ event_type }) => void told.push(event_type),
  });
  await inbox.take(changed(1));
  await inbox.take(changed(2, { event_type: "RX_UPDATED" }));
  await inbox.take(changed(3, { event_type: "NEWER_THAN_THIS" }));
  expect(told).toEqual(["its own", "RX_UPDATED", "NEWER_THAN_THIS"]);
});

test("a sample event goes only to the handler that requested it", async () => {
  const { inbox, worked, gaps, tests } = noted();
  for (let time = 0; time < 2; time++) expect(await inbox.take(changed(9, { test: true }))).toBe("test");
  expect([worked, gaps, tests]).toEqual([[], [], ["event-9", "event-9"]]);
});

test("the memory is bounded and drops the oldest entries", async () => {
  const { inbox } = noted(createMemoryStore({ events: 2, orders: 1 }));
  for (const sequence of [1, 2, 3]) await inbox.take(changed(sequence));
  expect(await inbox.take(changed(3))).toBe("duplicate");
  expect(await inbox.take(changed(1))).toBe("worked");
});

test("missing are the numbers below the highest that never arrived, in any order of arrival", () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1 }), (sequences) => {
      const { highest, missing } = sequences.reduce<ReturnType<typeof hear> | undefined>(hear, undefined)!;
      expect(highest).toBe(Math.max(...sequences));
      const below = Array.from({ length: highest }, (_, index) => index + 1);
      expect(missing.toSorted((a, b) => a - b)).toEqual(below.filter((number) => !sequences.includes(number)));
    }),
  );
});
