import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { partner } from "../../../src/domain/orders/order.ts";
import { cancelOrder } from "../../../src/usecases/orders/cancel-order.ts";
import { addPatient, ask, stranger } from "../../support/patient.ts";
import { startTestApp, type TestApp } from "../../support/test-app.ts";
import { effort } from "../../support/tools/effort.ts";

/** Units and stock over any sequence of orders, cancels and reorders, against a model that only adds and subtracts. */

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ unlimited: true });
});
afterAll(() => app.stop());

const WRITTEN = 90;
const SIZES = [30, 60, 90] as const;

type Step =
  | { kind: "order"; size: (typeof SIZES)[number]; packages: number }
  | { kind: "cancel" | "reorder"; which: number };
const step = fc.oneof(
  fc.record({
    kind: fc.constant("order" as const),
    size: fc.constantFrom(...SIZES),
    packages: fc.integer({ min: 1, max: 3 }),
  }),
  fc.record({ kind: fc.constantFrom("cancel" as const, "reorder" as const), which: fc.nat(20) }),
);

const ledger = async () => {
  const { rows } = await app.deps.db.raw(
    `select s.reserved_units::float8 as reserved,
      (select coalesce(sum(case e.kind when 'reserved' then e.units when 'released' then -e.units else 0 end), 0)::float8
      from stock_entry e where e.account_id = s.account_id and e.sku = s.sku) as entries
    from stock s
    where s.account_id = $1 and s.sku = 'atorvastatin-20'`,
    [app.demo.partners[0]!.account_id],
  );
  return rows[0] as { reserved: number; entries: number };
};

test("orders never exceed the prescription, canceled units return, and the stock agrees", async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 0, max: 2 }), fc.array(step, { maxLength: 12 }), async (refills, steps) => {
      const { patient_id, prescription_id } = await addPatient(app, { patient: stranger(), prescription: { refills } });
      const authorised = WRITTEN * (1 + refills);
      const live = new Map<string, number>();
      const shipped = new Map<string, number>();
      const taken = () => [...live.values(), ...shipped.values()].reduce((sum, units) => sum + units, 0);
      const before = await ledger();
      let attempt = 0;
      for (const one of steps as Step[]) {
        const body = (size: number, packages: number) => ({
          reference: `${prescription_id}-${++attempt}`,
          shipping: { method_id: 1 },
          patient: { patient_id },
          items: [{ prescription_id, quantity: packages, package_size: size }],
        });
        if (one.kind === "order") {
          const units = one.size * one.packages;
          const made = await ask(app, "/orders", body(one.size, one.packages));
          expect(made.status).toBe(taken() + units <= authorised ? 201 : 422);
          if (made.status === 201) live.set(JSON.parse(made.text).order_number, units);
        } else if (one.kind === "cancel") {
          const order_number = [...live.keys()][one.which % Math.max(1, live.size)];
          if (order_number === undefined) continue;
          const { account_id } = app.demo.partners[0]!;
          const canceled = await cancelOrder(app.deps, app.deps.db, { account_id, order_number, actor: partner });
          expect(canceled).toMatchObject({ order_status: "Canceled", exceptions: [], payment: { status: "voided" } });
          live.delete(order_number);
        } else {
          const order_number = [...live.keys()][one.which % Math.max(1, live.size)];
          if (order_number === undefined) continue;
          const units = live.get(order_number)!;
          // As the lifecycle does it: shipped, and never returned.
          await app.deps.db.raw(
            "update orders set order_status = 'Shipped', stage = null, held_from = null, open_exceptions = 0, exception_ids = '{}' where order_number = $1",
            [order_number],
          );
          await app.deps.db.raw("update order_item set pending = false where order_number = $1", [order_number]);
          shipped.set(order_number, units);
          live.delete(order_number);
          const again = await ask(app, `/orders/${order_number}/reorders`, {
            reference: `${prescription_id}-${++attempt}`,
          });
          expect(again.status).toBe(taken() + units <= authorised ? 201 : 422);
          if (again.status === 201) live.set(JSON.parse(again.text).order_number, units);
        }
        const { rows } = await app.deps.db.raw(
          "select units_ordered::float8 as units from prescription where prescription_id = $1",
          [prescription_id],
        );
        expect(rows).toEqual([{ units: taken() }]);
      }
      const after = await ledger();
      expect(after.reserved - before.reserved).toBe(taken());
      expect(after.entries - before.entries).toBe(taken());
    }),
    { numRuns: effort(40) },
  );
}, 120_000);
