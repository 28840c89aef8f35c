import type { Order } from "@pestle/contract";
import { paymentDeclines } from "@pestle/contract";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { reportPaymentsCommand } from "../../../src/cli/statements/report-payments.ts";
import { readHealth } from "../../../src/usecases/operations/read-health.ts";
import { checkPayments } from "../../../src/usecases/orders/payments/check-payments.ts";
import { settleUnpaid } from "../../../src/usecases/orders/settle-payment.ts";
import { comparePayments } from "../../../src/usecases/statements/compare-payments.ts";
import { expectBalanced } from "../../support/books.ts";
import { newOrder, placed, post } from "../../support/orders.ts";
import { type StripeCall, type StripeStandIn, startStripe } from "../../support/stand-ins/stripe.ts";
import { startTestApp, type TestApp } from "../../support/test-app.ts";
import { workplace } from "../../support/workplace.ts";

const PRODUCTION = 2;
const AMOUNT = 1695;
const HOUR_MS = 60 * 60 * 1000;
let app: TestApp;
let stripe: StripeStandIn;
let desk: ReturnType<typeof workplace>;
let moved_ms = 0;
const advance = (ms: number) => {
  moved_ms += ms;
  app.advance(ms);
};

beforeAll(async () => {
  stripe = await startStripe({ now: () => Date.now() + moved_ms });
  app = await startTestApp({
    unlimited: true,
    env: settings(),
  });
  desk = workplace(app, PRODUCTION);
});
beforeEach(() => {
  stripe.faults = () => undefined;
  stripe.revoked = false;
});
afterEach(() => expectBalanced(app, PRODUCTION));
afterAll(async () => {
  await app.stop();
  await stripe.stop();
});

/** The only difference from a simulated pharmacy. */
const settings = () => ({
  PAYMENTS: "stripe",
  CARRIER: "simulated",
  STRIPE_SECRET_KEY: stripe.secret_key,
  STRIPE_WEBHOOK_SECRET: stripe.webhook_secret,
  STRIPE_API_BASE: stripe.base_url,
});
const paidWith = async (token = "pm_card_visa"): Promise<Order> => {
  const { body } = await newOrder(app, { partner: PRODUCTION });
  return placed(app, { ...body, payment: { payer: "patient", token } }, { partner: PRODUCTION });
};
const read = async ({ order_number }: Order): Promise<Order> =>
  (await post(app, undefined, { path: `/orders/${order_number}`, partner: PRODUCTION })).body;
const act = async (order: Order, body: Record<string, unknown>) => (await desk.act(order, body)).order;
const stand = ({ order_status, exceptions, payment }: Order) => [
  order_status,
  exceptions.map(({ id }) => id),
  payment.status,
];
const money = ({ order_number }: Order) => stripe.books.moneyOf(order_number);
const intentsOf = ({ order_number }: Order) =>
  [...stripe.books.intents.values()].filter(({ metadata }) => metadata["order_number"] === order_number);
const entriesOf = async ({ order_number }: Order) =>
  (
    await desk.rows(
      "select kind, amount_cents, state from payment_entry where order_number = $1 order by at, kind",
      order_number,
    )
  ).map(({ kind, amount_cents, state }) => `${kind} ${amount_cents} ${state}`);
/** The first calls of a kind get no answer. The provider's client tries three times. */
const lose = (is: (call: StripeCall) => boolean, fault: "lose_answer" | "lose_request" = "lose_answer", times = 3) => {
  let left = times;
  stripe.faults = (call) => (is(call) && left-- > 0 ? fault : undefined);
};
const creates = ({ method, path }: StripeCall) => method === "POST" && path === "/v1/payment_intents";
const runJobs = async () => {
  await settleUnpaid(app.deps);
  await checkPayments(app.deps);
};
/** The daily comparison of the order is due. */
const makeDue = ({ order_number }: Order, also = "tries = 0") =>
  desk.rows(
    `update card_authorization set next_check_at = now() - interval '1 hour', ${also} where order_number = $1 returning 1`,
    order_number,
  );
const webhook = () => `${app.addresses.base_url}/providers/stripe/webhook`;
const eventsOf = (order: Order) => {
  const ids = intentsOf(order).map(({ id }) => id);
  return stripe.books.events.filter(({ data: { object } }) =>
    ids.includes(String(object["object"] === "payment_intent" ? object["id"] : object["payment_intent"])),
  );
};

describe("with settings alone, a production order", () => {
  test("is authorized, captured at shipping, and refunded", async () => {
    const order = await paidWith();
    expect(stand(order)).toEqual(["Processing", [], "authorized"]);
    expect(money(order)).toEqual({ held: AMOUNT, taken: 0 });
    const shipped = await desk.reach(order, "Shipped");
    expect(stand(shipped)).toEqual(["Shipped", [], "captured"]);
    expect(money(order)).toEqual({ held: 0, taken: AMOUNT });
    await act(order, { event: "partial_refund", reason_id: 101, amount_cents: 500 });
    expect(money(order)).toEqual({ held: 0, taken: AMOUNT - 500 });
    const refunded = await act(order, { event: "refund", reason_id: 105 });
    expect(refunded.payment).toMatchObject({ status: "refunded", refunded_cents: AMOUNT });
    expect(money(order)).toEqual({ held: 0, taken: 0 });
    expect(await entriesOf(order)).toEqual([
      `authorisation ${AMOUNT} done`,
      `capture ${AMOUNT} done`,
      "fee 79 done",
      "refund 500 done",
      `refund ${AMOUNT - 500} done`,
    ]);
    expect(intentsOf(order)).toHaveLength(1);
  });

  test("that is canceled keeps no authorization", async () => {
    const order = await paidWith();
    expect(stand(await act(order, { event: "cancel" }))).toEqual(["Canceled", [], "voided"]);
    expect(intentsOf(order).map(({ status }) => status)).toEqual(["canceled"]);
    expect((await entriesOf(order)).at(-1)).toBe(`void ${AMOUNT} done`);
  });

  test("whose card is declined says what to do, and another card releases it", async () => {
    const order = await paidWith("pm_card_chargeDeclinedInsufficientFunds");
    expect(stand(order)).toEqual(["On Hold", [80], "declined"]);
    expect(order.exceptions[0]?.message).toBe(paymentDeclines.insufficient_funds);
    const again = await act(order, { event: "retry_payment", token: "pm_card_chargeDeclinedExpiredCard" });
    expect(again.exceptions.map(({ message }) => message)).toEqual([paymentDeclines.expired_card]);
    expect((await read(order)).exceptions[0]?.message).toBe(paymentDeclines.expired_card);
    const paid = await act(order, { event: "retry_payment", token: "pm_card_visa" });
    expect(stand(paid)).toEqual(["Processing", [], "authorized"]);
    expect(money(order)).toEqual({ held: AMOUNT, taken: 0 });
  });

  test("whose patient must confirm has a link, and goes on when the patient did", async () => {
    const order = await paidWith("pm_card_authenticationRequired");
    const [intent] = intentsOf(order);
    const link = intent!.next_action!.redirect_to_url.url;
    expect(order.exceptions[0]?.message).toBe(`${paymentDeclines.authentication_required} ${link}`);
    stripe.books.authenticate(intent!.id);
    expect(await stripe.deliver(webhook(), eventsOf(order).at(-1))).toBe(200);
    expect(stand(await read(order))).toEqual(["Processing", [], "authorized"]);
    expect(stand(await desk.reach(order, "Shipped"))).toEqual(["Shipped", [], "captured"]);
    expect(money(order)).toEqual({ held: 0, taken: AMOUNT });
  });

  test("stays pending while the key is wrong, is never lost, and no log line has the key or the token", async () => {
    stripe.revoked = true;
    const order = await paidWith("pm_card_secret_token");
    expect(stand(order)).toEqual(["Processing", [], "pending"]);
    stripe.revoked = false;
    advance(61_000);
    await runJobs();
    expect(stand(await read(order))).toEqual(["Processing", [], "authorized"]);
    const lines = JSON.stringify(app.lines());
    expect(lines).toContain("api_key_expired");
    expect(lines).not.toContain(stripe.secret_key);
    expect(lines).not.toContain("pm_card_secret_token");
  });
});

describe("a lost answer", () => {
  for (const fault of ["lose_answer", "lose_request"] as const) {
    test(`to the authorization is neither a double nor a missing one: ${fault}`, async () => {
      lose(creates, fault);
      const order = await paidWith();
      expect(stand(order)).toEqual(["Processing", [], "pending"]);
      advance(61_000);
      await runJobs();
      expect(stand(await read(order))).toEqual(["Processing", [], "authorized"]);
      expect(money(order)).toEqual({ held: AMOUNT, taken: 0 });
    });
  }

  test("to the authorization of an order that is then canceled leaves nothing", async () => {
    lose(creates);
    const order = await paidWith();
    expect(money(order).held).toBe(AMOUNT);
    await act(order, { event: "cancel" });
    expect(money(order)).toEqual({ held: 0, taken: 0 });
  });

  test("to the authorization of an order that then costs less leaves one of the new amount", async () => {
    lose(creates);
    const order = await paidWith();
    await desk.rows("update orders set amount_cents = 1200 where order_number = $1 returning 1", order.order_number);
    advance(61_000);
    await runJobs();
    expect(money(order)).toEqual({ held: 1200, taken: 0 });
    expect(intentsOf(order).map(({ amount, status }) => `${amount} ${status}`)).toEqual([
      `${AMOUNT} canceled`,
      "1200 requires_capture",
    ]);
    await act(order, { event: "cancel" });
  });

  test("to the capture charges once, and the order ships at the next try", async () => {
    const order = await desk.reach(await paidWith(), "Filling/pack");
    lose(({ path }) => path.endsWith("/capture"));
    await expect(desk.reach(order, "Shipped")).rejects.toThrow();
    expect(money(order)).toEqual({ held: 0, taken: AMOUNT });
    expect(stand(await desk.reach(order, "Shipped"))).toEqual(["Shipped", [], "captured"]);
    expect(money(order)).toEqual({ held: 0, taken: AMOUNT });
  });

  test("to the capture of an order that is then canceled returns the charge", async () => {
    const order = await desk.reach(await paidWith(), "Filling/pack");
    lose(({ path }) => path.endsWith("/capture"));
    await expect(desk.reach(order, "Shipped")).rejects.toThrow();
    await act(order, { event: "cancel" });
    expect(money(order)).toEqual({ held: 0, taken: 0 });
  });

  test("to a refund refunds once", async () => {
    const order = await desk.reach(await paidWith(), "Shipped");
    lose(({ method, path }) => method === "POST" && path === "/v1/refunds");
    await act(order, { event: "partial_refund", reason_id: 101, amount_cents: 500 });
    advance(61_000);
    await runJobs();
    expect(money(order)).toEqual({ held: 0, taken: AMOUNT - 500 });
    expect((await entriesOf(order)).at(-1)).toBe("refund 500 done");
  });
});

describe("a void that the provider refuses", () => {
  test("is tried again, and people see it meanwhile", async () => {
    const order = await paidWith();
    stripe.revoked = true;
    await act(order, { event: "cancel" });
    expect(money(order).held).toBe(AMOUNT);
    const { findings } = await readHealth(app.deps, "test");
    const told = findings.find(({ what }) => what === "payments");
    expect(told).toMatchObject({ state: "failed", says: expect.stringContaining(order.order_number) });
    stripe.revoked = false;
    advance(61_000);
    await runJobs();
    expect(money(order)).toEqual({ held: 0, taken: 0 });
    expect((await entriesOf(order)).at(-1)).toBe(`void ${AMOUNT} done`);
    expect((await readHealth(app.deps, "test")).findings.some(({ what }) => what === "payments")).toBe(false);
  });

  test("after a race of ship and cancel goes back by itself", async () => {
    const order = await desk.reach(await paidWith(), "Filling/pack");
    let raced = false;
    stripe.faults = ({ path }) => {
      if (!path.endsWith("/capture") || raced) return undefined;
      raced = true;
      // The partner cancels while the charge is on its way.
      return { hold: act(order, { event: "cancel" }) };
    };
    await expect(desk.reach(order, "Shipped")).rejects.toThrow();
    expect(stand(await read(order))).toEqual(["Canceled", [], "voided"]);
    advance(3 * 60_000);
    await runJobs();
    expect(money(order)).toEqual({ held: 0, taken: 0 });
  });
});

describe("an authorization that ends before the order ships", () => {
  test("is replaced a day before, and the old one goes after the new one is there", async () => {
    const order = await paidWith();
    const { card } = stripe.books.charges.get(intentsOf(order)[0]!.latest_charge!)!.payment_method_details;
    card.capture_before = Math.floor((Date.now() + moved_ms + 12 * HOUR_MS) / 1000);
    await makeDue(order);
    const seen: string[] = [];
    stripe.faults = ({ method, path }) => {
      const held = intentsOf(order).filter(({ status }) => status === "requires_capture").length;
      if (method === "POST") seen.push(`${path.split("/").at(-1)} with ${held}`);
      return undefined;
    };
    await checkPayments(app.deps);
    expect(seen).toEqual(["payment_intents with 1", "cancel with 2"]);
    expect(stand(await read(order))).toEqual(["Processing", [], "authorized"]);
    expect(money(order)).toEqual({ held: AMOUNT, taken: 0 });
    stripe.faults = () => undefined;
    await desk.reach(order, "Shipped");
    expect(money(order)).toEqual({ held: 0, taken: AMOUNT });
  });

  test("holds the order if the card is declined by then", async () => {
    const order = await paidWith();
    const [intent] = intentsOf(order);
    stripe.books.expire(intent!.id);
    const token = "pm_card_chargeDeclined";
    stripe.faults = (call) => {
      if (creates(call)) call.params.set("payment_method", token);
      return undefined;
    };
    expect(await stripe.deliver(webhook(), eventsOf(order).at(-1))).toBe(200);
    expect(stand(await read(order))).toEqual(["On Hold", [80], "declined"]);
    await act(order, { event: "cancel" });
  });
});

describe("Stripe's events", () => {
  test("without a valid signature are refused, and about other objects are taken", async () => {
    const event = { type: "payment_intent.succeeded", data: { object: { object: "payment_intent", id: "pi_none" } } };
    expect(await stripe.deliver(webhook(), event, { secret: "whsec_wrong" })).toBe(401);
    expect(await stripe.deliver(webhook(), event, { at_s: 1_700_000_000 })).toBe(401);
    expect((await fetch(webhook(), { method: "POST", body: "{}" })).status).toBe(401);
    expect(await stripe.deliver(webhook(), event)).toBe(200);
    expect(await stripe.deliver(webhook(), { type: "invoice.paid", data: { object: { object: "invoice" } } })).toBe(
      200,
    );
    expect((await fetch(webhook(), { method: "POST", body: "x".repeat(300_000) })).status).toBe(400);
  });

  test("twice and in reverse order change nothing that is right", async () => {
    const order = await desk.reach(await paidWith(), "Shipped");
    await act(order, { event: "partial_refund", reason_id: 101, amount_cents: 500 });
    const before = await entriesOf(order);
    for (const event of [...eventsOf(order), ...eventsOf(order)].reverse()) {
      expect(await stripe.deliver(webhook(), event)).toBe(200);
    }
    expect(await entriesOf(order)).toEqual(before);
    expect(money(order)).toEqual({ held: 0, taken: AMOUNT - 500 });
  });

  test("tell of refunds and disputes in Stripe's dashboard, once", async () => {
    const order = await desk.reach(await paidWith(), "Shipped");
    const [intent] = intentsOf(order);
    stripe.books.refundByHand(intent!.id, 300);
    stripe.books.dispute(intent!.id);
    for (const event of [...eventsOf(order), ...eventsOf(order)]) await stripe.deliver(webhook(), event);
    expect((await read(order)).payment).toMatchObject({ status: "captured", refunded_cents: 300 });
    const entries = await entriesOf(order);
    expect(entries.filter((entry) => /^(refund|dispute)/.test(entry)).sort()).toEqual([
      `dispute ${AMOUNT} done`,
      "refund 300 done",
    ]);
  });
});

describe("a charge without a shipped order", () => {
  test("goes back when the order is canceled, and after a day if it does not ship", async () => {
    const canceled = await paidWith();
    stripe.books.captureByHand(intentsOf(canceled)[0]!.id);
    await act(canceled, { event: "cancel" });
    expect(money(canceled)).toEqual({ held: 0, taken: 0 });
    const open = await paidWith();
    stripe.books.captureByHand(intentsOf(open)[0]!.id);
    await stripe.deliver(webhook(), eventsOf(open).at(-1));
    expect(money(open)).toEqual({ held: 0, taken: AMOUNT });
    await makeDue(open, "moved_at = now() - interval '25 hours'");
    await runJobs();
    expect(money(open)).toEqual({ held: AMOUNT, taken: 0 });
    await desk.reach(open, "Shipped");
    expect(money(open)).toEqual({ held: 0, taken: AMOUNT });
  });
});

describe("the day's report", () => {
  test("agrees with Stripe's list, and shows a refund that nobody told us of", async () => {
    const day = new Date(Date.now() + moved_ms).toISOString().slice(0, 10);
    const compare = () =>
      comparePayments({ db: app.owner, records: app.deps.payments.production.records!, time_zone: "UTC" }, day);
    const order = await desk.reach(await paidWith(), "Shipped");
    const known = await compare();
    expect(known.differences.filter(({ order_number }) => order_number === order.order_number)).toEqual([]);
    expect(known.charged_cents).toBeGreaterThanOrEqual(AMOUNT);
    stripe.books.refundByHand(intentsOf(order)[0]!.id, 200);
    expect((await compare()).differences).toContainEqual({
      ...{ order_number: order.order_number, account_id: desk.account_id, reference: intentsOf(order)[0]!.id },
      ours: { charged_cents: AMOUNT, refunded_cents: 0 },
      theirs: { charged_cents: AMOUNT, refunded_cents: 200 },
    });
    const report = async () => {
      const { DATABASE_URL, DATABASE_OWNER_URL, DATABASE_JOBS_URL, MASTER_KEY, DATA_DIR } = app.config;
      const own = { DATABASE_URL, DATABASE_OWNER_URL, DATABASE_JOBS_URL, MASTER_KEY, DATA_DIR, TIME_ZONE: "UTC" };
      return reportPaymentsCommand.run({ day }, "", { ...own, ...settings() });
    };
    expect(await report()).toMatchObject({ failed: true, text: expect.stringContaining(order.order_number) });
    await stripe.deliver(webhook(), eventsOf(order).at(-1));
    expect((await compare()).differences).toEqual([]);
    expect(await report()).toMatchObject({ failed: false, text: expect.stringContaining("agree") });
  });
});
