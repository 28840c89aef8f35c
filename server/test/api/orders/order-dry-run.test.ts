import type { ErrorEntry, MedicationRequest, Order } from "@pestle/contract";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { footprint, type Given, newOrder, type OrderBody, placed, post, prescribed } from "../../support/orders.ts";
import { ask, goodAddress, goodDocument, person } from "../../support/patient.ts";
import { startTestApp, type TestApp } from "../../support/test-app.ts";
import { effort } from "../../support/tools/effort.ts";

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
          conflict: null,
          order: tried.body.order,
          quote: tried.body.quote,
        });
        const { quote } = tried.body;
        expect(quote).toMatchObject({ total_cents: done.body.payment.amount_cents, currency: "USD" });
        expect(quote.items.map(({ item_id }: { item_id: number }) => item_id)).toEqual(
          done.body.items.map(({ item_id }: { item_id: number }) => item_id),
        );
        expect(quote.ships_by === null).toBe(
          done.body.order_status === "On Hold" || quote.items.some(({ in_stock }: { in_stock: boolean }) => !in_stock),
        );
        expect(JSON.stringify(tried.body.order).match(/"order_number":(?!null)/)).toBeNull();
      } else if (done.status === 422) {
        expect(tried.status).toBe(200);
        expect(tried.body).toEqual({
          would_create: false,
          errors: done.body.errors,
          exceptions: [],
          conflict: null,
          order: null,
          quote: null,
        });
      } else {
        const { order_number } = done.body.error;
        expect([tried.status, done.status]).toEqual([200, 409]);
        const nothing = { would_create: false, errors: [], exceptions: [], order: null, quote: null };
        expect(tried.body).toEqual({ ...nothing, conflict: { order_number } });
      }
    }),
    { seed: 20_261_115, numRuns: effort(150) },
  );
  expect([...seen].sort()).toEqual(["201 On Hold", "201 Processing", "409", "422"]);
});

test("a prescription says whether it is fillable, with the codes that an order would get", async () => {
  const of_prescription = [42249, 42250, 42253, 42257, 42259, 42260];
  const doubtful = { ...prescribed("zolpidem-5", 30), signature_evidence: false };
  const cases: [Given["prescription"], string, number[]][] = [
    [{}, "not_needed", []],
    [{ written_date: "2020-01-01" }, "not_needed", [42257]],
    [{ effective_date: "2099-01-01" }, "not_needed", [42249]],
    [{ quantity: { value: 91, unit: "tablet" } }, "not_needed", [42259]],
    [{ drug: { description: "Unheardofine 5 mg", codes: [], strength: null, schedule: "0" } }, "not_needed", [42260]],
    [prescribed("tretinoin-025", 45), "not_needed", [42253]],
    [prescribed("minoxidil-2-5", 90), "not_needed", []],
    [doubtful, "pending", [42249]],
  ];
  for (const [prescription = {}, acceptance, codes] of cases) {
    const { patient_id, prescription_id } = await newOrder(app, { prescription });
    const read = async () =>
      JSON.parse((await ask(app, `/patients/${patient_id}/rx`)).text).medication_request[0] as MedicationRequest;
    const rx = await read();
    expect([rx.acceptance, rx.fillable, rx.not_fillable.map(({ code }) => code)]).toEqual([
      acceptance,
      codes.length === 0,
      codes,
    ]);
    const body = { shipping: { method_id: 1 }, patient: { patient_id }, items: [{ prescription_id }] };
    const tried = await post(app, body, { path: DRY });
    const refused = (tried.body.errors as ErrorEntry[]).filter(({ code }) => of_prescription.includes(code));
    expect(rx.not_fillable).toEqual(refused.map(({ code, message }) => ({ code, message })));
  }
});

test("a prescription without refills stops being fillable with its order, and an expired one with time", async () => {
  const { body } = await newOrder(app, { prescription: { refills: 0 } });
  const { order_number, medication_requests } = await placed(app, body);
  const of = (order: Order) => order.medication_requests[0]!.not_fillable.map(({ code }) => code);
  const read = async (number: string) => JSON.parse((await ask(app, `/orders/${number}`)).text) as Order;
  expect([medication_requests[0]!.fillable, of(await read(order_number))]).toEqual([false, [42250]]);
  const refilled = await placed(app, (await newOrder(app)).body);
  expect(of(await read(refilled.order_number))).toEqual([]);
  const clock = { simulation_type: "clock", simulation: { advance_seconds: 400 * 24 * 3600 } };
  expect((await post(app, clock, { path: "/simulate" })).status).toBe(202);
  expect(of(await read(refilled.order_number))).toEqual([42257]);
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
