import {
  type ActionKey,
  type ExceptionId,
  exceptionIds,
  exceptionRow,
  type Order,
  type Patient,
} from "@pestle/contract";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { receiveStock } from "../../../src/usecases/catalogue/move-stock.ts";
import { raiseException } from "../../../src/usecases/fulfillment/steps.ts";
import { fillBackOrders } from "../../../src/usecases/orders/fill-back-orders.ts";
import { acted, eventsOf, historyOf, linesOf, readOrder } from "../../support/actions.ts";
import { expectBalanced } from "../../support/books.ts";
import { type Held, held, LONG_NAME, leaves, little_rock, scene } from "../../support/held-orders.ts";
import { newOrder, type OrderBody, placed, post, prescribed } from "../../support/orders.ts";
import { ask, goodAddress, patientCalls, person } from "../../support/patient.ts";
import { startTestApp, type TestApp } from "../../support/test-app.ts";
import { until } from "../../support/tools/until.ts";
import { staff, workplace } from "../../support/workplace.ts";

/** The checks run again after every action on an order, on its new state. */

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ unlimited: true });
});
afterEach(async () => {
  await expectBalanced(app, 0);
  await expectBalanced(app, 1);
});
afterAll(() => app.stop());

const open = ({ exceptions }: Order) => exceptions.map(({ id }) => id);
const put = async ({ order_number }: Order, address: object): Promise<Order> =>
  JSON.parse((await ask(app, `/orders/${order_number}/shipping_address`, address, { method: "PUT" })).text);
const raise = async ({ order_number }: Order, exception_id: ExceptionId) => {
  const simulation = { order_number, exception_id };
  const { status } = await post(app, { simulation_type: "order", simulation }, { path: "/simulate" });
  expect(status).toBe(202);
};

/** New history and events since then. */
async function since({ order_number }: Order, partner = 0) {
  const [history, events] = [await historyOf(app, order_number, partner), await eventsOf(app, order_number)];
  return async () => ({
    history: (await historyOf(app, order_number, partner)).slice(history.length),
    events: linesOf(await eventsOf(app, order_number)).slice(events.length),
  });
}

describe("an action that resolves one exception and raises another", () => {
  test("leaves the order held, reports only the new exception, and attributes it to the system", async () => {
    const sildenafil = { prescription: prescribed("sildenafil-50", 10) };
    const street = { ...person.address!, street1: "77 Thistledown Ave" };
    const order = await placed(app, (await newOrder(app, { ...sildenafil, patient: { address: street } })).body);
    expect(open(order)).toEqual([77]);
    const news = await since(order);
    const { order: now } = await acted(app, order, { event: "update_address", address: little_rock });
    expect([now.order_status, open(now), now.address!.state]).toEqual(["On Hold", [67], "AR"]);
    expect(await news()).toEqual({
      history: ["system raise_exception 67: On Hold > On Hold", "partner resolve 77: On Hold > On Hold"],
      events: ["2 ORDER_EXCEPTION 67"],
    });
    // And back out of it.
    const { order: freed } = await acted(app, order, { event: "update_address", address: goodAddress });
    expect([freed.order_status, open(freed)]).toEqual(["Processing", []]);
  });

  test("update_address: a name that is too long, and a state without a license (Automatic Processing)", async () => {
    const { order } = await held[66](app);
    const address = { ...goodAddress, first_name: LONG_NAME };
    expect(open((await acted(app, order, { event: "update_address", address })).order)).toEqual([79]);
    const organizer = await scene(app, { partner: 1, patient: { address: null } });
    const body = { ...organizer.body, items: [{ sku: "pill-organizer" }] };
    const nowhere = await placed(app, body, { partner: 1 });
    const honolulu = { ...goodAddress, street1: "1450 Ala Moana Blvd", street2: null, city: "Honolulu" };
    const hawaii = { event: "update_address", address: { ...honolulu, state: "HI", zip: "96814" } };
    expect(open((await acted(app, nowhere, hawaii, { partner: 1 })).order)).toEqual([67]);
  });

  test("replace_prescription: a clear sig, and a product that differs from the one written", async () => {
    const of = await held[69](app);
    const prescription_id = await of.another(prescribed("lipora-20", 90, { daw: true, sig_text: "Daily." }));
    const { order } = await acted(app, of.order, { event: "replace_prescription", prescription_id });
    expect(open(order)).toEqual([70]);
  });
});

describe("an action that does not resolve the exception", () => {
  const kept: { why: string; of: () => Promise<Held>; id: ExceptionId; ask: (of: Held) => Promise<object> }[] = [
    {
      why: "update_address to the same state",
      of: () => held[67](app),
      id: 67,
      ask: async () => ({ event: "update_address", address: { ...little_rock, street2: "Suite 9" } }),
    },
    {
      why: "replace_prescription by one that is as unclear",
      of: () => held[69](app),
      id: 69,
      ask: async (of) => ({ event: "replace_prescription", prescription_id: await of.another() }),
    },
    {
      why: "remove_item while another waits",
      of: async () => {
        const set = await scene(app, { prescription: prescribed("minoxidil-2-5", 90, { refills: 5 }) });
        const body = { ...set.body, items: [set.body.items[0], set.body.items[0]] } as OrderBody;
        return { ...set, body, order: await placed(app, body) };
      },
      id: 76,
      ask: async () => ({ event: "remove_item", item_id: 2 }),
    },
  ];
  for (const { why, of, id, ask: asked } of kept) {
    test(`succeeds, keeps it open, and adds only history: ${why}`, async () => {
      const one = await of();
      const { order } = one;
      expect(open(order)).toEqual([id]);
      const news = await since(order);
      const body = (await asked(one)) as { event: ActionKey };
      const { order: now } = await acted(app, order, body);
      const lasting = ({ exceptions }: typeof order) =>
        exceptions.map(({ order_actions: _, ...exception }) => exception);
      expect(lasting(now)).toEqual(lasting(order));
      expect([now.items, now.address]).not.toEqual([order.items, order.address]);
      expect(await news()).toEqual({ history: [`partner ${body.event}: On Hold > On Hold`], events: [] });
    });
  }
});

describe("repairing the cause ends the hold in the same request", () => {
  const last = async ({ order_number }: Order) => {
    const { history } = JSON.parse((await ask(app, `/orders/${order_number}/history`)).text);
    const { actor, event, exception_id, to, request_id } = history[0];
    return { line: `${actor} ${event} ${exception_id} > ${to}`, request_id };
  };
  const ended = (id: number, headers: Headers) => ({
    line: `partner resolve ${id} > Processing`,
    request_id: headers.get("x-request-id"),
  });
  const add = (of: Held, address: object) => ask(app, `/patients/${of.patient_id}/shipping_address`, address);

  test("65: an email for the patient frees all of the patient's orders", async () => {
    const of = await held[65](app);
    const other = await placed(app, { ...of.body, items: [{ sku: "pill-organizer" }] });
    expect(open(other)).toEqual([65]);
    const patched = await ask(app, `/patients/${of.patient_id}`, { email: "z@quill.example" }, { method: "PATCH" });
    expect(patched.status).toBe(200);
    expect(await last(of.order)).toEqual(ended(65, patched.headers));
    expect((await readOrder(app, other.order_number)).order_status).toBe("Filling");
  });

  test("65: so does update_email on one of them, and an email in a new order", async () => {
    for (const way of ["action", "order"]) {
      const of = await held[65](app);
      const other = await placed(app, { ...of.body, items: [{ sku: "pill-organizer" }] });
      if (way === "action") await acted(app, other, { event: "update_email", email: "z@quill.example" });
      else {
        const patient = { ...of.body.patient, email: "z@quill.example" };
        await placed(app, { ...of.body, patient, items: [{ sku: "packaging-pouch" }] });
      }
      expect((await readOrder(app, of.order.order_number)).order_status).toBe("Processing");
    }
  });

  test("66: the patient's first address becomes the order's", async () => {
    const of = await held[66](app);
    const added = await add(of, goodAddress);
    expect([added.status, JSON.parse(added.text).default]).toEqual([201, true]);
    expect(await last(of.order)).toEqual(ended(66, added.headers));
    expect((await readOrder(app, of.order.order_number)).address).toMatchObject({ street1: goodAddress.street1 });
  });

  for (const id of [67, 77, 78] as const) {
    test(`${id}: a new default address ends it, another address does not`, async () => {
      const of = await held[id](app);
      expect(JSON.parse((await add(of, goodAddress)).text).default).toBe(false);
      expect(open(await readOrder(app, of.order.order_number))).toEqual([id]);
      const added = await add(of, { ...goodAddress, default: true });
      expect(JSON.parse(added.text).default).toBe(true);
      expect(await last(of.order)).toEqual(ended(id, added.headers));
      const { addresses } = JSON.parse((await ask(app, `/patients/${of.patient_id}`)).text) as Patient;
      expect(addresses.filter((one) => one.default)).toHaveLength(1);
    });
  }

  test("67: a default address in a state that is blocked too leaves the order as it is", async () => {
    const of = await held[67](app);
    await add(of, { ...little_rock, street1: "1 President Clinton Ave", default: true });
    expect(await readOrder(app, of.order.order_number)).toEqual(of.order);
  });

  test("default must be a flag", async () => {
    const of = await held[66](app);
    const { status, text } = await add(of, { ...goodAddress, default: "yes" });
    expect([status, JSON.parse(text).errors[0].code]).toEqual([422, 42200]);
  });

  test("68: canceling the first order frees the second, and the second one still holds the third", async () => {
    const set = await scene(app);
    const first = await placed(app, { ...set.body, reference: "1" });
    app.advance(1);
    const second = await placed(app, { ...set.body, reference: "2" });
    app.advance(1);
    const third = await placed(app, { ...set.body, reference: "3" });
    expect([open(second), open(third)]).toEqual([[68], [68]]);
    const { headers } = await ask(app, `/orders/${first.order_number}/partner_order_action_requests`, {
      event: "cancel",
    });
    expect(await last(second)).toEqual(ended(68, headers));
    expect(open(await readOrder(app, third.order_number))).toEqual([68]);
  });

  test("68: an order that shipped meanwhile stays in the way", async () => {
    const set = await scene(app);
    const first = await placed(app, { ...set.body, reference: "1" });
    app.advance(1);
    const second = await placed(app, { ...set.body, reference: "2" });
    app.advance(1);
    await workplace(app).reach(first, "Shipped");
    await put(second, { ...goodAddress, street2: "Apt 9" });
    expect(open(await readOrder(app, second.order_number))).toEqual([68]);
  });

  test("the history of a new order has a row for each exception", async () => {
    const set = await scene(app, { patient: { email: null, address: null } });
    const { order_number } = await placed(app, set.body);
    expect(await historyOf(app, order_number)).toEqual([
      "partner create 65: new > On Hold",
      "system raise_exception 65: On Hold > On Hold",
      "system raise_exception 66: On Hold > On Hold",
    ]);
  });
});

test("a check takes over the exception that a person raised, if an action ends it and leaves a cause", async () => {
  const { order } = await held[67](app);
  expect(open(await put(order, goodAddress))).toEqual([]);
  const causes = async () => {
    const { rows } = await app.deps.db.raw(
      "select basis is null as by_hand from order_exception where order_number = $1 and resolved_at is null",
      [order.order_number],
    );
    return rows;
  };
  await raise(order, 67);
  expect(await causes()).toEqual([{ by_hand: true }]);
  const { order: moved } = await acted(app, order, { event: "update_address", address: little_rock });
  expect(open(moved)).toEqual([67]);
  expect(await causes()).toEqual([{ by_hand: false }]);
  expect(open(await put(order, goodAddress))).toEqual([]);
});

describe("a confirmation", () => {
  test("79 confirm_address applies to the name: another street does not matter, another long name does", async () => {
    const { order } = await held[79](app);
    const { first_name, last_name } = order.address!;
    await acted(app, order, { event: "confirm_address" });
    expect(open(await put(order, { ...goodAddress, first_name, last_name }))).toEqual([]);
    expect(open(await put(order, { ...goodAddress, first_name: `${first_name}-A`, last_name }))).toEqual([79]);
    expect(open(await put(order, { ...goodAddress, first_name, last_name }))).toEqual([]);
  });

  test("70 verify applies to the prescription: another one that forbids substitution raises it again", async () => {
    const of = await held[70](app);
    expect(open((await acted(app, of.order, { event: "verify" })).order)).toEqual([]);
    expect(open(await put(of.order, goodAddress))).toEqual([]);
    await raise(of.order, 69);
    const prescription_id = await of.another();
    const { order } = await acted(app, of.order, { event: "replace_prescription", prescription_id });
    expect([order.order_status, open(order)]).toEqual(["On Hold", [70]]);
    expect((await acted(app, of.order, { event: "verify" })).order.order_status).toBe("Processing");
  });

  test("72 verify applies to the items: with one fewer and still too many it is raised again", async () => {
    const set = await scene(app, { prescription: prescribed("minoxidil-2-5", 90, { refills: 9 }) });
    const item = { ...set.body.items[0], quantity: 3 };
    const order = await placed(app, { ...set.body, items: [item, item, item] });
    expect(open(order)).toEqual([72, 76]);
    expect(open((await acted(app, order, { event: "verify" })).order)).toEqual([76]);
    expect(open((await acted(app, order, { event: "remove_item", item_id: 3 })).order)).toEqual([72, 76]);
    expect(open((await acted(app, order, { event: "remove_item", item_id: 1 })).order)).toEqual([76]);
  });

  for (const [id, event] of [
    [68, "confirm_not_duplicate"],
    [71, "verify"],
    [77, "confirm_address"],
    [78, "confirm_address"],
  ] as const) {
    test(`${id} ${event} stays valid regardless of other actions`, async () => {
      const of = await held[id](app);
      await acted(app, of.order, { event, ...(id === 71 && { dob: person.dob }) });
      await acted(app, of.order, { event: "hold" });
      expect((await acted(app, of.order, { event: "release" })).order.order_status).toBe("Processing");
    });
  }
});

describe("several exceptions", () => {
  test("close one by one: the first that offers the action, unless one is named; the last releases the order", async () => {
    const street = { ...person.address!, street1: "77 Thistledown Ave" };
    const patient = { email: null, address: street, first_name: LONG_NAME };
    const order = await placed(app, (await newOrder(app, { patient })).body);
    expect(open(order)).toEqual([65, 77, 79]);
    const news = await since(order);
    const confirm = { event: "confirm_address" };
    expect(open((await acted(app, order, { ...confirm, exception_id: 79 })).order)).toEqual([65, 77]);
    expect(open((await acted(app, order, confirm)).order)).toEqual([65]);
    const { order: now } = await acted(app, order, { event: "update_email", email: "z@quill.example" });
    expect(now.order_status).toBe("Processing");
    expect(await news()).toEqual({
      history: [
        "partner resolve 79: On Hold > On Hold",
        "partner resolve 77: On Hold > On Hold",
        "partner resolve 65: On Hold > Processing",
      ],
      events: ["2 RX_UPDATED", "2 ORDER_UPDATED On Hold > Processing"],
    });
  });

  test("close together if one address resolves them; the email was repaired before", async () => {
    const street = { ...person.address!, street1: "78 Thistledown Ave" };
    const patient = { email: null, address: street, first_name: LONG_NAME };
    const { body, patient_id } = await newOrder(app, { patient });
    const order = await placed(app, body);
    const news = await since(order);
    await patientCalls(app, patient_id).patch({ email: "z@quill.example" });
    expect((await readOrder(app, order.order_number)).order_status).toBe("On Hold");
    const { order: now } = await acted(app, order, { event: "update_address", address: goodAddress });
    expect(now.order_status).toBe("Processing");
    expect(await news()).toEqual({
      history: [
        "partner resolve 65: On Hold > On Hold",
        "partner resolve 78: On Hold > On Hold",
        "partner resolve 79: On Hold > Processing",
      ],
      events: ["2 RX_UPDATED", "2 ORDER_UPDATED On Hold > Processing"],
    });
  });
});

describe("an exception that a person raised, although no rule does,", () => {
  for (const id of exceptionIds) {
    for (const event of exceptionRow(id).actions) {
      test(`stays open until an action closes it: ${id} by ${event}`, async () => {
        const set = await scene(app);
        const order = await placed(app, { ...set.body, items: [set.body.items[0], { sku: "pill-organizer" }] });
        await raise(order, id);
        await put(order, { ...goodAddress, street2: "Apt 6" });
        const now = await readOrder(app, order.order_number);
        expect(open(now)).toEqual([66, 67, 77, 78, 79].includes(id) ? [] : [id]);
        if (now.order_status !== "On Hold") await raise(order, id);
        const of = { ...set, order: await readOrder(app, order.order_number) };
        const fields =
          event === "replace_prescription"
            ? { prescription_id: await set.another() }
            : await (leaves[id] as Record<string, (given: Held) => object>)[event]!(of);
        const { order: left } = await acted(app, order, { event, ...fields });
        expect([left.order_status, open(left)]).toEqual([event === "cancel" ? "Canceled" : "Processing", []]);
      });
    }
  }

  test("shows who raised it", async () => {
    const order = await placed(app, (await newOrder(app)).body);
    const news = await since(order);
    await raiseException(app.deps, workplace(app).work(order, staff.pharmacist), 69, "Twice a day, or twice a week?");
    expect((await news()).history).toEqual(["operator raise_exception 69: Processing > On Hold"]);
  });
});

/** What closes an exception without an action. */
const happens: { [Id in ExceptionId]?: (of: Held) => Promise<unknown> } = {
  73: ({ another }) => another(prescribed("sertraline-50", 90)),
  76: async ({ partner }) => {
    const { account_id } = app.demo.partners[partner]!;
    const waiting = "select sum(units)::integer as units from order_item where sku = $1 and pending and not reserved";
    const { rows } = await app.deps.db.raw(waiting, ["minoxidil-2-5"]);
    const units = Number(rows[0]!["units"]);
    await receiveStock(app.deps.db, { account_id, sku: "minoxidil-2-5", units, note: null }, app.deps.now());
    await fillBackOrders(app.deps);
  },
};

describe("an exception that resolves itself", () => {
  test("has a fixture", () => {
    const own = exceptionIds.filter((id) => exceptionRow(id).resolves_itself !== undefined);
    expect(Object.keys(happens).map(Number)).toEqual(own);
  });

  for (const [id, happen] of Object.entries(happens)) {
    test(`${id} closes when its cause ends, and history attributes it to the system`, async () => {
      const of = await held[Number(id) as ExceptionId](app);
      const { order, partner } = of;
      const news = await since(order, partner);
      await happen(of);
      const now = () => readOrder(app, order.order_number, partner);
      await until(async () => (await now()).order_status === "Processing", "the order goes on");
      expect(await news()).toEqual({
        history: [`system resolve ${id}: On Hold > Processing`],
        events: ["2 RX_UPDATED", "2 ORDER_UPDATED On Hold > Processing"],
      });
    });
  }
});
