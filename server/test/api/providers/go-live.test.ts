import type { DashboardOrder, Order } from "@pestle/contract";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { patientMessageQueue } from "../../../src/usecases/patients/queue-patient-messages.ts";
import { sendPatientMessages } from "../../../src/usecases/patients/send-patient-messages.ts";
import { keepExchanges } from "../../../src/usecases/providers/keep-exchanges.ts";
import { newOrder, placed, post } from "../../support/orders.ts";
import { ask, goodAddress } from "../../support/patient.ts";
import { type EasyPostStandIn, startEasyPost } from "../../support/stand-ins/easypost.ts";
import { openSmtpStandIn } from "../../support/stand-ins/smtp.ts";
import { type StripeStandIn, startStripe } from "../../support/stand-ins/stripe.ts";
import { openTwilioStandIn } from "../../support/stand-ins/twilio.ts";
import { startTestApp, type TestApp } from "../../support/test-app.ts";
import { webPerson } from "../../support/web.ts";
import { workplace } from "../../support/workplace.ts";

const PRODUCTION = 2;
const HOUR_MS = 3600_000;

/** A pharmacy with every provider: the settings differ from the demo, and nothing else. */
let stripe: StripeStandIn;
let easypost: EasyPostStandIn;
let smtp: Awaited<ReturnType<typeof openSmtpStandIn>>;
let twilio: Awaited<ReturnType<typeof openTwilioStandIn>>;
let app: TestApp;
let shop: ReturnType<typeof workplace>;
beforeAll(async () => {
  stripe = await startStripe({ now: () => Date.now() });
  easypost = await startEasyPost({ webhook_secret: "s3cret" });
  smtp = await openSmtpStandIn();
  twilio = await openTwilioStandIn();
  app = await startTestApp({
    unlimited: true,
    env: {
      PAYMENTS: "stripe",
      STRIPE_SECRET_KEY: stripe.secret_key,
      STRIPE_WEBHOOK_SECRET: stripe.webhook_secret,
      STRIPE_API_BASE: stripe.base_url,
      CARRIER: "easypost",
      ADDRESSES: "easypost",
      EASYPOST_API_KEY: easypost.key,
      EASYPOST_WEBHOOK_SECRET: easypost.webhook_secret,
      EASYPOST_API_BASE: easypost.base_url,
      MAIL: "smtp",
      SMTP_URL: smtp.url,
      MAIL_FROM: "pharmacy@larkspur.example",
      ...twilio.env,
      SMS_HOURS: "00:00-24:00",
    },
  });
  shop = workplace(app, PRODUCTION);
});
afterAll(async () => {
  await app.stop();
  await Promise.all([stripe.stop(), easypost.close(), smtp.close(), twilio.close()]);
});

describe("a pharmacy with real providers", () => {
  test("takes a production order from POST /orders to Delivered and back: authorized, labeled, charged, tracked, refunded", async () => {
    const { patient_id, body } = await newOrder(app, { partner: PRODUCTION });
    const consent = { sms: true, email: true, consented_at: "2026-01-02T03:04:05.000Z" };
    const agreed = await ask(
      app,
      `/patients/${patient_id}`,
      { messaging: consent },
      { method: "PATCH", partner: PRODUCTION },
    );
    expect(agreed.status).toBe(200);
    const payment = { payer: "patient", token: "pm_card_visa" };
    const address = { ...goodAddress, street1: "2210 Mission St" };
    const order: Order = await placed(app, { ...body, address, payment }, { partner: PRODUCTION });
    const { order_number } = order;
    const money = () => stripe.books.moneyOf(order_number);
    const [amount, charged_none] = [order.payment.amount_cents, { held: order.payment.amount_cents, taken: 0 }];
    expect([order.payment.status, money()]).toEqual(["authorized", charged_none]);

    const shipped = await shop.reach(order, "Shipped");
    expect(shipped.payment).toMatchObject({ status: "captured", amount_cents: amount });
    expect(money()).toEqual({ held: 0, taken: amount });
    const [parcel] = easypost.bought().filter(({ reference }) => reference?.startsWith(order_number));
    const { tracking_code } = parcel!.bought!.tracker;
    expect(shipped.shipments).toMatchObject([{ tracking_no: tracking_code, status: "label_created" }]);

    for (const own of Object.values(app.environments)) {
      await patientMessageQueue(own)();
      await sendPatientMessages(own);
    }
    // A job of the service may have taken the message first.
    await expect.poll(() => [twilio.sent.length, smtp.letters.length], { timeout: 60_000 }).toEqual([1, 1]);
    expect(`${twilio.sent[0]!.body} ${smtp.letters[0]}`).not.toMatch(/atorvastatin/i);

    easypost.scan(tracking_code, "delivered", new Date(app.deps.now().getTime() + HOUR_MS));
    const event = easypost.event(tracking_code);
    const webhook = `${app.addresses.base_url}/providers/easypost/webhook`;
    expect((await fetch(webhook, { method: "POST", body: event.body, headers: event.headers })).status).toBe(200);
    const read = async () =>
      (await post(app, undefined, { path: `/orders/${order_number}`, partner: PRODUCTION })).body as Order;
    expect((await read()).order_status).toBe("Delivered");

    const { order: refunded } = await shop.act(order, { event: "refund", reason_id: 105 });
    expect(refunded.payment).toMatchObject({ status: "refunded", refunded_cents: amount });
    expect(money()).toEqual({ held: 0, taken: 0 });

    await keepExchanges(app.deps);
    const lead = await webPerson(app, "lead");
    const page = (await lead.get(`/dashboard/orders/${shop.account_id}/${order_number}`)).body as DashboardOrder;
    const calls = page.timeline.flatMap((entry) =>
      entry.kind === "provider" ? [`${entry.provider} ${entry.what}`] : [],
    );
    for (const call of ["stripe authorize payment", "easypost create shipment", "easypost buy label"])
      expect(calls).toContain(call);
    expect(JSON.stringify(page.timeline)).not.toContain(stripe.secret_key);
  });

  test("shows each provider, the end of its key and its webhook URL, and tests each one", async () => {
    const admin = await webPerson(app, "admin");
    const { text, body } = await admin.get("/dashboard/providers");
    expect(body.providers).toMatchObject([
      {
        kind: "payments",
        provider: "stripe",
        key_ends: stripe.secret_key.slice(-4),
        webhook_url: expect.stringMatching(/\/providers\/stripe\/webhook$/),
      },
      { kind: "carrier", provider: "easypost", key_ends: easypost.key.slice(-4), state: "ok" },
      { kind: "addresses", provider: "easypost" },
      { kind: "mail", provider: "smtp", key_ends: null, webhook_url: null },
      { kind: "sms", provider: "twilio" },
    ]);
    for (const secret of [stripe.secret_key, stripe.webhook_secret, easypost.key]) expect(text).not.toContain(secret);
    for (const name of ["stripe", "easypost", "smtp", "twilio"]) {
      const tested = await admin.send("POST", `/dashboard/providers/${name}/test`);
      expect([name, tested.body.works]).toEqual([name, true]);
    }
    stripe.revoked = true;
    const refused = await admin.send("POST", "/dashboard/providers/stripe/test");
    expect(refused.body).toMatchObject({ works: false, says: expect.stringMatching(/key/) });
    stripe.revoked = false;
  });

  test("simulates nothing, and says so", async () => {
    const admin = await webPerson(app, "admin");
    expect((await admin.get("/session")).body.session.simulated).toEqual([]);
  });
});
