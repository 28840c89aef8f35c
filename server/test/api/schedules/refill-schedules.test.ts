import {
  type Order,
  RefillSchedule,
  type RenewalRequest,
  type ScheduleAction,
  scheduleActionNames,
  webhookBodies,
} from "@pestle/contract";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { stepAccountClock } from "../../../src/db/accounts/accounts.ts";
import { dateIn } from "../../../src/domain/values/calendar.ts";
import { fillDue } from "../../../src/usecases/intake/order-due-prescriptions.ts";
import { moveStoppedClocks } from "../../../src/usecases/sandbox/simulate-clock.ts";
import { fillSchedules } from "../../../src/usecases/schedules/fill-schedules.ts";
import { codesOf as codesAndFields } from "../../support/conventions.ts";
import { orderOf, placed, post } from "../../support/orders.ts";
import { type AskOptions, ask, goodAddress } from "../../support/patient.ts";
import { misfits } from "../../support/samples/misfits.ts";
import { arrived, simulate } from "../../support/simulate.ts";
import { eventsOfPatient } from "../../support/stored-events.ts";
import { startTestApp, type TestApp } from "../../support/test-app.ts";
import { until } from "../../support/tools/until.ts";
import { type WebPerson, webPerson } from "../../support/web.ts";

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ unlimited: true });
});
afterAll(() => app.stop());

const DAY_S = 86_400;
const codesOf = (text: string) => codesAndFields(text).map(([code]) => code);
const consent = { given_at: "2026-01-05T09:00:00Z", method: "electronic" };
const UNKNOWN = "019a8b6e-4c55-7d3c-9a1e-2f0b6c1d7e42";
type Rx = { patient_id: string; prescription_id: number };

/** A prescription for a month, which a partner has not ordered yet. */
const monthly = (more: Record<string, unknown> = {}, options: AskOptions = {}) =>
  arrived(app, { drug_name: "atorvastatin", written_qty: 30, days_supply: 30, refills_left: 11, ...more }, options);
const bodyOf = ({ patient_id, prescription_id }: Rx, more: object = {}) => ({
  patient_id,
  prescription_id,
  shipping: { method_id: 1 },
  consent,
  ...more,
});
async function created(rx: Rx, more: object = {}, options: AskOptions = {}): Promise<RefillSchedule> {
  const { status, text } = await ask(app, "/refill_schedules", bodyOf(rx, more), options);
  if (status !== 201) throw new Error(`${status}: ${text}`);
  const schedule = JSON.parse(text) as RefillSchedule;
  expect(misfits(RefillSchedule, schedule)).toEqual([]);
  return schedule;
}
const refused = async (body: unknown) => {
  const { status, text } = await ask(app, "/refill_schedules", body);
  return [status, status === 422 ? codesOf(text) : text];
};
const read = async ({ schedule_id }: Pick<RefillSchedule, "schedule_id">, options: AskOptions = {}) =>
  JSON.parse((await ask(app, `/refill_schedules/${schedule_id}`, undefined, options)).text) as RefillSchedule;
async function act({ schedule_id }: Pick<RefillSchedule, "schedule_id">, action: ScheduleAction, options?: AskOptions) {
  const { status, text, headers } = await ask(app, `/refill_schedules/${schedule_id}/${action}`, {}, options);
  return { status, text, headers, schedule: JSON.parse(text) as RefillSchedule };
}
/** Oldest first. */
const ordersOf = async ({ patient_id }: Pick<Rx, "patient_id">, partner = 0): Promise<Order[]> =>
  JSON.parse(
    (await ask(app, `/orders?patient_id=${patient_id}&limit=200`, undefined, { partner })).text,
  ).orders.reverse();
const advance = async (days: number, partner = 0): Promise<string> => {
  const moved = await simulate(app, "clock", { advance_seconds: days * DAY_S }, { partner });
  expect(moved.status).toBe(202);
  // A busy machine may need longer than the call waits.
  await until(async () => {
    const { account_id } = app.demo.partners[partner]!;
    const { rows } = await app.deps.db.raw(
      "select clock_goal_s <= clock_offset_s as arrived from account where account_id = $1",
      [account_id],
    );
    return rows[0]!["arrived"] === true;
  }, "the clock has arrived");
  return dateIn(app.config.TIME_ZONE, new Date((moved.body as { now: string }).now));
};
const today = async (partner = 0): Promise<string> => {
  const { rows } = await app.deps.db.raw("select clock_offset_s from account where account_id = $1", [
    app.demo.partners[partner]!.account_id,
  ]);
  return dateIn(app.config.TIME_ZONE, new Date(app.deps.now().getTime() + Number(rows[0]!["clock_offset_s"]) * 1000));
};
const plus = (date: string, days: number) =>
  new Date(Date.parse(`${date}T00:00:00Z`) + days * DAY_S * 1000).toISOString().slice(0, 10);
const dayOf = ({ created_at }: Pick<Order, "created_at">) => dateIn(app.config.TIME_ZONE, new Date(created_at));
const notices = async ({ patient_id, schedule_id }: Pick<RefillSchedule, "patient_id" | "schedule_id">) =>
  (await eventsOfPatient(app.deps, patient_id, "order by created_at"))
    .filter(({ event_type }) => event_type === "REFILL_UPCOMING")
    .map(({ body }) => JSON.parse(body))
    .filter((body) => body.schedule_id === schedule_id);

describe("a refill schedule", () => {
  test("is created, read, listed and sealed, and follows the last order of its prescription", async () => {
    const rx = await monthly();
    await placed(app, orderOf(rx, 30));
    const schedule = await created(rx, { address: goodAddress, payment: { payer: "patient", token: "tok-visa" } });
    expect(schedule).toEqual({
      schedule_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      status: "active",
      patient_id: rx.patient_id,
      prescription_id: rx.prescription_id,
      shipping: { method_id: 1, signature_confirmation: false },
      address: { ...goodAddress, phone: null },
      payment: { payer: "patient" },
      every_days: null,
      interval_days: 30,
      lead_days: 7,
      consent: { given_at: "2026-01-05T09:00:00.000Z", method: "electronic" },
      next_fill_on: plus(await today(), 30),
      next_fill_problems: [],
      paused_because: null,
      last_order_number: null,
      last_filled_on: null,
      created_at: expect.stringMatching(/Z$/),
      updated_at: schedule.created_at,
    });
    expect(await read(schedule)).toEqual(schedule);
    const second = await created(await monthly(), { every_days: 60, lead_days: 3 });
    expect([second.interval_days, second.lead_days, second.next_fill_on]).toEqual([60, 3, await today()]);
    const list = async (query: string) => JSON.parse((await ask(app, `/refill_schedules${query}`)).text);
    const page = await list("?limit=1");
    expect(page).toEqual({ refill_schedules: [second], next_cursor: expect.any(String) });
    expect((await list(`?limit=1&cursor=${page.next_cursor}`)).refill_schedules).toEqual([schedule]);
    expect((await list(`?patient_id=${rx.patient_id}&status=active`)).refill_schedules).toEqual([schedule]);
    expect((await list(`?patient_id=${rx.patient_id}&status=paused`)).refill_schedules).toEqual([]);
    expect((await ask(app, "/refill_schedules?status=asleep")).status).toBe(400);
    const { rows } = await app.deps.db.raw("select s::text as row from refill_schedule s where schedule_id = $1", [
      schedule.schedule_id,
    ]);
    for (const secret of ["Mission", "tok-visa", rx.patient_id]) expect(rows[0]!["row"]).not.toContain(secret);
  });

  test("of a renewed prescription follows the last order of the earlier one", async () => {
    const rx = await monthly({ refills_left: 0 });
    const { order_number } = await placed(app, orderOf(rx, 30));
    await simulate(app, "order", { order_number, to: "Shipped" });
    const renewals = `/prescriptions/${rx.prescription_id}/renewal_requests`;
    const asked = JSON.parse((await ask(app, renewals, { refills: 5 })).text) as RenewalRequest;
    let renewed = asked;
    await until(async () => {
      renewed = JSON.parse((await ask(app, `${renewals}/${asked.renewal_request_id}`)).text);
      return renewed.status === "approved";
    }, "the prescriber has answered");
    const schedule = await created({ patient_id: rx.patient_id, prescription_id: renewed.new_prescription_id! });
    expect(schedule.next_fill_on).toBe(plus(await today(), 30));
  });

  test("accepts an Idempotency-Key, and a prescription has one schedule at a time", async () => {
    const rx = await monthly();
    const headers = { "idempotency-key": `schedule-${rx.patient_id}` };
    const first = await created(rx, {}, { headers });
    expect(await created(rx, {}, { headers })).toEqual(first);
    expect(await refused(bodyOf(rx))).toEqual([422, [42275]]);
    const both = await monthly();
    const raced = await Promise.all([1, 2].map(() => ask(app, "/refill_schedules", bodyOf(both))));
    expect(raced.map(({ status }) => status).sort()).toEqual([201, 422]);
    expect((await act(first, "cancel")).schedule).toMatchObject({ status: "canceled", next_fill_on: null });
    expect((await created(rx)).schedule_id).not.toBe(first.schedule_id);
  });

  test("belongs to its account", async () => {
    const schedule = await created(await monthly());
    const options = { partner: 1 };
    expect((await ask(app, `/refill_schedules/${schedule.schedule_id}`, undefined, options)).status).toBe(404);
    for (const action of scheduleActionNames) {
      expect((await ask(app, `/refill_schedules/${schedule.schedule_id}/${action}`, {}, options)).status).toBe(404);
      expect((await ask(app, `/refill_schedules/${UNKNOWN}/${action}`, {})).status).toBe(404);
    }
    expect((await ask(app, "/refill_schedules/not-an-id")).status).toBe(404);
    const listed = JSON.parse((await ask(app, "/refill_schedules", undefined, options)).text);
    expect(listed.refill_schedules).toEqual([]);
  });
});

describe("a body is refused:", () => {
  const tomorrow = () => new Date(app.deps.now().getTime() + 400 * DAY_S * 1000).toISOString();
  const long = "x".repeat(50_000);
  test.each<[string, (body: Record<string, unknown>) => object, number[]]>([
    ["an empty one", () => ({}), [42206, 42249, 42271, 42291]],
    ["an unknown field", (body) => ({ ...body, interval: 30 }), [42200]],
    ["a patient of nobody", (body) => ({ ...body, patient_id: "nobody-here" }), [42206]],
    ["a patient of another type", (body) => ({ ...body, patient_id: 7 }), [42206]],
    ["a patient with a control character", (body) => ({ ...body, patient_id: "ay8\u00007nt" }), [42206]],
    ["a long patient", (body) => ({ ...body, patient_id: long }), [42206]],
    ["an unknown prescription", (body) => ({ ...body, prescription_id: 2_000_000_000 }), [42249]],
    ["a prescription as text", (body) => ({ ...body, prescription_id: "183615" }), [42249]],
    ["no shipping", ({ shipping: _, ...body }) => body, [42291]],
    ["an unknown method", (body) => ({ ...body, shipping: { method_id: 99 } }), [42291]],
    ["a label, which belongs to one parcel", (body) => ({ ...body, shipping: { method_id: 1, label: {} } }), [42200]],
    ["an address without a zip", (body) => ({ ...body, address: { ...goodAddress, zip: "" } }), [42227]],
    [
      "a street with a control character",
      (body) => ({ ...body, address: { ...goodAddress, street1: "1 A\u0007 St" } }),
      [42223],
    ],
    ["a long city", (body) => ({ ...body, address: { ...goodAddress, city: long } }), [42225]],
    [
      "a state without a license",
      (body) => ({
        ...body,
        address: { ...goodAddress, city: "Anchorage", state: "AK", zip: "99501", ignore_warnings: true },
      }),
      [42231],
    ],
    ["a patient who pays without a card", (body) => ({ ...body, payment: { payer: "patient" } }), [42200]],
    ["a long token", (body) => ({ ...body, payment: { payer: "patient", token: long } }), [42200]],
    ["an interval of 6 days", (body) => ({ ...body, every_days: 6 }), [42272]],
    ["an interval of 366 days", (body) => ({ ...body, every_days: 366 }), [42272]],
    ["an interval of 7.5 days", (body) => ({ ...body, every_days: 7.5 }), [42272]],
    ["an interval as text", (body) => ({ ...body, every_days: "30" }), [42272]],
    ["a lead of no days", (body) => ({ ...body, lead_days: 0 }), [42273]],
    ["a lead of 31 days", (body) => ({ ...body, lead_days: 31 }), [42273]],
    ["no consent", ({ consent: _, ...body }) => body, [42271]],
    ["a null consent", (body) => ({ ...body, consent: null }), [42271]],
    ["a consent that is no object", (body) => ({ ...body, consent: true }), [42271]],
    ["a consent without a time", (body) => ({ ...body, consent: { method: "verbal" } }), [42271]],
    ["a consent without a method", (body) => ({ ...body, consent: { given_at: consent.given_at } }), [42271]],
    ["a consent of another method", (body) => ({ ...body, consent: { ...consent, method: "implied" } }), [42271]],
    ["a consent at no time", (body) => ({ ...body, consent: { ...consent, given_at: "2026-02-30" } }), [42271]],
    ["a consent of the future", (body) => ({ ...body, consent: { ...consent, given_at: tomorrow() } }), [42271]],
    ["a consent with an unknown field", (body) => ({ ...body, consent: { ...consent, by: "phone" } }), [42200]],
  ])("%s", async (_, wrong, codes) => {
    expect(await refused(wrong(bodyOf(await monthly())))).toEqual([422, codes]);
  });

  test("another account's prescription, another patient's, one without refills, without a supply, of schedule 2", async () => {
    const own = await monthly();
    const foreign = await monthly({ patient: { patient_id: "of-another-1" } }, { partner: 1 });
    expect(await refused(bodyOf(foreign))).toEqual([422, [42206, 42249]]);
    expect(await refused(bodyOf({ ...own, prescription_id: foreign.prescription_id }))).toEqual([422, [42249]]);
    const other = await monthly();
    expect(await refused(bodyOf({ ...own, prescription_id: other.prescription_id }))).toEqual([422, [42249]]);
    const single = await monthly({ refills_left: 0 });
    await placed(app, orderOf(single, 30));
    expect(await refused(bodyOf(single))).toEqual([422, [42250]]);
    const endless = await monthly({ days_supply: null });
    expect(await refused(bodyOf(endless))).toEqual([422, [42272]]);
    expect((await created(endless, { every_days: 28 })).interval_days).toBe(28);
    const controlled = await arrived(app, {
      drug_name: "oxycodone",
      written_qty: 20,
      days_supply: 10,
      refills_left: 0,
    });
    const signed = bodyOf(controlled, { shipping: { method_id: 3 } });
    expect((await refused(signed))[1]).toContain(42274);
  });

  test("an action takes no fields", async () => {
    const { schedule_id } = await created(await monthly());
    const { status, text } = await ask(app, `/refill_schedules/${schedule_id}/pause`, { until: "2027-01-01" });
    expect([status, codesOf(text)]).toEqual([422, [42200]]);
  });
});

describe("an action", () => {
  test("skips, pauses, resumes and cancels, and refuses what the status does not allow", async () => {
    const schedule = await created(await monthly());
    const from = await today();
    expect((await act(schedule, "skip")).schedule.next_fill_on).toBe(plus(from, 30));
    expect((await act(schedule, "pause")).schedule).toMatchObject({ status: "paused", paused_because: null });
    const again = await act(schedule, "pause");
    expect([again.status, codesOf(again.text)]).toEqual([422, [42471]]);
    expect((await act(schedule, "resume")).schedule).toMatchObject({ status: "active", next_fill_on: plus(from, 30) });
    expect((await act(schedule, "cancel")).schedule).toMatchObject({ status: "canceled", next_fill_on: null });
    for (const action of scheduleActionNames) {
      const { status, text } = await act(schedule, action);
      expect([action, status, codesOf(text)]).toEqual([action, 422, [42471]]);
    }
  });

  test("fill_now orders today, once for each key, and a refused order changes nothing", async () => {
    const rx = await monthly({ refills_left: 0 });
    const schedule = await created(rx);
    const headers = { "idempotency-key": `now-${rx.patient_id}` };
    const first = await act(schedule, "fill_now", { headers });
    expect((await act(schedule, "fill_now", { headers })).text).toBe(first.text);
    const orders = await ordersOf(rx);
    expect(orders.map(({ order_number }) => order_number)).toEqual([first.schedule.last_order_number]);
    const day = await today();
    expect(first.schedule).toMatchObject({ status: "active", last_filled_on: day, next_fill_on: plus(day, 30) });
    const history = JSON.parse((await ask(app, `/orders/${orders[0]!.order_number}/history`)).text).history;
    expect(history.at(-1)).toMatchObject({ actor: "partner", request_id: first.headers.get("x-request-id") });
    const second = await act(schedule, "fill_now");
    expect([second.status, codesOf(second.text)]).toEqual([422, [42250]]);
    expect(await read(schedule)).toEqual(first.schedule);
    expect(await ordersOf(rx)).toHaveLength(1);
  });

  test("a held order and a declined card pause the schedule and say why", async () => {
    const rx = await monthly({ patient: { email: null } });
    const { schedule } = await act(await created(rx), "fill_now");
    const [order] = await ordersOf(rx);
    expect(schedule).toMatchObject({ status: "paused", last_order_number: order!.order_number });
    expect(schedule.paused_because).toEqual({
      code: order!.exceptions[0]!.id,
      message: order!.exceptions[0]!.message,
    });
    const poor = await monthly();
    const declined = await created(poor, { payment: { payer: "patient", token: "tok_declined" } });
    expect((await act(declined, "fill_now")).schedule).toMatchObject({
      status: "paused",
      paused_because: { code: 80 },
    });
  });
});

describe("in the portal", () => {
  const person = async (role: string): Promise<WebPerson> => {
    const { account_id } = app.demo.partners[0]!;
    const { rows } = await app.deps.db.raw("select partner_id from account where account_id = $1", [account_id]);
    return webPerson(app, role, String(rows[0]!["partner_id"]));
  };
  const entriesOf = async ({ person_id }: WebPerson) =>
    (
      await app.deps.db.raw(
        `select action, subject, role, field_groups, cardinality(patient_keys) as patients, request_id is not null as asked
        from audit_entry
        where person_id = $1 and action ~ 'schedule|order_created'
        order by at, action`,
        [person_id],
      )
    ).rows;
  const P = "/portal/sandbox/refill_schedules";

  test("a viewer lists and opens schedules, and the service writes who was shown", async () => {
    await created(await monthly());
    const rx = await monthly();
    const schedule = await created(rx, { address: goodAddress });
    const viewer = await person("partner_viewer");
    const page = await viewer.get(`${P}?patient_id=${rx.patient_id}&status=active`);
    const { schedule_id, status, patient_id, prescription_id, interval_days, next_fill_on } = schedule;
    const drug_name = expect.stringMatching(/atorvastatin/i);
    expect([page.status, page.body]).toEqual([
      200,
      {
        refill_schedules: [
          {
            ...{ schedule_id, status, patient_id, prescription_id, drug_name, interval_days, next_fill_on },
            ...{ next_fill_problems: [], paused_because: null, last_order_number: null },
          },
        ],
        next_cursor: null,
      },
    ]);
    const due = async (query: string) =>
      (await viewer.get(`${P}?patient_id=${rx.patient_id}&${query}`)).body.refill_schedules.length;
    expect(await due(`next_fill_from=${next_fill_on}&next_fill_to=${next_fill_on}`)).toBe(1);
    expect(await due(`next_fill_from=${plus(next_fill_on!, 1)}`)).toBe(0);
    expect(await due(`status=active&next_fill_to=${plus(next_fill_on!, -1)}`)).toBe(0);
    expect((await viewer.get(`${P}?next_fill_from=soon`)).status).toBe(400);
    expect((await viewer.get(`${P}?patient_id=${rx.patient_id}&status=paused`)).body.refill_schedules).toEqual([]);
    const first = (await viewer.get(`${P}?limit=1`)).body;
    const second = (await viewer.get(`${P}?limit=1&cursor=${first.next_cursor}`)).body;
    expect(first.refill_schedules[0].schedule_id).toBe(schedule_id);
    expect(second.refill_schedules[0].schedule_id).not.toBe(schedule_id);
    const opened = await viewer.get(`${P}/${schedule_id}`);
    const actions = ["skip", "pause", "cancel", "fill_now"];
    expect([opened.status, opened.body]).toEqual([200, { schedule, drug_name, actions }]);
    for (const query of ["?status=asleep", "?limit=0", "?cursor=none", "?nothing=1"]) {
      expect([query, (await viewer.get(P + query)).status]).toEqual([query, 400]);
    }
    const shown = { action: "schedules_read", role: "partner_viewer", asked: true };
    const entries = await entriesOf(viewer);
    expect(entries).toContainEqual({ ...shown, subject: "portal", field_groups: ["order", "treatment"], patients: 1 });
    const groups = ["order", "treatment", "address"];
    expect(entries).toContainEqual({ ...shown, subject: schedule_id, field_groups: groups, patients: 1 });
  });

  test("a developer skips, pauses, resumes, fills and cancels, in their own name", async () => {
    const rx = await monthly();
    const schedule = await created(rx);
    const developer = await person("partner_developer");
    const send = (action: ScheduleAction, body = {}) =>
      developer.send("POST", `${P}/${schedule.schedule_id}/${action}`, body);
    expect((await send("resume")).text).toContain("42471");
    expect((await send("pause", { nothing: 1 })).status).toBe(422);
    expect((await send("skip")).body).toMatchObject({ schedule: { next_fill_on: plus(schedule.next_fill_on!, 30) } });
    expect((await send("pause")).body).toMatchObject({
      schedule: { status: "paused", paused_because: null },
      actions: ["skip", "resume", "cancel", "fill_now"],
    });
    expect((await send("resume")).body.schedule).toMatchObject({ status: "active" });
    const filled = await send("fill_now");
    const [order, ...more] = await ordersOf(rx);
    expect(filled.body.schedule).toMatchObject({
      last_order_number: order!.order_number,
      last_filled_on: await today(),
    });
    expect(more).toEqual([]);
    // A refused order changes nothing, and the person reads why.
    await app.deps.db.raw("update prescription set active = false where account_id = $1 and prescription_id = $2", [
      app.demo.partners[0]!.account_id,
      rx.prescription_id,
    ]);
    const again = await send("fill_now");
    expect([again.status, codesOf(again.text)]).toEqual([422, [42249]]);
    expect(await ordersOf(rx)).toHaveLength(1);
    expect((await send("cancel")).body).toMatchObject({ schedule: { status: "canceled" }, actions: [] });
    expect((await send("fill_now")).text).toContain("42471");
    const changed = { action: "schedule_changed", subject: schedule.schedule_id, field_groups: ["order"] };
    const entries = await entriesOf(developer);
    expect(entries.map(({ action }) => action)).toEqual([
      ...["schedule_changed", "schedule_changed", "schedule_changed", "order_created", "schedule_changed"],
    ]);
    const by = { role: "partner_developer", asked: true };
    expect(entries[0]).toMatchObject({ ...changed, ...by });
    expect(entries[3]).toMatchObject({ ...by, subject: order!.order_number, patients: 1 });
  });
});

describe("the job", () => {
  test("sends the notice and then orders, once however many processes run it", async () => {
    const rx = await monthly();
    const schedule = await created(rx);
    await Promise.all([fillSchedules(app.deps), fillSchedules(app.deps), fillSchedules(app.deps)]);
    const [order, ...more] = await ordersOf(rx);
    expect(more).toEqual([]);
    const day = await today();
    expect(await read(schedule)).toMatchObject({ last_order_number: order!.order_number, next_fill_on: plus(day, 30) });
    const told = await notices(schedule);
    expect(told).toEqual([
      {
        event_id: expect.any(String),
        event_type: "REFILL_UPCOMING",
        patient_id: rx.patient_id,
        schedule_id: schedule.schedule_id,
        fill_on: day,
        medication_requests: [expect.objectContaining({ prescription_id: rx.prescription_id, fillable: true })],
        problems: [],
        timestamp: expect.any(Number),
      },
    ]);
    expect(misfits(webhookBodies.REFILL_UPCOMING, told[0])).toEqual([]);
    const history = JSON.parse((await ask(app, `/orders/${order!.order_number}/history`)).text).history;
    expect(history.at(-1)).toMatchObject({ actor: "system", event: "create" });
  });

  test("a failure between the order and the schedule leaves neither, and the next round makes one order", async () => {
    const rx = await monthly();
    const schedule = await created(rx);
    await app.owner.raw(`create function break_fill() returns trigger language plpgsql as $$
      begin
        if new.last_order_number is not null and new.schedule_id = '${schedule.schedule_id}' then
          raise exception 'the process ends here';
        end if;
        return new;
      end $$`);
    await app.owner.raw(
      "create trigger break_fill before update on refill_schedule for each row execute function break_fill()",
    );
    await fillSchedules(app.deps);
    expect(await ordersOf(rx)).toEqual([]);
    expect(await read(schedule)).toMatchObject({ status: "active", last_order_number: null });
    await app.owner.raw("drop trigger break_fill on refill_schedule");
    await fillSchedules(app.deps);
    await fillSchedules(app.deps);
    expect(await ordersOf(rx)).toHaveLength(1);
  });

  test("follows an order that the partner placed itself, so that nothing is filled twice", async () => {
    const rx = await monthly();
    const schedule = await created(rx);
    await placed(app, orderOf(rx, 30));
    await fillSchedules(app.deps);
    expect(await ordersOf(rx)).toHaveLength(1);
    expect(await read(schedule)).toMatchObject({ next_fill_on: plus(await today(), 30), last_order_number: null });
  });

  test("moves back when the order that it followed is canceled, so that the patient does not run out", async () => {
    const rx = await monthly();
    const schedule = await created(rx);
    const day = await today();
    const cancel = async (order_number: string) => {
      const path = `/orders/${order_number}/partner_order_action_requests`;
      expect((await post(app, { event: "cancel" }, { path })).status).toBe(201);
    };
    const { order_number } = await placed(app, orderOf(rx, 30));
    await fillSchedules(app.deps);
    expect(await read(schedule)).toMatchObject({ next_fill_on: plus(day, 30) });
    await cancel(order_number);
    await fillSchedules(app.deps);
    const [, fill] = (await ordersOf(rx)).toSorted((a, b) => (a.created_at < b.created_at ? -1 : 1));
    expect(await read(schedule)).toMatchObject({ status: "active", last_order_number: fill!.order_number });

    // The same for an order before the schedule, which the first fill follows.
    const other = await monthly();
    const first = await placed(app, orderOf(other, 30));
    const later = await created(other);
    expect(await read(later)).toMatchObject({ next_fill_on: plus(day, 30) });
    await cancel(first.order_number);
    await fillSchedules(app.deps);
    expect(await ordersOf(other)).toHaveLength(2);
  });

  test("pauses when its order is canceled, and orders again after the partner resumes it", async () => {
    const rx = await monthly();
    const schedule = await created(rx);
    await fillSchedules(app.deps);
    const [order] = await ordersOf(rx);
    const { order_number } = order!;
    const path = `/orders/${order_number}/partner_order_action_requests`;
    expect((await post(app, { event: "cancel" }, { path })).status).toBe(201);
    await fillSchedules(app.deps);
    const day = await today();
    expect(await read(schedule)).toMatchObject({
      status: "paused",
      paused_because: { code: 42276, message: "Canceled Refill Order" },
      next_fill_on: day,
      last_order_number: null,
      last_filled_on: null,
    });
    expect(await ordersOf(rx)).toHaveLength(1);
    expect((await act(schedule, "resume")).schedule).toMatchObject({ status: "active", next_fill_on: day });
    await fillSchedules(app.deps);
    const again = (await ordersOf(rx)).find((one) => one.order_number !== order_number);
    expect(await read(schedule)).toMatchObject({ status: "active", last_order_number: again!.order_number });
  });

  test("leaves the first fill to Automatic Processing", async () => {
    const partner = 1;
    const rx = await monthly({}, { partner });
    const { account_id } = app.demo.partners[partner]!;
    const [first] = await ordersOf(rx, partner);
    await ask(app, `/orders/${first!.order_number}/partner_order_action_requests`, { event: "cancel" }, { partner });
    const dueAgain = (at: string) =>
      app.deps.db.raw("update prescription set order_due_at = $3 where account_id = $1 and prescription_id = $2", [
        account_id,
        rx.prescription_id,
        at,
      ]);
    await dueAgain("2999-01-01");
    const schedule = await created(rx, {}, { partner });
    await fillSchedules(app.deps);
    expect(await ordersOf(rx, partner)).toHaveLength(1);
    expect(await notices(schedule)).toHaveLength(1);
    await dueAgain("2026-01-01");
    await Promise.all([fillDue(app.deps), fillSchedules(app.deps)]);
    await fillDue(app.deps);
    await fillSchedules(app.deps);
    expect(await ordersOf(rx, partner)).toHaveLength(2);
    expect((await read(schedule, { partner })).next_fill_on).toBe(plus(await today(partner), 30));
  });
});

describe("the sandbox clock", () => {
  test("plays a year in one request: every fill on its day, then a warning, then a pause", async () => {
    const rx = await monthly();
    const schedule = await created(rx);
    const first = await today();
    const last = await advance(365);
    expect(last).toBe(plus(first, 365));
    const orders = await ordersOf(rx);
    expect(orders.map(dayOf)).toEqual(Array.from({ length: 12 }, (_, nth) => plus(first, 30 * nth)));
    for (const { order_status, exceptions } of orders) {
      expect(["Shipped", "Delivered"]).toContain(order_status);
      expect(exceptions).toEqual([]);
    }
    const told = await notices(schedule);
    expect(told.map(({ fill_on }) => fill_on)).toEqual(Array.from({ length: 13 }, (_, nth) => plus(first, 30 * nth)));
    const codes = told.map(({ problems }) => problems.map(({ code }: { code: number }) => code));
    expect(codes).toEqual([...Array.from({ length: 12 }, () => []), [42250]]);
    expect(told[12].medication_requests[0].medication_dispenses).toHaveLength(12);
    // A week before the patient runs out.
    expect(dateIn(app.config.TIME_ZONE, new Date(told[12].timestamp * 1000))).toBe(plus(first, 353));
    expect(await read(schedule)).toMatchObject({
      status: "paused",
      next_fill_on: plus(first, 360),
      next_fill_problems: [{ code: 42250 }],
      paused_because: { code: 42250, message: expect.any(String) },
      last_order_number: orders[11]!.order_number,
      last_filled_on: plus(first, 330),
    });
  });

  test("an extra fill on the day of a fill does not stop the next one", async () => {
    const rx = await monthly();
    const schedule = await created(rx);
    await fillSchedules(app.deps);
    const [order] = await ordersOf(rx);
    await simulate(app, "order", { order_number: order!.order_number, to: "Shipped" });
    const { schedule: again } = await act(schedule, "fill_now");
    const day = await today();
    expect(again).toMatchObject({ status: "active", next_fill_on: plus(day, 30) });
    await advance(31);
    expect((await ordersOf(rx)).map(dayOf)).toEqual([day, day, plus(day, 30)]);
  });

  test("a prescription that expires before its next fill says so with the notice", async () => {
    const rx = await monthly();
    const schedule = await created(rx, { every_days: 200 });
    const first = await today();
    await advance(395);
    const told = await notices(schedule);
    expect(told.map(({ fill_on, problems }) => [fill_on, problems.map(({ code }: { code: number }) => code)])).toEqual([
      [first, []],
      [plus(first, 200), []],
      [plus(first, 400), [42257]],
    ]);
    expect(await read(schedule)).toMatchObject({ status: "active", next_fill_problems: [{ code: 42257 }] });
    expect(await ordersOf(rx)).toHaveLength(2);
  });

  test("a clock that stopped on its way is moved on by the job", async () => {
    const rx = await monthly();
    await created(rx);
    const first = await today();
    await app.deps.db.raw(
      `update account
      set clock_goal_s = clock_offset_s + ${40 * DAY_S}, clock_moved_at = $2::timestamptz - interval '1 hour'
      where account_id = $1`,
      [app.demo.partners[0]!.account_id, app.deps.now()],
    );
    await moveStoppedClocks(app.deps);
    expect(await today()).toBe(plus(first, 40));
    expect((await ordersOf(rx)).map(dayOf)).toEqual([first, plus(first, 30)]);
  });

  test("a clock stays while a schedule is due, if asked to, and then goes on to its goal", async () => {
    const { account_id } = app.demo.partners[0]!;
    const schedule = await created(await monthly());
    const undone = new Error("nothing of this is kept");
    const steps: string[] = [];
    // In a transaction that rolls back, so that no job sees the due schedule.
    const trying = app.deps.db.transaction(async (tx) => {
      await tx.raw(
        `update refill_schedule
        set due_at = case when schedule_id = $2 then created_at else '2999-01-01' end
        where account_id = $1 and due_at is not null`,
        [account_id, schedule.schedule_id],
      );
      await tx.raw("update account set clock_goal_s = clock_offset_s + 60 where account_id = $1", [account_id]);
      for (const stays of [true, false, false])
        steps.push(await stepAccountClock(tx, account_id, app.deps.now(), { stays }));
      throw undone;
    });
    await expect(trying).rejects.toBe(undone);
    expect(steps).toEqual(["stayed", "moved", "arrived"]);
  });

  test("without schedules it moves in one step, and its answer is the account's time", async () => {
    const before = await today(2 - 1);
    expect(await advance(3, 1)).toBe(plus(before, 3));
    expect(await today(1)).toBe(plus(before, 3));
  });
});
