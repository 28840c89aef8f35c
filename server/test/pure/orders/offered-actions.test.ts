import {
  actionKeys,
  type DrugSchedule,
  type ExceptionId,
  exceptionIds,
  exceptionRow,
  paymentStatuses,
  type Situation,
} from "@pestle/contract";
import fc from "fast-check";
import { expect, test } from "vitest";
import { makeFormulary } from "../../../src/domain/catalogue/formulary.ts";
import type { ActionDraft } from "../../../src/domain/orders/action-request.ts";
import { type ActionCase, whereItFails } from "../../../src/domain/orders/order-actions.ts";
import { exceptionAnswer, type StoredOrder } from "../../../src/domain/orders/order-answer.ts";
import type { ChangingOrder } from "../../../src/domain/orders/order-change.ts";

/** What the offer and the refusal of an action read of an order. */
const item = fc.record({
  needs_prescription: fc.boolean(),
  prescription_id: fc.option(fc.constant(183601), { nil: null }),
  sku: fc.constant("any"),
});
const known: Partial<Record<ExceptionId, Situation>> = { 71: "other_name", 77: "no_suggestion", 78: "no_suggestion" };
const held = fc.record({
  drug_schedule: fc.constantFrom<DrugSchedule>("0", "2", "3", "4", "5"),
  payment_status: fc.constantFrom(...paymentStatuses),
  items: fc.array(item, { minLength: 1, maxLength: 3 }),
  exceptions: fc.subarray(exceptionIds, { minLength: 1 }).chain((ids) =>
    fc.tuple(
      ...ids.map((id) =>
        fc.boolean().map((limited) => ({
          id,
          raised_at: new Date(0),
          situations: limited && known[id] !== undefined ? [known[id]] : [],
        })),
      ),
    ),
  ),
});

test("an exception lists an action exactly if the order takes it, for any order and any action", () => {
  const formulary = makeFormulary({ products: [], methods: [], brands: [], licences: [] });
  const rules = { formulary } as unknown as ActionCase["rules"];
  fc.assert(
    fc.property(held, (generated) => {
      const order = { ...generated, order_status: "On Hold" } as unknown as StoredOrder;
      const open = order.exceptions.map(({ id }) => id);
      const changing = { order, prescriptions: [], standing: { open } } as unknown as ChangingOrder;
      for (const exception of order.exceptions) {
        const listed = exceptionAnswer(order, exception).order_actions.map(({ event_key }) => event_key);
        const taken = actionKeys.filter((event) => {
          const action = { event, exception_id: exception.id } as ActionDraft;
          return whereItFails(action, changing, rules).length === 0;
        });
        expect([exception.id, [...listed].sort()]).toEqual([exception.id, taken.sort()]);
        expect(exceptionRow(exception.id).actions).toEqual(expect.arrayContaining(listed));
      }
    }),
    { numRuns: 500 },
  );
});
