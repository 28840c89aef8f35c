import {
  type PortalEndpointFigures,
  type PortalFigures,
  type PortalHome,
  type QuickStartStep,
  quickStartSteps,
} from "@pestle/contract";
import { afterAll, beforeAll, expect, test } from "vitest";
import { saveBrands, saveProducts, saveShippingMethods } from "../../../src/db/catalogue/catalogue-rows.ts";
import { enterStock } from "../../../src/db/catalogue/stock.ts";
import { brands, products, shippingMethods } from "../../../src/seed/cast.ts";
import { createPartnerAccount } from "../../../src/usecases/accounts/create-partner.ts";
import { keepRequests } from "../../../src/usecases/operations/keep-requests.ts";
import { openReceiver, type Receiver } from "../../support/receiver.ts";
import { startTestApp, type TestApp } from "../../support/test-app.ts";
import { type WebPerson, webPerson } from "../../support/web.ts";

let app: TestApp;
let person: WebPerson;
let receiver: Receiver;
beforeAll(async () => {
  app = await startTestApp();
  receiver = await openReceiver();
  const account = await app.deps.db.transaction(async (tx) => {
    const given = { name: "Newcomer", environment: "sandbox", workflow: "api_driven", ncpdp_id: null } as const;
    const made = await createPartnerAccount(tx, given, app.deps.now());
    const { account_id } = made;
    await saveShippingMethods(tx, account_id, shippingMethods, app.deps.now());
    await saveBrands(tx, account_id, brands);
    await saveProducts(tx, account_id, products, app.deps.now());
    const stock = products.map(({ sku }) => ({ sku, kind: "received", units: 9_000, order_number: null, note: null }));
    await enterStock(tx, account_id, stock as never, app.deps.now());
    return made;
  });
  person = await webPerson(app, "partner_admin", account.partner_id);
});
afterAll(async () => {
  await app.stop();
  await receiver.close();
});

const P = "/portal/sandbox";
const home = async () => (await person.get(`${P}/home`)).body as PortalHome;
const done = async () => (await home()).checklist.filter((one) => one.done).map(({ step }) => step);

test("the quick start checks off each step when it actually happens", async () => {
  const kept: Record<string, string> = {};
  const steps: Record<QuickStartStep, () => Promise<unknown>> = {
    credential: async () =>
      Object.assign(kept, (await person.send("POST", `${P}/credentials`, { name: "first" })).body),
    token: async () => {
      const { token_url } = (await home()).addresses;
      const { client_id = "", client_secret = "" } = kept;
      const form = { grant_type: "client_credentials", scope: "partners", client_id, client_secret };
      const answer = await fetch(token_url, { method: "POST", body: new URLSearchParams(form) });
      kept["token"] = ((await answer.json()) as { access_token: string }).access_token;
    },
    request: async () => {
      // A rejected one does not count.
      expect((await app.call("/orders/ZZZZZZZZZZ", { token: kept["token"]! })).status).toBe(404);
      await keepRequests(app.deps);
      expect(await done()).toEqual(["credential", "token"]);
      const { base_url } = (await home()).addresses;
      const headers = { accept: "application/json", authorization: `Bearer ${kept["token"]}` };
      expect((await fetch(`${base_url}/shipping_methods`, { headers })).status).toBe(200);
      await keepRequests(app.deps);
    },
    endpoint: async () => {
      const told = await person.send("POST", `${P}/webhook_endpoints`, { url: receiver.url, secret: "ours" });
      kept["endpoint_id"] = told.body.id;
    },
    delivery: async () => {
      await person.send("POST", `${P}/webhook_endpoints/${kept["endpoint_id"]}/test`);
      await expect.poll(done).toContain("delivery");
    },
    prescription: async () => {
      const told = await person.send("POST", `${P}/sandbox/prescriptions`, { preset: "simple" });
      kept["prescription_id"] = told.body.prescription_id;
    },
    order: async () => {
      const prescription_id = Number(kept["prescription_id"]);
      const told = await person.send("POST", `${P}/sandbox/orders`, { prescription_id });
      expect(told.status, told.text).toBe(201);
      kept["order_number"] = told.body.order_number;
    },
    shipped: () =>
      person.send("POST", `${P}/sandbox/simulate`, {
        simulation_type: "order",
        simulation: { order_number: kept["order_number"], to: "Shipped" },
      }),
  };
  expect(Object.keys(steps)).toEqual(Object.keys(quickStartSteps));
  expect(await done()).toEqual([]);
  const so_far: string[] = [];
  for (const [step, act] of Object.entries(steps)) {
    await act();
    so_far.push(step);
    expect(await done()).toEqual(so_far);
  }
});

test("the home page counts orders by status, the requests of a day, and orders that need the partner", async () => {
  const { prescription_id } = (await person.send("POST", `${P}/sandbox/prescriptions`, { preset: "missing_email" }))
    .body;
  await person.send("POST", `${P}/sandbox/orders`, { prescription_id });
  const { account, orders, waiting_for_you, requests, webhooks } = await home();
  expect(account).toMatchObject({ environment: "sandbox", workflow: "api_driven", clock_offset_s: 0 });
  expect(Object.fromEntries(orders.map(({ order_status, count }) => [order_status, count]))).toEqual({
    Processing: 0,
    Filling: 0,
    Shipped: 1,
    Delivered: 0,
    "On Hold": 1,
    Canceled: 0,
  });
  expect([waiting_for_you, requests]).toEqual([1, { total: 2, errors: 1 }]);
  expect(webhooks.disabled_endpoints).toEqual([]);
});

test("the charts count what shipped and arrived and how long it took, and how each endpoint answered", async () => {
  const { prescription_id } = (await person.send("POST", `${P}/sandbox/prescriptions`, { preset: "simple" })).body;
  const { order_number } = (await person.send("POST", `${P}/sandbox/orders`, { prescription_id })).body;
  const simulation = { order_number, to: "Delivered" };
  const told = await person.send("POST", `${P}/sandbox/simulate`, { simulation_type: "order", simulation });
  expect(told.status, told.text).toBeLessThan(300);
  const { funnel, carriers, states, since } = (await person.get(`${P}/figures`)).body as PortalFigures;
  // One is on hold, one has shipped, and this one has arrived.
  expect(funnel).toMatchObject({ received: 3, shipped: 2, delivered: 1 });
  expect(funnel.median_hours_to_ship).toBeGreaterThanOrEqual(0);
  expect([carriers.map(({ parcels }) => parcels), states.map(({ parcels }) => parcels)]).toEqual([[1], [1]]);
  expect(carriers[0]!.median_hours).toBe(funnel.median_hours_to_deliver);
  expect(Date.parse(since)).toBeLessThan(Date.now());
  const { endpoints } = (await person.get(`${P}/endpoint_figures`)).body as PortalEndpointFigures;
  expect(endpoints).toHaveLength(1);
  expect(endpoints[0]!.hours).toHaveLength(24);
  expect(endpoints[0]).toMatchObject({ success_rate: 1, attempts: endpoints[0]!.hours.at(-1)!.attempts });
});

test("the home page shows an endpoint that was disabled for its answers", async () => {
  const gone = await openReceiver((_, response) => response.writeHead(410).end());
  const made = (await person.send("POST", `${P}/webhook_endpoints`, { url: gone.url, secret: "ours" })).body;
  await person.send("POST", `${P}/webhook_endpoints/${made.id}/test`);
  const disabled = async () => (await home()).webhooks.disabled_endpoints;
  await expect
    .poll(disabled)
    .toMatchObject([{ id: made.id, url: gone.url, reason: "The endpoint answered 410 Gone." }]);
  await gone.close();
});
