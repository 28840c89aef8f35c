import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createPerson } from "../../../src/usecases/accounts/create-person.ts";
import { requestPartialFill } from "../../../src/usecases/fulfillment/request-partial-fill.ts";
import { approveReview } from "../../../src/usecases/fulfillment/steps.ts";
import { acceptPrescription } from "../../../src/usecases/intake/accept-prescription.ts";
import { placed, post } from "../../support/orders.ts";
import { goodDocument } from "../../support/patient.ts";
import { arrived, simulate } from "../../support/simulate.ts";
import { startTestApp, type TestApp } from "../../support/test-app.ts";
import { licenseFor } from "../../support/web.ts";
import { staff, workplace } from "../../support/workplace.ts";

const HOUR_S = 3600;
const DAY_S = 24 * HOUR_S;
const PHARMACIST = "pia@larkspur.example";
const ADMIN = "ada@larkspur.example";

let app: TestApp;
let shop: ReturnType<typeof workplace>;
beforeAll(async () => {
  app = await startTestApp({ unlimited: true });
  shop = workplace(app);
  for (const [email, role] of [
    [PHARMACIST, "pharmacist"],
    [ADMIN, "admin"],
  ] as const) {
    const person = { email, name: "N", role, partner_id: null, password_hash: "x", ...licenseFor(role) };
    await app.deps.db.transaction((tx) => createPerson(tx, person, new Date()));
  }
});
afterAll(() => app.stop());

const wait = (advance_seconds: number) => simulate(app, "clock", { advance_seconds });
const written = (drug_schedule: string, written_qty: number, more = {}) =>
  arrived(app, { drug_schedule, written_qty, ...more });
type Rx = { patient_id: string; prescription_id: number };
let attempt = 0;
const bodyOf = ({ patient_id, prescription_id }: Rx, package_size: number) => ({
  reference: `controlled-${++attempt}`,
  shipping: { method_id: 1 },
  patient: { patient_id, identity_documents: [goodDocument] },
  items: [{ prescription_id, quantity: 1, package_size }],
});
const order = (rx: Rx, package_size: number) => post(app, bodyOf(rx, package_size));
const codes = async (rx: Rx, package_size: number): Promise<number[]> => {
  const { status, body } = await order(rx, package_size);
  return status === 201 ? [] : body.errors.map(({ code }: { code: number }) => code);
};
const ship = async (rx: Rx, package_size: number) => shop.reach(await placed(app, bodyOf(rx, package_size)), "Shipped");

describe("a schedule 2 prescription", () => {
  test("is never refilled, and never filled beyond the written quantity", async () => {
    const rx = await written("2", 30, { refills_left: 5 });
    expect(await codes(rx, 60)).toEqual([42255]);
    await ship(rx, 30);
    expect(await codes(rx, 30)).toEqual([42250]);
    await wait(10 * DAY_S);
    expect(await codes(rx, 30)).toEqual([42250]);
  });

  test("allows the rest of a partial fill for 72 hours, then only with a new prescription", async () => {
    const [early, late] = [await written("2", 60), await written("2", 60)];
    await ship(early, 30);
    await ship(late, 30);
    await wait(71 * HOUR_S);
    expect(await codes(early, 30)).toEqual([]);
    await wait(2 * HOUR_S);
    expect(await codes(late, 30)).toEqual([42257]);
  });

  test("holds the rest (73) that was ordered in time and not shipped in time", async () => {
    const rx = await written("2", 60);
    await ship(rx, 30);
    await wait(HOUR_S);
    const rest = await placed(app, bodyOf(rx, 30));
    await wait(72 * HOUR_S);
    const held = await approveReview(app.deps, shop.work(rest, staff.pharmacist));
    expect([held.order_status, held.exceptions.map(({ id }) => id)]).toEqual(["On Hold", expect.arrayContaining([73])]);
  });

  test("allows it until 30 days after the written date, once a pharmacist recorded a request", async () => {
    const [in_time, too_late] = [await written("2", 60), await written("2", 60)];
    const { account_id } = shop;
    const record = (rx: Rx, email = PHARMACIST, note = "The patient wrote in the portal.") =>
      requestPartialFill(
        app.deps,
        { account_id, prescription_id: rx.prescription_id, requested_by: "patient", note, email },
        app.deps.now(),
      );
    for (const rx of [in_time, too_late]) await ship(rx, 30);
    await wait(10 * DAY_S);
    expect(await codes(in_time, 30)).toEqual([42257]);
    await expect(record(in_time, ADMIN)).rejects.toThrow("Only a pharmacist");
    await record(in_time);
    await record(too_late);
    expect(await codes(in_time, 30)).toEqual([]);
    await wait(21 * DAY_S);
    expect(await codes(too_late, 30)).toEqual([42257]);
    await expect(record(in_time)).rejects.toThrow("already on record");
    await expect(record(await written("4", 30))).rejects.toThrow("Only a schedule 2 prescription");
    await expect(record({ ...in_time, prescription_id: 1 })).rejects.toThrow("no such prescription");
  });

  test("expires after 90 days, also if the sandbox was asked for more", async () => {
    const far = new Date(app.deps.now().getTime() + 900 * DAY_S * 1000).toISOString();
    const { rx } = await written("2", 30, { expire_date: far });
    const days = (Date.parse(rx.expire_date) - Date.parse(`${rx.written_date}T00:00:00Z`)) / (DAY_S * 1000);
    expect(days).toBeLessThan(93);
  });

  test("that a pharmacist must accept is not dispensed before, and never without a note", async () => {
    const rx = await written("2", 30);
    await shop.rows(
      "update prescription set acceptance = 'pending' where prescription_id = $1 returning prescription_id",
      rx.prescription_id,
    );
    expect(await codes(rx, 30)).toEqual([42249]);
    const accept = (note?: string) =>
      acceptPrescription(
        app.deps,
        {
          account_id: shop.account_id,
          prescription_id: rx.prescription_id,
          verdict: "accepted",
          email: PHARMACIST,
          note,
        },
        app.deps.now(),
      );
    await expect(accept()).rejects.toThrow("needs a note");
    expect(await codes(rx, 30)).toEqual([42249]);
    await accept("Called the prescriber, who confirmed and signed.");
    expect(await codes(rx, 30)).toEqual([]);
  });
});

describe("a schedule 4 prescription", () => {
  test("is refilled as often as written, and not after six months", async () => {
    const [used_up, old] = [await written("4", 30, { refills_left: 1 }), await written("4", 30, { refills_left: 5 })];
    await ship(used_up, 30);
    await wait(31 * DAY_S);
    await ship(used_up, 30);
    await wait(31 * DAY_S);
    expect(await codes(used_up, 30)).toEqual([42250]);
    await wait(130 * DAY_S);
    expect(await codes(old, 30)).toEqual([42257]);
  });
});
