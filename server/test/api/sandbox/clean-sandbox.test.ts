import type { Order, Product } from "@pestle/contract";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { placed } from "../../support/orders.ts";
import { ask, goodDocument } from "../../support/patient.ts";
import { arrived, simulate } from "../../support/simulate.ts";
import { startTestApp, type TestApp } from "../../support/test-app.ts";
import { effort } from "../../support/tools/effort.ts";

const CALLS = effort(150);
const partners = { api_driven: 0, automatic: 1 };

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ unlimited: true });
});
afterAll(() => app.stop());

const read = async <Answer>(path: string, partner: number): Promise<Answer> =>
  JSON.parse((await ask(app, path, undefined, { partner })).text);

describe.each(Object.entries(partners))("in the sandbox of an %s account", (workflow, partner) => {
  test(`${CALLS} prescriptions without fields are delivered without a hold`, { timeout: 600_000 }, async () => {
    const products = await read<Product[]>("/products", partner);
    const stops: string[] = [];
    for (let call = 0; call < CALLS; call++) {
      const { patient_id, prescription_id, rx } = await arrived(app, {}, { partner });
      const product = products.find(({ ndc }) => ndc === rx.ndc);
      if (product?.in_stock !== true) continue;
      const order = workflow === "automatic" ? await made(patient_id, partner) : await ordered(product, rx.written_qty);
      if (order === undefined) {
        stops.push(`${product.sku}: no order`);
        continue;
      }
      const { order_number } = order;
      await simulate(app, "order", { order_number, to: "Delivered" }, { partner });
      const { order_status, exceptions } = await read<Order>(`/orders/${order_number}`, partner);
      const held = [...order.exceptions, ...exceptions].map(({ id }) => id);
      if (order_status !== "Delivered" || held.length > 0) stops.push(`${product.sku}: ${order_status} ${held}`);

      async function ordered({ package_sizes, shipping_method_ids }: Product, written_qty: number) {
        const package_size = package_sizes.filter((size) => size <= written_qty).at(-1);
        return placed(app, {
          reference: `clean-${call}`,
          shipping: { method_id: shipping_method_ids[0] },
          patient: { patient_id, identity_documents: [goodDocument] },
          items: [{ prescription_id, quantity: 1, package_size }],
        });
      }
    }
    expect(stops).toEqual([]);
  });
});

/** The order that Automatic Processing created. */
async function made(patient_id: string, partner: number): Promise<Order | undefined> {
  return (await read<{ orders: Order[] }>(`/orders?patient_id=${patient_id}`, partner)).orders[0];
}
