import type { Order } from "@pestle/contract";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { IncomingPatient, IncomingPrescription } from "../../../src/domain/intake/incoming-message.ts";
import { readOrderPage } from "../../../src/usecases/fulfillment/read-order-page.ts";
import { showOrder } from "../../../src/usecases/fulfillment/show-order.ts";
import { resolveException } from "../../../src/usecases/fulfillment/steps.ts";
import { fillDue } from "../../../src/usecases/intake/order-due-prescriptions.ts";
import { checkPeople } from "../../../src/usecases/safety/check-people.ts";
import { newOrder, placed, post, prescribed } from "../../support/orders.ts";
import { addPatient, ask, goodAddress, person, stranger } from "../../support/patient.ts";
import { patientKeyOf } from "../../support/patient-key.ts";
import { startTestApp, type TestApp } from "../../support/test-app.ts";
import { until } from "../../support/tools/until.ts";
import { staff, workplace } from "../../support/workplace.ts";

const WILLOW = 0;
const JUNIPER = 1;
const HARBOR = 2;
const REVIEW = "A pharmacist must review this order.";

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ unlimited: true });
});
afterAll(() => app.stop());

type Who = Partial<IncomingPatient>;
const plain = { allergies: [] };
const rx = (sku: string, more: Partial<IncomingPrescription> = {}) => prescribed(sku, 30, { ...plain, ...more });

/** An order at a partner that orders by the API. */
async function ordered(partner: number, patient: Who, sku: string): Promise<{ order: Order; patient_id: string }> {
  const { body, patient_id } = await newOrder(app, { partner, patient, prescription: rx(sku) });
  return { order: await placed(app, body, { partner }), patient_id };
}

/** An order at Juniper, which the service creates from the prescription. */
async function automatic(patient: Who, sku: string) {
  const { account_id } = app.demo.partners[JUNIPER]!;
  const { patient_id } = await addPatient(app, {
    partner: JUNIPER,
    patient: { ...person, ...patient },
    prescription: rx(sku),
  });
  const find = async () =>
    (await workplace(app, JUNIPER).rows(
      "select order_number from orders where account_id = $1 and patient_key = $2",
      account_id,
      await patientKeyOf(app, account_id, patient_id),
    )) as { order_number: string }[];
  await until(async () => {
    await fillDue(app.deps, account_id);
    return (await find()).length > 0;
  }, "an order from the prescription");
  return { order_number: (await find())[0]!.order_number, patient_id };
}

const read = async (partner: number, order_number: string) =>
  JSON.parse((await ask(app, `/orders/${order_number}`, undefined, { partner })).text) as Order;
const exceptionsOf = async (partner: number, order_number: string) =>
  (await read(partner, order_number)).exceptions.map(({ id }) => id);
const isHeld = async (partner: number, order_number: string) =>
  (await exceptionsOf(partner, order_number)).includes(75);

/** Everything that a partner can read about an order and its patient, as one text. */
async function allThatPartnerSees(partner: number, order_number: string, patient_id: string): Promise<string> {
  const paths = [
    `/orders/${order_number}`,
    `/orders/${order_number}/history`,
    `/orders/${order_number}/partner_order_action_requests`,
    `/orders?patient_id=${patient_id}`,
    `/patients/${patient_id}`,
    `/patients/${patient_id}/rx`,
    "/webhook_events?limit=100",
  ];
  const texts = await Promise.all(paths.map(async (path) => (await ask(app, path, undefined, { partner })).text));
  const events = await workplace(app, partner).events({ order_number });
  return [...texts, JSON.stringify(events)].join("\n").toLowerCase();
}

const pageOf = (partner: number, order_number: string) =>
  readOrderPage(app.deps, { ...staff.pharmacist }, app.demo.partners[partner]!.account_id, order_number);

describe("one person at two partners", () => {
  test("two open orders that must not meet hold each other, and neither partner learns of the other", async () => {
    const who = stranger();
    const { order, patient_id } = await ordered(WILLOW, who, "sertraline-50");
    expect(order.exceptions).toEqual([]);
    const other = await automatic(who, "phenelzine-15");
    await until(() => isHeld(WILLOW, order.order_number), "a hold of the first order");
    await until(() => isHeld(JUNIPER, other.order_number), "a hold of the second order");

    for (const [partner, number, id, secrets] of [
      [WILLOW, order.order_number, patient_id, ["phenelzine", "juniper", "maoi", other.order_number, "elsewhere"]],
      [
        JUNIPER,
        other.order_number,
        other.patient_id,
        ["sertraline", "willow", "serotonin", order.order_number, "elsewhere"],
      ],
    ] as const) {
      const { exceptions, order_status } = await read(partner, number);
      expect(order_status).toBe("On Hold");
      expect(exceptions).toMatchObject([{ id: 75, message: REVIEW }]);
      const seen = await allThatPartnerSees(partner, number, id);
      expect(seen).toContain(REVIEW.toLowerCase());
      for (const secret of secrets) expect(seen).not.toContain(secret.toLowerCase());
    }
    // The creation itself must not tell, also where the service created the order.
    const created = await workplace(app, JUNIPER).history(other);
    expect(created[0]).toMatchObject({ event: "create", exception_id: null });

    const found = {
      exception_id: 75,
      elsewhere: ["Juniper Care"],
      message: expect.stringMatching(new RegExp(`phenelzine.*order ${other.order_number} of Juniper Care`, "i")),
    };
    expect((await pageOf(WILLOW, order.order_number)).findings).toContainEqual(expect.objectContaining(found));
    const { account_id } = app.demo.partners[WILLOW]!;
    const shown = await showOrder(
      app.deps,
      { account_id, order_number: order.order_number, by: staff.pharmacist },
      false,
    );
    expect(shown.findings).toContainEqual(expect.objectContaining(found));
    expect((await pageOf(JUNIPER, other.order_number)).findings).toContainEqual(
      expect.objectContaining({ elsewhere: ["Willow Telehealth"] }),
    );
  });

  test("a medication that one partner lists holds the other's order, and a dry run does not tell", async () => {
    const who = stranger();
    await addPatient(app, {
      partner: JUNIPER,
      patient: { ...person, ...who, medications: ["Nitroglycerin 0.4 mg SL"] },
      prescription: rx("amoxicillin-500"),
    });
    const { body } = await newOrder(app, { partner: WILLOW, patient: who, prescription: rx("sildenafil-50") });
    const tried = await post(app, body, { path: "/orders?dry_run=true" });
    expect(tried.status).toBe(200);
    expect(JSON.parse(tried.text)).toMatchObject({ exceptions: [], order: { exceptions: [] } });
    expect(tried.text).not.toMatch(/nitroglycerin|pharmacist/i);
    const order = await placed(app, body);
    expect(order.exceptions).toEqual([]);
    await until(() => isHeld(WILLOW, order.order_number), "a hold");
    expect((await pageOf(WILLOW, order.order_number)).findings).toContainEqual(
      expect.objectContaining({ severity: "contraindicated", elsewhere: ["Juniper Care"] }),
    );
  });

  test("an allergy that another partner learns later holds the order with 75, not 74", async () => {
    const who = stranger();
    await addPatient(app, { partner: JUNIPER, patient: { ...person, ...who }, prescription: rx("sertraline-50") });
    const { order } = await ordered(WILLOW, who, "amoxicillin-500");
    await checkPeople(app.deps);
    expect(await exceptionsOf(WILLOW, order.order_number)).toEqual([]);
    const allergies = [{ text: "Penicillin", codes: [], reaction: null, severity: null }];
    await addPatient(app, {
      partner: JUNIPER,
      patient: { ...person, ...who },
      prescription: rx("atorvastatin-20", { allergies }),
    });
    await until(() => isHeld(WILLOW, order.order_number), "a hold");
    expect(await exceptionsOf(WILLOW, order.order_number)).toEqual([75]);
  });

  test("a pharmacist ends the hold with a reason, and what the partner does later does not bring it back", async () => {
    const who = stranger();
    const { order, patient_id } = await ordered(WILLOW, who, "sertraline-50");
    await automatic(who, "phenelzine-15");
    const { order_number } = order;
    await until(() => isHeld(WILLOW, order_number), "a hold");
    const { work } = workplace(app);
    await expect(resolveException(app.deps, work(order, staff.technician), 75, "Fine.")).rejects.toThrow();
    await resolveException(
      app.deps,
      work(order, staff.pharmacist),
      75,
      "Phenelzine was never started.",
      "prescriber_consulted",
    );
    expect(await exceptionsOf(WILLOW, order_number)).toEqual([]);
    const moved = await ask(app, `/orders/${order_number}/shipping_address`, goodAddress, { method: "PUT" });
    expect(moved.status).toBeLessThan(300);
    await ask(app, `/patients/${patient_id}`, { phone: "4155559999" }, { method: "PATCH" });
    await checkPeople(app.deps);
    expect(await exceptionsOf(WILLOW, order_number)).toEqual([]);
    expect((await pageOf(WILLOW, order_number)).findings).toContainEqual(
      expect.objectContaining({ elsewhere: ["Juniper Care"] }),
    );
  });

  test("a warning from elsewhere changes nothing that the partner sees", async () => {
    const who = stranger();
    const { order } = await ordered(WILLOW, who, "sertraline-50");
    const before = await ask(app, `/orders/${order.order_number}`);
    const other = await automatic(who, "sertraline-50");
    const warned = async () =>
      (await pageOf(WILLOW, order.order_number)).findings.some((one) => one.elsewhere.length > 0);
    await until(warned, "a warning for the pharmacist");
    const after = await ask(app, `/orders/${order.order_number}`);
    expect(after.text).toBe(before.text);
    expect(await exceptionsOf(JUNIPER, other.order_number)).toEqual([]);
  });
});

describe("people who are not linked", () => {
  test("share only name and date of birth", async () => {
    const who = stranger();
    const { order } = await ordered(WILLOW, who, "sertraline-50");
    const namesake = {
      ...who,
      phone: "2125550188",
      email: `other.${who.email}`,
      address: { ...person.address!, street1: "200 Broadway", city: "New York", state: "NY", zip: "10038" },
    };
    const other = await automatic(namesake, "phenelzine-15");
    await checkPeople(app.deps);
    expect(await exceptionsOf(WILLOW, order.order_number)).toEqual([]);
    expect(await exceptionsOf(JUNIPER, other.order_number)).toEqual([]);
  });

  test("are in different environments", async () => {
    const who = stranger();
    const { order } = await ordered(WILLOW, who, "sertraline-50");
    const { order: other } = await ordered(HARBOR, who, "phenelzine-15");
    await checkPeople(app.deps);
    expect(await exceptionsOf(WILLOW, order.order_number)).toEqual([]);
    expect(await exceptionsOf(HARBOR, other.order_number)).toEqual([]);
  });
});

test("patients from before the keys existed are linked by the job", async () => {
  const who = stranger();
  const { order, patient_id } = await ordered(WILLOW, who, "sertraline-50");
  const { account_id, rows } = workplace(app);
  const patient_key = await patientKeyOf(app, account_id, patient_id);
  const keys = () =>
    rows("select 1 from person_link where account_id = $1 and patient_key = $2", account_id, patient_key);
  // Where accounts are on several servers, this job copies the keys (ADR 0097).
  await checkPeople(app.deps);
  expect((await keys()).length).toBeGreaterThan(0);
  await rows("delete from person_link where account_id = $1 and patient_key = $2", account_id, patient_key);
  await rows(
    "update patient set person_keys = null where account_id = $1 and patient_key = $2",
    account_id,
    patient_key,
  );
  const other = await automatic(who, "phenelzine-15");
  await until(() => isHeld(WILLOW, order.order_number), "a hold");
  await until(() => isHeld(JUNIPER, other.order_number), "a hold at the other partner");
  expect((await keys()).length).toBeGreaterThan(0);
});

test("the keys follow the patient's data", async () => {
  const who = stranger();
  const { patient_id } = await ordered(WILLOW, who, "sertraline-50");
  const { account_id, rows } = workplace(app);
  const keys = async () =>
    (
      await rows(
        "select encode(person_key, 'hex') as key from person_link where account_id = $1 and patient_key = $2 order by 1",
        account_id,
        await patientKeyOf(app, account_id, patient_id),
      )
    ).map(({ key }) => key);
  await checkPeople(app.deps);
  const before = await keys();
  const changed = await ask(app, `/patients/${patient_id}`, { phone: "4155557777" }, { method: "PATCH" });
  expect(changed.status).toBeLessThan(300);
  await checkPeople(app.deps);
  const after = await keys();
  expect(after).toHaveLength(before.length);
  expect(after).not.toEqual(before);
});
