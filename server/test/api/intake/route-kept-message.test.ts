import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { formatOf } from "../../../src/formats/formats.ts";
import { createPerson } from "../../../src/usecases/accounts/create-person.ts";
import { addRoutingRule, removeRoutingRule } from "../../../src/usecases/accounts/manage-routing.ts";
import { routeKeptMessage } from "../../../src/usecases/intake/route-kept-message.ts";
import { intakeRows, newMessage, openIntake } from "../../support/intake.ts";
import { patientKeyOf } from "../../support/patient-key.ts";
import { prescription } from "../../support/samples/script-samples.ts";
import { startTestApp, type TestApp } from "../../support/test-app.ts";
import { until } from "../../support/tools/until.ts";

let app: TestApp;
let intake: Awaited<ReturnType<typeof openIntake>>;
let willow: string;
let juniper: string;
let harbor: string;
const LEAD = "lee@larkspur.example";
const SHARED = "9900017";

beforeAll(async () => {
  app = await startTestApp();
  intake = await openIntake(app);
  [willow, juniper, harbor] = app.demo.partners.map(({ account_id }) => account_id) as [string, string, string];
  await app.deps.db.raw("update account set ncpdp_id = $1 where partner_id is not null", [SHARED]);
  await app.deps.db.transaction(async (tx) => {
    for (const [email, role] of [
      [LEAD, "lead"],
      ["tam@larkspur.example", "technician"],
    ] as const) {
      await createPerson(tx, { email, name: "N", role, partner_id: null, password_hash: "x" }, new Date());
    }
  });
});
afterAll(() => app.stop());

let number = 0;
const stranger = () => ({ ids: [], last_name: `Number ${++number}` });
const rowsOf = async (sql: string, ...params: unknown[]) => (await app.deps.db.raw(sql, params)).rows;

/** A message that could belong to two accounts, and its review entry. */
async function keep(change: Parameters<typeof newMessage>[0] = { patient: stranger() }) {
  const message_id = `K-${++number}`;
  const envelope = { message_id, prescriber_order_number: message_id, ...change.envelope };
  const { text } = await intake.send(newMessage({ ...change, envelope }));
  const [review] = await rowsOf("select * from review where kind = 'unrouted_message' order by review_id desc limit 1");
  return { message_id, answer: text, review_id: review!["review_id"] as number };
}
const route = (review_id: number, account_id = willow, email = LEAD) =>
  routeKeptMessage(app.deps, formatOf, { review_id, account_id, email });

describe("a stored message", () => {
  test("that is routed becomes a prescription of that account, and the partner receives the event", async () => {
    const { message_id, review_id } = await keep();
    const before = await intakeRows(app);
    const { patient_id, prescription_id } = await route(review_id, juniper);
    const patient_key = await patientKeyOf(app, juniper, patient_id!);
    expect(await rowsOf("select * from prescription where sender_message_id = $1", message_id)).toMatchObject([
      { account_id: juniper, patient_key, prescription_id, acceptance: "not_needed", order_due_at: expect.any(Date) },
    ]);
    const after = await intakeRows(app);
    expect(after).toEqual({
      ...before,
      patient: before["patient"]! + 1,
      prescription: before["prescription"]! + 1,
      webhook_event: before["webhook_event"]! + 1,
    });
    expect(
      await rowsOf(
        "select outcome, p.email from review join person p on p.person_id = resolved_by where review_id = $1",
        review_id,
      ),
    ).toEqual([{ outcome: `routed to ${juniper}`, email: LEAD }]);
    expect(await rowsOf("select * from intake_message where sender_message_id = $1", message_id)).toMatchObject([
      { for_account_id: juniper, outcome: "accepted", state: "processed" },
    ]);
  });

  test("keeps its first answer and returns it again", async () => {
    const change = { patient: stranger() };
    const { message_id, answer, review_id } = await keep(change);
    await route(review_id);
    const envelope = { message_id, prescriber_order_number: message_id };
    expect((await intake.send(newMessage({ ...change, envelope }))).text).toBe(answer);
    expect(await rowsOf("select * from prescription where sender_message_id = $1", message_id)).toHaveLength(1);
  });

  test("is routed once, regardless of how many users try at once and to which account", async () => {
    const { message_id, review_id } = await keep();
    const tries = await Promise.allSettled(
      Array.from({ length: 10 }, (_, index) => route(review_id, index % 2 === 0 ? willow : juniper)),
    );
    expect(tries.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    for (const one of tries) {
      if (one.status === "rejected") expect(one.reason.message).toBe("This entry is already closed.");
    }
    expect(await rowsOf("select * from prescription where sender_message_id = $1", message_id)).toHaveLength(1);
    await expect(route(review_id)).rejects.toThrow("This entry is already closed.");
  });

  test("that cancels ends the prescription of the account it is routed to", async () => {
    const first = await keep();
    await route(first.review_id);
    const target = {
      patient: prescription.patient,
      prescriber_npi: null,
      drug_description: prescription.drug.description,
      drug_codes: [],
      written_date: null,
    };
    const { review_id } = await keep({
      envelope: { relates_to_message_id: first.message_id },
      content: { kind: "cancel", discontinue: false, target },
    });
    expect(await route(review_id)).toMatchObject({ prescription_id: null });
    const rows = await rowsOf("select active from prescription where sender_message_id = $1", first.message_id);
    expect(rows).toEqual([{ active: false }]);
  });

  test("that the account would reject stays with the operators, who see the reason", async () => {
    const { review_id } = await keep({ patient: { ...stranger(), dob: null } });
    // A job orders what earlier tests routed to a partner with Automatic Processing.
    const due = () => rowsOf("select prescription_id from prescription where order_due_at is not null");
    await until(async () => (await due()).length === 0, "no order is due");
    const before = await intakeRows(app);
    await expect(route(review_id)).rejects.toThrow(
      "The message cannot be accepted: The patient's date of birth is missing, not a date or not possible.",
    );
    expect(await intakeRows(app)).toEqual(before);
    expect(await rowsOf("select resolved_at from review where review_id = $1", review_id)).toEqual([
      { resolved_at: null },
    ]);
  });

  test("cannot be routed by a technician, to an account without its id, to another environment or from another entry", async () => {
    const { message_id, review_id } = await keep();
    await expect(route(review_id, willow, "tam@larkspur.example")).rejects.toThrow("Only a pharmacist");
    await expect(route(review_id, harbor)).rejects.toThrow("There is no such entry in the environment");
    await expect(route(999_999)).rejects.toThrow("There is no such entry in the environment");
    await app.deps.db.raw("update account set ncpdp_id = '9900025' where account_id = $1", [juniper]);
    await expect(route(review_id, juniper)).rejects.toThrow("addressed to an ID that this account does not have");
    await app.deps.db.raw("update account set ncpdp_id = $2 where account_id = $1", [juniper, SHARED]);
    await intake.send(newMessage({ envelope: { message_id }, prescription: { refills: 1 } }));
    const [reused] = await rowsOf("select review_id from review where kind = 'message_id_reused'");
    await expect(route(reused!["review_id"] as number)).rejects.toThrow("This entry has no message to route.");
    expect(await rowsOf("select * from prescription where sender_message_id = $1", message_id)).toEqual([]);
  });
});

describe("a routing rule", () => {
  const add = (account_id: string, kind: "sender" | "prescriber_npi" | "practice", value: string) =>
    app.deps.db.transaction((tx) => addRoutingRule(tx, { account_id, kind, value }, new Date()));

  test("sends later messages to its account until it is removed", async () => {
    await add(juniper, "practice", "Tule Fog Family Medicine");
    const message_id = `K-${++number}`;
    await intake.send(newMessage({ envelope: { message_id }, patient: stranger() }));
    expect(await rowsOf("select account_id from prescription where sender_message_id = $1", message_id)).toEqual([
      { account_id: juniper },
    ]);
    const rule = { account_id: juniper, kind: "practice" as const, value: "TULE FOG family medicine" };
    await app.deps.db.transaction((tx) => removeRoutingRule(tx, rule));
    await expect(app.deps.db.transaction((tx) => removeRoutingRule(tx, rule))).rejects.toThrow("no such rule");
    const { message_id: kept } = await keep();
    expect(await rowsOf("select * from prescription where sender_message_id = $1", kept)).toEqual([]);
  });

  test("that decides nothing is rejected", async () => {
    await add(willow, "sender", "6120042");
    await expect(add(willow, "sender", "6120042")).rejects.toThrow("This account already has this rule.");
    await expect(add(juniper, "sender", "6120042")).rejects.toThrow("Another account with the same NCPDP ID");
    // Environments are separate.
    await add(harbor, "sender", "6120042");
    await expect(add(willow, "prescriber_npi", "1234567890")).rejects.toThrow("An NPI must have 10 digits");
    await expect(add(willow, "practice", "")).rejects.toThrow("A rule's value must have 1 to 200 characters.");
    await expect(add("nobody", "sender", "x")).rejects.toThrow("There is no such account.");
    await app.deps.db.raw("update account set ncpdp_id = null where account_id = $1", [harbor]);
    await expect(add(harbor, "sender", "y")).rejects.toThrow("has no NCPDP ID");
  });
});
