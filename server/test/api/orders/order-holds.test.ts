import { type ExceptionId, exceptionRow, Order, orderActionsOf, webhookBodies } from "@pestle/contract";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { partner as by } from "../../../src/domain/orders/order.ts";
import { orderHolds } from "../../../src/domain/orders/order-holds.ts";
import { cancelOrder } from "../../../src/usecases/orders/cancel-order.ts";
import {
  footprint,
  type Given,
  newOrder,
  type OrderBody,
  orderOf,
  placed,
  post,
  prescribed,
} from "../../support/orders.ts";
import { addPatient, ask, goodAddress, goodDocument, patientCalls, person } from "../../support/patient.ts";
import { misfits } from "../../support/samples/misfits.ts";
import { storedEvents } from "../../support/stored-events.ts";
import { startTestApp, type TestApp } from "../../support/test-app.ts";

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ unlimited: true });
  // A cream that is sold by half tubes, so that an order can have a fraction.
  await app.deps.db.raw(
    "update product set package_sizes = '{22.5,45}', written_quantities = '{22.5,45}' where sku = 'tretinoin-025'",
  );
  await app.deps.db.raw("update stock set on_hand_units = 100000 where sku = 'tretinoin-025'");
});
afterAll(() => app.stop());

type Scene = Awaited<ReturnType<typeof newOrder>>;
type Case = {
  why: string;
  given?: Given;
  before?: (scene: Scene) => Promise<unknown>;
  change?: (body: OrderBody, scene: Scene) => OrderBody;
};
/** What raises an exception alone, and a similar case that does not. */
type Fixture = { holds: Case[]; passes: Case[] };

const item =
  (changes: Record<string, unknown>) =>
  (body: OrderBody): OrderBody => ({ ...body, items: [{ ...body.items[0], ...changes }] });
const patient =
  (changes: Record<string, unknown>) =>
  (body: OrderBody): OrderBody => ({ ...body, patient: { ...body.patient, ...changes } });
const address =
  (changes: Record<string, unknown>) =>
  (body: OrderBody): OrderBody => ({ ...body, address: { ...goodAddress, ...changes } });
const living = (place: Partial<NonNullable<typeof person.address>>): Given => ({
  patient: { address: { ...person.address!, ...place } },
});
const set = (text: string, ...params: unknown[]) => app.deps.db.raw(text, params);
const days = (count: number) => new Date(Date.now() + count * 86_400_000).toISOString().slice(0, 10);

const little_rock = {
  street1: "500 President Clinton Ave",
  street2: null,
  city: "Little Rock",
  state: "AR",
  zip: "72201",
};
const honolulu = { street1: "1450 Ala Moana Blvd", street2: null, city: "Honolulu", state: "HI", zip: "96814" };
const zolpidem: Given = { prescription: prescribed("zolpidem-5", 30, { refills: 2 }) };
const sildenafil: Given = { prescription: prescribed("sildenafil-50", 10) };
const finasteride: Given = { prescription: prescribed("finasteride-1", 90) };
const minoxidil: Given = { prescription: prescribed("minoxidil-2-5", 90) };
const sertraline: Given = { prescription: prescribed("sertraline-50", 90) };
const phenelzine = prescribed("phenelzine-15", 60);
const amoxicillin = (allergies: string[]): Given => ({
  prescription: prescribed("amoxicillin-500", 21, {
    allergies: allergies.map((text) => ({ text, codes: [], reaction: null, severity: null })),
  }),
});
const safety = (told: Record<string, string[]>) => ({ patient_safety: told });
/** In an automatic account, and not due for a long time, so that only the tests order it. */
const automatic = { partner: 1, prescription: { effective_date: days(90) } } satisfies Given;
const first_name = "Maximiliana-Theodora";

const fixtures: { [Id in ExceptionId]?: Fixture } = {
  65: {
    holds: [{ why: "no email on file", given: { patient: { email: null } } }],
    passes: [
      {
        why: "told with the order",
        given: { patient: { email: null } },
        change: patient({ email: "z@quill.example" }),
      },
      {
        why: "told before",
        given: { patient: { email: null } },
        before: ({ patient_id }) => patientCalls(app, patient_id).patch({ email: "z@quill.example" }),
      },
    ],
  },
  66: {
    holds: [
      { why: "none anywhere", given: { patient: { address: null } } },
      { why: "the prescription's has a gap", given: living({ zip: null }) },
    ],
    passes: [
      { why: "sent", given: { patient: { address: null } }, change: address({}) },
      {
        why: "the patient's",
        given: { patient: { address: null } },
        before: ({ patient_id }) => patientCalls(app, patient_id).addAddress(goodAddress),
      },
    ],
  },
  67: {
    holds: [
      { why: "barred in the state that was sent", given: sildenafil, change: address(little_rock) },
      { why: "barred in the prescription's state", given: { ...sildenafil, ...living(little_rock) } },
      {
        why: "no licence, in Automatic Processing",
        given: automatic,
        change: (_, { patient_id }) => address(honolulu)(otc(patient_id)),
      },
    ],
    passes: [
      { why: "another product", change: address(little_rock) },
      { why: "another state", given: sildenafil, change: address({}) },
    ],
  },
  68: {
    holds: [
      { why: "the same prescription", before: ({ body }) => placed(app, { ...body, reference: "earlier" }) },
      {
        why: "the earlier one is itself held",
        before: ({ body }) => placed(app, patient({ dob: "1900-01-01" })({ ...body, reference: "earlier" })),
      },
      { why: "the same medication by another name", before: (scene) => ordersToo(scene, prescribed("lipora-20", 90)) },
    ],
    passes: [
      { why: "another medication", before: (scene) => ordersToo(scene, prescribed("sertraline-50", 90)) },
      {
        why: "an earlier one that is canceled",
        before: async (scene) => cancel(await placed(app, { ...scene.body, reference: "earlier" })),
      },
      { why: "the same medication for another patient", before: async () => placed(app, (await newOrder(app)).body) },
      {
        why: "the same pouch",
        before: ({ patient_id }) => placed(app, { ...otc(patient_id), reference: "earlier" }),
        change: (_, { patient_id }) => otc(patient_id),
      },
      {
        why: "two items of one prescription in one order",
        change: (body) => ({ ...body, items: [body.items[0], body.items[0]] }),
      },
    ],
  },
  69: {
    holds: [
      { why: "empty", given: { prescription: { sig_text: "" } } },
      { why: "blank", given: { prescription: { sig_text: " \n " } } },
      { why: "none", given: { prescription: { sig_text: null } } },
      { why: "over 1,000 characters", given: { prescription: { sig_text: "x".repeat(1_001) } } },
      {
        why: "directions that need twice the quantity",
        given: { prescription: { sig_text: "Take 1 tablet by mouth twice daily." } },
      },
      {
        why: "directions for another strength",
        given: { prescription: { sig_text: "Take 1 tablet (40 mg total) by mouth daily." } },
      },
    ],
    passes: [
      { why: "1,000 characters", given: { prescription: { sig_text: "x".repeat(1_000) } } },
      {
        why: "directions that fit the days",
        given: { prescription: { sig_text: "Take 1 tablet by mouth twice daily.", days_supply: 45 } },
      },
      {
        why: "directions that cannot be read",
        given: { prescription: { sig_text: "Take as the clinic told you." } },
      },
    ],
  },
  70: {
    holds: [
      {
        why: "the brand, where the generic is written",
        given: { prescription: { daw: true } },
        change: item({ sku: "lipora-20" }),
      },
      {
        why: "the generic, where the brand is written",
        given: { prescription: prescribed("lipora-20", 90, { daw: true }) },
        change: item({ ndc: "70999-0101-30" }),
      },
    ],
    passes: [
      { why: "what is written", given: { prescription: { daw: true } } },
      { why: "what is written, by name", given: { prescription: { daw: true } }, change: item({ gcn: "90101" }) },
      { why: "another, where it may be", change: item({ sku: "lipora-20" }) },
    ],
  },
  71: {
    holds: [{ why: "another day", change: patient({ dob: "1957-03-09" }) }],
    passes: [{ why: "the same day", change: patient({ dob: person.dob }) }],
  },
  72: {
    holds: [
      {
        why: "above the maximum",
        given: zolpidem,
        change: (body) => patient({ identity_documents: [goodDocument] })(item({ quantity: 2 })(body)),
      },
      {
        why: "above the maximum in two items",
        given: zolpidem,
        change: (body) =>
          patient({ identity_documents: [goodDocument] })({ ...body, items: [body.items[0], body.items[0]] }),
      },
      {
        why: "half a unit",
        given: { prescription: prescribed("tretinoin-025", 45) },
        change: item({ package_size: 22.5 }),
      },
    ],
    passes: [
      { why: "the maximum", given: zolpidem, change: patient({ identity_documents: [goodDocument] }) },
      {
        why: "two halves",
        given: { prescription: prescribed("tretinoin-025", 45) },
        change: item({ package_size: 22.5, quantity: 2 }),
      },
    ],
  },
  73: {
    holds: [
      {
        why: "prescriber fields instead",
        given: automatic,
        change: (body) => ({
          ...body,
          items: [
            { ndc: "70999020130", package_size: 90, prescriber_name: "Ada Lindqvist", prescriber_fax: "4155550178" },
          ],
        }),
      },
      {
        why: "the SKU of something that needs one",
        given: automatic,
        change: (body) => ({
          ...body,
          items: [{ sku: "sertraline-50", prescriber_name: "Ada Lindqvist", prescriber_phone: "4155550177" }],
        }),
      },
    ],
    passes: [
      { why: "something that needs none", given: automatic, change: (_, { patient_id }) => otc(patient_id) },
      {
        why: "prescriber fields beside a prescription",
        change: item({ prescriber_name: "Ada Lindqvist", prescriber_phone: "4155550177" }),
      },
    ],
  },
  74: {
    holds: [
      { why: "a class, written by the prescriber", given: amoxicillin(["penicillin"]) },
      {
        why: "the drug itself, told before",
        given: amoxicillin([]),
        before: ({ patient_id }) =>
          patientCalls(app, patient_id).patch({ patient_safety: { allergies: ["Amoxicillin"] } }),
      },
      { why: "told with the order", given: amoxicillin([]), change: patient(safety({ allergies: ["penicillin"] })) },
    ],
    passes: [
      { why: "another class", given: amoxicillin(["sulfa drugs"]) },
      { why: "another drug", change: patient(safety({ allergies: ["penicillin"] })) },
    ],
  },
  75: {
    holds: [
      { why: "with another open order", given: sertraline, before: (scene) => ordersToo(scene, phenelzine) },
      {
        why: "with what the patient takes besides",
        given: sertraline,
        change: patient(safety({ medications: ["phenelzine 15 mg"] })),
      },
      {
        why: "with a condition",
        given: finasteride,
        change: patient(safety({ health_conditions: ["Pregnant, 12 weeks"] })),
      },
      { why: "for a child", given: { ...finasteride, patient: { dob: "2014-05-05" } } },
      {
        why: "above the maximum dose",
        given: { prescription: { sig_text: "Take 5 tablets by mouth daily.", days_supply: 18 } },
      },
    ],
    passes: [
      {
        why: "with a condition that allows it, and one that no table has",
        given: sertraline,
        change: patient(safety({ health_conditions: ["asthma", "no history of seizures", "zorblaxitis"] })),
      },
      { why: "with another drug", given: sertraline, change: patient(safety({ medications: ["acetaminophen"] })) },
      {
        why: "with what another patient takes",
        given: sertraline,
        before: async () => placed(app, (await newOrder(app, { prescription: phenelzine })).body),
      },
    ],
  },
  76: {
    holds: [
      { why: "none on the shelf", given: minoxidil, before: () => shelf(0) },
      { why: "one too few", given: minoxidil, before: () => shelf(89) },
    ],
    passes: [{ why: "just enough", given: minoxidil, before: () => shelf(90) }],
  },
  77: {
    holds: [
      { why: "the prescription's", given: living({ street1: "77 Thistledown Ave" }) },
      { why: "the prescription's is in no such place", given: living({ zip: "10001" }) },
      {
        why: "the patient's",
        given: { patient: { address: null } },
        before: ({ patient_id }) =>
          patientCalls(app, patient_id).addAddress({ ...goodAddress, street1: "77 Mission St", ignore_warnings: true }),
      },
    ],
    passes: [
      { why: "taken as it is", change: address({ street1: "77 Mission St", ignore_warnings: true }) },
      { why: "put right", change: address({ street1: "77 Mission St", accept_suggested: true }) },
      { why: "not the one that is used", given: living({ street1: "77 Thistledown Ave" }), change: address({}) },
    ],
  },
  78: {
    holds: [{ why: "the prescription's", given: living({ street1: "78 Thistledown Ave" }) }],
    passes: [
      { why: "taken as it is", change: address({ street1: "78 Mission St", street2: null, ignore_warnings: true }) },
    ],
  },
  79: {
    holds: [
      { why: "36 characters, the patient's", given: { patient: { first_name, last_name: "Quillfeathers-A" } } },
      { why: "36 characters, sent", change: address({ first_name, last_name: "Quillfeathers-A" }) },
    ],
    passes: [
      { why: "35 characters", change: address({ first_name, last_name: "Quillfeathers-" }) },
      { why: "35 characters of two bytes", change: address({ first_name: "Ü".repeat(20), last_name: "Ö".repeat(14) }) },
    ],
  },
};

const otc = (patient_id: string): OrderBody => ({
  shipping: { method_id: 1 },
  patient: { patient_id },
  items: [{ sku: "packaging-pouch" }],
});

const cancel = ({ order_number }: Order, partner = 0) =>
  cancelOrder(app.deps, app.deps.db, {
    account_id: app.demo.partners[partner]!.account_id,
    order_number,
    actor: by,
  });

async function shelf(units: number) {
  // No waiting order gets these units.
  await set("update order_item set pending = false where sku = 'minoxidil-2-5' and not reserved");
  return set("update stock set on_hand_units = reserved_units + $1 where sku = 'minoxidil-2-5'", units);
}

/** Another prescription of the same patient, and an order for it. */
async function ordersToo({ patient_id }: Scene, prescription: Given["prescription"]): Promise<void> {
  const { last_name, phone, email } = await patientCalls(app, patient_id).read();
  const other = await addPatient(app, { patient: { last_name, phone, email }, prescription: prescription ?? {} });
  expect(other.patient_id).toBe(patient_id);
  await placed(app, orderOf(other, prescription?.quantity?.value));
}

async function play({ given = {}, before, change = (body) => body }: Case) {
  const scene = await newOrder(app, given);
  await before?.(scene);
  return { partner: given.partner ?? 0, body: change(scene.body, scene), scene };
}

const told_in = ["RX_UPDATED", "ORDER_UPDATED", "ORDER_EXCEPTION"];
type Told = Record<string, unknown> & { event_type: "RX_UPDATED"; exception?: { id: number } };
/** By kind, exceptions by number: rows written together have no order among themselves. */
const eventsOf = async (order_number: string): Promise<Told[]> => {
  const rows = await storedEvents(app.deps, "where order_number = $1", [order_number]);
  const place = ({ event_type, exception }: Told) => told_in.indexOf(event_type) * 1000 + (exception?.id ?? 0);
  return rows.map(({ body }) => JSON.parse(body) as Told).sort((a, b) => place(a) - place(b));
};

describe("an exception that creation can raise", () => {
  test("has fixtures, for every id", () => {
    expect(Object.keys(fixtures).map(Number)).toEqual(orderHolds.map(({ id }) => id));
    expect(Object.keys(fixtures).map(Number)).toEqual([65, 66, 67, 68, 69, 70, 71, 72, 73, 74, 75, 76, 77, 78, 79]);
  });

  for (const [id, { holds, passes }] of Object.entries(fixtures)) {
    const { name } = exceptionRow(Number(id) as ExceptionId);
    for (const one of holds) {
      test(`${id} ${name}, alone: ${one.why}`, async () => {
        const { partner, body, scene } = await play(one);
        await expectHeld(partner, body, [Number(id) as ExceptionId], scene);
      });
    }
    for (const one of passes) {
      test(`${id} ${name}, not: ${one.why}`, async () => {
        const { partner, body } = await play(one);
        const order = await placed(app, body, { partner });
        expect([order.exceptions, order.exception]).toEqual([[], null]);
        expect(["Processing", "Filling"]).toContain(order.order_status);
      });
    }
  }

  test("does not prevent others: each has its own event, in the order of their ids", async () => {
    const given = { patient: { email: null, address: null }, prescription: { sig_text: "", daw: true } };
    const { body, scene } = await play({
      why: "",
      given,
      change: (it) => item({ sku: "lipora-20" })(patient({ dob: "1990-01-01" })(it)),
    });
    await expectHeld(0, body, [65, 66, 69, 70, 71], scene);
  });
});

describe("an order without a hold", () => {
  test("sends its prescriptions and its status once", async () => {
    const { body, patient_id } = await newOrder(app);
    const order = await placed(app, body);
    expect(misfits(Order, order)).toEqual([]);
    const { order_number, medication_requests } = order;
    const common = {
      event_id: expect.any(String),
      patient_id,
      order_number,
      sequence: 1,
      timestamp: expect.any(Number),
    };
    const updated = { order_status: "Processing", previous_order_status: null };
    expect(await eventsOf(order_number)).toEqual([
      { ...common, event_type: "RX_UPDATED", medication_requests },
      { ...common, event_type: "ORDER_UPDATED", ...updated },
    ]);
  });

  test("of only OTC products skips the review, and sends only its status", async () => {
    const { patient_id } = await newOrder(app);
    const { order_number, order_status, medication_requests } = await placed(app, otc(patient_id));
    expect([order_status, medication_requests]).toEqual(["Filling", []]);
    expect((await eventsOf(order_number)).map(({ event_type }) => event_type)).toEqual(["ORDER_UPDATED"]);
  });

  test("sends its prescriptions with every change, even while they are missing", async () => {
    const { patient_id } = await newOrder(app, automatic);
    const item = { sku: "sertraline-50", prescriber_name: "Ada Lindqvist", prescriber_phone: "4155550177" };
    const order = await placed(app, { ...otc(patient_id), items: [item] }, { partner: 1 });
    await cancel(order, 1);
    const told = (await eventsOf(order.order_number)).filter(({ event_type }) => event_type === "RX_UPDATED");
    expect(told.map(({ sequence }) => sequence).sort()).toEqual([1, 2]);
    for (const event of told) expect(event["medication_requests"]).toEqual([]);
  });

  test("of only OTC products returns to filling after a hold", async () => {
    const { patient_id } = await newOrder(app, { patient: { email: null } });
    const { order_number } = await placed(app, otc(patient_id));
    const { rows } = await set("select stage, held_from from orders where order_number = $1", order_number);
    expect(rows).toEqual([{ stage: null, held_from: "Filling/fill" }]);
  });
});

/** Created On Hold with these exceptions: checks the answer, the record, the history and the events. */
async function expectHeld(partner: number, body: OrderBody, ids: ExceptionId[], { patient_id }: Scene): Promise<void> {
  const untouched = await footprint(app, partner);
  const tried = await post(app, body, { partner, path: "/orders?dry_run=true" });
  expect(tried.body).toMatchObject({ would_create: true, errors: [], exceptions: ids.map((id) => ({ id })) });
  expect(await footprint(app, partner)).toEqual(untouched);

  const order = await placed(app, body, { partner });
  expect(misfits(Order, order)).toEqual([]);
  expect(order.order_status).toBe("On Hold");
  expect(order.exceptions.map(({ id }) => id)).toEqual(ids);
  expect(order.exception).toEqual(order.exceptions[0]);
  for (const exception of order.exceptions) {
    const { name, message } = exceptionRow(exception.id);
    expect(exception).toEqual({
      id: exception.id,
      name,
      message,
      raised_at: order.created_at,
      order_actions: expect.anything(),
    });
    // Which of them, order-action-limits.test.ts checks.
    expect(orderActionsOf(exception.id)).toEqual(expect.arrayContaining(exception.order_actions));
  }
  const { order_number } = order;
  expect(JSON.parse((await ask(app, `/orders/${order_number}`, undefined, { partner })).text)).toEqual(order);

  const history = JSON.parse((await ask(app, `/orders/${order_number}/history`, undefined, { partner })).text);
  const row = { at: order.created_at, to: "On Hold", request_id: expect.stringMatching(/^[0-9a-f-]{36}$/) };
  const raised = ids.map((exception_id) => ({ ...row, actor: "system", event: "raise_exception", exception_id }));
  expect(history.history).toEqual([
    ...raised.reverse().map((one) => ({ ...one, from: "On Hold" })),
    { ...row, actor: "partner", event: "create", from: null, exception_id: ids[0] },
  ]);

  const events = await eventsOf(order_number);
  const otcOnly = order.items.every(({ sku }) => sku === "packaging-pouch");
  expect(events.map(({ event_type }) => event_type)).toEqual([
    ...(otcOnly ? [] : ["RX_UPDATED"]),
    "ORDER_UPDATED",
    ...ids.map(() => "ORDER_EXCEPTION"),
  ]);
  const common = { patient_id, order_number, sequence: 1, timestamp: Math.floor(Date.parse(order.created_at) / 1000) };
  for (const event of events) {
    expect(misfits(webhookBodies[event.event_type], event)).toEqual([]);
    expect(event).toMatchObject(common);
    const text = JSON.stringify(event);
    for (const secret of [
      person.first_name,
      person.dob!,
      goodAddress.first_name,
      goodAddress.street1,
      goodDocument.number,
    ]) {
      expect(text).not.toContain(secret);
    }
  }
  expect(new Set(events.map(({ event_id }) => event_id)).size).toBe(events.length);
  const { medication_requests } = order;
  const told: Record<string, unknown>[] = [
    ...(otcOnly ? [] : [{ medication_requests }]),
    { order_status: "On Hold", previous_order_status: null },
    ...order.exceptions.map((exception) => ({ exception, order_actions: exception.order_actions })),
  ];
  for (const [index, fields] of told.entries()) expect(events[index]).toMatchObject(fields);
}
