import type { Order } from "@pestle/contract";
import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { playDay } from "../chaos/day/day.ts";
import { createPartnerAccount } from "../server/src/usecases/accounts/create-partner.ts";
import { countStock, receiveStock } from "../server/src/usecases/catalogue/move-stock.ts";
import { shipOrder } from "../server/src/usecases/fulfillment/ship-order.ts";
import {
  approveReview,
  completeFill,
  raiseException,
  verifyProduct,
} from "../server/src/usecases/fulfillment/steps.ts";
import { newMessage, openIntake } from "../server/test/support/intake.ts";
import { newOrder, placed, prescribed } from "../server/test/support/orders.ts";
import { until } from "../server/test/support/tools/until.ts";
import { lotsOf, scansOf } from "../server/test/support/workplace.ts";
import { inspect, type Journey, type Seen, type SignIn, shot, startJourney, violations } from "./support/journey.ts";

let journey: Journey;
let admin: SignIn;
let pharmacist: SignIn;
let technician: SignIn;
let intake: Awaited<ReturnType<typeof openIntake>>;
let account_id: string;
beforeAll(async () => {
  journey = await startJourney();
  admin = await journey.person("admin", "Ada Kern");
  pharmacist = await journey.person("pharmacist", "Phil Marrow");
  technician = await journey.person("technician", "Tess Quill");
  intake = await openIntake(journey.app);
  ({ account_id } = journey.app.demo.partners[0]!);
});
afterAll(() => journey?.stop());

type Given = Parameters<typeof newOrder>[1];
const order = async (given: Given = {}): Promise<Order> =>
  placed(journey.app, (await newOrder(journey.app, given)).body);
const read = async ({ order_number }: Order): Promise<Order> =>
  (await (await journey.app.call(`/v1/orders/${order_number}`)).json()) as Order;
const heading = (page: Page, text: string) => page.getByRole("heading", { level: 1, name: text }).waitFor();
const quiet = ({ foreign, complaints }: Seen) => expect([foreign, complaints]).toEqual([[], []]);
/** Presses both keys of a shortcut in sequence. */
const go = async (page: Page, key: string) => {
  await page.keyboard.press("g");
  await page.keyboard.press(key);
};

const TESS = { person_id: "tess", role: "technician", license: null } as const;
const PHIL = { person_id: "phil", role: "pharmacist", license: "RPH-1001" } as const;

/** An order whose packages came from this lot. */
async function filled(lot: string, packages: readonly { sku: string }[] = []): Promise<Order> {
  const { body } = await newOrder(journey.app);
  const made = await placed(journey.app, { ...body, items: [...body.items, ...packages] });
  const work = { account_id, order_number: made.order_number };
  await approveReview(journey.app.deps, { ...work, by: PHIL });
  const items = made.items.map(({ item_id }) => ({ item_id, lot, lot_expires_on: "2031-12-31" }));
  await completeFill(journey.app.deps, { ...work, by: TESS }, items);
  return made;
}

let messages = 0;
/** A controlled prescription without a signature, which a pharmacist must accept. */
async function doubtful(last_name = "Number"): Promise<{ prescription_id: number }> {
  const message_id = `D-${++messages}`;
  const { ncpdp_id } = journey.app.demo.partners[0]!;
  const drug = { description: "Zolpidem 5 mg tablet", codes: [], strength: null, schedule: null };
  const letters = [...String(messages)].map((digit) => "abcdefghij"[Number(digit)]).join("");
  await intake.send(
    newMessage({
      envelope: { message_id, to: ncpdp_id, prescriber_order_number: message_id },
      patient: { ids: [], last_name: `${last_name} ${letters}`, phone: null, email: null },
      prescription: { signature_evidence: false, drug, expiration_date: null },
    }),
  );
  const { rows } = await journey.app.deps.db.raw(
    "select prescription_id from prescription where account_id = $1 and sender_message_id = $2",
    [account_id, message_id],
  );
  return { prescription_id: rows[0]!["prescription_id"] as number };
}

describe("journeys", () => {
  // A hidden page still listens.
  afterEach((after) => journey.closePages(after));

  test("a user closes an exception for all selected orders on the workbench, with the keyboard alone", async () => {
    const held = [await order({ patient: { email: null } }), await order({ patient: { email: null } })];
    const seen = await journey.openAs(technician, "/dashboard");
    const { page } = seen;
    await go(page, "e");
    await heading(page, "Exceptions");
    await page.getByRole("button", { name: /Missing Email/ }).click();
    await page.getByText("The partner must act").waitFor();
    await page.getByText("update the patient's email, cancel the order").waitFor();
    for (const { order_number } of held) await page.getByRole("row", { name: order_number }).waitFor();
    await page.keyboard.press("X");
    await page.getByText("2 selected").waitFor();
    await shot(page, "dashboard-exceptions-ticked");
    await page.keyboard.press("e");
    await page.keyboard.type("Both gave their address by telephone.");
    expect(await violations(page)).toEqual([]);
    await shot(page, "dashboard-exceptions-ending");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await page.getByText("Resolved: 2 orders.").waitFor();
    for (const one of held) expect((await read(one)).order_status).toBe("Processing");
    quiet(seen);
  });

  test("the workbench resolves nothing in bulk that needs a pharmacist, and opens the order instead", async () => {
    const allergies = [{ text: "penicillin", codes: [], reaction: null, severity: null }];
    const made = await order({ prescription: prescribed("amoxicillin-500", 21, { allergies }) });
    const seen = await journey.openAs(pharmacist, "/dashboard/exceptions?exception_id=74");
    const { page } = seen;
    await page.getByRole("row", { name: made.order_number }).waitFor();
    await page.getByText("Not in bulk.", { exact: false }).waitFor();
    expect(await page.getByRole("button", { name: "Resolve" }).count()).toBe(0);
    await page.getByRole("button", { name: "Open order" }).click();
    await heading(page, made.order_number);
    quiet(seen);
  });

  test("an admin adds a pharmacist with a license, and changes license and role", async () => {
    const seen = await journey.openAs(admin, "/dashboard/people");
    const { page } = seen;
    await heading(page, "People");
    await page.keyboard.press("n");
    await page.getByLabel("Name", { exact: true }).fill("Rae Quist");
    await page.getByLabel("Email").fill("rae@larkspur.example");
    await page.getByLabel("Role").selectOption("pharmacist");
    await page.getByLabel("License number").fill("RPH-77");
    await page.getByLabel("License state").fill("CA");
    await page.getByLabel("License expires").fill("2049-05-31");
    expect(await violations(page)).toEqual([]);
    await page.getByRole("button", { name: "Add person" }).click();
    await page.getByText("You won't see this again.").waitFor();
    await page.getByRole("button", { name: "I saved it" }).click();
    await page.getByRole("button", { name: "Rae Quist" }).click();
    // The list shows the license too.
    await page.getByText("RPH-77 (CA), expires 2049-05-31").last().waitFor();
    await page.getByRole("button", { name: "License", exact: true }).click();
    await page.getByLabel("NPI").fill("1234567890");
    await page.getByRole("button", { name: "Save license" }).click();
    await page.getByText("The NPI is not valid.", { exact: false }).waitFor();
    await page.getByLabel("NPI").fill("1234567893");
    await shot(page, "dashboard-license");
    await page.getByRole("button", { name: "Save license" }).click();
    await page.getByText("License saved.").waitFor();
    await page.getByText("1234567893").waitFor();
    await page.getByRole("button", { name: "Role", exact: true }).click();
    await page.getByLabel("Role", { exact: true }).selectOption("Lead");
    expect(await inspect(page, "dashboard-role")).toEqual([]);
    await page.getByRole("button", { name: "Change role" }).click();
    await page.getByText("Role changed.").waitFor();
    await page.getByRole("dialog").getByText("Lead", { exact: true }).waitFor();
    quiet(seen);
  });

  test("the workbench lists each order that the user's role cannot close, and links to it", async () => {
    const made = await order({ prescription: prescribed("minoxidil-2-5", 90) });
    expect(made.exceptions.map(({ id }) => id)).toEqual([76]);
    const seen = await journey.openAs(technician, "/dashboard/exceptions?exception_id=76");
    const { page } = seen;
    await page.getByRole("row", { name: made.order_number }).waitFor();
    await page.keyboard.press("e");
    await page.getByLabel("Reason", { exact: true }).fill("They cannot wait.");
    await page.getByRole("dialog").getByRole("button", { name: "Resolve" }).click();
    await page.getByRole("heading", { name: "Some orders were not updated" }).waitFor();
    await page.getByText("the order stays on hold", { exact: false }).waitFor();
    expect(await violations(page)).toEqual([]);
    await shot(page, "dashboard-exceptions-refused");
    await page.getByRole("button", { name: "Close", exact: true }).last().click();
    await page.keyboard.press("Enter");
    await heading(page, made.order_number);
    await page.keyboard.press("Escape");
    await heading(page, "Exceptions");
    quiet(seen);
  });

  test("a pharmacist reads and accepts a prescription with warnings; it leaves the queue and shows the pharmacist's name", async () => {
    const { prescription_id } = await doubtful();
    const seen = await journey.openAs(pharmacist, "/dashboard");
    const { page } = seen;
    await go(page, "v");
    await heading(page, "Reviews");
    await page
      .getByRole("row", { name: /Needs pharmacist approval/ })
      .first()
      .waitFor();
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: `Prescription ${prescription_id}` }).waitFor();
    await page.getByText("has no evidence of a signature", { exact: false }).waitFor();
    await page.keyboard.press("m");
    await page.getByText("<DrugDescription>Zolpidem 5 mg tablet</DrugDescription>", { exact: false }).waitFor();
    await page.keyboard.press("v");
    await page.getByRole("row", { name: /Marisol/ }).waitFor();
    expect(await violations(page)).toEqual([]);
    await shot(page, "dashboard-review-read");
    await page.keyboard.press("n");
    await page.keyboard.type("Called the practice; the signature follows.");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await page.getByText("Accepted.").waitFor();
    const { rows } = await journey.app.deps.db.raw(
      "select acceptance from prescription where account_id = $1 and prescription_id = $2",
      [account_id, prescription_id],
    );
    expect(rows).toEqual([{ acceptance: "accepted" }]);
    await page.getByRole("button", { name: "Closed" }).click();
    await page.getByRole("row", { name: /accepted: Called the practice.*Phil Marrow/ }).waitFor();
    quiet(seen);
  });

  test("a message that could belong to two accounts waits until a user assigns it", async () => {
    const { db } = journey.app.deps;
    const ncpdp_id = "9900066";
    for (const name of ["Quince Health", "Sorrel Health"]) {
      const given = { name, environment: "sandbox", workflow: "api_driven", ncpdp_id } as const;
      await db.transaction((tx) => createPartnerAccount(tx, given, journey.app.deps.now()));
    }
    await intake.send(newMessage({ envelope: { message_id: "U-1", to: ncpdp_id }, patient: { ids: [] } }));
    const seen = await journey.openAs(pharmacist, "/dashboard/reviews?show=messages");
    const { page } = seen;
    await page.getByRole("row", { name: /Unrouted message/ }).click();
    await page.getByLabel("Assign to").selectOption({ label: "Sorrel Health" });
    await page.keyboard.press("m");
    await page.getByText("NCPDP SCRIPT").waitFor();
    expect(await violations(page)).toEqual([]);
    await shot(page, "dashboard-review-route");
    await page.getByRole("button", { name: "Assign message" }).click();
    await page.getByText("Message assigned.").waitFor();
    const { rows } = await db.raw(
      "select p.name from prescription r join account a using (account_id) join partner p using (partner_id) where a.ncpdp_id = $1",
      [ncpdp_id],
    );
    expect(rows).toEqual([{ name: "Sorrel Health" }]);
    quiet(seen);
  });

  test("a review ends in what solves it: the order is made, or two patients are kept apart", async () => {
    const { deps, demo } = journey.app;
    const { account_id } = demo.partners[1]!;
    await refused("Sorbus");
    // The job that tries again would make the order.
    const later = "update prescription set order_due_at = now() + interval '1 day' where order_due_at is not null";
    await deps.db.raw(later);
    const seen = await journey.openAs(pharmacist, "/dashboard/reviews?show=refused");
    const { page } = seen;
    await page
      .getByRole("row", { name: /Order not created/ })
      .first()
      .click();
    const choices = page.getByRole("group", { name: "What to do" });
    await choices.waitFor();
    expect(await choices.getByRole("button").allTextContents()).toEqual([
      "Make the order",
      "Ask the prescriber",
      "Do not order",
    ]);
    expect(await page.getByLabel("Shipping method").inputValue()).toMatch(/^\d+$/);
    const make = page.getByRole("button", { name: "Make the order" }).last();
    await make.click();
    await page.getByText("The order cannot be made", { exact: false }).waitFor();
    expect(await violations(page)).toEqual([]);
    await shot(page, "dashboard-review-refused");
    await page.setViewportSize({ width: 390, height: 844 });
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(390);
    await shot(page, "dashboard-review-refused-phone");
    await page.setViewportSize({ width: 1280, height: 720 });
    const stock =
      "update stock set on_hand_units = reserved_units + $2 where account_id = $1 and sku = 'tretinoin-025'";
    await deps.db.raw(stock, [account_id, 45]);
    await make.click();
    await page.getByText("Order created.").waitFor();
    await page
      .getByRole("heading", { level: 1 })
      .filter({ hasText: /[0-9A-Z]{10}/ })
      .waitFor();
    await deps.db.raw(stock, [account_id, 0]);

    await lookAlikes("Sorbus");
    await page.goto(`${journey.app.addresses.base_url}/dashboard/reviews?show=matches`);
    await page
      .getByRole("row", { name: /Possible duplicate/ })
      .first()
      .click();
    await page.getByRole("button", { name: "Same person" }).click();
    await page.getByLabel("Note").waitFor();
    await page.getByRole("button", { name: "Different people" }).click();
    await page.getByText("Both patients stay as they are.").waitFor();
    expect(await violations(page)).toEqual([]);
    await page.getByRole("button", { name: "Different people" }).last().click();
    await page.getByText("Saved: different people.").waitFor();
    const { rows } = await deps.db.raw(
      "select kind from review where outcome is not null and kind in ($1, $2) order by kind",
      ["order_refused", "patient_match"],
    );
    expect(rows).toEqual([{ kind: "order_refused" }, { kind: "patient_match" }]);
    quiet(seen);
  });

  test("received stock releases a back order", async () => {
    const made = await order({ prescription: prescribed("minoxidil-2-5", 60) });
    expect(made.order_status).toBe("On Hold");
    const seen = await journey.openAs(technician, "/dashboard/exceptions?exception_id=76");
    const { page } = seen;
    await page.getByRole("row", { name: made.order_number }).waitFor();
    await go(page, "k");
    await heading(page, "Stock");
    await page.getByLabel("Account", { exact: true }).selectOption({ label: "Willow Telehealth (sandbox)" });
    await page.keyboard.press("f");
    // As printed on the package, with dashes and ten digits.
    await page.getByLabel("Find a product").fill("70999-1001-30");
    await page.getByRole("row", { name: /Minoxidil/ }).waitFor();
    await page.keyboard.press("Enter");
    await page.getByLabel("Quantity received").fill("1000");
    await page.getByLabel("Note").fill("Packing slip 4471");
    expect(await violations(page)).toEqual([]);
    await shot(page, "dashboard-stock-receive");
    await page.keyboard.press("Enter");
    await page.getByText("Minoxidil 2.5 mg tablet: 1,000 on hand.").waitFor();
    await until(async () => (await read(made)).order_status === "Processing", "the order goes on");
    await go(page, "r");
    await page.getByRole("row", { name: made.order_number }).waitFor();
    quiet(seen);
  });

  test("a credential's secret is shown once, and the older one works until a user ends it", async () => {
    const seen = await journey.openAs(admin, `/dashboard/partners/${account_id}`);
    const { page } = seen;
    await page.getByRole("row", { name: /demo/ }).waitFor();
    await page.keyboard.press("n");
    await page.getByLabel("Name").fill("order service");
    await page.keyboard.press("Enter");
    await page.getByText("You won't see this again.").waitFor();
    const [client_id, client_secret] = await page.locator("dialog pre").allTextContents();
    const body = new URLSearchParams({ grant_type: "client_credentials", scope: "partners" });
    body.set("client_id", client_id!);
    body.set("client_secret", client_secret!);
    const answer = await fetch(`${journey.app.addresses.sandbox_auth_url}/oauth/token`, { method: "POST", body });
    expect(answer.status).toBe(200);
    expect(await violations(page)).toEqual([]);
    await shot(page, "dashboard-secret");
    await page.getByRole("button", { name: "I saved it" }).click();
    expect(await page.locator("body").innerText()).not.toContain(client_secret!);
    const row = page.getByRole("row", { name: /order service/ });
    await row.getByRole("button", { name: "Rotate" }).click();
    await page.getByRole("button", { name: "I saved it" }).click();
    await row.getByText("Two secrets").waitFor();
    await row.getByRole("button", { name: "Expire old secret" }).click();
    await page.getByRole("button", { name: "Expire now" }).click();
    await row.getByRole("button", { name: "Rotate" }).waitFor();
    await row.getByRole("button", { name: "Revoke" }).click();
    await page.getByRole("button", { name: "Revoke credential" }).click();
    await row.getByText("Revoked").waitFor();
    const again = await fetch(`${journey.app.addresses.sandbox_auth_url}/oauth/token`, { method: "POST", body });
    expect(again.status).toBe(401);
    quiet(seen);
  });

  test("an admin opens a partner's account, adds a routing rule for its messages and invites a user", async () => {
    const seen = await journey.openAs(admin, "/dashboard/partners");
    const { page } = seen;
    await page.getByRole("row", { name: /Harbor Health/ }).waitFor();
    await page.keyboard.press("n");
    await page.getByLabel("Partner").fill("Medlar Clinics");
    await page.getByLabel("NCPDP ID").fill("9900058");
    expect(await violations(page)).toEqual([]);
    await shot(page, "dashboard-new-account");
    await page.keyboard.press("Enter");
    await heading(page, "Medlar Clinics");
    await page.getByLabel("Match on").selectOption("prescriber_npi");
    await page.getByLabel("Value", { exact: true }).fill("1234567890");
    await page.getByRole("button", { name: "Add" }).click();
    await page.getByText("An NPI must have 10 digits", { exact: false }).waitFor();
    await page.getByLabel("Value", { exact: true }).fill("1234567893");
    await page.getByRole("button", { name: "Add" }).click();
    await page.getByRole("button", { name: "Remove rule 1234567893" }).waitFor();

    await go(page, "u");
    await heading(page, "People");
    await page.keyboard.press("n");
    await page.getByLabel("Name").fill("Mia Medlar");
    await page.getByLabel("Email").fill("mia@medlar.example");
    await page.getByLabel("Role").selectOption("partner_admin");
    await page.getByLabel("Partner").selectOption({ label: "Medlar Clinics" });
    await page.getByRole("button", { name: "Add person" }).click();
    await page.getByText("You won't see this again.").waitFor();
    const [, email, password] = await page.locator("dialog pre").allTextContents();
    await page.getByRole("button", { name: "I saved it" }).click();
    const portal = await journey.open("/portal");
    await portal.page.getByLabel("Email").fill(email!);
    await portal.page.getByLabel("Password").fill(password!);
    await portal.page.getByRole("button", { name: "Sign in" }).click();
    await portal.page.getByText("Someone issued your password.").waitFor();
    await portal.page.getByLabel("New password").fill("four words of mine");
    await portal.page.getByRole("button", { name: "Save password" }).click();
    await portal.page.getByText("Mia Medlar").waitFor();

    await page.getByRole("tab", { name: "Partners" }).click();
    await page.getByRole("button", { name: "Mia Medlar" }).click();
    expect(await violations(page)).toEqual([]);
    await shot(page, "dashboard-person");
    await page.getByRole("button", { name: "Disable" }).click();
    await page.getByRole("button", { name: "Disable" }).click();
    await page.getByText("Mia Medlar is disabled.").waitFor();
    quiet(seen);
  });

  test("an admin adds a fee to a partner's statement with the keyboard, and a technician reads it but adds none", async () => {
    const seen = await journey.openAs(admin, `/dashboard/statements?account_id=${account_id}`);
    const { page } = seen;
    await heading(page, "Statements");
    await page.keyboard.press("n");
    await page.keyboard.press("Tab");
    await page.keyboard.type("25.5");
    await page.keyboard.press("Tab");
    await page.keyboard.type("Courier in November");
    expect(await violations(page)).toEqual([]);
    await shot(page, "dashboard-fee");
    await page.keyboard.press("Enter");
    await page.getByText("Fee added.").waitFor();
    await page
      .getByRole("row", { name: /Open.*\$25\.50/ })
      .getByRole("link")
      .click();
    await page.getByRole("row", { name: /Fee.*Courier in November.*\$25\.50/ }).waitFor();
    expect(await inspect(page, "dashboard-statement")).toEqual([]);
    quiet(seen);

    const { page: other } = await journey.openAs(technician, `/dashboard/statements?account_id=${account_id}`);
    await other.getByRole("row", { name: /\$25\.50/ }).waitFor();
    expect(await other.getByRole("button", { name: "Fee or credit" }).count()).toBe(0);
    await other.goto(`${journey.app.addresses.base_url}/dashboard/partners/${account_id}`);
    const quotas = other.getByRole("table", { name: "What the account stores" });
    await expect.poll(() => quotas.getByRole("row", { name: /^webhook endpoints 0 \d+ 0%$/ }).count()).toBe(1);
  });

  test("an import applies only the difference that was shown, and a file with errors not at all", async () => {
    const seen = await journey.openAs(admin, "/dashboard/catalogue?tab=brands");
    const { page } = seen;
    await page.getByLabel("Account", { exact: true }).selectOption({ label: "Juniper Care (sandbox)" });
    await page.getByRole("row", { name: /Larkspur Calm/ }).waitFor();
    await page.keyboard.press("i");
    await heading(page, "Import");
    await page.getByLabel("Contents").fill("id,name,default\n1,Larkspur,true\nx,Other,false");
    await page.getByRole("button", { name: "Preview changes" }).click();
    await page.getByText("This file has errors.").waitFor();
    expect(await violations(page)).toEqual([]);
    await shot(page, "dashboard-import-faults");
    await page.getByLabel("Contents").fill("id,name,default\n1,Larkspur & Sons,true\n3,Larkspur Night,false");
    await page.getByRole("button", { name: "Preview changes" }).click();
    await page.getByText("1 retired").waitFor();
    await page.getByRole("row", { name: /Larkspur & Sons/ }).waitFor();
    expect(await violations(page)).toEqual([]);
    await shot(page, "dashboard-import-difference");
    await page.getByRole("button", { name: "Import and retire 1" }).click();
    await page.getByText("Imported: version", { exact: false }).waitFor();
    await go(page, "b");
    await page.getByRole("tab", { name: /Brands/ }).click();
    await page.getByRole("row", { name: /Larkspur Night/ }).waitFor();
    quiet(seen);
  });

  test("an admin chooses the carrier service of a shipping method and takes the choice back", async () => {
    const path = "/dashboard/catalogue?tab=shipping_methods";
    const seen = await journey.openAs(admin, path, { environment: null });
    const { page } = seen;
    const first = page.getByRole("table", { name: "Postage" }).getByRole("row").nth(1);
    await first.getByRole("button").click();
    await page.getByLabel("Carrier", { exact: true }).fill("FedEx");
    await page.getByLabel("Service", { exact: true }).fill("FEDEX_2_DAY");
    await page.getByLabel("Length, inches").fill("12");
    expect(await inspect(page, "dashboard-postage")).toEqual([]);
    await page.getByLabel("Width, inches").fill("9");
    await page.getByLabel("Height, inches").fill("4");
    await page.getByRole("button", { name: "Save" }).click();
    await expect.poll(() => first.innerText()).toMatch(/FedEx FEDEX_2_DAY\s+Chosen\s+12 × 9 × 4 in, 8 oz/);
    expect(await violations(page)).toEqual([]);
    await first.getByRole("button").click();
    await page.getByRole("button", { name: "Use the built-in table" }).click();
    await expect.poll(() => first.innerText()).not.toContain("Chosen");
    quiet(seen);
  });

  test("a target makes orders late, and the audit log records who set it", async () => {
    const { order_number } = await order();
    // The service's clock stays with the browser's, because other journeys compare dates of both.
    const earlier = "update orders set stage_since = stage_since - interval '1 hour' where order_number = $1";
    await journey.app.deps.db.raw(earlier, [order_number]);
    const seen = await journey.openAs(admin, "/dashboard/targets");
    const { page } = seen;
    await page.getByLabel("Clinical review: hours").fill("0");
    await page.getByLabel("Clinical review: minutes").fill("5");
    await page.getByText("was 2 h").waitFor();
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Targets saved.").waitFor();
    await page.getByRole("row", { name: /Clinical review/ }).waitFor();
    await go(page, "d");
    await heading(page, "Audit log");
    await page.getByRole("row", { name: /Ada Kern.*set queue targets/ }).waitFor();
    await page.getByLabel("Action").selectOption("targets_set");
    await expect.poll(() => page.getByRole("row").count()).toBe(2);
    quiet(seen);
  });

  test("a lot lists every patient who has a package of it, and only a pharmacist can reveal their contact details", async () => {
    const made = await filled("LOT-7781", [{ sku: "pill-organizer" }]);
    const tess = await journey.openAs(technician, "/dashboard");
    await go(tess.page, "l");
    await tess.page.getByLabel("Lot").fill("LOT-7781");
    await tess.page.keyboard.press("Enter");
    await tess.page.getByRole("row", { name: made.order_number }).first().waitFor();
    // Two packages, one order.
    await tess.page.getByText("1 order has not shipped. Hold or cancel it.").waitFor();
    expect(await tess.page.getByRole("button", { name: "Quarantine lot" }).count()).toBe(0);
    expect(await tess.page.getByRole("button", { name: /Reveal/ }).count()).toBe(0);
    const phil = await journey.openAs(pharmacist, "/dashboard/recall?lot=LOT-7781");
    await phil.page.getByRole("row", { name: made.order_number }).first().waitFor();
    await phil.page.keyboard.press("v");
    await phil.page
      .getByRole("row", { name: /Zephyrine Quillfeather/ })
      .first()
      .waitFor();
    expect(await violations(phil.page)).toEqual([]);
    await shot(phil.page, "dashboard-recall-revealed");
    const download = phil.page.waitForEvent("download");
    await phil.page.getByRole("button", { name: "Call list (CSV)" }).click();
    expect((await download).suggestedFilename()).toBe("recall-LOT-7781.csv");
    await phil.page.getByRole("button", { name: "Quarantine lot" }).click();
    await phil.page.getByText("This lot is in quarantine.").waitFor();
    await phil.page.getByRole("button", { name: "Select all 1 order" }).click();
    await phil.page.getByRole("button", { name: "Hold 1 order" }).click();
    await phil.page.getByText("On hold: 1 order.").waitFor();
    await phil.page.getByText("1 of 1").waitFor();
    await phil.page.getByRole("button", { name: "Tell partners of 1 order" }).click();
    expect(await violations(phil.page)).toEqual([]);
    await phil.page.getByRole("button", { name: "Send", exact: true }).click();
    await phil.page.getByText("Message sent: 1 order.").waitFor();
    expect(await inspect(phil.page, "dashboard-recall-done")).toEqual([]);
    // On paper: the report alone, without the frame of the app and its buttons.
    await phil.page.emulateMedia({ media: "print" });
    for (const part of [phil.page.getByRole("banner"), phil.page.getByRole("navigation", { name: "Screens" })]) {
      await part.waitFor({ state: "hidden" });
    }
    await phil.page.getByRole("button", { name: "Print" }).waitFor({ state: "hidden" });
    await phil.page.getByRole("row", { name: made.order_number }).first().waitFor();
    // Nothing scrolls inside the sheet, where the rest would be cut off.
    expect(await phil.page.evaluate("getComputedStyle(document.querySelector('main')).overflowY")).toBe("visible");
    await shot(phil.page, "dashboard-recall-print");
    quiet(tess);
    quiet(phil);
  });

  test("a pharmacist calls a patient whose state asks for it, and records the counseling once", async () => {
    const made = await order();
    const { deps } = journey.app;
    const work = { account_id, order_number: made.order_number };
    await approveReview(deps, { ...work, by: PHIL });
    await completeFill(deps, { ...work, by: TESS }, lotsOf(made));
    await verifyProduct(deps, { ...work, by: PHIL }, scansOf(made));
    await shipOrder(deps, { ...work, by: TESS });
    await deps.db.raw("update orders set ship_state = 'NC' where order_number = $1", [made.order_number]);
    // Where it is already tomorrow, for most of the pharmacy's day.
    const seen = await journey.openAs(pharmacist, "/dashboard", { time_zone: "Pacific/Kiritimati" });
    const { page } = seen;
    await go(page, "w");
    await heading(page, "Counseling");
    const row = page.getByRole("row", { name: made.order_number });
    await row.getByRole("button", { name: /^Counsel/ }).click();
    const dialog = page.getByRole("dialog");
    expect(await dialog.getByText("Zephyrine").count()).toBe(0);
    await dialog.getByRole("button", { name: "Reveal phone number" }).click();
    await dialog.getByRole("link", { name: /^\(415\) 555-/ }).waitFor();
    await dialog.getByLabel("Note (optional)").fill("Explained how to take it.");
    expect(await inspect(page, "dashboard-counseling-dialog")).toEqual([]);
    await dialog.getByRole("button", { name: "Record" }).click();
    await page.getByText("Accepted and given: recorded.").waitFor();
    await row.waitFor({ state: "detached" });
    await page.getByText("All caught up").waitFor();
    expect(await inspect(page, "dashboard-counseling-empty")).toEqual([]);
    await page.getByRole("button", { name: "Recorded" }).click();
    await page.getByRole("row", { name: /Accepted and given/ }).waitFor();
    expect(await inspect(page, "dashboard-counseling")).toEqual([]);

    // The inspector asks for the same.
    await go(page, "j");
    await heading(page, "Reports");
    await page.getByLabel("Report").selectOption("counseling");
    await page.getByRole("row", { name: new RegExp(`${made.order_number}.*Accepted and given`) }).waitFor();
    expect(await page.getByText("Zephyrine").count()).toBe(0);
    expect(await page.getByLabel("Report").getByRole("option", { name: "Who looked at whom" }).count()).toBe(0);
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "PDF" }).click(),
    ]);
    expect(download.suggestedFilename()).toMatch(/^counseling-\d{4}-\d{2}-\d{2}\.pdf$/);
    quiet(seen);
  });

  test("stock is received by lot, filled from two lots, checked lot by lot, and destroyed after it comes back", async () => {
    const { deps } = journey.app;
    const sku = "finasteride-1";
    const gs1 = (lot: string, serial: string) => `01003709994013011731123110${lot}~21${serial}`;
    await countStock(deps.db, { account_id, sku, units: 0, note: null }, deps.now());
    const later = { lot: "FIN-B", expires_on: "2032-12-31" };
    await receiveStock(deps.db, { account_id, sku, units: 60, note: null, lot: later }, deps.now());
    const tess = await journey.openAs(technician, "/dashboard");
    const { page } = tess;
    await go(page, "k");
    await page.getByLabel("Account", { exact: true }).selectOption({ label: "Willow Telehealth (sandbox)" });
    await page.getByLabel("Find a product").fill(sku);
    await page.getByRole("row", { name: /Finasteride/ }).waitFor();
    await page.keyboard.press("Enter");
    // The scan of another product fills in nothing.
    await page.getByLabel("Lot").fill("01003709991013001731123110FIN-A");
    await page.keyboard.press("Enter");
    await page.getByText("The scanned package is of another product.").waitFor();
    await page.getByLabel("Lot").fill(gs1("FIN-A", "1"));
    await page.keyboard.press("Enter");
    await expect.poll(() => page.getByLabel("Lot").inputValue()).toBe("FIN-A");
    expect(await page.getByLabel("Expires on").inputValue()).toBe("2031-12-31");
    await page.getByLabel("Quantity received").fill("20");
    await page.keyboard.press("Enter");
    await page.getByText(/Finasteride.*: 80 on hand\./).waitFor();

    const made = await order({ prescription: prescribed(sku, 30) });
    const work = { account_id, order_number: made.order_number };
    await approveReview(deps, { ...work, by: PHIL });
    await page.goto(`${journey.app.addresses.base_url}/dashboard/order/${account_id}/${made.order_number}`);
    await page.getByText(/Take first: 20 of lot FIN-A/).waitFor();
    await page.getByLabel("Lot").fill(gs1("FIN-A", "1"));
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Add another lot" }).click();
    await expect.poll(() => page.getByLabel("Units").nth(1).inputValue()).toBe("10");
    await page.getByLabel("Lot").nth(1).fill("FIN-B");
    await page.getByLabel("Expires on").nth(1).fill("2032-12-31");
    expect(await violations(page)).toEqual([]);
    await shot(page, "dashboard-fill-lots");
    await page.getByRole("button", { name: "Complete fill" }).click();
    await page.getByRole("button", { name: "Undo" }).waitFor();
    await go(page, "p");
    await page.getByText("Ready for product check.").waitFor();

    const phil = await journey.openAs(pharmacist, `/dashboard/order/${account_id}/${made.order_number}`);
    const scan = async (code: string) => {
      await phil.page.getByLabel("Scan a package").fill(code);
      await phil.page.keyboard.press("Enter");
    };
    await scan(gs1("FIN-C", "2"));
    await phil.page.getByText("This package is from lot FIN-C, but the order was filled from lot FIN-A.").waitFor();
    await scan(gs1("FIN-A", "1"));
    await scan("70999-0401-30");
    await phil.page.getByText(/The code has no lot/).waitFor();
    await scan("FIN-A");
    await phil.page.getByText("A package of this lot is already scanned.").waitFor();
    await scan("FIN-B");
    await phil.page.getByText("All packages match.").waitFor();
    expect(await violations(phil.page)).toEqual([]);
    await phil.page.keyboard.press("Enter");
    await phil.page.getByRole("button", { name: "Undo" }).waitFor();
    await go(phil.page, "c");
    await phil.page.getByText("Check complete.").waitFor();
    await shipOrder(deps, { ...work, by: TESS });

    await page.goto(`${journey.app.addresses.base_url}/dashboard/stock?account_id=${account_id}`);
    await page.getByLabel("Find a product").fill(sku);
    await page.getByRole("row", { name: /Finasteride/ }).waitFor();
    await page.getByRole("button", { name: "Returned parcel" }).click();
    await page.getByLabel("Order number").fill(made.order_number.toLowerCase());
    await page.keyboard.press("Enter");
    await page.getByText(`Order ${made.order_number}: 30 units returned.`).waitFor();
    await page.getByRole("button", { name: /Lots/ }).click();
    await page.getByRole("row", { name: /FIN-A/ }).getByText("20", { exact: true }).waitFor();
    expect(await inspect(page, "dashboard-lots")).toEqual([]);
    await page.getByRole("row", { name: /FIN-A/ }).getByRole("button", { name: "Destroy returned" }).click();
    await page.getByLabel("Quantity destroyed").fill("20");
    expect(await inspect(page, "dashboard-destroy")).toEqual([]);
    await page.getByRole("button", { name: "Record destruction" }).click();
    await page.getByText(/Finasteride.*: 20 destroyed\./).waitFor();
    await expect.poll(() => page.getByRole("row", { name: /FIN-A/ }).count()).toBe(0);
    quiet(tess);
    quiet(phil);
  });

  /** The home page has loaded the health already, and the screen would show that until its next refresh. */
  const BEFORE_HEALTH = "/dashboard/people";

  test("an error shows the request id, and a retry succeeds", async () => {
    const seen = await journey.openAs(admin, BEFORE_HEALTH);
    const { page } = seen;
    const answer = { error: { error_code: 500, message: "Something went wrong on our side." } };
    const failing = (route: { fulfill: (with_: object) => Promise<void> }) =>
      route.fulfill({ status: 500, headers: { "x-request-id": "0190aa00-dead-7000-8000-00000000beef" }, json: answer });
    await page.route("**/web/dashboard/health", failing);
    await go(page, "y");
    await page.getByText("0190aa00-dead-7000-8000-00000000beef").waitFor();
    expect(await violations(page)).toEqual([]);
    await shot(page, "dashboard-error");
    await page.unroute("**/web/dashboard/health");
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByRole("row", { name: /Safety tables/ }).waitFor();
    quiet(seen);
  });

  test("while the service does not answer, a banner says so, and the screen loads by itself once it does", async () => {
    const { page } = await journey.openAs(admin, BEFORE_HEALTH);
    await page.route("**/web/**", (route) => route.abort());
    await go(page, "y");
    await page.getByText("Cannot reach Pestle.").waitFor();
    expect(await violations(page)).toEqual([]);
    await shot(page, "dashboard-unreachable");
    await page.unroute("**/web/**");
    await page.getByText("Cannot reach Pestle.").waitFor({ state: "detached" });
    await page.getByRole("row", { name: /Safety tables/ }).waitFor();
  });

  test("a screen that crashes, or whose code is gone after an update, leaves the frame in place", async () => {
    const { page } = await journey.openAs(admin, BEFORE_HEALTH);
    const frame = () => page.getByRole("navigation", { name: "Screens" }).isVisible();
    await page.route("**/web/dashboard/health", (route) => route.fulfill({ json: {} }));
    await go(page, "y");
    await heading(page, "Something went wrong");
    expect(await frame()).toBe(true);
    const code = /\/assets\/targets-screen-.*\.css$/;
    await page.route(code, (route) => route.fulfill({ status: 404 }));
    await go(page, "t");
    await heading(page, "Reload to continue");
    expect(await frame()).toBe(true);
    expect(await violations(page)).toEqual([]);
    await shot(page, "dashboard-updated");
    await page.unroute(code);
    await page.getByRole("button", { name: "Reload" }).click();
    await heading(page, "Targets");
  });

  test("stock, catalogue and import show accounts of the environment that the switch shows", async () => {
    const { page } = await journey.openAs(admin, "/dashboard/stock");
    const account = page.getByLabel("Account", { exact: true });
    const offered = async () => {
      const names = await account.locator("option").allTextContents();
      return new Set(names.map((name) => (name.endsWith("(sandbox)") ? "sandbox" : "production")));
    };
    const follows = async (environment: "Sandbox" | "Production", title: string) => {
      await heading(page, title);
      await page.getByRole("button", { name: `Environment: ${environment}` }).waitFor();
      await expect.poll(offered).toEqual(new Set([environment.toLowerCase()]));
    };
    await follows("Sandbox", "Stock");
    await go(page, "x");
    await follows("Production", "Stock");
    await go(page, "b");
    await follows("Production", "Catalogue");
    await page.keyboard.press("i");
    await follows("Production", "Import");
    await go(page, "x");
    await follows("Sandbox", "Import");
    await go(page, "x");
    // A link names an account of the other environment, and the switch follows it.
    await page.goto(`${journey.app.addresses.base_url}/dashboard/stock?account_id=${account_id}`);
    await follows("Sandbox", "Stock");
    expect(await account.inputValue()).toBe(account_id);
    await go(page, "x");
    await follows("Production", "Stock");
  });

  test("a technician does not see the screens for users and the audit log", async () => {
    const { page } = await journey.openAs(technician, "/dashboard/people");
    await page.getByText("Page not found").waitFor();
    await page.goto(`${journey.app.addresses.base_url}/dashboard/audit`);
    await page.getByText("Page not found").waitFor();
    expect(await page.getByRole("navigation").getByRole("link", { name: "People" }).count()).toBe(0);
  });
});

/** Two patients who may be the same person: names and birth date match, and nothing else. */
async function lookAlikes(last_name: string): Promise<void> {
  const away = { street1: "2210 Mission St", street2: null, city: "San Francisco", state: "CA", zip: "94110" };
  const { ncpdp_id } = journey.app.demo.partners[0]!;
  for (const address of [undefined, { ...away, country: "US" }]) {
    const message_id = `L-${++messages}`;
    const patient = { ids: [], last_name, phone: null, email: null, ...(address && { address }) };
    const envelope = { message_id, to: ncpdp_id, prescriber_order_number: message_id };
    await intake.send(newMessage({ envelope, patient }));
  }
}

/** A prescription that no order can fill: it is out of stock and does not allow back orders. */
async function refused(last_name: string): Promise<void> {
  const message_id = `R-${++messages}`;
  const { ncpdp_id } = journey.app.demo.partners[1]!;
  const drug = prescribed("tretinoin-025", 45).drug;
  const prescription = { drug, quantity: { value: 45, unit: "gram" }, effective_date: null };
  const envelope = { message_id, to: ncpdp_id, prescriber_order_number: message_id };
  await intake.send(newMessage({ envelope, patient: { ids: [], last_name }, prescription }));
  const count = "select count(*)::int as count from review where kind = 'order_refused' and resolved_at is null";
  await until(async () => (await journey.app.deps.db.raw(count)).rows[0]!["count"] !== 0, "it is refused");
}

describe("axe finds no violation", () => {
  let seen: Seen;
  beforeAll(async () => {
    await order({ patient: { email: null } });
    await order({ patient: { email: null }, prescription: prescribed("minoxidil-2-5", 90) });
    const made = await order();
    const work = { account_id, order_number: made.order_number, by: PHIL };
    await raiseException(journey.app.deps, work, 74, "The patient reported a rash.");
    await doubtful("Hollis");
    await filled("LOT-1");
    await lookAlikes("Hawthorne");
    await refused("Rowan");
    seen = await journey.openAs(admin, "/dashboard");
  });
  afterAll(() => seen?.page.context().close());
  const row = (page: Page) => page.getByRole("row").nth(1).waitFor();
  const openFirst = async (page: Page) => {
    await page.getByRole("row").nth(1).click();
    await page.getByRole("heading", { name: "Decision" }).waitFor();
  };
  const screens: [name: string, path: () => string, ready: (page: Page) => Promise<unknown>][] = [
    ["exceptions", () => "/dashboard/exceptions", row],
    [
      "no-exceptions",
      () => "/dashboard/exceptions?environment=production",
      (page) => page.getByText("No orders on hold", { exact: true }).waitFor(),
    ],
    ["reviews", () => "/dashboard/reviews", row],
    ["acceptance", () => "/dashboard/reviews?show=acceptance", openFirst],
    [
      "match",
      () => "/dashboard/reviews?show=matches",
      async (page) => {
        await openFirst(page);
        await page.getByRole("button", { name: /Reveal/ }).click();
        await page.getByRole("row", { name: /2210 Mission/ }).waitFor();
      },
    ],
    ["refused", () => "/dashboard/reviews?show=refused", openFirst],
    ["recall", () => "/dashboard/recall?lot=LOT-1", row],
    ["recall-empty", () => "/dashboard/recall", (page) => page.getByText("Enter a lot number").waitFor()],
    ["stock", () => "/dashboard/stock", row],
    ["products", () => "/dashboard/catalogue", row],
    ["shipping-methods", () => "/dashboard/catalogue?tab=shipping_methods", row],
    ["licences", () => "/dashboard/catalogue?tab=licences", row],
    [
      "versions",
      () => "/dashboard/catalogue?tab=versions",
      (page) => page.getByRole("heading", { name: "Imports" }).waitFor(),
    ],
    ["import", () => "/dashboard/catalogue/import", (page) => page.getByLabel("Contents").waitFor()],
    ["targets", () => "/dashboard/targets", row],
    ["partners", () => "/dashboard/partners", row],
    [
      "partner",
      () => `/dashboard/partners/${account_id}`,
      (page) => page.getByRole("row", { name: /^bytes of all/ }).waitFor(),
    ],
    ["statements", () => `/dashboard/statements?account_id=${account_id}`, row],
    ["messages", () => "/dashboard/messages", (page) => page.getByText("No new messages").waitFor()],
    [
      "reports",
      () => "/dashboard/reports?report=dispensing",
      (page) => page.getByRole("button", { name: "CSV" }).waitFor(),
    ],
    [
      "reports-someone",
      () => "/dashboard/reports?report=access",
      (page) => page.getByText("Choose a person, or an account and a patient").waitFor(),
    ],
    ["people", () => "/dashboard/people", row],
    ["account", () => "/dashboard/account", (page) => page.getByText("Email me the counts").waitFor()],
    ["audit", () => "/dashboard/audit", row],
    ["providers", () => "/dashboard/providers", (page) => page.getByText("no card is charged").waitFor()],
    ["health", () => "/dashboard/health", row],
  ];
  test.each(screens)("on %s, in both themes and on a tablet", async (name, path, ready) => {
    const { page } = seen;
    await page.goto(journey.app.addresses.base_url + path());
    await ready(page);
    expect(await inspect(page, `dashboard-${name}`)).toEqual([]);
    quiet(seen);
  });
});

describe("a day", () => {
  afterEach((after) => journey.closePages(after));

  // A small run of the campaign: `npm run campaign -- day` has 200 orders.
  test("a day at the benches with a scanner catches wrong packages, and its ledgers add up", {
    timeout: 300_000,
  }, async () => {
    const { deps, addresses, owner } = journey.app;
    const tally = await playDay({ deps, addresses, raw: owner.raw }, journey.browser, { orders: 6, seed: 1 });
    expect(tally).toMatchObject({ faults: [], unnoticed: [] });
    expect(tally.seen).toMatchObject({
      ...{ "orders shipped": 6, recalls: 1, "parcels that came back": 2, destructions: 3 },
      ...{ "caught: foreign product": 1, "caught: torn code": 1, "caught: expired lot": 1 },
      ...{ "caught: other lot at check": 1, "caught: a recalled lot at fill": 1 },
      "caught: a filled order of a recalled lot at check": 1,
    });
    for (const what of ["caught: doubled package", "orders filled from two lots"])
      expect([what, tally.seen[what]! >= 2]).toEqual([what, true]);
  });
});
