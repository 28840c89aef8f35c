import {
  type ActionKey,
  type ExceptionId,
  exceptionIds,
  exceptionRow,
  holdableStates,
  type Order,
  orderActions,
  orderActionsOf,
  statusOfState,
} from "@pestle/contract";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { acted, eventsOf, historyOf, linesOf, requestsOf } from "../../support/actions.ts";
import { expectBalanced } from "../../support/books.ts";
import { type Held, held, leaves } from "../../support/held-orders.ts";
import { newOrder, placed } from "../../support/orders.ts";
import { ask, goodAddress } from "../../support/patient.ts";
import { startTestApp, type TestApp } from "../../support/test-app.ts";
import { workplace } from "../../support/workplace.ts";

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ unlimited: true });
});
afterEach(async () => {
  await expectBalanced(app, 0);
  await expectBalanced(app, 1);
});
afterAll(() => app.stop());

/** Further effects of an action, besides closing the exception. */
const also: Partial<Record<ActionKey, (of: Held, now: Order, sent: Record<string, unknown>) => unknown>> = {
  cancel: ({ order }, now) =>
    expect(now).toMatchObject({ items: order.items, payment: { ...order.payment, status: "voided" } }),
  update_email: async ({ patient_id }, _now, { email }) =>
    expect(JSON.parse((await ask(app, `/patients/${patient_id}`)).text).email).toBe(email),
  update_address: (_, now) => expect(now.address).toMatchObject(goodAddress),
  accept_suggested_address: ({ order }, now) =>
    expect([order.address!.street1, now.address!.street1.toUpperCase()]).toEqual([
      `${order.exception!.id} Thistledown Ave`,
      `10${order.exception!.id} THISTLEDOWN AVE`,
    ]),
  confirm_address: ({ order }, now) => expect(now.address).toEqual(order.address),
  replace_prescription: ({ order }, now, { prescription_id }) => {
    const [item] = order.items;
    expect(now.items[0]).toEqual({ ...item, prescription_id });
    expect(now.medication_requests.map(({ id }) => id)).toEqual([prescription_id]);
    expect(now.medication_requests[0]!.medication_dispenses[0]!.dispense_id).toBe(item!.dispense_id);
  },
  remove_item: ({ order }, now) => {
    expect(now.items).toEqual(order.items.slice(1));
    expect(now.payment.amount_cents).toBe(order.payment.amount_cents - 1200);
  },
  retry_payment: (_, now) => expect(now.payment).toMatchObject({ payer: "patient", status: "authorized" }),
};

describe("an exception", () => {
  test("has a test that raises it and fields for each of its actions, for every id", () => {
    expect(Object.keys(held).map(Number)).toEqual(exceptionIds);
    for (const id of exceptionIds) expect(Object.keys(leaves[id])).toEqual(exceptionRow(id).actions);
  });

  test("offers what the table of actions says, in every answer", async () => {
    const served = JSON.parse((await ask(app, "/order_actions")).text).order_actions;
    expect(served).toEqual(orderActions);
    for (const id of exceptionIds) {
      expect(orderActionsOf(id).map(({ event_key }) => event_key)).toEqual(exceptionRow(id).actions);
    }
  });

  for (const id of exceptionIds) {
    const { name, actions } = exceptionRow(id);
    for (const event of actions) test(`${id} ${name} is closed by ${event}`, () => expectLeft(id, event));
  }
});

/** Held by exactly this exception, then released: checks the order's stage, its history and its events. */
async function expectLeft(id: ExceptionId, event: ActionKey): Promise<void> {
  const of = await held[id](app);
  const { order, partner } = of;
  const { order_number } = order;
  expect([order.order_status, order.exceptions.map((one) => one.id)]).toEqual(["On Hold", [id]]);
  expect(order.exception!.order_actions).toEqual(orderActionsOf(id));
  const before = { history: await historyOf(app, order_number, partner), events: await eventsOf(app, order_number) };
  const raised = before.events.filter((told) => told.event_type === "ORDER_EXCEPTION");
  expect(raised).toMatchObject([{ exception: order.exception, order_actions: orderActionsOf(id) }]);
  const { sequence } = before.events.at(-1)!;

  const sent = await (leaves[id] as Record<string, (given: Held) => object>)[event]!(of);
  const { order: now } = await acted(app, order, { event, ...sent }, { partner });

  const to = event === "cancel" ? "Canceled" : "Processing";
  expect([now.order_status, now.exceptions, now.exception]).toEqual([to, [], null]);
  expect(await stageOf(order_number)).toEqual([event === "cancel" ? null : "clinical_review", null]);
  await also[event]?.(of, now, sent as Record<string, unknown>);
  // The provider's answer closes a declined payment, not the partner's request.
  const line =
    event === "cancel" ? "partner cancel" : `${event === "retry_payment" ? "system" : "partner"} resolve ${id}`;
  expect(await historyOf(app, order_number, partner)).toEqual([...before.history, `${line}: On Hold > ${to}`]);
  const events = await eventsOf(app, order_number);
  expect(linesOf(events)).toEqual([
    ...linesOf(before.events),
    `${sequence + 1} RX_UPDATED`,
    `${sequence + 1} ORDER_UPDATED On Hold > ${to}`,
  ]);
  const told = events.find((one) => one.event_type === "RX_UPDATED" && one.sequence === sequence + 1);
  expect(told).toMatchObject({ patient_id: of.patient_id, medication_requests: now.medication_requests });
  expect(await requestsOf(app, order_number, partner)).toMatchObject([
    { event, reason_id: null, order: now },
    ...(id === 64 ? [{ event: "hold" }] : []),
  ]);
}

const stageOf = async (order_number: string) => {
  const { rows } = await app.deps.db.raw("select stage, held_from from orders where order_number = $1", [order_number]);
  return [rows[0]!["stage"], rows[0]!["held_from"]];
};

describe("a hold", () => {
  for (const state of holdableStates) {
    test(`ends at the order's previous stage: ${state}`, async () => {
      const order = await workplace(app).reach(await placed(app, (await newOrder(app)).body), state);
      const on_hold = (await acted(app, order, { event: "hold" })).order;
      expect(on_hold.exceptions.map(({ id }) => id)).toEqual([64]);
      expect(await stageOf(order.order_number)).toEqual([null, state]);
      const { order: freed } = await acted(app, order, { event: "release" });
      expect(freed.order_status).toBe(statusOfState(state));
      expect(await stageOf(order.order_number)).toEqual([state.split("/")[1], null]);
      expect((await historyOf(app, order.order_number)).slice(-2)).toEqual([
        `partner raise_exception 64: ${statusOfState(state)} > On Hold`,
        `partner resolve 64: On Hold > ${statusOfState(state)}`,
      ]);
    });
  }

  test("of an order of only OTC products ends at its previous stage, and sends only its status", async () => {
    const { patient_id } = await newOrder(app, { patient: { email: null } });
    const body = { shipping: { method_id: 1 }, patient: { patient_id }, items: [{ sku: "pill-organizer" }] };
    const order = await placed(app, body);
    const { order: now } = await acted(app, order, { event: "update_email", email: "z@quill.example" });
    expect(now.order_status).toBe("Filling");
    expect(linesOf(await eventsOf(app, order.order_number))).toEqual([
      "1 ORDER_UPDATED new > On Hold",
      "1 ORDER_EXCEPTION 65",
      "2 ORDER_UPDATED On Hold > Filling",
    ]);
  });
});
