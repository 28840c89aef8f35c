import type { Order } from "@pestle/contract";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { footprint, type Given, newOrder, type OrderBody, placed, post, prescribed } from "../../support/orders.ts";
import { goodAddress, goodDocument, person } from "../../support/patient.ts";
import { startTestApp, type TestApp } from "../../support/test-app.ts";

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ unlimited: true });
});
afterAll(() => app.stop());

const DRY = "/orders?dry_run=true";

type Change = {
  given?: Given;
  before?: (body: OrderBody) => Promise<unknown>;
  change?: (body: OrderBody) => OrderBody;
};
const order =
  (changes: Record<string, unknown>): Required<Change>["change"] =>
  (body) => ({ ...body, ...changes });
const item =
  (changes: Record<string, unknown>): Required<Change>["change"] =>
  (body) => ({ ...body, items: [{ ...body.items[0], ...changes }, ...body.items.slice(1)] });
const patient =
  (changes: Record<string, unknown>): Required<Change>["change"] =>
  (body) => ({ ...body, patient: { ...body.patient, ...changes } });

/** Each rejects an order, holds it, changes it, or does nothing; combinations have combined effects. */
const changes: Change[] = [
  { given: { patient: { email: null } } },
  { given: { patient: { address: null } } },
  { given: { patient: { address: { ...person.address!, street1: "77 Thistledown Ave" } } } },
  { given: { patient: { address: { ...person.address!, street1: "78 Thistledown Ave" } } } },
  { given: { patient: { address: { ...person.address!, state: "HI", zip: "96814", city: "Honolulu" } } } },
  { given: { prescription: { sig_text: "" } } },
  { given: { prescription: { daw: true } } },
  { given: { prescription: { refills: 0 } } },
  { given: { prescription: { written_date: "2020-01-01" } } },
  { given: { prescription: { effective_date: "2099-01-01" } } },
  { given: { prescription: prescribed("zolpidem-5", 30, { refills: 1 }) }, change: item({ package_size: 30 }) },
  { given: { prescription: prescribed("minoxidil-2-5", 90) } },
  { given: { prescription: prescribed("tretinoin-025", 45) }, change: item({ package_size: 45 }) },
  { given: { prescription: prescribed("semaglutide-pen", 3) }, change: item({ package_size: 3 }) },
  { before: (body) => placed(app, { ...body, reference: "earlier" }) },
  { before: (body) => post(app, body) },
  { change: patient({ email: "z@quill.example" }) },
  { change: patient({ email: "z@" }) },
  { change: patient({ dob: "1957-03-09" }) },
  { change: patient({ identity_documents: [goodDocument] }) },
  { change: patient({ patient_safety: { allergies: ["penicillin"] } }) },
  { change: patient({ patient_id: "nobody-here" }) },
  { change: order({ address: goodAddress }) },
  { change: order({ address: { ...goodAddress, street1: "77 Mission St" } }) },
  { change: order({ address: { ...goodAddress, street1: "77 Mission St", accept_suggested: true } }) },
  { change: order({ address: { ...goodAddress, street1: "78 Mission St", ignore_warnings: true } }) },
  { change: order({ address: { ...goodAddress, first_name: "Maximiliana-Theodora", last_name: "Quillfeathers-A" } }) },
  { change: order({ shipping: { method_id: 4 } }) },
  { change: order({ shipping: { method_id: 2, signature_confirmation: true } }) },
  { change: order({ brand_id: 2, reference: "inv-7" }) },
  { change: order({ brand_id: 9 }) },
  { change: order({ adress: {} }) },
  { change: item({ quantity: 2 }) },
  { change: item({ quantity: 7 }) },
  { change: item({ package_size: undefined }) },
  { change: item({ sku: "lipora-20" }) },
  { change: item({ ndc: "70999-0201-30" }) },
  { change: item({ prescription_id: undefined }) },
  { change: (body) => ({ ...body, items: [...body.items, { sku: "packaging-pouch" }] }) },
  { change: (body) => ({ ...body, items: [...body.items, { sku: "pill-organizer", quantity: 9 }] }) },
];

test("a dry run predicts exactly what the order will do, and writes nothing", async () => {
  const seen = new Set<string>();
  await fc.assert(
    fc.asyncProperty(fc.subarray(changes, { maxLength: 4 }), async (chosen) => {
      const given: Given = {
        patient: Object.assign({}, ...chosen.map((one) => one.given?.patient)),
        prescription: Object.assign({}, ...chosen.map((one) => one.given?.prescription)),
      };
      const scene = await newOrder(app, given);
      let { body } = scene;
      for (const { change } of chosen) body = change?.(body) ?? body;
      // A preceding step may itself be rejected: there is no order for an unknown patient.
      for (const { before } of chosen) await before?.(body).catch(() => {});

      const untouched = await footprint(app);
      const tried = await post(app, body, { path: DRY });
      expect(await footprint(app)).toEqual(untouched);
      const done = await post(app, body);
      seen.add(`${done.status} ${done.body.order_status ?? ""}`.trim());
      if (done.status === 201) {
        expect(tried.status).toBe(200);
        expect(timeless(tried.body.order)).toEqual(timeless(done.body));
        expect(tried.body).toEqual({
          would_create: true,
          errors: [],
          exceptions: tried.body.order.exceptions,
          order: tried.body.order,
        });
      } else if (done.status === 422) {
        expect(tried.status).toBe(200);
        expect(tried.body).toEqual({ would_create: false, errors: done.body.errors, exceptions: [], order: null });
      } else {
        expect([tried.status, tried.text]).toEqual([done.status, done.text]);
      }
    }),
    { seed: 20_261_115, numRuns: 150 },
  );
  expect([...seen].sort()).toEqual(["201 On Hold", "201 Processing", "409", "422"]);
});

test("a dry run does not use up its Idempotency-Key", async () => {
  const { body } = await newOrder(app);
  const headers = { "idempotency-key": "tried-then-placed" };
  const untouched = await footprint(app);
  for (let time = 0; time < 2; time++)
    expect((await post(app, body, { path: DRY, headers })).body.would_create).toBe(true);
  expect(await footprint(app)).toEqual(untouched);
  const made = await post(app, body, { headers });
  expect([made.status, (await post(app, body, { headers })).text]).toEqual([201, made.text]);
});

/** Without random numbers and times. */
function timeless(answer: Order): unknown {
  const drawn = ["order_number", "dispense_id", "created_at", "updated_at", "raised_at"];
  return JSON.parse(JSON.stringify(answer, (name, value) => (drawn.includes(name) ? undefined : value)));
}
