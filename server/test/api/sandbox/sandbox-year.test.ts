import type { MedicationRequest, Order } from "@pestle/contract";
import { expect, test } from "vitest";
import { playYear } from "../../../../chaos/year/year.ts";
import { brokenYears } from "../../../../chaos/year/year-broken.ts";
import { orderPlace } from "../../../src/db/orders/orders.ts";
import type { SafetyFinding } from "../../../src/domain/safety/finding.ts";
import { post } from "../../support/orders.ts";
import { ask } from "../../support/patient.ts";
import { arrived } from "../../support/simulate.ts";
import { eventsOfPatient } from "../../support/stored-events.ts";
import { startTestApp, type TestApp } from "../../support/test-app.ts";

const DAY_S = 24 * 3600;
const DAY_MS = DAY_S * 1000;
const SKU = "atorvastatin-20";
const LONGEST_MS = 60_000;
const SMALL = { count: 8, seed: 1, days: 120 };
const RICH = ["fills of schedules", "statements", "closed statements", "price changes of a product", "full refunds"];
/** These rules need only a few patients and days. The campaign breaks more. */
const BROKEN = {
  "a drug of schedule 2 counts as any other": { count: 1, seed: 1, days: 1 },
  "an item costs a cent more than its price": { count: 2, seed: 1, days: 8 },
  "a schedule announces nothing": { count: 2, seed: 1, days: 8 },
  "the events of parcels get lost": { count: 4, seed: 1, days: 20 },
};

test("a year of one patient's refills runs in seconds, and the same calls give the same results everywhere", async () => {
  const first = await playOne();
  expect(first.story).toEqual([
    // Twelve fills, each ordered when the one before is used up; the street decides the transit days.
    ...Array.from({ length: 12 }, (_, month) => [
      `day ${30 * month}: ordered, ${11 - month} refills left`,
      `day ${30 * month}: shipped for 30 days`,
      `day ${30 * month}: in_transit`,
      ...(month === 2 ? ["day 70: too soon: refill_too_soon"] : []),
      `day ${30 * month + first.transit_days}: out_for_delivery`,
      `day ${30 * month + first.transit_days}: delivered`,
    ]).flatMap(sortedByDay),
    "day 360: refused with 42250",
    "day 371: refused with 42250, 42257",
  ]);
  expect([3, 4, 5]).toContain(first.transit_days);
  expect(first.facts).toEqual({
    units_ordered: 360,
    dispensed_units: 360,
    reserved_units: 0,
    orders: 13,
    captured: 12,
  });
  // The last refill, the notice of 30 days and the end, on the days to which the clock moved.
  expect(first.events.filter(([event_type]) => event_type === "RX_STATUS_CHANGED").map(([, , day]) => day)).toEqual([
    330, 340, 371,
  ]);
  // Twelve captures, and the authorization that the canceled order released.
  expect(first.events.filter(([event_type]) => event_type === "PAYMENT_UPDATED")).toHaveLength(13);

  const second = await playOne();
  expect(second.story).toEqual(first.story);
  expect(second.events).toEqual(first.events);
  console.info(`A year of refills took ${Math.round(first.took_ms)} and ${Math.round(second.took_ms)} ms.`);
  expect(Math.max(first.took_ms, second.took_ms)).toBeLessThan(LONGEST_MS);
}, 120_000);

// A small run of the campaign: `npm run campaign -- year` plays 200 patients.
test("a year of several patients: statements, ledger, payments, events and refills agree with their partners' books", {
  timeout: 300_000,
}, async () => {
  const app = await startTestApp();
  try {
    const host = { deps: app.deps, addresses: app.addresses, raw: app.owner.raw };
    const { faults, seen } = await playYear(host, SMALL);
    expect(faults).toEqual([]);
    for (const what of RICH) expect([what, (seen[what] ?? 0) > 0]).toEqual([what, true]);
    for (const [rule, run] of Object.entries(BROKEN)) {
      const { breakRule, caught } = brokenYears[rule]!;
      const broken = await playYear(host, { ...run, breakRule });
      expect([rule, broken.faults.filter((fault) => caught.test(fault)).length > 0]).toEqual([rule, true]);
    }
  } finally {
    await app.stop();
  }
});

const dayOf = (line: string) => Number(/\d+/.exec(line)![0]);
const sortedByDay = (lines: string[]) => [...lines].sort((a, b) => dayOf(a) - dayOf(b));

/** A year on a new service and a new sandbox account. */
async function playOne() {
  const app = await startTestApp({ unlimited: true });
  try {
    // Starts at noon, so that neither run crosses midnight before the other.
    app.advance(DAY_MS - ((app.deps.now().getTime() - 16 * 3600 * 1000) % DAY_MS));
    const on_hand_before = (await shelfOf(app)).on_hand_units;
    const started = performance.now();
    const { story, start, patient_id } = await play(app);
    const took_ms = performance.now() - started;
    const { on_hand_units, reserved_units } = await shelfOf(app);
    const { orders } = await read<{ orders: Order[] }>(app, `/orders?patient_id=${patient_id}&limit=200`);
    const { rows } = await app.deps.db.raw("select units_ordered::float8 as units from prescription");
    const told = (await eventsOfPatient(app.deps, patient_id, "order by created_at")).map((row) => {
      const { sequence } = JSON.parse(row.body) as { sequence?: number };
      return { ...row, sequence: sequence === undefined ? null : String(sequence) };
    });
    const place = ({ created_at, sequence, event_type }: (typeof told)[number]) =>
      `${created_at.toISOString()} ${sequence ?? "~"} ${event_type}`;
    told.sort((a, b) => (place(a) < place(b) ? -1 : 1));
    return {
      story,
      took_ms,
      transit_days: dayOf(story.find((line) => line.endsWith("delivered"))!),
      facts: {
        units_ordered: rows[0]!["units"],
        dispensed_units: on_hand_before - on_hand_units,
        reserved_units,
        orders: orders.length,
        captured: orders.filter(({ payment }) => payment.status === "captured").length,
      },
      events: told.map(({ event_type, sequence, created_at }) => [
        event_type,
        sequence,
        daysBetween(start, created_at),
      ]),
    };
  } finally {
    await app.stop();
  }
}

/** The partner's actions during the year and what it sees, in days since the prescription arrived. */
async function play(app: TestApp) {
  const { patient_id, prescription_id, rx } = await arrived(app, {
    drug_name: SKU.replace("-20", ""),
    written_qty: 30,
    days_supply: 30,
    refills_left: 11,
  });
  const start = new Date(rx.receive_date);
  const lines: string[] = [];
  const say = (at: Date | string, what: string) => void lines.push(`day ${daysBetween(start, new Date(at))}: ${what}`);
  const pass = async (days: number): Promise<string> =>
    (await post(app, { simulation_type: "clock", simulation: { advance_seconds: days * DAY_S } }, SIMULATE)).body.now;
  const order = (reference: string) =>
    post(app, {
      reference,
      shipping: { method_id: 1 },
      patient: { patient_id },
      items: [{ prescription_id, quantity: 1, package_size: 30 }],
    });

  let now = rx.receive_date;
  for (let month = 0; month < 12; month++) {
    const { status, body, text } = await order(`month ${month}`);
    expect([status, body.order_status], text).toEqual([201, "Processing"]);
    const { order_number } = body as Order;
    expect(await findingsOf(app, order_number), `month ${month}`).toEqual([]);
    const { refills_left } = await prescriptionOf(app, patient_id, prescription_id);
    say(body.created_at, `ordered, ${refills_left} refills left`);
    await post(app, { simulation_type: "order", simulation: { order_number, to: "Shipped" } }, SIMULATE);
    const { shipped_at, supply_ends_at } = await itemOf(app, order_number);
    say(shipped_at, `shipped for ${daysBetween(shipped_at, supply_ends_at)} days`);

    // Only the clock moves the parcel.
    now = await pass(10);
    for (const { at, status: scanned } of await scansOf(app, order_number)) say(at, scanned);
    const delivered = await read<Order>(app, `/orders/${order_number}`);
    expect([delivered.order_status, delivered.shipments[0]!.status]).toEqual(["Delivered", "delivered"]);
    if (month === 2) say(now, `too soon: ${await tooSoon(app, await order("in a hurry"))}`);
    now = await pass(20);
  }
  const refused = ({ status, body }: Awaited<ReturnType<typeof post>>) => {
    expect(status).toBe(422);
    return `refused with ${body.errors.map(({ code }: { code: number }) => code).join(", ")}`;
  };
  say(now, refused(await order("month 12")));
  now = await pass(11);
  say(now, refused(await order("the year is over")));
  return { story: lines, start, patient_id };
}

/** Ten days into thirty: not a reason to hold the order, but the pharmacist sees a warning. The partner reconsiders. */
async function tooSoon(app: TestApp, { status, body }: Awaited<ReturnType<typeof post>>): Promise<string> {
  expect([status, body.order_status]).toEqual([201, "Processing"]);
  const { order_number } = body as Order;
  const findings = await findingsOf(app, order_number);
  expect(findings).toMatchObject([{ exception_id: null, severity: "moderate", item_id: 1 }]);
  const canceled = await post(
    app,
    { event: "cancel" },
    { path: `/orders/${order_number}/partner_order_action_requests` },
  );
  expect([canceled.status, canceled.body.order.order_status]).toEqual([201, "Canceled"]);
  return findings.map(({ kind }) => kind).join();
}

const SIMULATE = { path: "/simulate" };
const daysBetween = (from: Date, to: Date) => Math.round((to.getTime() - from.getTime()) / DAY_MS);

const read = async <Answer>(app: TestApp, path: string): Promise<Answer> => JSON.parse((await ask(app, path)).text);

async function prescriptionOf(app: TestApp, patient_id: string, prescription_id: number): Promise<MedicationRequest> {
  const { medication_request } = await read<{ medication_request: MedicationRequest[] }>(
    app,
    `/patients/${patient_id}/rx`,
  );
  return medication_request.find(({ id }) => id === prescription_id)!;
}

const accountOf = (app: TestApp) => app.demo.partners[0]!.account_id;

/** The safety engine's findings for the pharmacist. */
async function findingsOf(app: TestApp, order_number: string): Promise<SafetyFinding[]> {
  const { rows } = await app.deps.db.raw("select safety_sealed from orders where order_number = $1", [order_number]);
  const sealed = rows[0]!["safety_sealed"] as Buffer | null;
  const place = orderPlace("safety_sealed", accountOf(app), order_number);
  return sealed === null ? [] : JSON.parse(app.deps.vault.open(sealed, place).toString("utf8"));
}

async function itemOf(app: TestApp, order_number: string): Promise<{ shipped_at: Date; supply_ends_at: Date }> {
  const { rows } = await app.deps.db.raw("select shipped_at, supply_ends_at from order_item where order_number = $1", [
    order_number,
  ]);
  return rows[0] as never;
}

/** Scans that changed the parcel's status, in order. */
async function scansOf(app: TestApp, order_number: string): Promise<{ at: Date; status: string }[]> {
  const { rows } = await app.deps.db.raw(
    `select min(at) as at, status from shipment_scan where order_number = $1 and status <> 'label_created'
     group by status order by 1`,
    [order_number],
  );
  return rows as never;
}

async function shelfOf(app: TestApp): Promise<{ on_hand_units: number; reserved_units: number }> {
  const { rows } = await app.deps.db.raw(
    `select on_hand_units::float8 as on_hand_units, reserved_units::float8 as reserved_units
     from stock where account_id = $1 and sku = $2`,
    [accountOf(app), SKU],
  );
  return rows[0] as never;
}
