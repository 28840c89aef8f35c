import { type ActionKey, type ExceptionId, exceptionIds, exceptionRow, type Order } from "@pestle/contract";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { shipOrder } from "../../../src/usecases/fulfillment/ship-order.ts";
import { approveReview } from "../../../src/usecases/fulfillment/steps.ts";
import { WorkRefusal } from "../../../src/usecases/fulfillment/work-refusal.ts";
import { act, acted, historyOf, readOrder, requestsOf } from "../../support/actions.ts";
import { expectBalanced } from "../../support/books.ts";
import { useCardProvider } from "../../support/card-provider.ts";
import { codesOf } from "../../support/conventions.ts";
import { type Held, held, LONG_NAME, leaves } from "../../support/held-orders.ts";
import { newOrder, placed } from "../../support/orders.ts";
import { person } from "../../support/patient.ts";
import { startTestApp, type TestApp } from "../../support/test-app.ts";
import { staff, workplace } from "../../support/workplace.ts";

const AT_ONCE = 20;
const ROUNDS = 12;

let app: TestApp;
let provider: ReturnType<typeof useCardProvider>;
beforeAll(async () => {
  app = await startTestApp({ unlimited: true });
  provider = useCardProvider(app);
});
afterEach(async () => {
  await expectBalanced(app, 0);
  await expectBalanced(app, 1);
});
afterAll(() => app.stop());

type Answer = Awaited<ReturnType<typeof act>>;
const range = (length: number) => Array.from({ length }, (_, index) => index);
const taken = (answers: readonly Answer[]) => answers.filter(({ status }) => status === 201);
/** The requests that lost, and their answers. */
const told = (answers: readonly Answer[]) => [
  ...new Set(answers.filter(({ status }) => status !== 201).map((one) => `${one.status} ${codesOf(one.text)}`)),
];
const fieldsOf = async (id: ExceptionId, event: ActionKey, of: Held) => ({
  event,
  ...(await (leaves[id] as Record<string, (given: Held) => object>)[event]!(of)),
});
const free = async (token?: string) => {
  const { body } = await newOrder(app);
  return placed(app, { ...body, ...(token && { payment: { payer: "patient", token } }) });
};

describe("the same action twenty times at once", () => {
  const seen = new Set<ActionKey>();
  for (const id of exceptionIds) {
    for (const event of exceptionRow(id).actions.filter((one) => !seen.has(one) && seen.add(one))) {
      test(`is applied once: ${event}`, async () => {
        const of = await held[id](app);
        const { order, partner } = of;
        const history = await historyOf(app, order.order_number, partner);
        const body = await fieldsOf(id, event, of);
        const answers = await Promise.all(range(AT_ONCE).map(() => act(app, order.order_number, body, { partner })));
        expect([taken(answers).length, told(answers)]).toEqual([1, ["422 42463,event"]]);
        const now = await historyOf(app, order.order_number, partner);
        expect(now).toHaveLength(history.length + 1);
        const requests = await requestsOf(app, order.order_number, partner);
        expect(requests.filter((one) => one.event === event)).toHaveLength(1);
      });
    }
  }

  test("is applied once: hold", async () => {
    const { order_number } = await free();
    const answers = await Promise.all(range(AT_ONCE).map(() => act(app, order_number, { event: "hold" })));
    expect([taken(answers).length, told(answers)]).toEqual([1, ["422 42463,event"]]);
  });

  test("is applied once: refund", async () => {
    const { order_number } = await workplace(app).reach(await free("tok_visa"), "Shipped");
    const body = { event: "refund", reason_id: 105 };
    const answers = await Promise.all(range(AT_ONCE).map(() => act(app, order_number, body)));
    expect([taken(answers).length, told(answers)]).toEqual([1, ["422 42463,event"]]);
    expect(provider.booksOf(order_number)).toEqual({ held: 0, taken: 0 });
  });

  test("with one Idempotency-Key is applied once, and replayed or reported as in progress", async () => {
    const { order } = await held[64](app);
    const headers = { "idempotency-key": "release-once" };
    const body = { event: "release" };
    const answers = await Promise.all(range(AT_ONCE).map(() => act(app, order.order_number, body, { headers })));
    expect(answers.every(({ status }) => status === 201 || status === 409)).toBe(true);
    const fresh = taken(answers).filter(({ headers: got }) => !got.has("idempotent-replayed"));
    expect(fresh).toHaveLength(1);
    for (const { text } of taken(answers)) expect(text).toBe(fresh[0]!.text);
    expect(await requestsOf(app, order.order_number)).toHaveLength(2);
  });
});

describe("an Idempotency-Key", () => {
  test("replays the answer byte for byte, with the order as it was then, regardless of later changes", async () => {
    const { order } = await held[77](app);
    const headers = { "idempotency-key": "confirm-77" };
    const first = await act(app, order.order_number, { event: "confirm_address" }, { headers });
    await acted(app, order, { event: "cancel" });
    const again = await act(app, order.order_number, { event: "confirm_address" }, { headers });
    expect([again.status, again.text, again.headers.get("idempotent-replayed")]).toEqual([201, first.text, "true"]);
    expect(again.body.order.order_status).toBe("Processing");
    const other = await act(app, order.order_number, { event: "cancel" }, { headers });
    expect([other.status, codesOf(other.text)]).toEqual([422, [[42299, "Idempotency-Key"]]]);
    expect(await requestsOf(app, order.order_number)).toHaveLength(2);
  });

  test("replays the provider's answer, and calls the provider once", async () => {
    const order = await free("tok_declined");
    const headers = { "idempotency-key": "retry-visa" };
    const body = { event: "retry_payment", token: "tok_visa" };
    const first = await act(app, order.order_number, body, { headers });
    expect(first.body.order.payment.status).toBe("authorized");
    const asked = provider.calls.length;
    expect((await act(app, order.order_number, body, { headers })).text).toBe(first.text);
    expect(provider.calls).toHaveLength(asked);
  });

  test("of a rejected action is free: it runs again once the order offers the action", async () => {
    const order = await free();
    const headers = { "idempotency-key": "release-later" };
    expect((await act(app, order.order_number, { event: "release" }, { headers })).status).toBe(422);
    await acted(app, order, { event: "hold" });
    expect((await act(app, order.order_number, { event: "release" }, { headers })).status).toBe(201);
  });
});

test("an order's requests are listed newest first, each with the order as it is now", async () => {
  const order = await free();
  const asked = ["hold", "release", "hold", "cancel"];
  const ids: number[] = [];
  for (const event of asked) ids.push((await acted(app, order, { event })).id);
  const requests = await requestsOf(app, order.order_number);
  expect(requests.map(({ event }) => event)).toEqual([...asked].reverse());
  expect(requests.map(({ id }) => id)).toEqual([...ids].reverse());
  const now = await readOrder(app, order.order_number);
  for (const request of requests) expect(request.order).toEqual(now);
});

describe("two different actions at once", () => {
  for (const id of exceptionIds.filter((one) => exceptionRow(one).actions.length > 1)) {
    test(`never half-apply: ${id}, its ${exceptionRow(id).actions[0]} against cancel`, async () => {
      const [event] = exceptionRow(id).actions;
      const of = await held[id](app);
      const { order, partner } = of;
      const body = await fieldsOf(id, event!, of);
      const asked = [body, { event: "cancel" }];
      // The first request need not be the first to commit.
      const answers = await Promise.all(
        range(4).map((index) => act(app, order.order_number, asked[index % 2], { partner })),
      );
      const canceled = taken(answers).filter(({ body: one }) => one.event === "cancel");
      expect(canceled).toHaveLength(1);
      expect((await readOrder(app, order.order_number, partner)).order_status).toBe("Canceled");
      expect(told(answers)).toEqual(["422 42463,event"]);
      if (id === 80) expect(provider.booksOf(order.order_number)).toEqual({ held: 0, taken: 0 });
    });
  }

  test("that close different exceptions both apply, and the order continues once", async () => {
    for (const _ of range(ROUNDS)) {
      const street = { ...person.address!, street1: "77 Thistledown Ave" };
      const { body } = await newOrder(app, { patient: { email: null, address: street, first_name: LONG_NAME } });
      const order = await placed(app, { ...body, patient: { ...body.patient, dob: "1957-03-09" } });
      const asked = [
        { event: "update_email", email: "z@quill.example" },
        { event: "verify", dob: person.dob },
        { event: "confirm_address", exception_id: 77 },
        { event: "confirm_address", exception_id: 79 },
      ];
      const answers = await Promise.all(asked.map((one) => act(app, order.order_number, one)));
      expect(taken(answers)).toHaveLength(asked.length);
      const now = await readOrder(app, order.order_number);
      expect([now.order_status, now.exceptions]).toEqual(["Processing", []]);
      const freed = (await historyOf(app, order.order_number)).filter((line) => line.endsWith("On Hold > Processing"));
      expect(freed).toHaveLength(1);
    }
  });
});

describe("a partner and the pharmacy at once", () => {
  /** Done, or rejected because the other was faster; anything else is a fault. */
  const tried = (work: Promise<Order>) =>
    work.catch((error) => {
      if (error instanceof WorkRefusal) return error.key;
      throw error;
    });
  const work = (order: Order, by: (typeof staff)[keyof typeof staff]) => workplace(app).work(order, by);

  for (const event of ["cancel", "hold"] as const) {
    test(`${event} against approve_review: units and stock are right, regardless of which wins`, async () => {
      for (const _ of range(ROUNDS)) {
        const order = await free();
        const [asked, approved] = await Promise.all([
          act(app, order.order_number, { event }),
          tried(approveReview(app.deps, work(order, staff.pharmacist))),
        ]);
        // After the review it can still be canceled or held; the other way around, there is nothing left to review.
        expect(asked.status).toBe(201);
        if (typeof approved === "string") expect(approved).toBe("not_now");
        const { order_status } = await readOrder(app, order.order_number);
        expect(order_status).toBe(event === "cancel" ? "Canceled" : "On Hold");
      }
    });

    test(`${event} against ship: units, stock and money are right, regardless of which wins`, async () => {
      const won = new Set<string>();
      for (const round of range(ROUNDS)) {
        const packed = await workplace(app).reach(await free("tok_visa"), "Filling/pack");
        const { order_number } = packed;
        const asks = () => act(app, order_number, { event });
        const ships = () => tried(shipOrder(app.deps, work(packed, staff.technician)));
        // Concurrent, or in sequence: each wins at least when it comes first.
        const first = [asks, ships, null][round % 3];
        const asking = first === ships ? null : asks();
        if (first === asks) await asking;
        const shipping = ships();
        if (first === ships) await shipping;
        const [asked, shipped] = await Promise.all([asking ?? asks(), shipping]);
        const now = await readOrder(app, order_number);
        won.add(now.order_status);
        if (asked.status === 201) {
          expect([now.order_status, shipped]).toEqual([event === "cancel" ? "Canceled" : "On Hold", "not_now"]);
          expect(now.shipments).toEqual([]);
          if (event === "cancel") expect(provider.booksOf(order_number)).toEqual({ held: 0, taken: 0 });
        } else {
          expect(codesOf(asked.text)).toEqual([[42463, "event"]]);
          expect(now.order_status).toBe("Shipped");
          expect(provider.booksOf(order_number)).toEqual({ held: 0, taken: now.payment.amount_cents });
        }
      }
      expect(won.size).toBe(2);
    });
  }
});
