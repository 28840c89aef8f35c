import { expect, test } from "vitest";
import {
  isStray,
  type OurAuthorization,
  type PaidOrder,
  reconcilePayment,
  type TheirPayment,
} from "../../../src/domain/orders/reconcile-payment.ts";

const NOW = new Date("2026-03-10T12:00:00Z");
const hours = (count: number) => new Date(NOW.getTime() + count * 60 * 60 * 1000);
const order: PaidOrder = {
  order_status: "Processing",
  payment_status: "authorized",
  payment_reference: "pi_1",
  key: "o-1-1000",
  amount_cents: 1000,
  captured_cents: 0,
  refunded_cents: 0,
};
const ours: OurAuthorization = {
  authorization_key: "o-1-1000",
  reference: "pi_1",
  returned_cents: 0,
  expires_at: hours(100),
  moved_at: null,
  disputed: false,
};
const theirs: TheirPayment = {
  state: "authorized",
  amount_cents: 1000,
  captured_cents: 0,
  refunded_cents: 0,
  disputed: false,
};
const captured = { ...theirs, state: "captured", captured_cents: 1000 } as const;
const canceled = { ...theirs, state: "canceled" } as const;
const shipped: PaidOrder = { ...order, order_status: "Shipped", payment_status: "captured", captured_cents: 1000 };
const voided: PaidOrder = { ...order, order_status: "Canceled", payment_status: "voided" };
const pending: PaidOrder = { ...order, payment_status: "pending", payment_reference: null };
const declined: PaidOrder = { ...order, order_status: "On Hold", payment_status: "declined", payment_reference: null };

const cases: [string, PaidOrder, Partial<OurAuthorization>, TheirPayment, string[]][] = [
  ["agrees", order, {}, theirs, []],
  ["ends within a day", order, { expires_at: hours(23) }, theirs, ["renew"]],
  ["ended at the bank", order, {}, canceled, ["renew"]],
  ["was charged just now, and the order is being shipped", order, { moved_at: hours(-1) }, captured, []],
  ["was charged a day ago, and the order did not ship", order, { moved_at: hours(-25) }, captured, ["renew"]],
  ["waits for its answer", pending, {}, theirs, ["settle"]],
  ["was confirmed by the patient", declined, {}, theirs, ["take"]],
  ["waits for the patient", declined, {}, { ...theirs, state: "waiting" }, []],
  ["is of a canceled order", voided, {}, theirs, ["release"]],
  ["charged a canceled order", voided, {}, captured, ["release"]],
  ["went back", voided, {}, { ...captured, refunded_cents: 1000 }, []],
  ["was released", voided, {}, canceled, []],
  ["was replaced", { ...order, payment_reference: "pi_2" }, {}, theirs, ["release"]],
  ["is of an earlier attempt", { ...pending, key: "o-2-1000" }, {}, theirs, ["release"]],
  ["paid for the parcel", shipped, {}, captured, []],
  ["did not charge a shipped order", shipped, {}, theirs, ["capture"]],
  ["cannot charge a shipped order", shipped, {}, canceled, ["not_charged"]],
  ["was refunded elsewhere", shipped, {}, { ...captured, refunded_cents: 300 }, ["record_refund 300"]],
  ["was refunded by us", { ...shipped, refunded_cents: 300 }, {}, { ...captured, refunded_cents: 300 }, []],
  ["charged more, which went back", shipped, { returned_cents: 200 }, { ...captured, refunded_cents: 200 }, []],
  ["is disputed", shipped, {}, { ...captured, disputed: true }, ["record_dispute"]],
  ["is disputed, as we know", shipped, { disputed: true }, { ...captured, disputed: true }, []],
];
for (const [what, paid, own, payment, expected] of cases) {
  test(`a payment that ${what}: ${expected.join() || "nothing to do"}`, () => {
    const steps = reconcilePayment(paid, { ...ours, ...own }, payment, NOW);
    expect(steps.map((step) => ("amount_cents" in step ? `${step.do} ${step.amount_cents}` : step.do))).toEqual(
      expected,
    );
  });
}

test("an authorization without an answer belongs to the order that still waits for it", () => {
  const unanswered = { ...ours, reference: null };
  expect(isStray(pending, unanswered)).toBe(false);
  expect(isStray({ ...pending, key: "o-1-700" }, unanswered)).toBe(true);
  expect(isStray(voided, unanswered)).toBe(true);
  expect(isStray(order, unanswered)).toBe(true);
});
