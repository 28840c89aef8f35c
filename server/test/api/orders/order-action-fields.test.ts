import { type ActionKey, actionKeys, actions, type ExceptionId, exceptionIds, exceptionRow } from "@pestle/contract";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { act, expectRefused, goodFields, type Refusal } from "../../support/actions.ts";
import { codesOf } from "../../support/conventions.ts";
import { type Held, held, scene } from "../../support/held-orders.ts";
import { newOrder, placed, prescribed } from "../../support/orders.ts";
import { goodAddress, person } from "../../support/patient.ts";
import { startTestApp, type TestApp } from "../../support/test-app.ts";
import { workplace } from "../../support/workplace.ts";

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ unlimited: true });
});
afterAll(() => app.stop());

/** Invalid fields of an action, on an order that offers it. */
type Case = { of: ExceptionId | "Shipped"; event: ActionKey; why: string; send: Sent; codes: Refusal[] };
type Sent = object | ((of: Held) => object | Promise<object>);
const wrong = (
  of: Case["of"],
  event: ActionKey,
  field: string,
  code: number,
  values: Record<string, unknown>,
): Case[] =>
  Object.entries(values).map(([why, value]) => ({
    of,
    event,
    why: `${field} is ${why}`,
    send: value === undefined ? {} : { [field]: value },
    codes: [[code, field]],
  }));

const kinds = { missing: undefined, null: null, "a list": [], "an object": {}, "true or false": true };
const numbers = { ...kinds, zero: 0, negative: -1, "a fraction": 1.5, text: "1", "too large": 2 ** 40 };
const texts = { ...kinds, "a number": 12, empty: "", blank: "  " };
const at = (address: object) => ({ address: { ...goodAddress, ...address } });
const other = (prescription: Parameters<Held["another"]>[0]) => async (of: Held) => ({
  prescription_id: await of.another({ sig_text: "Daily.", ...prescription }),
});

const cases: Case[] = [
  ...wrong(65, "update_email", "email", 42201, { ...texts, "no address": "zephyrine", "without a dot": "z@host" }),
  ...wrong(66, "update_address", "address", 42230, { ...kinds, text: "here" }).filter(({ why }) => !/object/.test(why)),
  ...wrong(69, "replace_prescription", "prescription_id", 42249, { ...numbers, unknown: 999_999_999 }),
  ...wrong(71, "verify", "dob", 42200, { ...texts, "the order's": "1957-03-09", "no date": "1957-02-30" }),
  ...wrong(76, "remove_item", "item_id", 42200, { ...numbers, "no item": 9, "not the one that waits": 2 }),
  ...wrong(80, "retry_payment", "token", 42200, { ...texts, "too long": "t".repeat(256), "a line break": "tok\n" }),
  ...wrong("Shipped", "refund", "reason_id", 42430, { ...numbers, unknown: 100, "of no refund": 107 }),
  {
    of: "Shipped",
    event: "partial_refund",
    why: "everything is missing",
    send: {},
    codes: [
      [42200, "amount_cents"],
      [42430, "reason_id"],
    ],
  },
  ...wrong("Shipped", "partial_refund", "amount_cents", 42200, numbers).map((one) => ({
    ...one,
    send: { ...one.send, reason_id: 101 },
  })),
  {
    of: "Shipped",
    event: "partial_refund",
    why: "the amount is more than was captured",
    send: ({ order }: Held) => ({ reason_id: 101, amount_cents: order.payment.amount_cents + 1 }),
    codes: [[42463, "event"]],
  },
  {
    of: 66,
    event: "update_address",
    why: "the address is empty",
    send: { address: {} },
    codes: [42221, 42222, 42223, 42225, 42226, 42227].map((code, index): Refusal => {
      return [code, `address.${["first_name", "last_name", "street1", "city", "state", "zip"][index]}`];
    }),
  },
  {
    of: 66,
    event: "update_address",
    why: "the address is in doubt",
    send: at({ street1: "77 Mission St" }),
    codes: [[42230, "address", "address"]],
  },
  {
    of: 77,
    event: "update_address",
    why: "there is no licence",
    send: at({ street1: "1450 Ala Moana Blvd", street2: null, city: "Honolulu", state: "HI", zip: "96814" }),
    codes: [[42231, "address.state"]],
  },
  {
    of: 66,
    event: "update_address",
    why: "a field of the address is misspelt",
    send: at({ steet2: "Apt 5" }),
    codes: [[42200, "address.steet2"]],
  },
  {
    of: 69,
    event: "replace_prescription",
    why: "the prescription is the order's own",
    send: ({ prescription_id }: Held) => ({ prescription_id }),
    codes: [[42249, "prescription_id"]],
  },
  {
    of: 69,
    event: "replace_prescription",
    why: "the prescription is another patient's",
    send: async () => ({ prescription_id: (await newOrder(app)).prescription_id }),
    codes: [[42249, "prescription_id"]],
  },
  {
    of: 69,
    event: "replace_prescription",
    why: "the prescription is another account's",
    send: async () => ({ prescription_id: (await newOrder(app, { partner: 2 })).prescription_id }),
    codes: [[42249, "prescription_id"]],
  },
  {
    of: 69,
    event: "replace_prescription",
    why: "the prescription is not effective yet",
    send: other({ effective_date: "2099-01-01" }),
    codes: [[42249, "prescription_id"]],
  },
  {
    of: 69,
    event: "replace_prescription",
    why: "the prescription expired",
    send: other({ written_date: "2020-01-01" }),
    codes: [[42257, "prescription_id"]],
  },
  {
    of: 69,
    event: "replace_prescription",
    why: "the prescription is for another medication",
    send: other(prescribed("sertraline-50", 90)),
    codes: [[42258, "prescription_id"]],
  },
  {
    of: 69,
    event: "replace_prescription",
    why: "the prescription has too few units left",
    send: other({ refills: 0, quantity: { value: 60, unit: "tablet" } }),
    codes: [[42255, "prescription_id"]],
  },
  {
    of: 69,
    event: "replace_prescription",
    why: "the prescription is used up",
    send: async (of: Held) => {
      const prescription_id = await of.another({ refills: 0, sig_text: "Daily." });
      await placed(app, { ...of.body, items: [{ ...of.body.items[0], prescription_id }] });
      return { prescription_id };
    },
    codes: [[42250, "prescription_id"]],
  },
  {
    of: 70,
    event: "verify",
    why: "it has the field of another exception",
    send: { dob: person.dob },
    codes: [[42200, "dob"]],
  },
  ...[99, 63.5, "70", []].map(
    (exception_id): Case => ({
      of: 70,
      event: "verify",
      why: `the exception is ${JSON.stringify(exception_id)}`,
      send: { exception_id },
      codes: [[42200, "exception_id"]],
    }),
  ),
];

describe("the fields of an action", () => {
  test("each have their own test cases, for each of their codes", () => {
    for (const event of actionKeys) {
      for (const { name, codes } of actions[event].fields) {
        const own = cases.filter((one) => one.event === event);
        const told = new Set(own.flatMap((one) => one.codes.map(([code]) => code)));
        // Other tests cover those, with the order as a whole.
        const elsewhere = [42228, 42229, 42293];
        const untold = codes.filter((code) => !told.has(code) && !elsewhere.includes(code));
        expect(untold, `${event} ${name}`).toEqual([]);
      }
    }
  });

  const orders = new Map<Case["of"], Promise<Held>>();
  /** A rejection changes nothing, so one order serves all cases. */
  const orderOf = (of: Case["of"]) => {
    const made = orders.get(of) ?? (of === "Shipped" ? shipped() : held[of](app));
    orders.set(of, made);
    return made;
  };
  const shipped = async (): Promise<Held> => {
    const set = await scene(app);
    return { ...set, order: await workplace(app).reach(await placed(app, set.body), "Shipped") };
  };
  for (const { of, event, why, send, codes } of cases) {
    test(`${event}: ${why}`, async () => {
      const one = await orderOf(of);
      const fields = typeof send === "function" ? await send(one) : send;
      await expectRefused(app, one.order, { event, ...fields }, codes, one.partner);
    });
  }

  for (const event of actionKeys) {
    test(`${event} accepts its own fields and no others`, async () => {
      const id = exceptionIds.find((one) => exceptionRow(one).actions.includes(event));
      const { order, partner } = await orderOf(id ?? "Shipped");
      const own: readonly string[] = actions[event].fields.map(({ name }) => name);
      const others = Object.assign({}, ...Object.values(goodFields), { dob: person.dob }) as Record<string, unknown>;
      const foreign = Object.fromEntries(Object.entries(others).filter(([name]) => !own.includes(name)));
      const body = { event, ...goodFields[event], ...foreign, adress: {} };
      const { status, text } = await act(app, order.order_number, body, { partner });
      const [[code, ...fields] = [0]] = codesOf(text);
      expect([status, code, fields.sort()]).toEqual([422, 42200, [...Object.keys(foreign), "adress"].sort()]);
    });
  }

  for (const event of [undefined, null, "", "Cancel", "approve_review", "toString", "__proto__", 7, ["cancel"], {}]) {
    test(`an event must be in the table: ${JSON.stringify(event)} is 42461`, async () => {
      const { order } = await orderOf(70);
      await expectRefused(app, order, { event, exception_id: 70 }, [[42461, "event"]]);
    });
  }
});
