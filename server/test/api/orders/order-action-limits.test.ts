import {
  type ActionKey,
  actionLimits,
  type ExceptionId,
  exceptionIds,
  exceptionRow,
  limitOf,
  type Order,
  type OrderException,
} from "@pestle/contract";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { situationsOf } from "../../../src/domain/orders/situations.ts";
import { raiseException, resolveException } from "../../../src/usecases/fulfillment/steps.ts";
import { acted, expectRefused, goodFields, readOrder } from "../../support/actions.ts";
import { type Scene, scene } from "../../support/held-orders.ts";
import { type OrderBody, placed, prescribed } from "../../support/orders.ts";
import { goodDocument, person } from "../../support/patient.ts";
import { startTestApp, type TestApp } from "../../support/test-app.ts";
import { staff, workplace } from "../../support/workplace.ts";

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ unlimited: true });
});
afterAll(() => app.stop());

const offeredOn = ({ order_actions }: OrderException): ActionKey[] => order_actions.map(({ event_key }) => event_key);

type Situated = { set: Scene; order: Order };
const identified = (body: OrderBody): OrderBody => ({
  ...body,
  patient: { ...body.patient, identity_documents: [goodDocument] },
});

/** Orders in every situation that an order can be in, whatever holds it. */
const orders: Record<string, () => Promise<Situated>> = {
  "with several items": async () => {
    const set = await scene(app);
    const extra = ["pill-organizer", "packaging-pouch"].map((sku) => ({ sku }));
    return { set, order: await placed(app, { ...set.body, items: [...set.body.items, ...extra] }) };
  },
  "with one item": async () => {
    const set = await scene(app);
    return { set, order: await placed(app, set.body) };
  },
  "with a schedule 4 drug": async () => {
    const set = await scene(app, { prescription: prescribed("zolpidem-5", 30) });
    return { set, order: await placed(app, identified(set.body)) };
  },
  "with a schedule 2 drug": async () => {
    const set = await scene(app, { prescription: prescribed("dextroamphetamine-10", 30, { refills: 0 }) });
    return { set, order: await placed(app, identified(set.body)) };
  },
  "without a prescription": async () => {
    const set = await scene(app);
    return { set, order: await placed(app, { ...set.body, items: [{ sku: "pill-organizer" }] }) };
  },
};

describe("an exception offers exactly the actions that succeed, on an order", () => {
  for (const [situation, make] of Object.entries(orders)) {
    test(situation, async () => {
      const { set, order } = await make();
      const { work, load } = workplace(app);
      const raise = async (id: ExceptionId) => {
        const { standing } = await load(order);
        if (!standing.open.includes(id)) await raiseException(app.deps, work(order, staff.technician), id, "Seen.");
        return (await readOrder(app, order.order_number)).exceptions.find((one) => one.id === id)!;
      };
      const fieldsOf = async (event: ActionKey, id: ExceptionId) => {
        if (event === "verify" && id === 71) return { dob: person.dob };
        if (event === "replace_prescription") return { prescription_id: await set.another() };
        if (event !== "remove_item") return goodFields[event];
        return { item_id: (await readOrder(app, order.order_number)).items.at(-1)!.item_id };
      };
      for (const id of exceptionIds) {
        const offered = offeredOn(await raise(id));
        const { order: stored } = await load(order);
        for (const event of exceptionRow(id).actions.filter((one) => !offered.includes(one))) {
          const { code, field } = limitOf(event, id, situationsOf(stored, id))!;
          const body = { event, exception_id: id, ...(await fieldsOf(event, id)) };
          await expectRefused(app, order, body, [[code, field]]);
        }
        for (const event of offered.filter((one) => one !== "cancel")) {
          // An earlier action can have changed the order: removed its second to last item, for example.
          if (!offeredOn(await raise(id)).includes(event)) continue;
          const body = { event, exception_id: id, ...(await fieldsOf(event, id)) };
          const { order: now } = await acted(app, order, body);
          expect([event, now.exceptions.map((one) => one.id)]).toEqual([event, []]);
        }
        if (!(await load(order)).standing.open.includes(id)) continue;
        await resolveException(
          app.deps,
          work(order, staff.pharmacist),
          id,
          "Called the prescriber.",
          "prescriber_consulted",
        );
      }
      await raise(64);
      expect((await acted(app, order, { event: "cancel" })).order.order_status).toBe("Canceled");
    });
  }

  test("to an address without a suggestion: accept_suggested_address is neither offered nor accepted", async () => {
    const set = await scene(app, { patient: { address: { ...person.address!, street1: "Thistledown" } } });
    const order = await placed(app, set.body);
    const offered = ["update_address", "confirm_address", "cancel"];
    const expectNone = async () => {
      expect((await readOrder(app, order.order_number)).exceptions.map(offeredOn)).toEqual([offered]);
      await expectRefused(app, order, { event: "accept_suggested_address" }, [[42463, "event"]]);
    };
    await expectNone();
    await acted(app, order, { event: "confirm_address" });
    await raiseException(app.deps, workplace(app).work(order, staff.technician), 78, "The parcel came back.");
    await expectNone();
  });

  test("with another patient name: verify is neither offered nor accepted", async () => {
    const set = await scene(app);
    const order = await placed(app, { ...set.body, patient: { ...set.body.patient, first_name: "Otherwise" } });
    expect(order.exceptions.map(({ id, order_actions }) => [id, order_actions.map((one) => one.event_key)])).toEqual([
      [71, ["cancel"]],
    ]);
    await expectRefused(app, order, { event: "verify", dob: person.dob }, [[42462, "event"]]);
  });

  test("with a pending payment: retry_payment is neither offered nor accepted", async () => {
    const { order } = await orders["with one item"]!();
    await raiseException(app.deps, workplace(app).work(order, staff.technician), 80, "Declined.");
    await app.deps.db.raw("update orders set payment_status = 'pending' where order_number = $1", [order.order_number]);
    expect(offeredOn((await readOrder(app, order.order_number)).exception!)).toEqual(["cancel"]);
    await expectRefused(app, order, { event: "retry_payment", token: "tok_visa" }, [[42463, "event"]]);
    await app.deps.db.raw("update orders set payment_status = 'authorized' where order_number = $1", [
      order.order_number,
    ]);
  });
});

test("a limit takes away an action that the exception has, or one that a pharmacist must take", () => {
  for (const { action, exceptions, situation } of actionLimits) {
    if (exceptions === "any" || situation === "pharmacist_decides") continue;
    for (const id of exceptions) expect([id, exceptionRow(id).actions]).toEqual([id, expect.arrayContaining([action])]);
  }
});
