import { type Order, orderStatusReasons } from "@pestle/contract";
import fc from "fast-check";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { raiseException } from "../../../src/usecases/fulfillment/steps.ts";
import { workRefusals } from "../../../src/usecases/fulfillment/work-refusal.ts";
import { settleUnpaid } from "../../../src/usecases/orders/settle-payment.ts";
import { act, acted, eventsOf, expectRefused, historyOf, linesOf, readOrder } from "../../support/actions.ts";
import { expectBalanced } from "../../support/books.ts";
import { moments, useCardProvider } from "../../support/card-provider.ts";
import { newOrder, placed, post, prescribed } from "../../support/orders.ts";
import { startTestApp, type TestApp } from "../../support/test-app.ts";
import { effort } from "../../support/tools/effort.ts";
import { staff, workplace } from "../../support/workplace.ts";

let app: TestApp;
let provider: ReturnType<typeof useCardProvider>;
beforeAll(async () => {
  app = await startTestApp({ unlimited: true });
});
beforeEach(() => {
  provider = useCardProvider(app);
});
afterEach(() => expectBalanced(app));
afterAll(() => app.stop());

/** Atorvastatin and the parcel. */
const AMOUNT = 1695;
const paidBy = async (token: string | null) => {
  const { body } = await newOrder(app);
  return placed(app, { ...body, ...(token !== null && { payment: { payer: "patient", token } }) });
};
const reach = (order: Order, state: Parameters<ReturnType<typeof workplace>["reach"]>[1]) =>
  workplace(app).reach(order, state);
const entriesOf = async ({ order_number }: Order) => {
  const text =
    "select kind, amount_cents, reason_id, state from payment_entry where order_number = $1 order by at, kind";
  const { rows } = await app.deps.db.raw(text, [order_number]);
  return rows.map(({ kind, amount_cents, reason_id, state }) =>
    [kind, amount_cents, reason_id, state].filter((one) => one !== null).join(" "),
  );
};
const retry = (order: Order, token: string) => acted(app, order, { event: "retry_payment", token });
const unreachable = async () => {
  throw new Error("the provider is out of reach");
};
const stand = ({ order_status, exceptions, payment }: Order) => [
  order_status,
  exceptions.map(({ id }) => id),
  payment.status,
];

describe("a card that is declined", () => {
  test("holds the order; another declined card changes nothing, and a valid one releases it", async () => {
    const order = await paidBy("tok_declined");
    expect(stand(order)).toEqual(["On Hold", [80], "declined"]);
    const told = linesOf(await eventsOf(app, order.order_number));
    expect(stand((await retry(order, "tok_declined")).order)).toEqual(["On Hold", [80], "declined"]);
    expect(linesOf(await eventsOf(app, order.order_number))).toEqual(told);
    expect(provider.booksOf(order.order_number)).toEqual({ held: 0, taken: 0 });
    expect(stand((await retry(order, "tok_visa")).order)).toEqual(["Processing", [], "authorized"]);
    expect(await historyOf(app, order.order_number)).toEqual([
      "partner create: new > Processing",
      "system raise_exception 80: Processing > On Hold",
      "system resolve 80: On Hold > Processing",
    ]);
    expect(await entriesOf(order)).toEqual([`authorisation ${AMOUNT} done`]);
    expect(provider.booksOf(order.order_number)).toEqual({ held: AMOUNT, taken: 0 });
    // To the provider, each attempt is a new one.
    expect(new Set(provider.calls).size).toBe(3);
  });

  test("at the charge holds a packed order; nothing ships, and another card returns it to its stage", async () => {
    const order = await paidBy("tok_declined_at_capture");
    expect(stand(order)).toEqual(["Processing", [], "authorized"]);
    const packed = await reach(order, "Filling/pack");
    const ship = () => reach(packed, "Shipped");
    await expect(ship()).rejects.toThrow("no way from On Hold");
    const on_hold = await readOrder(app, order.order_number);
    expect([...stand(on_hold), on_hold.shipments]).toEqual(["On Hold", [80], "declined", []]);
    expect(stand((await retry(order, "tok_visa")).order)).toEqual(["Filling", [], "authorized"]);
    // The previous card is released.
    expect(provider.booksOf(order.order_number)).toEqual({ held: AMOUNT, taken: 0 });
    expect(stand(await ship())).toEqual(["Shipped", [], "captured"]);
    expect(provider.booksOf(order.order_number)).toEqual({ held: 0, taken: AMOUNT });
    expect(await entriesOf(order)).toEqual([
      `authorisation ${AMOUNT} done`,
      `authorisation ${AMOUNT} done`,
      `void ${AMOUNT} done`,
      `capture ${AMOUNT} done`,
    ]);
  });

  for (const token of ["tok_declined", "tok_declined_at_capture", "tok_visa"]) {
    test(`leaves no authorization after the order is canceled: ${token}`, async () => {
      const order = await paidBy(token);
      if (token !== "tok_declined") await reach(order, "Filling/pack");
      if (token === "tok_declined_at_capture") await reach(order, "Shipped").catch(() => {});
      const { order: canceled } = await acted(app, order, { event: "cancel" });
      expect(stand(canceled)).toEqual(["Canceled", [], "voided"]);
      expect(provider.booksOf(order.order_number)).toEqual({ held: 0, taken: 0 });
      expect((await entriesOf(order)).at(-1)).toBe(`void ${AMOUNT} done`);
    });
  }
});

describe("retry_payment", () => {
  for (const moment of moments) {
    test(`runs once at a time: lost ${moment} the call, another is 42463, and a job asks again`, async () => {
      const order = await paidBy("tok_declined");
      provider.plays[moment].authorise = unreachable;
      expect(stand((await retry(order, "tok_visa")).order)).toEqual(["On Hold", [80], "pending"]);
      await expectRefused(app, order, { event: "retry_payment", token: "tok_other" }, [[42463, "event"]]);
      app.advance(31_000);
      await settleUnpaid(app.deps);
      expect(stand(await readOrder(app, order.order_number))).toEqual(["Processing", [], "authorized"]);
      expect(provider.booksOf(order.order_number)).toEqual({ held: AMOUNT, taken: 0 });
    });
  }

  test("twenty times at once authorizes the money once", async () => {
    const order = await paidBy("tok_declined");
    const body = { event: "retry_payment", token: "tok_visa" };
    const answers = await Promise.all(Array.from({ length: 20 }, () => act(app, order.order_number, body)));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(stand(await readOrder(app, order.order_number))).toEqual(["Processing", [], "authorized"]);
    expect(provider.booksOf(order.order_number)).toEqual({ held: AMOUNT, taken: 0 });
  });

  test("on a card that a person flagged releases the earlier authorization", async () => {
    const order = await paidBy("tok_visa");
    await raiseException(app.deps, workplace(app).work(order, staff.technician), 80, "A stolen card.");
    expect(stand((await retry(order, "tok_other")).order)).toEqual(["Processing", [], "authorized"]);
    expect(provider.booksOf(order.order_number)).toEqual({ held: AMOUNT, taken: 0 });
  });

  test("on an order that the partner pays calls no provider", async () => {
    const order = await paidBy(null);
    await raiseException(app.deps, workplace(app).work(order, staff.technician), 80, "Their account is overdue.");
    expect(stand((await retry(order, "tok_visa")).order)).toEqual(["Processing", [], "authorized"]);
    expect(provider.calls).toEqual([]);
  });
});

describe("during a call to the provider, an order", () => {
  for (const moment of moments) {
    test(`that is canceled ${moment} its authorization keeps no authorization`, async () => {
      const { body, patient_id } = await newOrder(app);
      provider.plays[moment].authorise = async () => {
        const { orders } = (await post(app, undefined, { path: `/orders?patient_id=${patient_id}` })).body;
        await acted(app, orders[0], { event: "cancel" });
      };
      const order = await placed(app, { ...body, payment: { payer: "patient", token: "tok_visa" } });
      expect(stand(order)).toEqual(["Canceled", [], "voided"]);
      expect(provider.booksOf(order.order_number)).toEqual({ held: 0, taken: 0 });
    });

    test(`that is canceled ${moment} its card is charged does not ship, and ends without a charge`, async () => {
      const order = await reach(await paidBy("tok_visa"), "Filling/pack");
      provider.plays[moment].capture = () => acted(app, order, { event: "cancel" });
      await expect(reach(order, "Shipped")).rejects.toThrow(workRefusals.not_now);
      expect(stand(await readOrder(app, order.order_number))).toEqual(["Canceled", [], "voided"]);
      expect(provider.booksOf(order.order_number)).toEqual({ held: 0, taken: 0 });
    });

    test(`that is held ${moment} its card is charged ships later, and is charged once`, async () => {
      const order = await reach(await paidBy("tok_visa"), "Filling/pack");
      provider.plays[moment].capture = () => acted(app, order, { event: "hold" });
      await expect(reach(order, "Shipped")).rejects.toThrow(workRefusals.not_now);
      expect(stand(await readOrder(app, order.order_number))).toEqual(["On Hold", [64], "authorized"]);
      const { order: released } = await acted(app, order, { event: "release" });
      expect(stand(await reach(released, "Shipped"))).toEqual(["Shipped", [], "captured"]);
      expect(provider.booksOf(order.order_number)).toEqual({ held: 0, taken: AMOUNT });
    });

    test(`that is held ${moment} its card is charged, and then canceled, ends without a charge`, async () => {
      const order = await reach(await paidBy("tok_visa"), "Filling/pack");
      provider.plays[moment].capture = () => acted(app, order, { event: "hold" });
      await expect(reach(order, "Shipped")).rejects.toThrow(workRefusals.not_now);
      await acted(app, order, { event: "cancel" });
      expect(provider.booksOf(order.order_number)).toEqual({ held: 0, taken: 0 });
    });
  }
});

describe("a refund", () => {
  for (const payer of ["partner", "patient"] as const) {
    const token = payer === "patient" ? "tok_visa" : null;
    for (const state of ["Shipped", "Delivered"] as const) {
      test(`returns the full captured amount, with a reason, once: ${payer} paid, ${state}`, async () => {
        const order = await reach(await paidBy(token), state);
        const told = linesOf(await eventsOf(app, order.order_number));
        const { order: now } = await acted(app, order, { event: "refund", reason_id: 101 });
        expect(now).toEqual({
          ...order,
          updated_at: now.updated_at,
          payment: { ...order.payment, status: "refunded", refunded_cents: AMOUNT },
        });
        expect((await historyOf(app, order.order_number)).at(-1)).toBe(`partner refund: ${state} > ${state}`);
        expect(linesOf(await eventsOf(app, order.order_number))).toEqual(told);
        expect((await entriesOf(order)).slice(-2)).toEqual([`capture ${AMOUNT} done`, `refund ${AMOUNT} 101 done`]);
        if (payer === "patient") expect(provider.booksOf(order.order_number)).toEqual({ held: 0, taken: 0 });
        await expectRefused(app, order, { event: "refund", reason_id: 101 }, [[42463, "event"]]);
        const part = { event: "partial_refund", reason_id: 101, amount_cents: 1 };
        await expectRefused(app, order, part, [[42463, "event"]]);
      });
    }
  }

  test("accepts every reason of the table and no other, and stores it", async () => {
    const order = await reach(await paidBy("tok_visa"), "Shipped");
    for (const { id } of orderStatusReasons) {
      await acted(app, order, { event: "partial_refund", reason_id: id, amount_cents: id });
    }
    const reasons = orderStatusReasons.map(({ id }) => `refund ${id} ${id} done`);
    expect((await entriesOf(order)).slice(2)).toEqual(reasons);
    const { order: now } = await acted(app, order, { event: "refund", reason_id: 106 });
    expect([now.payment.status, now.payment.refunded_cents]).toEqual(["refunded", AMOUNT]);
    expect(provider.booksOf(order.order_number)).toEqual({ held: 0, taken: 0 });
  });

  test("never exceeds the charge after an item was removed", async () => {
    const { body } = await newOrder(app, { prescription: prescribed("minoxidil-2-5", 90) });
    const items = [body.items[0], { sku: "pill-organizer" }];
    const order = await placed(app, { ...body, items, payment: { payer: "patient", token: "tok_visa" } });
    const { order: left } = await acted(app, order, { event: "remove_item", item_id: 1 });
    const shipped = await reach(left, "Shipped");
    expect(shipped.payment.amount_cents).toBe(899 + 495);
    expect(provider.booksOf(order.order_number)).toEqual({ held: 0, taken: 899 + 495 });
    const whole = { event: "partial_refund", reason_id: 101, amount_cents: order.payment.amount_cents };
    await expectRefused(app, order, whole, [[42463, "event"]]);
  });

  for (const moment of moments) {
    test(`that the provider does not answer, lost ${moment} the call, is repeated later and happens once`, async () => {
      const order = await reach(await paidBy("tok_visa"), "Shipped");
      provider.plays[moment].refund = unreachable;
      const { order: now } = await acted(app, order, { event: "refund", reason_id: 102 });
      expect(now.payment.status).toBe("refunded");
      expect((await entriesOf(order)).at(-1)).toBe(`refund ${AMOUNT} 102 asked`);
      app.advance(31_000);
      await settleUnpaid(app.deps);
      expect((await entriesOf(order)).at(-1)).toBe(`refund ${AMOUNT} 102 done`);
      expect(provider.booksOf(order.order_number)).toEqual({ held: 0, taken: 0 });
    });
  }

  test("in any parts and for any payer never exceeds the captured amount", async () => {
    const part = fc.record({
      amount_cents: fc.integer({ min: 1, max: 1200 }),
      at_once: fc.integer({ min: 1, max: 4 }),
    });
    const parts = fc.array(fc.oneof({ weight: 6, arbitrary: part }, fc.constant("all" as const)), {
      minLength: 1,
      maxLength: 8,
    });
    await fc.assert(
      fc.asyncProperty(parts, fc.constantFrom("tok_visa", null), async (asked, token) => {
        const order = await reach(await paidBy(token), "Shipped");
        let refunded = 0;
        for (const one of asked) {
          const amount = one === "all" ? AMOUNT - refunded : one.amount_cents;
          const body =
            one === "all"
              ? { event: "refund", reason_id: 105 }
              : { event: "partial_refund", reason_id: 105, amount_cents: amount };
          const times = one === "all" ? 1 : one.at_once;
          const answers = await Promise.all(Array.from({ length: times }, () => act(app, order.order_number, body)));
          const fit = Math.min(times, amount === 0 ? 0 : Math.floor((AMOUNT - refunded) / amount));
          expect(answers.filter(({ status }) => status === 201)).toHaveLength(fit);
          refunded += fit * amount;
          const { payment } = await readOrder(app, order.order_number);
          const status = refunded === AMOUNT ? "refunded" : "captured";
          expect(payment).toMatchObject({ amount_cents: AMOUNT, refunded_cents: refunded, status });
          if (token !== null) expect(provider.booksOf(order.order_number).taken).toBe(AMOUNT - refunded);
        }
      }),
      { numRuns: effort(40) },
    );
  });
});
