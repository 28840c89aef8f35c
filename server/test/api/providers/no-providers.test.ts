import type { Order } from "@pestle/contract";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { checkProviders, providerWarnings } from "../../../src/usecases/providers/check-up-providers.ts";
import { footprint, newOrder, placed, post } from "../../support/orders.ts";
import { onePagePdf } from "../../support/samples/labels.ts";
import { startTestApp, type TestApp } from "../../support/test-app.ts";
import { webPerson } from "../../support/web.ts";
import { workplace } from "../../support/workplace.ts";

/** The demo's partner with a production account. */
const PRODUCTION = 2;

describe("without providers, production", () => {
  let app: TestApp;
  let shop: ReturnType<typeof workplace>;
  beforeAll(async () => {
    app = await startTestApp({ unlimited: true, env: { PAYMENTS: "none", CARRIER: "none" } });
    shop = workplace(app, PRODUCTION);
  });
  afterAll(() => app.stop());
  const ordered = async (changes: object = {}) =>
    placed(app, { ...(await newOrder(app, { partner: PRODUCTION })).body, ...changes }, { partner: PRODUCTION });

  test("refuses an order that the patient pays, names the field and changes nothing", async () => {
    const { body } = await newOrder(app, { partner: PRODUCTION });
    const before = await footprint(app, PRODUCTION);
    const sent = { ...body, payment: { payer: "patient", token: "tok_visa" } };
    const answer = await post(app, sent, { partner: PRODUCTION });
    expect(answer.status).toBe(422);
    const [entry] = answer.body.errors[0].error_detail;
    expect([answer.body.errors[0].code, entry.field, entry.problem]).toEqual([42200, "payment.payer", "not_allowed"]);
    expect(answer.text).toMatch(/takes no card payments.*payer partner/);
    expect(await footprint(app, PRODUCTION)).toEqual(before);
  });

  test("still simulates payments in the sandbox", async () => {
    const { body } = await newOrder(app);
    const order = await placed(app, { ...body, payment: { payer: "patient", token: "tok_visa" } });
    expect(order.payment).toMatchObject({ status: "authorized" });
  });

  test("keeps an order without a label at packing, not on hold, and says what to set", async () => {
    const order = await ordered();
    await expect(shop.reach(order, "Shipped")).rejects.toThrow(/only with labels from partners.*CARRIER/);
    expect((await shop.load(order)).standing.state).toBe("Filling/pack");
  });

  test("ships an order with a label from the partner", async () => {
    await app.deps.db.raw("update account set custom_labels = true where account_id = $1", [shop.account_id]);
    const label = {
      format: "PDF",
      data: Buffer.from(onePagePdf, "latin1").toString("base64"),
      carrier: "UPS",
      tracking_no: "1Z999AA10123456784",
    };
    const order: Order = await ordered({ shipping: { method_id: 1, label } });
    const shipped = await shop.reach(order, "Shipped");
    expect(shipped.shipments).toMatchObject([{ tracking_no: "1Z999AA10123456784" }]);
  });

  test("/readyz?verbose tells the operator, and a load balancer reads only about roles", async () => {
    const read = async (path: string) => (await fetch(app.addresses.base_url + path)).json();
    expect(await read("/readyz")).toEqual({ status: "ready", roles: expect.any(Object) });
    const { providers } = (await read("/readyz?verbose")) as { providers: { kind: string; provider: string | null }[] };
    expect(providers).toMatchObject([
      { kind: "payments", provider: "none", state: "ok" },
      { kind: "carrier", provider: "none", state: "ok" },
      { kind: "addresses", provider: null },
      { kind: "mail", provider: null },
      { kind: "sms", provider: "simulated", state: "warning" },
    ]);
  });

  test("the page shows providers to leads and admins, and refuses to test one that no setting names", async () => {
    const admin = await webPerson(app, "admin");
    const { body } = await admin.get("/dashboard/providers");
    expect(body).toMatchObject({
      providers: [{ kind: "payments", provider: "none", key_ends: null, tested_as: null }, {}, {}, {}, {}],
    });
    expect((await admin.send("POST", "/dashboard/providers/stripe/test")).status).toBe(404);
  });

  test("simulated kinds are in the session, for the red line on every screen", async () => {
    const admin = await webPerson(app, "admin");
    const { body } = await admin.get("/session");
    expect(body).toMatchObject({ session: { simulated: ["sms"] } });
  });
});

test("the log warns at each start about what is simulated or missing, and only about that", () => {
  const none = { payments: null, carrier: null, addresses: null, mail: null, sms: null };
  expect(providerWarnings(none)).toEqual([
    expect.stringMatching(/^provider of payments: PAYMENTS names none/),
    expect.stringMatching(/^provider of carrier: CARRIER names none/),
  ]);
  const all = { payments: "simulated", carrier: "simulated", addresses: "none", mail: "smtp", sms: "none" } as const;
  expect(providerWarnings(all)).toEqual([
    "provider of payments: simulated in production: no card is charged",
    expect.stringMatching(/^provider of carrier: simulated in production: labels and tracking numbers are invented/),
  ]);
});

test("a provider that fails, or whose breaker is open, is a finding", () => {
  const chosen = { payments: "stripe", carrier: "none", addresses: "none", mail: "none", sms: "none" } as const;
  const at = new Date("2026-11-18T12:00:00Z");
  const last_failure = { at, what: "authorize payment", error_code: "timeout" };
  const state = { requests: 3, failures: 1, last_success_at: null, last_failure, breaker: "closed" as const };
  const found = (over: Partial<typeof state> | { breaker: "open" }) =>
    checkProviders(chosen, { stateOf: () => ({ ...state, ...over }) })[0];
  expect(found({})).toMatchObject({ state: "warning", says: expect.stringMatching(/timeout/) });
  expect(found({ breaker: "open" })).toMatchObject({ state: "failed" });
  expect(checkProviders(chosen)[0]).toMatchObject({ state: "ok" });
});
