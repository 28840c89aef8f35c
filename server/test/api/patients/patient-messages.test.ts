import type { DashboardNotifications, DashboardOrder, Order, PortalOrder } from "@pestle/contract";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { patientMessageQueue } from "../../../src/usecases/patients/queue-patient-messages.ts";
import { sendPatientMessages } from "../../../src/usecases/patients/send-patient-messages.ts";
import { newOrder, placed } from "../../support/orders.ts";
import { ask, stranger } from "../../support/patient.ts";
import { bounceOf } from "../../support/samples/bounces.ts";
import { openSmtpStandIn } from "../../support/stand-ins/smtp.ts";
import { openTwilioStandIn } from "../../support/stand-ins/twilio.ts";
import { startTestApp, type TestApp } from "../../support/test-app.ts";
import { type WebPerson, webPerson } from "../../support/web.ts";
import { staff, workplace } from "../../support/workplace.ts";

const SANDBOX = 0;
const PRODUCTION = 2;
const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

const MAIL_BOUNCE_TOKEN = "made-up-token-of-the-mail-server";

let app: TestApp;
let admin: WebPerson;
let twilio: Awaited<ReturnType<typeof openTwilioStandIn>>;
let smtp: Awaited<ReturnType<typeof openSmtpStandIn>>;
beforeAll(async () => {
  twilio = await openTwilioStandIn(() => app.deps.now());
  smtp = await openSmtpStandIn();
  app = await startTestApp({
    env: {
      ...twilio.env,
      SMS_HOURS: "00:00-24:00",
      SMTP_URL: smtp.url,
      MAIL_FROM: "pharmacy@larkspur.example",
      MAIL_BOUNCE_TOKEN,
    },
    unlimited: true,
  });
  admin = await webPerson(app, "admin");
});
afterAll(async () => {
  await app.stop();
  await twilio.close();
  await smtp.close();
});

/** What the two jobs do. Theirs can run at the same time, so a claim may be theirs: `settled` waits for the result. */
async function runJobs(): Promise<void> {
  for (const own of Object.values(app.environments)) {
    await patientMessageQueue(own)();
    await sendPatientMessages(own);
  }
}
const afterJobs = async <Found>(find: () => Found): Promise<Awaited<Found>> => {
  await runJobs();
  return await find();
};
const rowsOf = async ({ order_number }: Pick<Order, "order_number">) =>
  (
    await app.deps.db.raw(
      `select notice, channel, state, reason, provider, provider_id, attempts, due_at is not null as due
      from patient_message where order_number = $1 order by notice, channel`,
      [order_number],
    )
  ).rows;
async function settled(order: Pick<Order, "order_number">, state: string, channel = "sms") {
  await expect
    .poll(
      async () => {
        await runJobs();
        return (await rowsOf(order)).find((row) => row["channel"] === channel && row["state"] === state);
      },
      { timeout: 60_000 },
    )
    .toBeDefined();
  return (await rowsOf(order)).find((row) => row["channel"] === channel && row["state"] === state)!;
}

const agree = (patient_id: string, messaging: object, partner = PRODUCTION) =>
  ask(app, `/patients/${patient_id}`, { messaging }, { method: "PATCH", partner });
const consented_at = "2026-01-02T03:04:05.000Z";

/** An order whose patient agreed to these channels. */
async function orderWith(messaging: object | null, partner = PRODUCTION) {
  const patient = stranger();
  const { patient_id, body } = await newOrder(app, { partner, patient });
  if (messaging !== null) expect((await agree(patient_id, messaging, partner)).status).toBe(200);
  return { patient_id, ...patient, order: await placed(app, body, { partner }) };
}
const ship = (order: Order, partner = PRODUCTION) => workplace(app, partner).reach(order, "Shipped");
const textsTo = (phone: string) => twilio.sent.filter(({ to }) => to === `+1${phone}`);
const lettersTo = (email: string) => smtp.letters.filter((letter) => letter.includes(`To: ${email}`));
const shown = async ({ order_number }: Order, partner = PRODUCTION) => {
  const { account_id } = app.demo.partners[partner]!;
  const { body } = await admin.get(`/dashboard/orders/${account_id}/${order_number}`);
  return (body as DashboardOrder).timeline.filter(({ kind }) => kind === "patient_message");
};

describe("consent", () => {
  test("is passed with a patient, replaces the one on file, and needs its time", async () => {
    const { patient_id } = await newOrder(app, { partner: PRODUCTION });
    const path = `/patients/${patient_id}`;
    const read = async () => JSON.parse((await ask(app, path, undefined, { partner: PRODUCTION })).text).messaging;
    expect(await read()).toEqual({ email: false, sms: false, consented_at: null, language: "en" });
    const missing = await agree(patient_id, { sms: true });
    expect(missing.status).toBe(422);
    expect(missing.text).toContain("messaging.consented_at");
    expect((await agree(patient_id, { sms: true, consented_at: "2190-01-01" })).status).toBe(422);
    expect((await agree(patient_id, { sms: "yes", fax: true })).status).toBe(422);
    expect((await agree(patient_id, { sms: true, consented_at, language: "es" })).status).toBe(200);
    expect(await read()).toEqual({ email: false, sms: true, consented_at, language: "es" });
    expect((await agree(patient_id, {})).status).toBe(200);
    expect(await read()).toMatchObject({ sms: false, consented_at: null });
  });

  test("without it, the pharmacy sends the patient nothing", async () => {
    const { order, phone, email } = await orderWith(null);
    await ship(order);
    await runJobs();
    expect(await rowsOf(order)).toEqual([]);
    expect([...textsTo(phone), ...lettersTo(email)]).toEqual([]);
  });

  test("that ends before the message is sent stops it", async () => {
    const { order, phone, patient_id } = await orderWith({ sms: true, consented_at });
    await ship(order);
    await app.deps.db.raw(
      `insert into patient_message (account_id, order_number, notice, channel, message_id, patient_key, state, created_at, due_at)
      select account_id, order_number, 'order_shipped', 'sms', gen_random_uuid(), patient_key, 'queued', now(), null
      from orders where order_number = $1`,
      [order.order_number],
    );
    expect((await agree(patient_id, {})).status).toBe(200);
    await app.deps.db.raw("update patient_message set due_at = created_at where order_number = $1", [
      order.order_number,
    ]);
    expect(await settled(order, "suppressed")).toMatchObject({ reason: "no_consent" });
    expect(textsTo(phone)).toEqual([]);
  });
});

describe("a shipped order", () => {
  test("reaches the patient once by each channel and names no drug; the provider's reports may arrive in any order", async () => {
    const { order, phone, email } = await orderWith({ email: true, sms: true, consented_at, language: "es" });
    const { shipments } = await ship(order);
    await settled(order, "sent", "email");
    await settled(order, "sent");
    await runJobs();
    const [text, ...more] = textsTo(phone);
    expect(more).toEqual([]);
    expect(text!.body).toBe(
      `Larkspur Pharmacy: Su pedido fue enviado. Rastréelo: ${shipments[0]!.tracking_url} Responda STOP para no recibir más mensajes.`,
    );
    const letters = lettersTo(email);
    expect(letters).toHaveLength(1);
    expect(`${text!.body} ${letters[0]}`).not.toMatch(/atorvastatin|quillfeather,|tablet/i);

    // Delivered comes before sent, and both come twice.
    for (const status of ["delivered", "sent", "delivered", "sent", "failed"])
      expect((await twilio.report(text!, status)).status).toBe(200);
    expect(await settled(order, "delivered")).toMatchObject({
      provider: "twilio",
      provider_id: text!.sid,
      reason: null,
    });
    expect(await shown(order)).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ notice: "order_shipped", channel: "sms", state: "delivered", simulated: false }),
        expect.objectContaining({ notice: "order_shipped", channel: "email", state: "sent", simulated: false }),
      ]),
    );

    await workplace(app, PRODUCTION).reach(order, "Delivered");
    await expect.poll(async () => (await afterJobs(() => textsTo(phone))).length, { timeout: 60_000 }).toBe(2);
    expect(textsTo(phone)[1]!.body).toContain("Su pedido fue entregado.");
  });

  test("in the sandbox is simulated: visible, and sent to no one", async () => {
    const calls = twilio.calls.length;
    const { order, phone, email } = await orderWith({ email: true, sms: true, consented_at }, SANDBOX);
    await ship(order, SANDBOX);
    expect(await settled(order, "delivered")).toMatchObject({ provider: "simulated" });
    await settled(order, "delivered", "email");
    expect([...textsTo(phone), ...lettersTo(email)]).toEqual([]);
    expect(twilio.calls).toHaveLength(calls);
    expect((await shown(order, SANDBOX)).map((entry) => "simulated" in entry && entry.simulated)).toEqual([true, true]);
    const { partner_id } = (
      await app.deps.db.raw("select partner_id from account where account_id = $1", [
        app.demo.partners[SANDBOX]!.account_id,
      ])
    ).rows[0] as { partner_id: string };
    const partner = await webPerson(app, "partner_developer", partner_id);
    const { body } = await partner.get(`/portal/sandbox/orders/${order.order_number}`);
    expect((body as PortalOrder).patient_messages).toMatchObject([
      { notice: "order_shipped", state: "delivered", reason: null, simulated: true },
      { notice: "order_shipped", state: "delivered", reason: null, simulated: true },
    ]);
  });

  test("is not told to a mailbox that does not exist, and a lead is notified", async () => {
    const { order, email } = await orderWith({ email: true, consented_at });
    smtp.answers["RCPT"] = (line) => (line.includes(email) ? "550 5.1.1 nobody here" : "250 ok");
    await ship(order);
    expect(await settled(order, "failed", "email")).toMatchObject({ reason: "smtp_550", due: false });
    const { notifications } = (await admin.get("/dashboard/notifications")).body as DashboardNotifications;
    expect(notifications.filter(({ order_number }) => order_number === order.order_number)).toMatchObject([
      { kind: "undelivered", by: null },
    ]);
  });
});

describe("a text message whose answer is lost", () => {
  test.each(["lose answer", "500 after", "garbage after"] as const)(
    "is looked up, and not sent again (%s)",
    async (fault) => {
      const { order, phone } = await orderWith({ sms: true, consented_at });
      twilio.faults.push(fault);
      await ship(order);
      await settled(order, "sending");
      app.advance(2 * MINUTE_MS);
      expect(await settled(order, "sent")).toMatchObject({ provider_id: textsTo(phone)[0]!.sid });
      expect(textsTo(phone)).toHaveLength(1);
    },
  );

  test("that Twilio does not know stays unknown and is not sent again", async () => {
    const { order, phone } = await orderWith({ sms: true, consented_at });
    twilio.faults.push("lose request");
    await ship(order);
    await settled(order, "sending");
    for (const _ of [1, 2, 3, 4]) {
      app.advance(2 * MINUTE_MS);
      await runJobs();
    }
    expect(await settled(order, "unknown")).toMatchObject({ reason: "lost_answer", due: false });
    expect(textsTo(phone)).toEqual([]);
  });

  test("is settled by the report that names it", async () => {
    const { order, phone } = await orderWith({ sms: true, consented_at });
    twilio.faults.push("lose answer");
    await ship(order);
    await settled(order, "sending");
    expect((await twilio.report(textsTo(phone)[0]!, "delivered")).status).toBe(200);
    app.advance(2 * MINUTE_MS);
    await runJobs();
    expect(await rowsOf(order)).toMatchObject([{ state: "delivered", due: false }]);
    expect(textsTo(phone)).toHaveLength(1);
  });

  test("that Twilio certainly did not take is sent later, and one that it refuses has failed", async () => {
    const later = await orderWith({ sms: true, consented_at });
    twilio.faults.push("429");
    await ship(later.order);
    await expect
      .poll(async () => (await afterJobs(() => rowsOf(later.order)))[0]?.["reason"], { timeout: 60_000 })
      .toBe("http_429");
    app.advance(30 * MINUTE_MS);
    await settled(later.order, "sent");
    expect(textsTo(later.phone)).toHaveLength(1);

    const refused = await orderWith({ sms: true, consented_at });
    twilio.faults.push({ refuse: 21211 });
    await ship(refused.order);
    expect(await settled(refused.order, "failed")).toMatchObject({ reason: "twilio_21211" });
  });
});

describe("opt-out words", () => {
  test("count for every partner until the patient opts in again, and a repeated message changes nothing", async () => {
    const first = await orderWith({ sms: true, consented_at });
    const { base_url } = app.addresses;
    const start = "SM00000000000000000000000000000001";
    expect((await twilio.text(base_url, `+1${first.phone}`, "Start", start)).status).toBe(200);
    expect((await twilio.text(base_url, `+1${first.phone}`, " stop. ")).status).toBe(200);
    // The same START again is a replay, not a wish.
    expect((await twilio.text(base_url, `+1${first.phone}`, "Start", start)).status).toBe(200);
    await ship(first.order);
    expect(await settled(first.order, "suppressed")).toMatchObject({ reason: "opted_out" });
    expect(textsTo(first.phone)).toEqual([]);
    await twilio.text(base_url, `+1${first.phone}`, "UNSTOP");
    await workplace(app, PRODUCTION).reach(first.order, "Delivered");
    await settled(first.order, "sent");
    expect(textsTo(first.phone)).toHaveLength(1);
  });

  test("HELP is answered, and other texts are not", async () => {
    const { base_url } = app.addresses;
    const help = await (await twilio.text(base_url, "+14155550111", "help")).text();
    expect(help).toContain("<Message>Larkspur Pharmacy: notices about your orders. Call (207) 555-0142");
    expect(await (await twilio.text(base_url, "+14155550111", "is it <here>?")).text()).toContain(
      "<Response></Response>",
    );
  });

  test("of anyone but Twilio count nothing", async () => {
    const url = `${app.addresses.base_url}/providers/twilio/messages`;
    const fields = { MessageSid: "SM00000000000000000000000000000002", From: "+14155550112", Body: "STOP" };
    expect((await twilio.post(url, fields, "bm90IHRoaXMgb25lIGF0IGFsbCEhISE=")).status).toBe(401);
    expect((await fetch(url, { method: "POST", body: new URLSearchParams(fields) })).status).toBe(401);
    expect(
      (await fetch(url, { method: "POST", body: "{}", headers: { "content-type": "application/json" } })).status,
    ).toBe(400);
    const { rows } = await app.deps.db.raw("select provider_id from sms_choice where provider_id = $1", [
      fields.MessageSid,
    ]);
    expect(rows).toEqual([]);
    // Twilio's own report about a message that is not ours changes nothing.
    const status = `${app.addresses.base_url}/providers/twilio/status?account_id=none&message_id=none`;
    expect((await twilio.post(status, { MessageSid: fields.MessageSid, MessageStatus: "delivered" })).status).toBe(200);
  });
});

test("an email that comes back later counts as failed, and the leads learn of it", async () => {
  const lead = await webPerson(app, "lead");
  const { order, email } = await orderWith({ email: true, consented_at });
  await ship(order);
  await settled(order, "sent", "email");
  const message_id = /^Message-ID: (<.*>)/im.exec(lettersTo(email)[0]!)![1]!;
  const back = (token: string, body = bounceOf(message_id)) =>
    fetch(`${app.addresses.base_url}/providers/mail/bounce`, {
      ...{ method: "POST", body, headers: { authorization: `Bearer ${token}`, "content-type": "message/rfc822" } },
    });
  expect((await back("another token")).status).toBe(401);
  expect((await back(MAIL_BOUNCE_TOKEN, bounceOf("<letter-7@else.example>"))).status).toBe(200);
  expect((await back(MAIL_BOUNCE_TOKEN, bounceOf(message_id, { action: "delayed" }))).status).toBe(200);
  expect((await rowsOf(order))[0]).toMatchObject({ state: "sent" });
  const unread = async () =>
    ((await lead.get("/dashboard/notifications")).body as DashboardNotifications).notifications.filter(
      ({ kind, order_number }) => kind === "undelivered" && order_number === order.order_number,
    );
  expect(await unread()).toEqual([]);
  for (let times = 0; times < 2; times++) expect((await back(MAIL_BOUNCE_TOKEN)).status).toBe(200);
  expect((await rowsOf(order))[0]).toMatchObject({ state: "failed", reason: "bounced_5.1.1", due: false });
  expect(await unread()).toHaveLength(1);
  // A letter to staff.
  const letter_id = "7d444840-9dc0-4e32-a1c4-0e0d1a2b3c4d";
  await app.deps.db.raw(
    "insert into letter (letter_id, created_at, state, content_sealed) select $1, now(), 'sent', content_sealed from patient_message where content_sealed is not null limit 1",
    [letter_id],
  );
  expect((await back(MAIL_BOUNCE_TOKEN, bounceOf(`<${letter_id}@larkspur.example>`))).status).toBe(200);
  const { rows } = await app.deps.db.raw("select state, error from letter where letter_id = $1", [letter_id]);
  expect(rows).toEqual([{ state: "failed", error: "bounced_5.1.1" }]);
});

test("the patient gets one notice of an order that is on hold for a day, and at most four messages a day", async () => {
  const { order, phone } = await orderWith({ sms: true, consented_at });
  const { work } = workplace(app, PRODUCTION);
  await workplace(app, PRODUCTION).start(order, { state: "On Hold", held_from: "Filling/fill" }, [64]);
  await runJobs();
  expect(await rowsOf(order)).toEqual([]);
  app.advance(DAY_MS + MINUTE_MS);
  await settled(order, "sent");
  expect(textsTo(phone).map(({ body }) => body)).toEqual([
    "Larkspur Pharmacy: Your order is delayed. We are working on it. Questions? Call (207) 555-0142. Reply STOP to opt out.",
  ]);
  expect(work(order, staff.lead).order_number).toBe(order.order_number);
  await app.deps.db.raw(
    `update patient_message set state = 'queued', due_at = created_at, sent_at = null where order_number = $1`,
    [order.order_number],
  );
  await app.deps.db.raw(
    `insert into patient_message (account_id, order_number, notice, channel, message_id, patient_key, state, created_at, sent_at)
    select m.account_id, o.order_number, 'order_shipped', 'sms', gen_random_uuid(), m.patient_key, 'delivered', m.created_at, m.created_at
    from patient_message m
    join lateral (select order_number from orders where account_id = m.account_id and order_number <> m.order_number limit 4) o on true
    where m.order_number = $1
    on conflict (account_id, order_number, notice, channel) do update set patient_key = excluded.patient_key, sent_at = excluded.sent_at`,
    [order.order_number],
  );
  expect(await settled(order, "suppressed")).toMatchObject({ reason: "too_many" });
  expect(textsTo(phone)).toHaveLength(1);
});

test("the check of the key says whether it works", async () => {
  const { production } = app.deps.sms;
  expect(await production!.check()).toContain("accepts the key");
  twilio.suspend();
  await expect(production!.check()).rejects.toThrow("not active");
});
