import type { Order } from "@pestle/contract";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { shipOrder } from "../../../src/usecases/fulfillment/ship-order.ts";
import { approveReview, completeFill, verifyProduct, type Work } from "../../../src/usecases/fulfillment/steps.ts";
import { trackShipments } from "../../../src/usecases/fulfillment/track-shipments.ts";
import { newOrder, placed, post } from "../../support/orders.ts";
import { ask } from "../../support/patient.ts";
import { startTestApp, type TestApp } from "../../support/test-app.ts";

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ unlimited: true });
});
afterAll(() => app.stop());

const technician = { person_id: "tess", role: "technician", license: null } as const;
const pharmacist = { person_id: "phil", role: "pharmacist", license: "RPH-1001" } as const;
const at = ({ order_number }: Pick<Order, "order_number">): Omit<Work, "by"> => ({
  account_id: app.demo.partners[0]!.account_id,
  order_number,
});
const lots = ({ items }: Order) => items.map(({ item_id }) => ({ item_id, lot: "L1", lot_expires_on: "2099-01-01" }));
const scans = ({ items }: Order) => items.map(({ item_id, ndc, sku }) => ({ item_id, code: ndc ?? sku! }));
const read = async ({ order_number }: Pick<Order, "order_number">): Promise<Order> =>
  JSON.parse((await ask(app, `/orders/${order_number}`)).text);

async function packed() {
  const order = await placed(app, (await newOrder(app)).body);
  await approveReview(app.deps, { ...at(order), by: pharmacist });
  await completeFill(app.deps, { ...at(order), by: technician }, lots(order));
  return verifyProduct(app.deps, { ...at(order), by: pharmacist }, scans(order));
}

describe("the pharmacy's work", () => {
  test("takes an order from review to delivery", async () => {
    const order = await packed();
    const shipped = await shipOrder(app.deps, { ...at(order), by: technician });
    expect([shipped.order_status, shipped.payment.status, shipped.shipments.length]).toEqual([
      "Shipped",
      "captured",
      1,
    ]);
    expect(await read(order)).toEqual(shipped);
    await post(app, { simulation_type: "clock", simulation: { advance_seconds: 20 * 86400 } }, { path: "/simulate" });
    await trackShipments(app.deps);
    const delivered = await read(order);
    expect([delivered.order_status, delivered.shipments[0]!.status]).toEqual(["Delivered", "delivered"]);
  });
});
