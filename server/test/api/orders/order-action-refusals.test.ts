import {
  type ActionKey,
  actionKeys,
  actions,
  exceptionIds,
  exceptionRow,
  type Order,
  type OrderStatus,
} from "@pestle/contract";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { act, acted, expectRefused, goodFields, readOrder } from "../../support/actions.ts";
import { held, scene } from "../../support/held-orders.ts";
import { newOrder, placed, post, prescribed } from "../../support/orders.ts";
import { ask, goodAddress, goodDocument, person } from "../../support/patient.ts";
import { startTestApp, type TestApp } from "../../support/test-app.ts";
import { workplace } from "../../support/workplace.ts";

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ unlimited: true });
});
afterAll(() => app.stop());

describe("an event that the order does not offer", () => {
  const allowedIn = (event: ActionKey): readonly OrderStatus[] => actions[event].order_statuses;
  const walks: [OrderStatus, (order: Order) => Promise<Order>][] = [
    ["Processing", async (order) => order],
    ["Filling", (order) => workplace(app).reach(order, "Filling/pack")],
    ["Shipped", (order) => workplace(app).reach(order, "Shipped")],
    ["Delivered", (order) => workplace(app).reach(order, "Delivered")],
    ["Canceled", (order) => workplace(app).reach(order, "Canceled")],
  ];
  for (const [status, walk] of walks) {
    const refused = actionKeys.filter((event) => !allowedIn(event).includes(status));
    test(`is 42463 in ${status}: ${refused.join(", ")}`, async () => {
      const order = await walk(await placed(app, (await newOrder(app)).body));
      expect(order.order_status).toBe(status);
      for (const event of refused) await expectRefused(app, order, { event, ...goodFields[event] }, [[42463, "event"]]);
      for (const event of actionKeys) {
        const body = { event, exception_id: 77, ...goodFields[event] };
        await expectRefused(app, order, body, [[42463, "exception_id"]]);
      }
    });
  }

  for (const id of exceptionIds) {
    const { actions: own } = exceptionRow(id);
    const refused = actionKeys.filter((event) => !own.includes(event) && !allowedIn(event).includes("On Hold"));
    test(`is 42463 on an order held by ${id}, and verify 42462 where a pharmacist must`, async () => {
      const { order, partner } = await held[id](app);
      for (const event of refused) {
        const code = event === "verify" && (id === 74 || id === 75) ? 42462 : 42463;
        await expectRefused(app, order, { event, ...goodFields[event] }, [[code, "event"]], partner);
      }
      // Valid in form; whether they apply to this order does not matter here.
      const fields = id === 71 ? { dob: person.dob } : goodFields[own[0]!];
      const body = { event: own[0], ...fields, exception_id: id === 64 ? 65 : 64 };
      await expectRefused(app, order, body, [[42463, "exception_id"]], partner);
    });
  }
});

describe("verify", () => {
  const dextroamphetamine = { prescription: prescribed("dextroamphetamine-10", 30, { refills: 0 }) };
  const controlled = async (dob?: string) => {
    const { body } = await newOrder(app, dextroamphetamine);
    const patient = { ...body.patient, identity_documents: [goodDocument], ...(dob && { dob }) };
    return placed(app, { ...body, patient });
  };

  test("is 42462 on any order with a schedule 2 item, under any hold", async () => {
    const order = await controlled("1957-03-09");
    expect(order.exceptions.map(({ id }) => id)).toEqual([71]);
    await expectRefused(app, order, { event: "verify", dob: person.dob }, [[42462, "event"]]);
    await expectRefused(app, order, { event: "verify", exception_id: 71, dob: person.dob }, [[42462, "event"]]);
    await expectRefused(app, order, { event: "verify", dob: "yesterday" }, [
      [42200, "dob"],
      [42462, "event"],
    ]);
  });

  test("is 42462 on such an order without a hold, and on one whose prescription is still missing", async () => {
    await expectRefused(app, await controlled(), { event: "verify" }, [[42462, "event"]]);
    const set = await scene(app, { partner: 1, prescription: { effective_date: "2099-01-01" } });
    const prescriber = { prescriber_name: "Ada Lindqvist", prescriber_phone: "4155550177" };
    const items = [{ sku: "dextroamphetamine-10", package_size: 30, ...prescriber }];
    const patient = { ...set.body.patient, identity_documents: [goodDocument] };
    const waiting = await placed(app, { ...set.body, patient, items }, { partner: 1 });
    expect(waiting.exceptions.map(({ id }) => id)).toEqual([73]);
    await expectRefused(app, waiting, { event: "verify" }, [[42462, "event"]], 1);
  });

  test("is 42462 for the quantity of a controlled drug of any schedule", async () => {
    const { body } = await newOrder(app, { prescription: prescribed("zolpidem-5", 30, { refills: 2 }) });
    const patient = { ...body.patient, identity_documents: [goodDocument] };
    const order = await placed(app, { ...body, patient, items: [{ ...body.items[0], quantity: 2 }] });
    expect(order.exceptions.map(({ id }) => id)).toEqual([72]);
    await expectRefused(app, order, { event: "verify" }, [[42462, "event"]]);
    await expectRefused(app, order, { event: "verify", exception_id: 72 }, [[42462, "event"]]);
    // Another exception of the same order is still the partner's to verify.
    const doubtful = { ...patient, dob: "1957-03-09" };
    const other = await newOrder(app, { prescription: prescribed("zolpidem-5", 30, { refills: 2 }) });
    const two = await placed(app, {
      ...other.body,
      patient: { ...doubtful, patient_id: other.patient_id },
      items: [{ ...other.body.items[0], quantity: 2 }],
    });
    expect(two.exceptions.map(({ id }) => id)).toEqual([71, 72]);
    const { order: now } = await acted(app, two, { event: "verify", dob: person.dob });
    expect(now.exceptions.map(({ id }) => id)).toEqual([72]);
  });

  test("is 42462 for the exception that only a pharmacist closes, and accepted for another one on the order", async () => {
    const allergies = [{ text: "penicillin", codes: [], reaction: null, severity: null }];
    const { body } = await newOrder(app, { prescription: prescribed("amoxicillin-500", 21, { allergies }) });
    const order = await placed(app, { ...body, patient: { ...body.patient, dob: "1957-03-09" } });
    expect(order.exceptions.map(({ id }) => id)).toEqual([71, 74]);
    await expectRefused(app, order, { event: "verify", exception_id: 74 }, [[42462, "event"]]);
    const { order: now } = await acted(app, order, { event: "verify", dob: person.dob });
    expect(now.exceptions.map(({ id }) => id)).toEqual([74]);
  });
});

describe("the shipping address", () => {
  test("cannot be changed by an action on an order with a controlled substance: 42229", async () => {
    const patient = { address: { ...person.address!, street1: "77 Thistledown Ave" } };
    const { body } = await newOrder(app, { patient, prescription: prescribed("zolpidem-5", 30) });
    const order = await placed(app, { ...body, patient: { ...body.patient, identity_documents: [goodDocument] } });
    expect(order.exceptions.map(({ id }) => id)).toEqual([77]);
    await expectRefused(app, order, { event: "update_address", address: goodAddress }, [[42229, "address"]]);
    await expectRefused(app, order, { event: "accept_suggested_address" }, [[42229, "address"]]);
    expect((await acted(app, order, { event: "confirm_address" })).order.order_status).toBe("Processing");
  });

  test("cannot be a PO Box if the method does not deliver to one: 42293", async () => {
    const set = await scene(app, { patient: { address: null } });
    const order = await placed(app, { ...set.body, shipping: { method_id: 2 } });
    const address = { ...goodAddress, street1: "PO Box 12", street2: null };
    await expectRefused(app, order, { event: "update_address", address }, [[42293, "shipping.method_id"]]);
  });

  test("cannot be a suggestion if there is none: 42463", async () => {
    const { order } = await held[66](app);
    const simulation = { order_number: order.order_number, exception_id: 77 };
    await post(app, { simulation_type: "order", simulation }, { path: "/simulate" });
    await expectRefused(app, order, { event: "accept_suggested_address" }, [[42463, "event"]]);
    const patient = { address: { ...person.address!, street1: "Thistledown" } };
    const odd = await placed(app, (await newOrder(app, { patient })).body);
    expect(odd.exceptions.map(({ id }) => id)).toEqual([77]);
    await expectRefused(app, odd, { event: "accept_suggested_address" }, [[42463, "event"]]);
  });
});

describe("an unknown order", () => {
  test("is 404 for any action: unknown, malformed or another account's", async () => {
    const { order } = await held[64](app);
    for (const [order_number, partner] of [
      ["0000000000", 0],
      ["lower-case", 0],
      [order.order_number, 1],
      [order.order_number, 2],
    ] as const) {
      for (const body of [{ event: "release" }, { event: "accept_suggested_address" }, { event: "nonsense" }, {}]) {
        expect((await act(app, order_number, body, { partner })).status).toBe(404);
      }
      const path = `/orders/${order_number}/partner_order_action_requests`;
      expect((await ask(app, path, undefined, { partner })).status).toBe(404);
    }
    expect((await readOrder(app, order.order_number)).exception!.id).toBe(64);
  });
});
