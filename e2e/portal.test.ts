import { readFileSync } from "node:fs";
import { signatureBase } from "@pestle/contract";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createPartnerAccount } from "../server/src/usecases/accounts/create-partner.ts";
import { openReceiver, type Receiver } from "../server/test/support/receiver.ts";
import { signedIn, type WebPerson } from "../server/test/support/web.ts";
import { inspect, type Journey, type Seen, type SignIn, shot, startJourney, violations } from "./support/journey.ts";

const HOSTILE = `<img src=x onerror="alert(1)"></textarea><script>alert(2)</script>'";\${7*7}{{7*7}}`;

let journey: Journey;
let sam: SignIn;
/** The same user, for the steps that a journey does not type. */
let hand: WebPerson;
let receiver: Receiver;
/** The answer of the partner's receiver. */
let status = 500;
beforeAll(async () => {
  journey = await startJourney();
  sam = journey.app.demo.partners[0]!.portal;
  hand = await signedIn(journey.app, sam);
  receiver = await openReceiver((_, response) =>
    response.writeHead(status, { "content-type": "text/html" }).end(HOSTILE),
  );
});
afterAll(async () => {
  await journey?.stop();
  await receiver?.close();
});

const P = "/portal/sandbox";
const heading = (page: Page, text: string) => page.getByRole("heading", { level: 1, name: text }).waitFor();
const quiet = ({ foreign, complaints }: Seen) => expect([foreign, complaints]).toEqual([[], []]);
const go = async (page: Page, keys: string) => {
  for (const key of keys) await page.keyboard.press(key);
};
const sent = async (path: string, body: unknown) => {
  const told = await hand.send("POST", P + path, body);
  if (told.status >= 300) throw new Error(`${told.status}: ${told.text}`);
  return told.body;
};
const ordered = async (preset: string): Promise<string> => {
  const { prescription_id } = await sent("/sandbox/prescriptions", { preset });
  return (await sent("/sandbox/orders", { prescription_id })).order_number;
};

test("a partner creates a credential, calls the API with it, registers an endpoint, sees a delivery fail and sends it again", async () => {
  const seen = await journey.openAs(sam, "/portal");
  const { page } = seen;
  await heading(page, "Willow Telehealth");
  await page.getByText("1 of 8 done").waitFor();
  await shot(page, "portal-home");

  await go(page, "gc");
  await heading(page, "Credentials");
  await page.keyboard.press("n");
  await page.getByRole("textbox", { name: "Name" }).fill("order service");
  await page.keyboard.press("Enter");
  await page.getByText("You won't see this again.").waitFor();
  await shot(page, "portal-secret");
  const codes = await page.locator("dialog pre code").allTextContents();
  const [client_id = "", client_secret = ""] = codes;
  await page.getByRole("button", { name: "I saved it" }).click();
  expect(await page.content()).not.toContain(client_secret);

  await go(page, "gh");
  await page.getByText("Get an access token").waitFor();
  await expect.poll(() => page.locator("pre").first().textContent()).toContain(client_id);
  const { sandbox_auth_url } = journey.app.addresses;
  const body = new URLSearchParams({ grant_type: "client_credentials", scope: "partners", client_id, client_secret });
  const token = (await (await fetch(`${sandbox_auth_url}/oauth/token`, { method: "POST", body })).json()) as {
    access_token: string;
  };
  const given = { token: token.access_token };
  const called = await journey.app.call("/v1/shipping_methods", given);
  expect(called.status).toBe(200);
  const refused = await journey.app.call("/v1/orders", {
    ...given,
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ shipping: { method_id: 1 }, items: [] }),
  });
  expect(refused.status).toBe(422);
  // The list checks off its items without a click.
  await page.getByText("3 of 8 done").waitFor();
  await shot(page, "portal-home-progress");

  await go(page, "gr");
  const row = page.getByRole("row", { name: "/shipping_methods" });
  await row.first().waitFor();
  await shot(page, "portal-requests");
  await row.first().click();
  await page.getByText(called.headers.get("x-request-id")!).first().waitFor();
  await page.getByText("This request succeeded.").waitFor();
  await go(page, "gf");
  await page.getByRole("link", { name: "1 request" }).first().waitFor();
  await shot(page, "portal-errors");

  await go(page, "gw");
  await heading(page, "Endpoints");
  await page.keyboard.press("n");
  await page.getByLabel("URL").fill(receiver.url);
  await page.getByLabel("Description").fill(HOSTILE);
  await shot(page, "portal-new-endpoint");
  await page.getByRole("button", { name: "Create endpoint" }).click();
  await page.getByText("whsec_").waitFor();
  await page.getByRole("button", { name: "Send test event" }).click();
  await heading(page, "RX_RECEIVED");
  await page.getByText("Failed", { exact: true }).first().waitFor();
  await page.locator("details summary").last().click();
  await page.getByText(HOSTILE).waitFor();
  await shot(page, "portal-event-failed");
  status = 200;
  await page.getByRole("button", { name: "Resend" }).click();
  await page.getByRole("table").getByText("delivered", { exact: true }).waitFor();
  await page.getByText("Delivered", { exact: true }).first().waitFor();
  await shot(page, "portal-event-delivered");
  await page.getByRole("tab", { name: "Signature explained" }).click();
  const { path: _, body: arrived } = receiver.received.at(-1)!;
  const base = signatureBase("POST", receiver.url, arrived);
  await page.getByText(base, { exact: true }).waitFor();
  await shot(page, "portal-signature");
  expect(await violations(page)).toEqual([]);
  await page.getByRole("tab", { name: "Body" }).click();
  await page.getByText('"event_type": "RX_RECEIVED"').waitFor();
  await shot(page, "portal-event-body");
  quiet(seen);
});

test("a user rotates a credential with an overlap, ends the older secret, and revokes the credential", async () => {
  const { client_id, client_secret } = await sent("/credentials", { name: "to be rotated" });
  const url = "https://hooks.larkspur.example/rotated";
  const signed = { url, secret: "a secret of ours", signing_credential_id: client_id };
  const { id } = await sent("/webhook_endpoints", signed);
  const granted = async (secret: string) => {
    const body = new URLSearchParams({ grant_type: "client_credentials", scope: "partners", client_id });
    body.set("client_secret", secret);
    return (await fetch(`${journey.app.addresses.sandbox_auth_url}/oauth/token`, { method: "POST", body })).status;
  };
  const seen = await journey.openAs(sam, "/portal/sandbox/credentials");
  const { page } = seen;
  const row = page.getByRole("listitem").filter({ hasText: "to be rotated" });
  await row.getByRole("button", { name: "Rotate" }).click();
  await page.getByRole("heading", { name: "New secret" }).waitFor();
  const newer = (await page.locator("dialog pre code").nth(1).textContent()) ?? "";
  // Nobody can show the secret again, so Escape does not throw it away.
  for (let time = 0; time < 3; time++) await page.keyboard.press("Escape");
  expect(await page.getByText(newer, { exact: true }).isVisible()).toBe(true);
  expect(await violations(page)).toEqual([]);
  await page.getByRole("button", { name: "I saved it" }).click();
  expect([await granted(client_secret), await granted(newer)]).toEqual([200, 200]);
  await row.getByText("Old secret #").waitFor();
  await shot(page, "portal-rotating");
  await row.getByRole("button", { name: "Expire old secret" }).click();
  // Programs may be using it, so one slip must not end it; nor may an endpoint be forgotten.
  await page.getByRole("dialog").getByText(url).waitFor();
  await shot(page, "portal-expire");
  await page.getByRole("button", { name: "Cancel" }).click();
  expect(await granted(client_secret)).toBe(200);
  await row.getByRole("button", { name: "Expire old secret" }).click();
  await page.getByRole("button", { name: "Expire now" }).click();
  await row.getByText("Active").waitFor();
  expect([await granted(client_secret), await granted(newer)]).toEqual([401, 200]);
  await row.getByRole("button", { name: "Revoke" }).click();
  await shot(page, "portal-revoke");
  await page.getByRole("button", { name: "Revoke credential" }).click();
  await row.getByText("Revoked", { exact: true }).waitFor();
  expect(await granted(newer)).toBe(401);
  await hand.send("DELETE", `${P}/webhook_endpoints/${id}`, {});
  quiet(seen);
});

test("a user disables and enables an endpoint, resends everything since a time, and deletes the endpoint", async () => {
  status = 200;
  await sent("/sandbox/prescriptions", { preset: "simple" });
  const { id } = await sent("/webhook_endpoints", { url: receiver.url, secret: "a secret of ours" });
  const seen = await journey.openAs(sam, `/portal/sandbox/webhooks/${id}`);
  const { page } = seen;
  await page.getByRole("button", { name: "Disable" }).click();
  await page.getByText("Disabled: by you").waitFor();
  await page.getByRole("button", { name: "Enable" }).click();
  await page.getByText("Active", { exact: true }).waitFor();
  await page.getByRole("button", { name: "Resend" }).click();
  await page.getByText(/^Resending [1-9]\d* events?\.$/).waitFor();
  await page.getByRole("button", { name: "Edit" }).click();
  await page.getByLabel("Description").fill("orders of the web shop");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("orders of the web shop").waitFor();
  await shot(page, "portal-endpoint");
  await page.getByRole("button", { name: "Delete" }).click();
  await page.getByRole("button", { name: "Delete endpoint" }).click();
  await heading(page, "Endpoints");
  expect((await hand.get(`${P}/webhook_endpoints/${id}`)).status).toBe(404);
  quiet(seen);
});

test("a failure shows a message with its request id, and can be retried", async () => {
  const { page } = await journey.openAs(sam, "/portal/sandbox/home");
  await heading(page, "Willow Telehealth");
  const request_id = "11111111-2222-4333-8444-555555555555";
  const down = { error: { error_code: 503, message: "The service is not ready." } };
  await page.route("**/portal/sandbox/team", (route) =>
    route.fulfill({ status: 503, headers: { "x-request-id": request_id }, json: down }),
  );
  await go(page, "gt");
  await page.getByText(request_id).waitFor();
  await shot(page, "portal-problem");
  expect(await violations(page)).toEqual([]);
  await page.unroute("**/portal/sandbox/team");
  await page.getByRole("button", { name: "Try again" }).click();
  await page.getByText("dev@willow-telehealth.example").waitFor();
});

test("in the sandbox a user takes a prescription to Delivered, and its events arrive", async () => {
  const seen = await journey.openAs(sam, "/portal/sandbox/sandbox");
  const { page } = seen;
  await heading(page, "Sandbox tools");
  await page.getByText("Test data only. Nothing ships to patients.").waitFor();
  await page.getByRole("button", { name: "Send prescription" }).click();
  await page.getByRole("button", { name: "Place order" }).first().click();
  await page.getByRole("button", { name: "Delivered" }).click();
  await page.getByText("Delivered", { exact: true }).first().waitFor();
  await page.getByText("SHIPMENT_UPDATED").first().waitFor();
  await shot(page, "portal-sandbox");
  await page.getByText("SHIPMENT_UPDATED").first().click();
  await page.locator("details pre").first().waitFor();
  await page.getByRole("button", { name: "1 day" }).click();
  await page.getByText("Clock is 1 d ahead.").waitFor();
  await shot(page, "portal-sandbox-clock");

  // The order shipped, so the account has a statement, and the order counts in its quota.
  await go(page, "gm");
  await heading(page, "Statements");
  await page.getByRole("row", { name: /Open/ }).getByRole("link").click();
  await page
    .getByRole("row", { name: /Shipping/ })
    .first()
    .waitFor();
  await page.getByText("You owe").waitFor();
  expect(await inspect(page, "portal-statement")).toEqual([]);
  const download = page.waitForEvent("download");
  await page.getByRole("button", { name: "CSV" }).click();
  const file = await download;
  expect(file.suggestedFilename()).toMatch(/^statement-\d{4}-\d{2}\.csv$/);
  expect(readFileSync((await file.path())!, "utf8")).toMatch(/^line_id,booked_at,kind,payer,amount_cents,.*\n.*,item,/);
  await go(page, "gu");
  await heading(page, "Usage");
  const orders = page.getByRole("table", { name: "What the account stores" }).getByRole("row", { name: /^orders / });
  await expect
    .poll(() => orders.getByRole("cell").allTextContents())
    .toEqual([...["orders", expect.stringMatching(/^[1-9]/), "500,000", "0%"]]);
  quiet(seen);
});

test("a user lists refill schedules, skips a fill, orders one now, and pauses and cancels the schedule", async () => {
  const { patient_id, prescription_id } = await sent("/sandbox/prescriptions", { preset: "simple" });
  const made = await journey.app.call("/v1/refill_schedules", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      ...{ patient_id, prescription_id, shipping: { method_id: 1 }, every_days: 30 },
      consent: { given_at: "2026-01-05T09:00:00Z", method: "electronic" },
    }),
  });
  expect(made.status).toBe(201);
  const seen = await journey.openAs(sam, "/portal/sandbox/home");
  const { page } = seen;
  await heading(page, "Willow Telehealth");
  await go(page, "gi");
  await heading(page, "Refills");
  await page.getByLabel("Status").selectOption("active");
  await page.getByRole("row", { name: patient_id }).click();
  await heading(page, "Refill schedule");
  expect(await inspect(page, "portal-schedule")).toEqual([]);
  const act = async (button: string, done: string) => {
    await page.getByRole("button", { name: button, exact: true }).click();
    await page.locator("dialog").getByRole("button", { name: button, exact: true }).click();
    await page.getByText(done).waitFor();
    await page.locator("dialog").waitFor({ state: "detached" });
  };
  await act("Skip the next fill", "The next fill is skipped.");
  await act("Fill now", "The fill is ordered.");
  await page.getByText("Ordered on").waitFor();
  await act("Pause", "The schedule is paused.");
  await page.getByText("Paused", { exact: true }).waitFor();
  await act("Resume", "The schedule makes orders again.");
  await act("Cancel schedule", "The schedule is canceled.");
  await page.getByText("Canceled", { exact: true }).waitFor();
  expect(await page.getByRole("button", { name: "Fill now" }).count()).toBe(0);
  await page.getByRole("link", { name: "All schedules" }).click();
  await page.getByRole("row", { name: patient_id }).waitFor();
  expect(await inspect(page, "portal-schedules")).toEqual([]);
  quiet(seen);
});

test("a user asks for a renewal on the page of a shipped order, and reads the prescriber's answer", async () => {
  const written = { drug_name: "atorvastatin", written_qty: 90, days_supply: 90, prescriber_name: "Dana Deny" };
  const { prescription_id } = await sent("/sandbox/prescriptions", { simulation: written });
  const { order_number } = await sent("/sandbox/orders", { prescription_id });
  await sent("/sandbox/simulate", { simulation_type: "order", simulation: { order_number, to: "Shipped" } });
  const seen = await journey.openAs(sam, `/portal/sandbox/orders/${order_number}`);
  const { page } = seen;
  await page.getByRole("button", { name: "Ask for a renewal" }).click();
  const dialog = page.locator("dialog");
  await dialog.getByLabel("Refills").fill("2");
  await dialog.getByLabel("Note to the prescriber").fill("Nine tablets are left.");
  expect(await violations(page)).toEqual([]);
  await dialog.getByRole("button", { name: "Ask", exact: true }).click();
  await page.getByText("The pharmacy asks the prescriber.").waitFor();
  const states = async () => {
    const told = await hand.get(`${P}/prescriptions/${prescription_id}/renewal_requests`);
    return told.body.renewal_requests.map((one: { status: string }) => one.status);
  };
  await expect.poll(states, { timeout: 60_000 }).toEqual(["denied"]);
  await page.reload();
  await page.getByText("Denied", { exact: true }).scrollIntoViewIfNeeded();
  expect(await inspect(page, "portal-renewal")).toEqual([]);
  quiet(seen);
});

test("a held order shows what it needs, and the action's form ends the hold", async () => {
  const order_number = await ordered("missing_email");
  const seen = await journey.openAs(sam, "/portal/sandbox/exceptions");
  const { page } = seen;
  await page.getByRole("link", { name: order_number }).waitFor();
  await page.keyboard.press("?");
  await page.getByText("Keyboard shortcuts").waitFor();
  await shot(page, "portal-shortcuts");
  await page.keyboard.press("Escape");
  await page.keyboard.press("Control+k");
  await page.keyboard.type(order_number.toLowerCase());
  await page.getByRole("option", { name: order_number }).waitFor();
  await shot(page, "portal-palette");
  await page.keyboard.press("Enter");
  await heading(page, order_number);
  await page.getByText("Missing Email (65)").waitFor();
  const email = page.getByRole("textbox", { name: "Email" });
  await page.keyboard.press("1");
  await email.fill("not an address");
  await email.evaluate((input: { type: string }) => {
    input.type = "text";
  });
  await page.keyboard.press("Enter");
  await page.locator("dialog [id$=-problem]").waitFor();
  await shot(page, "portal-action");
  await email.fill("wren@patients.example");
  await page.keyboard.press("Enter");
  await page.getByText("Requested: Update the patient's email").waitFor();
  await page.getByText("Hold resolved: Missing Email").waitFor();
  await page.getByLabel("Choose an exception").or(page.locator("select")).first().selectOption("77");
  await page.getByRole("button", { name: "Hold", exact: true }).click();
  await page.getByText("Address Invalid (77)").waitFor();
  await shot(page, "portal-order-held");
  await page.getByRole("button", { name: "Update the shipping address" }).click();
  await page.getByLabel("Street").waitFor();
  expect(await violations(page)).toEqual([]);
  await shot(page, "portal-action-address");
  quiet(seen);
});

describe("for every user", () => {
  test("text from other people is shown as text everywhere", async () => {
    await sent("/credentials", { name: HOSTILE.slice(0, 100) });
    await hand.send("POST", `${P}/team`, {
      name: HOSTILE.slice(0, 100),
      email: "mallory@willow-telehealth.example",
      role: "partner_viewer",
    });
    const made = await sent("/sandbox/prescriptions", { simulation: { sig_text: HOSTILE } });
    const placed = await journey.app.call("/v1/orders", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({
        reference: HOSTILE.slice(0, 50),
        shipping: { method_id: 1 },
        patient: { patient_id: made.patient_id },
        items: [{ prescription_id: made.prescription_id }],
      }),
    });
    const { order_number } = (await placed.json()) as { order_number: string };
    const seen = await journey.openAs(sam, `/portal/sandbox/orders/${order_number}`);
    const { page } = seen;
    await page.getByText(HOSTILE).waitFor();
    await page.getByText(HOSTILE.slice(0, 50), { exact: true }).waitFor();
    await shot(page, "portal-hostile");
    for (const [path, text] of [
      ["credentials", HOSTILE.slice(0, 60)],
      ["team", HOSTILE.slice(0, 60)],
      ["webhooks", HOSTILE],
    ] as const) {
      await page.goto(`${journey.app.addresses.base_url}/portal/sandbox/${path}`);
      await page.getByText(text).first().waitFor();
    }
    expect(await page.locator("main img, main script, main svg[onload]").count()).toBe(0);
    quiet(seen);
  });

  test("a viewer sees no controls that change data", async () => {
    const { partner_id } = (
      await journey.app.deps.db.raw("select partner_id from account where account_id = $1", [
        journey.app.demo.partners[0]!.account_id,
      ])
    ).rows[0] as { partner_id: string };
    const viewer = await journey.person("partner_viewer", "Vera Lind", partner_id);
    const { page } = await journey.openAs(viewer, "/portal/sandbox/credentials");
    await page.getByText("order service").waitFor();
    for (const name of ["New credential", "Rotate", "Revoke"]) {
      expect(await page.getByRole("button", { name }).count()).toBe(0);
    }
    await go(page, "gt");
    await page.getByText("Vera Lind").last().waitFor();
    expect(await page.getByRole("button", { name: "Invite" }).count()).toBe(0);
  });

  test("another environment, another account and the operator's pages all look like unknown pages", async () => {
    const seen = await journey.openAs(sam, "/portal/production/home");
    const { page } = seen;
    const nothing = () => page.getByText("Page not found").waitFor();
    await nothing();
    for (const path of [
      "/portal/elsewhere",
      "/portal/sandbox/orders/0000000000",
      "/portal/sandbox/nowhere",
      "/dashboard",
    ]) {
      await page.goto(journey.app.addresses.base_url + path);
      await nothing();
    }
    await shot(page, "portal-nothing");
    quiet(seen);
  });

  test("a user with both environments switches between them, and sees the current one", async () => {
    const harbor = journey.app.demo.partners[2]!;
    await journey.app.deps.db.transaction((tx) =>
      createPartnerAccount(
        tx,
        { name: harbor.name, environment: "sandbox", workflow: "api_driven", ncpdp_id: null },
        journey.app.deps.now(),
      ),
    );
    const { page } = await journey.openAs(harbor.portal, "/portal/production/catalogue");
    await heading(page, "Catalogue");
    const shown = () => page.evaluate<string>("document.documentElement.dataset.environment");
    expect(await shown()).toBe("production");
    expect(await page.getByRole("link", { name: "Sandbox tools" }).count()).toBe(0);
    await shot(page, "portal-production");
    await go(page, "gv");
    await page.getByText("Test data only. Nothing ships to patients.").waitFor();
    await heading(page, "Catalogue");
    expect(await shown()).toBe("sandbox");
    await page.getByRole("button", { name: "Environment: Sandbox" }).click();
    await shot(page, "portal-switch");
    await page.getByRole("menuitemradio", { name: "Production" }).click();
    await expect.poll(shown).toBe("production");
  });
});

test("the portal shows how orders and endpoints do, with a table behind each chart", async () => {
  const order_number = await ordered("simple");
  await sent("/sandbox/simulate", { simulation_type: "order", simulation: { order_number, to: "Delivered" } });
  const seen = await journey.openAs(sam, "/portal/sandbox/home");
  const { page } = seen;
  const table = async (name: string) => {
    await page.getByText(`Show table: ${name}`).focus();
    await page.keyboard.press("Enter");
    return page.getByRole("table", { name });
  };
  const funnel = await table("Orders received, shipped and delivered");
  await funnel.getByRole("row", { name: /^Delivered [1-9]/ }).waitFor();
  await (await table("Median delivery time by carrier"))
    .getByRole("row", { name: /(h|days)$/ })
    .first()
    .waitFor();
  await go(page, "gw");
  await heading(page, "Endpoints");
  await page
    .getByRole("img", { name: /^Delivered per hour in the last 24 hours: lowest/ })
    .first()
    .waitFor();
  await (await table("Attempts in the last 24 hours, by endpoint and hour"))
    .getByRole("row", { name: /%/ })
    .first()
    .waitFor();
  await go(page, "gu");
  await page.getByText("Alert at 5%").waitFor();
  await (await table("Error rate")).getByRole("row").nth(24).waitFor();
  expect(await violations(page)).toEqual([]);
  quiet(seen);
});

test("axe finds no violation on any screen, and nothing overflows", async () => {
  status = 200;
  const { id } = await sent("/webhook_endpoints", { url: receiver.url, secret: "a secret of ours" });
  const held = await ordered("invalid_address");
  const { webhook_events } = (await hand.get(`${P}/webhook_events?event_type=ORDER_EXCEPTION&limit=1`)).body;
  const refused = await journey.app.call("/v1/orders/none");
  const request_id = refused.headers.get("x-request-id");
  await expect.poll(async () => (await hand.get(`${P}/requests/${request_id}`)).status).toBe(200);
  const seen = await journey.openAs(sam, "/portal");
  const { page } = seen;
  await heading(page, "Willow Telehealth");
  for (const [name, path] of [
    ["home", "home"],
    ["credentials", "credentials"],
    ["sandbox", "sandbox"],
    ["orders", "orders"],
    ["order", `orders/${held}`],
    ["exceptions", "exceptions"],
    ["continuity", "continuity?within_days=180"],
    ["catalogue", "catalogue"],
    ["methods", "catalogue?tab=methods"],
    ["brands", "catalogue?tab=brands"],
    ["endpoints", "webhooks"],
    ["endpoint", `webhooks/${id}`],
    ["events", "events"],
    ["event", `events/${webhook_events[0].event_id}`],
    ["signature", `events/${webhook_events[0].event_id}?tab=signature`],
    ["requests", "requests"],
    ["request", `requests/${request_id}`],
    ["errors", "errors"],
    ["statements", "statements"],
    ["statement", `statements/${new Date().toISOString().slice(0, 7)}`],
    ["usage", "usage"],
    ["team", "team"],
  ]) {
    await page.goto(`${journey.app.addresses.base_url}/portal/sandbox/${path}`);
    await page.locator("main h1").waitFor();
    await expect.poll(() => page.locator("main [role=status]", { hasText: "Loading" }).count()).toBe(0);
    expect(await inspect(page, `portal-${name}`), name).toEqual([]);
  }
  quiet(seen);
}, 240_000);
