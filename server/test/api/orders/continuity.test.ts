import { ContinuityEntry, type Order } from "@pestle/contract";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { codesOf } from "../../support/conventions.ts";
import { newOrder, type OrderBody, placed, prescribed } from "../../support/orders.ts";
import { type AskOptions, addPatient, ask, stranger } from "../../support/patient.ts";
import { misfits } from "../../support/samples/misfits.ts";
import { simulate } from "../../support/simulate.ts";
import { startTestApp, type TestApp } from "../../support/test-app.ts";
import { webPerson } from "../../support/web.ts";

const DAY_S = 24 * 3600;

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ unlimited: true });
});
afterAll(() => app.stop());

type Page = { continuity: ContinuityEntry[]; next_cursor: string | null };
async function forecast(query = "", options: AskOptions = {}): Promise<Page> {
  const { status, text } = await ask(app, `/continuity${query}`, undefined, options);
  if (status !== 200) throw new Error(`${status}: ${text}`);
  const page = JSON.parse(text) as Page;
  for (const entry of page.continuity) expect(misfits(ContinuityEntry, entry)).toEqual([]);
  return page;
}
const entriesOf = async (patient_id: string, query = "?limit=200") =>
  (await forecast(query)).continuity.filter((entry) => entry.patient_id === patient_id);

async function ship({ order_number }: Pick<Order, "order_number">): Promise<void> {
  const { status, text } = await simulate(app, "order", { order_number, to: "Shipped" });
  expect([status, text]).toEqual([202, expect.stringContaining("Shipped")]);
}
const pass = (days: number) => simulate(app, "clock", { advance_seconds: days * DAY_S });

let made = 0;
/** Another order of the same prescription, which is no duplicate. */
const again = (body: OrderBody) => placed(app, { ...body, reference: `inv-${++made}` });

/** A patient who was sent 30 days of a medication. */
async function supplied(more: Parameters<typeof prescribed>[2] = {}) {
  const patient = stranger();
  const prescription = prescribed("atorvastatin-20", 30, { refills: 3, ...more });
  const scene = await newOrder(app, { patient, prescription });
  const order = await placed(app, scene.body);
  await ship(order);
  return { ...scene, patient, order };
}

describe("the forecast", () => {
  test("names the schedule of the prescription, and looks at the day of its next fill", async () => {
    const { patient_id, prescription_id } = await supplied();
    const consent = { given_at: "2026-01-01T08:00:00Z", method: "electronic" };
    const { status, text } = await ask(app, "/refill_schedules", {
      patient_id,
      prescription_id,
      shipping: { method_id: 1 },
      every_days: 20,
      consent,
    });
    expect([status, text]).toEqual([201, expect.any(String)]);
    const { schedule_id, next_fill_on } = JSON.parse(text);
    const [entry] = await entriesOf(patient_id);
    expect(entry?.schedule).toEqual({ schedule_id, status: "active", fill_on: next_fill_on });
    expect(entry?.next_fill).toEqual({ on: next_fill_on, fillable: true, not_fillable: [] });
    expect(next_fill_on < entry!.runs_out_on).toBe(true);
  });

  test("lists a patient who runs out within the days, with the next fill", async () => {
    const { patient_id, prescription_id } = await supplied();
    expect(await entriesOf(patient_id, "?within_days=29&limit=200")).toEqual([]);
    expect(await entriesOf(patient_id)).toEqual([
      expect.objectContaining({
        prescription_id,
        sku: "atorvastatin-20",
        refills_left: 3,
        days_left: 30,
        next_fill: { on: expect.any(String), fillable: true, not_fillable: [] },
        schedule: null,
        open_order: null,
      }),
    ]);
    expect((await forecast("?limit=200", { partner: 1 })).continuity).toEqual([]);
  });

  test("follows an order until it ships, and then the new supply after what was left", async () => {
    const { patient_id, body } = await supplied();
    await pass(25);
    expect((await entriesOf(patient_id))[0]!.days_left).toBe(5);
    const next = await again(body);
    expect(await entriesOf(patient_id)).toMatchObject([
      { open_order: { order_number: next.order_number, order_status: "Processing" }, next_fill: { fillable: true } },
    ]);
    await simulate(app, "order", { order_number: next.order_number, exception_id: 77 });
    expect(await entriesOf(patient_id)).toMatchObject([
      { open_order: { order_status: "On Hold" }, next_fill: { fillable: false, not_fillable: [{ code: 77 }] } },
    ]);
    const third = await supplied();
    await pass(25);
    await ship(await again(third.body));
    // Five days of the first fill are left.
    expect(await entriesOf(third.patient_id, "?within_days=60&limit=200")).toMatchObject([{ days_left: 35 }]);
  });

  test("says why the next fill would fail", async () => {
    const used_up = await supplied({ refills: 0 });
    expect((await entriesOf(used_up.patient_id))[0]!.next_fill).toMatchObject({
      fillable: false,
      not_fillable: [{ code: 42250, message: "Invalid Item Prescription Refills" }],
    });
    // A renewal for the same medication takes over.
    const prescription = prescribed("atorvastatin-20", 30, { refills: 1 });
    const renewal = await addPatient(app, { patient: used_up.patient, prescription });
    expect(renewal.patient_id).toBe(used_up.patient_id);
    expect(await entriesOf(used_up.patient_id)).toMatchObject([
      { prescription_id: renewal.prescription_id, next_fill: { fillable: true, not_fillable: [] } },
    ]);
  });

  test("keeps those who have run out for 30 days, and drops ended prescriptions and lost parcels", async () => {
    const { patient_id, order } = await supplied();
    const lost = await supplied();
    const ended = await supplied();
    const unknown = await supplied({ days_supply: null });
    await app.deps.db.raw("update shipment set status = 'lost' where order_number = $1", [lost.order.order_number]);
    await app.deps.db.raw("update prescription set active = false where prescription_id = $1", [ended.prescription_id]);
    const listed = (await forecast("?within_days=180&limit=200")).continuity.map((entry) => entry.patient_id);
    expect(listed).toContain(patient_id);
    for (const other of [lost, ended, unknown]) expect(listed).not.toContain(other.patient_id);
    await pass(59);
    expect(await entriesOf(patient_id)).toMatchObject([{ days_left: -29 }]);
    await pass(2);
    expect(await entriesOf(patient_id)).toEqual([]);
    expect(order.order_status).toBe("Processing");
  });

  test("comes in pages, the earliest first", async () => {
    for (let days = 0; days < 3; days++) await supplied();
    const whole = (await forecast("?limit=200")).continuity;
    expect(whole.length).toBeGreaterThanOrEqual(3);
    expect(whole.map(({ runs_out_on }) => runs_out_on)).toEqual(whole.map(({ runs_out_on }) => runs_out_on).toSorted());
    const walked: ContinuityEntry[] = [];
    let cursor: string | null = null;
    do {
      const page: Page = await forecast(`?limit=2${cursor === null ? "" : `&cursor=${cursor}`}`);
      walked.push(...page.continuity);
      cursor = page.next_cursor;
    } while (cursor !== null);
    expect(walked).toEqual(whole);
    const { next_cursor } = await forecast("?limit=1");
    const { status, text } = await ask(app, `/continuity?cursor=${next_cursor}`, undefined, { partner: 1 });
    expect([status, codesOf(text)]).toEqual([400, [[40003, "cursor"]]]);
  });

  test.each([
    ["an empty number", "within_days=", "within_days"],
    ["no number", "within_days=soon", "within_days"],
    ["a fraction", "within_days=1.5", "within_days"],
    ["zero", "within_days=0", "within_days"],
    ["a negative number", "within_days=-3", "within_days"],
    ["too many days", "within_days=181", "within_days"],
    ["a huge number", `within_days=${"9".repeat(400)}`, "within_days"],
    ["control characters", "within_days=3%00", "within_days"],
    ["an unknown parameter", "days=30", "days"],
    ["a limit out of range", "limit=201", "limit"],
    ["a cursor that the service did not give", "cursor=abc", "cursor"],
  ])("refuses %s with 40003", async (_, query, field) => {
    const { status, text } = await ask(app, `/continuity?${query}`);
    expect([status, codesOf(text)]).toEqual([400, [[40003, field]]]);
  });

  test("takes 1 and 180 days", async () => {
    for (const days of [1, 180]) await forecast(`?within_days=${days}`);
  });

  test("is the same in the portal, and both write who was shown", async () => {
    const { account_id } = app.demo.partners[0]!;
    const { rows } = await app.deps.db.raw("select partner_id from account where account_id = $1", [account_id]);
    const viewer = await webPerson(app, "partner_viewer", String(rows[0]!["partner_id"]));
    const path = "/continuity?within_days=180&limit=200";
    const seen = await viewer.get(`/portal/sandbox${path}`);
    const read = await ask(app, path);
    expect([seen.status, seen.body]).toEqual([200, JSON.parse(read.text)]);
    expect((await viewer.get("/portal/sandbox/continuity?within_days=181")).status).toBe(400);
    const patients = new Set((seen.body as Page).continuity.map(({ patient_id }) => patient_id)).size;
    const entries = async () =>
      (
        await app.deps.db.raw(
          `select action, person_id is not null as is_person, field_groups, cardinality(patient_keys) as patients
          from audit_entry
          where request_id = any($1)
          order by person_id`,
          [[seen, read].map(({ headers }) => headers.get("x-request-id"))],
        )
      ).rows;
    const entry = { action: "continuity_read", field_groups: ["treatment", "order"], patients };
    await expect.poll(entries, { timeout: 60_000 }).toEqual([
      { ...entry, is_person: true },
      { ...entry, is_person: false },
    ]);
  });
});
