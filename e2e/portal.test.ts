import { readFileSync } from "node:fs";
import {
  type ActionKey,
  type ExceptionId,
  exceptionIds,
  exceptionRow,
  holdButton,
  signatureBase,
  signingKey,
  verifyServiceSignature,
} from "@pestle/contract";
import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { createPartnerAccount } from "../server/src/usecases/accounts/create-partner.ts";
import { openReceiver, type Receiver } from "../server/test/support/receiver.ts";
import { signedIn, type WebPerson } from "../server/test/support/web.ts";
import {
  inspect,
  inspectSpanish,
  type Journey,
  type Seen,
  type SignIn,
  shot,
  startJourney,
  violations,
} from "./support/journey.ts";
import { misfits } from "./support/misfits.ts";

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
// An open page follows every change, also of later tests.
afterEach((after) => journey.closePages(after));
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
  const send = () => hand.send("POST", P + path, body);
  let told = await send();
  // On a busy machine these tests take longer than a sign-in counts as recent.
  if (told.status === 403) {
    hand = await signedIn(journey.app, sam);
    told = await send();
  }
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

test("a user rotates a secret in four clicks while webhooks arrive, and no delivery is lost or refused", async () => {
  const { client_id, client_secret } = await sent("/credentials", { name: "to be rotated" });
  // As the guide says: the receiver tries the new secret, then the old one, and refuses everything else.
  let accepted = [client_secret];
  const [arrived, verified, refused] = [new Set<string>(), new Map<string, number>(), [] as string[]];
  const careful = await openReceiver(({ headers, body }, response) => {
    const signature = String(headers["x-service-signature"]);
    const secret = accepted.find((one) =>
      verifyServiceSignature(signingKey(one), "POST", careful.url, body, signature),
    );
    if (secret === undefined) {
      refused.push(String(headers["webhook-id"]));
      return response.writeHead(401).end();
    }
    arrived.add(String(headers["webhook-id"]));
    verified.set(secret, (verified.get(secret) ?? 0) + 1);
    return response.end("ok");
  });
  const signed = { url: careful.url, secret: "a secret of ours", signing_credential_id: client_id };
  const { id } = await sent("/webhook_endpoints", signed);
  const granted = async (secret: string) => {
    const body = new URLSearchParams({ grant_type: "client_credentials", scope: "partners", client_id });
    body.set("client_secret", secret);
    return (await fetch(`${journey.app.addresses.sandbox_auth_url}/oauth/token`, { method: "POST", body })).status;
  };
  const test = async (): Promise<string> => (await sent(`/webhook_endpoints/${id}/test`, {})).event_id;
  const events: string[] = [];
  let rotating = true;
  const traffic = (async () => {
    while (rotating) events.push(await test());
  })();
  const seen = await journey.openAs(sam, "/portal/sandbox/credentials");
  const { page } = seen;
  await page.evaluate(
    "clicks = 0; addEventListener('click', ({ isTrusted }) => { clicks += Number(isTrusted) }, true)",
  );
  const row = page.getByRole("listitem").filter({ hasText: "to be rotated" });
  const dialog = page.getByRole("dialog");
  await row.getByRole("button", { name: "Rotate" }).click();
  await page.getByRole("heading", { name: "New secret" }).waitFor();
  const newer = (await page.locator("dialog pre code").nth(1).textContent()) ?? "";
  accepted = [newer, client_secret];
  // Nobody can show the secret again, so Escape does not throw it away.
  for (let time = 0; time < 3; time++) await page.keyboard.press("Escape");
  expect(await page.getByText(newer, { exact: true }).isVisible()).toBe(true);
  expect([await violations(page), await misfits(page)]).toEqual([[], []]);
  await shot(page, "portal-rotate-secret");
  await page.getByRole("button", { name: "I saved it" }).click();
  await dialog.getByText(careful.url).waitFor();
  expect(await inspect(page, "portal-rotate-switch")).toEqual([]);
  await expect.poll(() => verified.get(client_secret) ?? 0).toBeGreaterThan(0);
  await page.getByRole("button", { name: "Switch and test" }).click();
  await dialog.getByText("Test delivered").waitFor();
  await expect.poll(() => verified.get(newer) ?? 0).toBeGreaterThan(1);
  expect(await inspect(page, "portal-rotate-end")).toEqual([]);
  expect([await granted(client_secret), await granted(newer)]).toEqual([200, 200]);
  await page.getByRole("button", { name: "End old secret" }).click();
  await row.getByText("Active").waitFor();
  expect(await page.evaluate("clicks")).toBe(4);
  expect([await granted(client_secret), await granted(newer)]).toEqual([401, 200]);
  rotating = false;
  await traffic;
  await expect.poll(() => events.filter((event) => !arrived.has(event)), { timeout: 60_000 }).toEqual([]);
  // After the rotation the receiver needs the new secret alone.
  accepted = [newer];
  const last = await test();
  await expect.poll(() => arrived.has(last), { timeout: 60_000 }).toBe(true);
  expect(refused).toEqual([]);

  // A user who needs time for the receivers continues later.
  await row.getByRole("button", { name: "Rotate" }).click();
  await page.getByRole("button", { name: "I saved it" }).click();
  await page.getByRole("button", { name: "Finish later" }).click();
  await row.getByText("Old secret #").waitFor();
  await shot(page, "portal-rotating");
  await row.getByRole("button", { name: "Continue rotation" }).click();
  // This receiver does not know the newest secret, so the test fails, and the user switches back.
  await page.getByRole("button", { name: "Switch and test" }).click();
  await dialog.getByText("The test failed.").waitFor();
  await shot(page, "portal-rotate-failed");
  await page.getByRole("button", { name: "Switch back" }).click();
  await page.getByRole("button", { name: "Switch and test" }).waitFor();
  await page.getByRole("button", { name: "Finish later" }).click();
  await row.getByRole("button", { name: "Revoke" }).click();
  await shot(page, "portal-revoke");
  await page.getByRole("button", { name: "Revoke credential" }).click();
  await row.getByText("Revoked", { exact: true }).waitFor();
  expect(await granted(newer)).toBe(401);
  await hand.send("DELETE", `${P}/webhook_endpoints/${id}`, {});
  await careful.close();
  quiet(seen);
}, 240_000);

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
  // A first fill is due at once. Three days later, so that the job does not order it before the user skips it.
  await journey.app.deps.db.raw(`
    create function first_fill_later() returns trigger language plpgsql as $$
    begin
      new.next_fill_on := new.next_fill_on + 3;
      new.due_at := new.due_at + interval '10 days';
      return new;
    end $$;
    create trigger first_fill_later before insert on refill_schedule
    for each row execute function first_fill_later()`);
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
  await page.getByText("Done: Add the email address.").waitFor();
  await page.getByText("Hold resolved: Missing Email").waitFor();
  await page.getByLabel("Choose an exception").or(page.locator("select")).first().selectOption("77");
  await page.getByRole("button", { name: "Hold", exact: true }).click();
  await page.getByText("Address Invalid (77)").waitFor();
  await shot(page, "portal-order-held");
  await page.getByRole("button", { name: "Correct the address" }).click();
  await page.getByLabel("Street").waitFor();
  expect(await inspect(page, "portal-action-address")).toEqual([]);
  quiet(seen);
}, 240_000);

test("a slowed endpoint counts down to its next try, Try now ends the wait, and ages follow the sandbox clock", async () => {
  let answer: [number, Record<string, string>] = [503, { "retry-after": "90000" }];
  const slow = await openReceiver((_, response) => response.writeHead(...answer).end());
  const { id } = await sent("/webhook_endpoints", { url: slow.url, secret: "a secret of ours" });
  const { event_id } = await sent(`/webhook_endpoints/${id}/test`, {});
  const delivery = async () => (await hand.get(`${P}/webhook_events/${event_id}/deliveries`)).body.deliveries[0];
  await expect.poll(async () => (await delivery()).attempts, { timeout: 60_000 }).toBe(1);
  const order_number = await ordered("missing_email");
  const advance_seconds = 2 * 3600;
  await sent("/sandbox/simulate", { simulation_type: "clock", simulation: { advance_seconds } });
  const seen = await journey.openAs(sam, `/portal/sandbox/webhooks/${id}`);
  const { page } = seen;
  const slowed = page.getByText(/^Slowed: next try in 2\d:\d\d:\d\d$/);
  await slowed.first().waitFor();
  await page.getByText("oldest 2 h", { exact: true }).waitFor();
  expect(await inspect(page, "portal-endpoint-slowed")).toEqual([]);
  await go(page, "gw");
  await page
    .getByRole("row", { name: slow.url })
    .getByText(/^Slowed: next try in /)
    .waitFor();
  await shot(page, "portal-endpoints-slowed");
  await page.goBack();
  answer = [200, {}];
  await page.getByRole("button", { name: "Try now" }).click();
  await page.getByText("Active", { exact: true }).waitFor();
  expect((await delivery()).status).toBe("delivered");
  await go(page, "gx");
  const held = page.getByRole("listitem").filter({ hasText: "Missing Email" }).filter({ hasText: order_number });
  await held.getByText("Oldest: 2 h").first().waitFor();
  await hand.send("DELETE", `${P}/webhook_endpoints/${id}`, {});
  await slow.close();
  quiet(seen);
}, 240_000);

test("the next attempt of an event is never in the past, and Resend makes one more attempt with the same event", async () => {
  // A receiver that takes its time: the attempt was due a while ago, and goes on.
  const answers: (() => void)[] = [];
  let prompt = false;
  const late = await openReceiver((_, response) => {
    if (prompt) response.end("ok");
    else answers.push(() => response.end("ok"));
  });
  const { id } = await sent("/webhook_endpoints", { url: late.url, secret: "a secret of ours" });
  // With a moved clock, too: due times are on the account's clock.
  await sent("/sandbox/simulate", { simulation_type: "clock", simulation: { advance_seconds: 86_400 } });
  const { event_id } = await sent(`/webhook_endpoints/${id}/test`, {});
  await late.arrived(1);
  const seen = await journey.openAs(sam, `/portal/sandbox/events/${event_id}`);
  const { page } = seen;
  const next = page.getByRole("table", { name: "Deliveries" }).getByRole("row").nth(1).getByRole("cell").nth(3);
  await expect.poll(() => next.textContent()).toBe("now");
  prompt = true;
  for (const tell of answers) tell();
  await page.getByText("Delivered", { exact: true }).first().waitFor();
  await expect.poll(() => next.textContent()).toBe("");
  await page.getByText("Resend makes one more attempt now, with the same event ID").waitFor();
  const before = late.received.length;
  await page.getByRole("button", { name: "Resend" }).click();
  await late.arrived(before + 1);
  await page.getByRole("table", { name: "Deliveries" }).getByText("delivered", { exact: true }).waitFor();
  // The endpoint also receives what earlier tests caused.
  const same = late.received.filter(({ headers }) => headers["webhook-id"] === event_id);
  expect(same.at(-1)!.body).toBe(same[0]!.body);
  expect((await hand.get(`${P}/webhook_events/${event_id}/deliveries`)).body.deliveries[0].attempts).toBe(same.length);
  await hand.send("DELETE", `${P}/webhook_endpoints/${id}`, {});
  await late.close();
  quiet(seen);
});

test("a user resolves holds on the list, in plain words and without a field name or a code of the API", async () => {
  const { prescription_id } = await sent("/sandbox/prescriptions", { preset: "simple" });
  const { order_number } = await sent("/sandbox/orders", { prescription_id });
  const holds = exceptionIds.filter((id) => exceptionRow(id).who_acts === "partner");
  for (const exception_id of holds) {
    await sent("/sandbox/simulate", { simulation_type: "order", simulation: { order_number, exception_id } });
  }
  // The list has no button to cancel, and the only item cannot be removed.
  const notOffered: ActionKey[] = ["cancel", "remove_item"];
  const seen = await journey.openAs(sam, "/portal/sandbox/exceptions");
  const { page } = seen;
  const dialog = page.getByRole("dialog");
  const resolve = async (id: ExceptionId, button: string) => {
    const list = page.getByRole("list", { name: `Orders on hold: ${exceptionRow(id).name}`, exact: true });
    const row = list.getByRole("listitem").filter({ hasText: order_number });
    await row.getByRole("button", { name: button, exact: true }).click();
    await dialog.getByRole("heading", { name: button }).waitFor();
  };
  await page.getByRole("heading", { name: "Confirm the date of birth" }).waitFor();
  expect(await inspect(page, "portal-exceptions-held")).toEqual([]);
  for (const id of holds) {
    for (const event_key of exceptionRow(id).actions.filter((key) => !notOffered.includes(key))) {
      await resolve(id, holdButton(id, event_key)!);
      await dialog.getByRole("button", { name: holdButton(id, event_key)!, exact: true }).waitFor();
      expect(await misfits(page), `${id} ${event_key}`).toEqual([]);
      await dialog.getByRole("button", { name: "Cancel" }).click();
    }
  }
  await resolve(65, "Add the email address");
  await dialog.getByLabel("Email").fill("wren@patients.example");
  await shot(page, "portal-resolve-inline");
  await dialog.getByRole("button", { name: "Add the email address" }).click();
  await page.getByText("Done: Add the email address.").waitFor();
  const open = async () => (await hand.get(`${P}/orders/${order_number}`)).body.order.exceptions;
  expect((await open()).map(({ id }: { id: number }) => id)).not.toContain(65);
  await sent(`/orders/${order_number}/actions`, { event: "cancel" });
  quiet(seen);
}, 240_000);

test("lists filter by day and save as CSV, and a request is a command without its token", async () => {
  const reference = "=cmd|'/c calc'!A1";
  const { patient_id, prescription_id } = await sent("/sandbox/prescriptions", { preset: "simple" });
  const placed = await journey.app.call("/v1/orders", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      ...{ reference, shipping: { method_id: 1 } },
      ...{ patient: { patient_id }, items: [{ prescription_id }] },
    }),
  });
  const { order_number } = (await placed.json()) as { order_number: string };
  const { created_at, items } = (await hand.get(`${P}/orders/${order_number}`)).body.order;
  const seen = await journey.openAs(sam, "/portal/sandbox/orders");
  const { page } = seen;
  const row = page.getByRole("row", { name: order_number });
  await row.waitFor();
  await page.getByLabel("From").fill("2031-01-01");
  await page.getByText("No matching orders").waitFor();
  await page.getByRole("button", { name: "Clear" }).click();
  // Both days are included, whichever time zone the pharmacy has.
  const near = (days: number) => new Date(Date.parse(created_at) + days * 86_400_000).toISOString().slice(0, 10);
  await page.getByLabel("From").fill(near(-1));
  await page.getByLabel("To").fill(near(1));
  await row.waitFor();
  expect(await inspect(page, "portal-orders-days")).toEqual([]);
  const saved = async () => {
    const download = page.waitForEvent("download");
    await page.getByRole("button", { name: "CSV" }).click();
    const file = await download;
    return [file.suggestedFilename(), readFileSync((await file.path())!, "utf8")] as const;
  };
  const [name, text] = await saved();
  expect(name).toBe("orders.csv");
  expect(text).toMatch(/^Order,Status,Exceptions,Reference,Patient,Items,Tracking number,Created,Updated\r\n/);
  // A spreadsheet shows it and runs nothing.
  expect(text).toContain(`,'${reference},`);
  for (const [path, title] of [
    ["events", "Created,Event,Order,Patient,Deliveries,Event ID"],
    ["requests", "Time,Method,Path,Status,Duration in ms,Errors,Credential,Request ID"],
    ["errors", "Code,Error,Status,Requests,Field,What to do,Paths,First seen,Last seen,Latest requests"],
    ["refills", "Status,Next fill,Patient,Medication,Prescription"],
    ["continuity", "Runs out,Days left,Patient,Medication"],
    ["statements", "Month,Status,Lines,You owe,Paid by patients,Currency"],
  ] as const) {
    await page.goto(`${journey.app.addresses.base_url}/portal/sandbox/${path}`);
    await page.locator("main h1").waitFor();
    await expect.poll(() => page.locator("main [role=status]", { hasText: "Loading" }).count()).toBe(0);
    expect((await saved())[1].startsWith(title), path).toBe(true);
  }
  await page.goto(`${journey.app.addresses.base_url}/portal/sandbox/errors?since=2031-01-01`);
  await page.getByText("No requests failed in this period.").waitFor();
  expect(await inspect(page, "portal-errors-days")).toEqual([]);
  await page.getByLabel("Time range").selectOption("24");
  await expect.poll(() => page.getByLabel("From").inputValue()).toBe("");
  await page.goto(`${journey.app.addresses.base_url}/portal/sandbox/orders/${order_number}`);
  const { products } = (await hand.get(`${P}/catalogue`)).body;
  const { name: product } = products.find(({ sku }: { sku: string }) => sku === items[0].sku);
  const item = page.getByRole("table", { name: "Items" }).getByRole("row").nth(1);
  await expect.poll(() => item.getByRole("cell").nth(1).textContent()).toBe(`${product} ${items[0].sku}`);
  await shot(page, "portal-order-items");
  const request_id = placed.headers.get("x-request-id");
  await expect.poll(async () => (await hand.get(`${P}/requests/${request_id}`)).status).toBe(200);
  await page.goto(`${journey.app.addresses.base_url}/portal/sandbox/requests/${request_id}`);
  const command = page.locator("pre", { hasText: "curl -sS -X POST" });
  await command.waitFor();
  expect(await command.textContent()).toContain('-H "Authorization: Bearer $TOKEN"');
  expect(await inspect(page, "portal-request-curl")).toEqual([]);
  const rejected = await journey.app.call("/v1/orders", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ reference: "Ann Example", items: [{ sku: "no-such-sku", quantity: 1 }] }),
  });
  const rejected_id = rejected.headers.get("x-request-id");
  await expect.poll(async () => (await hand.get(`${P}/requests/${rejected_id}`)).status).toBe(200);
  await page.goto(`${journey.app.addresses.base_url}/portal/sandbox/requests/${rejected_id}`);
  const body = page.locator("pre", { hasText: "xx-xxxx-xxx" });
  await body.waitFor();
  expect(await body.textContent()).toContain('"reference": "xxx xxxxxxx"');
  expect(await inspect(page, "portal-request-rejected")).toEqual([]);
  quiet(seen);
}, 240_000);

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
  const prompt = await openReceiver((_, response) => void response.end("ok"));
  const { id } = await sent("/webhook_endpoints", { url: prompt.url, secret: "a secret of ours" });
  await sent("/sandbox/simulate", { simulation_type: "order", simulation: { order_number, to: "Delivered" } });
  await prompt.arrived(1);
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
  await hand.send("DELETE", `${P}/webhook_endpoints/${id}`, {});
  await prompt.close();
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
}, 600_000);

test("a person chooses Spanish on the sign-in page, and every screen speaks it", async () => {
  const held = await ordered("missing_email");
  const { id } = await sent("/webhook_endpoints", { url: receiver.url, secret: "a secret of ours" });
  const { webhook_events } = (await hand.get(`${P}/webhook_events?event_type=ORDER_EXCEPTION&limit=1`)).body;
  const refused = await journey.app.call("/v1/orders/none");
  const request_id = refused.headers.get("x-request-id");
  await expect.poll(async () => (await hand.get(`${P}/requests/${request_id}`)).status).toBe(200);
  const door = await journey.open("/portal");
  await door.page.getByRole("button", { name: "Español" }).click();
  await door.page.getByLabel("Correo electrónico").waitFor();
  expect(await inspectSpanish(door.page, "portal-sign-in")).toEqual([]);
  quiet(door);

  const faults: string[] = [];
  const seen = await journey.openAs(sam, "/portal", { language: "es" });
  const { page } = seen;
  for (const path of [
    "home",
    "credentials",
    "sandbox",
    "orders",
    `orders/${held}`,
    "exceptions",
    "continuity",
    "refills",
    "catalogue",
    "catalogue?tab=methods",
    `webhooks/${id}`,
    "webhooks",
    "events",
    `events/${webhook_events[0].event_id}?tab=signature`,
    `requests/${request_id}`,
    "errors",
    "statements",
    "usage",
    "team",
  ]) {
    await page.goto(`${journey.app.addresses.base_url}/portal/sandbox/${path}`);
    await page.locator("main h1").waitFor();
    await expect.poll(() => page.locator("main [role=status]", { hasText: "Cargando" }).count()).toBe(0);
    faults.push(...(await inspectSpanish(page, `portal-${path.replace(/[/?].*/, "-one")}`)));
  }
  expect(faults).toEqual([]);
  await page.getByRole("button", { name: /, su cuenta$/ }).click();
  await page.getByRole("menuitem", { name: "English" }).click();
  await heading(page, "Team");
  expect(await page.locator("html").getAttribute("lang")).toBe("en");
  await hand.send("DELETE", `${P}/webhook_endpoints/${id}`, {});
  quiet(seen);
}, 600_000);
