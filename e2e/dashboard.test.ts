import { readFileSync } from "node:fs";
import type { Order } from "@pestle/contract";
import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { IDLE_MS } from "../server/src/usecases/accounts/sign-in.ts";
import {
  approveReview,
  cancelWithReason,
  completeFill,
  verifyProduct,
} from "../server/src/usecases/fulfillment/steps.ts";
import { base32, totpCode } from "../server/src/vault/totp.ts";
import { newOrder, orderOf, placed, prescribed } from "../server/test/support/orders.ts";
import { patientCalls } from "../server/test/support/patient.ts";
import { arrived } from "../server/test/support/simulate.ts";
import { inventedOrder } from "./support/invented-order.ts";
import {
  inspect,
  inspectSpanish,
  type Journey,
  openedDocument,
  type Seen,
  type SignIn,
  shot,
  startJourney,
  violations,
} from "./support/journey.ts";

// Users type and several pages load; other tests may share the machine.
vi.setConfig({ testTimeout: 90_000 });
afterAll(() => vi.resetConfig());

let journey: Journey;
let pharmacist: SignIn;
let technician: SignIn;
let lead: SignIn;
beforeAll(async () => {
  journey = await startJourney();
  pharmacist = await journey.person("pharmacist", "Phil Marrow");
  technician = await journey.person("technician", "Tess Quill");
  lead = await journey.person("lead", "Lea Dorn");
});
// A hidden page still listens and draws.
afterEach((after) => journey.closePages(after));
afterAll(() => journey?.stop());

type Given = Parameters<typeof newOrder>[1];
const order = async (given: Given = {}): Promise<Order> =>
  placed(journey.app, (await newOrder(journey.app, given)).body);
const at = ({ order_number }: Order) => `/dashboard/order/${journey.app.demo.partners[0]!.account_id}/${order_number}`;
const read = async ({ order_number }: Order): Promise<Order> =>
  (await (await journey.app.call(`/v1/orders/${order_number}`)).json()) as Order;
const heading = (page: Page, text: string) => page.getByRole("heading", { level: 1, name: text }).waitFor();
/** Opens an order's row in a queue with the keyboard, once the row is visible: down to it, then Enter. */
async function openRow(page: Page, queue: string, { order_number }: Order): Promise<void> {
  await heading(page, queue);
  const row = page.getByRole("row", { name: order_number });
  await row.waitFor();
  for (let step = 0; step < 50 && (await row.getAttribute("data-cursor")) === null; step++) {
    await page.keyboard.press("j");
  }
  await page.keyboard.press("Enter");
  await heading(page, order_number);
}
const tokenOf = async (page: Page): Promise<string | undefined> => {
  const response = await page.request.get(`${journey.app.addresses.base_url}/web/session`);
  return ((await response.json()) as { session: { csrf_token: string } | null }).session?.csrf_token;
};
const quiet = ({ foreign, complaints }: Seen) => expect([foreign, complaints]).toEqual([[], []]);

test("a pharmacist sees whether the patient was asked, records an allergy and removes it with a reason", async () => {
  const made = await order({ prescription: { allergies: "none" } });
  const { page, ...seen } = await journey.openAs(pharmacist, at(made));
  const card = page.getByRole("region", { name: "Patient and address" });
  await card.getByText("None known").waitFor();
  expect(await card.getByText("Not asked").count()).toBe(2);
  await page.getByRole("button", { name: /Reveal/ }).click();
  await page.getByRole("heading", { name: "Allergies: None known" }).waitFor();
  await page.getByRole("heading", { name: "Medications: Not asked" }).waitFor();
  await page.getByRole("button", { name: "Add allergy, medication or condition" }).click();
  await page.keyboard.type("Tartrazine");
  await page.keyboard.press("Enter");
  await page.getByText(/From the pharmacy/).waitFor();
  await page.getByRole("button", { name: "Remove Tartrazine" }).click();
  await page.keyboard.type("The patient meant another dye.");
  await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
  await page.getByText(/Removed by the pharmacy.*another dye/).waitFor();
  expect(await page.locator("del", { hasText: "Tartrazine" }).count()).toBe(1);
  await page.getByRole("heading", { name: "Allergies: Not asked" }).waitFor();
  expect(await violations(page)).toEqual([]);
  quiet({ page, ...seen });
});

test("the review shows what a pharmacist decides by without a reveal, and tells none known from not asked from unknown", async () => {
  const allergy = { text: "Atorvastatin", codes: [], reaction: null, severity: null };
  const made = await order({
    patient: { gender: "F", dob: "1968-04-05" },
    prescription: { allergies: [allergy], sig_text: "Take 1 to 2 tablets by mouth once daily." },
  });
  await patientCalls(journey.app, made.patient_id).patch({ patient_safety: { medications: [] } });
  const { page, ...seen } = await journey.openAs(pharmacist, at(made));
  const review = page.getByRole("region", { name: "Clinical review" });
  await review.getByText("Female").waitFor();
  expect(await review.locator("[data-mark]").allTextContents()).toEqual(["Unknown", "Not asked", "None known"]);
  const looks = await page.evaluate<string[]>(
    `[...document.querySelectorAll("[data-mark]")].map((mark) => {
      const { backgroundColor, borderTopStyle, fontStyle } = getComputedStyle(mark);
      return [backgroundColor, borderTopStyle, fontStyle].join();
    })`,
  );
  expect(new Set(looks).size).toBe(3);
  await review.getByText("1 to 2 tablets a day (atorvastatin 20 to 40 mg)").waitFor();
  const found = page.getByRole("region", { name: "1 finding" });
  await found.getByText("The patient is allergic to atorvastatin.").waitFor();
  await found.getByText(/^Source: .+ Tables .+\.$/).waitFor();
  await page.getByRole("row", { name: /^Conditions .*No one asked the patient about conditions\./ }).waitFor();
  expect(await inspect(page, "dashboard-clinical")).toEqual([]);
  await page.setViewportSize({ width: 390, height: 844 });
  await shot(page, "dashboard-clinical-phone");
  quiet({ page, ...seen });

  const tess = await journey.openAs(technician, at(made));
  await tess.page.getByRole("region", { name: "Safety checks" }).getByText("allergic to atorvastatin").waitFor();
  expect(await tess.page.getByRole("region", { name: "Clinical review" }).count()).toBe(0);
  quiet(tess);
});

test("one key asks the partner, holds the order and opens the next one of the list", async () => {
  const made = await order();
  const later = await order();
  const seen = await journey.openAs(pharmacist, "/dashboard/queue/clinical_review");
  const { page } = seen;
  await page.getByRole("row", { name: later.order_number }).waitFor();
  await openRow(page, "Clinical review", made);
  await page.getByRole("button", { name: /Ask the partner/ }).waitFor();
  await page.keyboard.press("q");
  const dialog = page.getByRole("dialog", { name: "Ask Willow Telehealth" });
  await dialog.getByLabel("What you ask about").selectOption("72");
  await dialog.getByLabel("Question").fill("Is 90 right?");
  expect(await violations(page)).toEqual([]);
  await shot(page, "dashboard-question");
  await dialog.getByRole("button", { name: "Send, hold and open the next order" }).click();
  await page.getByText("Question sent. The order is on hold.").waitFor();
  await heading(page, later.order_number);
  expect((await read(made)).exceptions.map(({ id }) => id)).toEqual([72]);
  quiet(seen);
});

test("a caller's order is found in three steps by phone number", async () => {
  const made = await order({ patient: { phone: "(628) 555-0193" } });
  const seen = await journey.openAs(technician, "/dashboard");
  const { page } = seen;
  await heading(page, "Home");
  await page.keyboard.press("/");
  await page.keyboard.type("628 555 0193");
  await page.getByRole("option", { name: new RegExp(`${made.order_number}.*by phone number`) }).waitFor();
  await page.keyboard.press("Enter");
  await heading(page, made.order_number);
  quiet(seen);
});

test("the order leads to the patient's page, which shows the treatment and reveals the person", async () => {
  const made = await order({ patient: { first_name: "Ottoline", last_name: "Vexley" } });
  const seen = await journey.openAs(lead, at(made));
  const { page } = seen;
  await page.getByRole("link", { name: /^Patient page/ }).click();
  await heading(page, "Patient OV");
  await page.getByRole("region", { name: "Orders" }).getByRole("link", { name: made.order_number }).waitFor();
  await page
    .getByRole("region", { name: "Time line" })
    .getByText(/Prescription received/)
    .waitFor();
  await page.getByRole("region", { name: "Who looked" }).getByText("viewed a patient").waitFor();
  expect(await page.getByText("Vexley").count()).toBe(0);
  await page.keyboard.press("v");
  await page.getByText("Ottoline Vexley").waitFor();
  expect(await inspect(page, "dashboard-patient")).toEqual([]);
  await page.setViewportSize({ width: 390, height: 844 });
  await shot(page, "dashboard-patient-phone");
  quiet(seen);
});

test("an order goes from review to shipped with 16 keys and two scans, and the filler cannot check it", async () => {
  const made = await order();
  let keys = 0;
  const count = (page: Page) => async (key: string) => {
    keys += 1;
    await page.keyboard.press(key);
  };
  /** Opens the order's row. The steps down to it depend on the other tests' orders, so only Enter counts. */
  const open = async (page: Page, queue: string) => {
    await openRow(page, queue, made);
    keys += 1;
  };
  const scan = async (page: Page, code: string) => {
    await page.keyboard.type(code);
    await page.keyboard.press("Enter");
  };
  const phil = await journey.openAs(pharmacist, "/dashboard");
  const philPresses = count(phil.page);
  await phil.page.getByText("Waiting longest").waitFor();
  await philPresses("1");
  await open(phil.page, "Clinical review");
  // The key moves focus to the button, and Enter presses it, so that one slip approves nothing.
  await philPresses("a");
  expect((await read(made)).order_status).toBe("Processing");
  await philPresses("Enter");
  await phil.page.getByRole("button", { name: "Undo" }).waitFor();
  // Moving on sends the step.
  await philPresses("g");
  await philPresses("c");
  await phil.page.getByText(`Order ${made.order_number}: Approved.`).waitFor();

  const tess = await journey.openAs(technician, "/dashboard");
  const tessPresses = count(tess.page);
  await tess.page.getByText("Waiting longest").waitFor();
  await tessPresses("1");
  await open(tess.page, "Fill");
  await scan(tess.page, "01003709991013001731123110LOT-2044");
  await expect.poll(() => tess.page.getByLabel("Lot").inputValue()).toBe("LOT-2044");
  await shot(tess.page, "dashboard-fill");
  await tessPresses("Enter");
  await tess.page.getByRole("button", { name: "Undo" }).waitFor();
  await tessPresses("g");
  await tessPresses("p");
  await tess.page.getByText("Ready for product check.").waitFor();

  await open(phil.page, "Product check");
  await phil.page.getByLabel("Scan a package").waitFor();
  await scan(phil.page, "70999-0101-31");
  await phil.page.getByText("This product is not part of the order.").waitFor();
  await scan(phil.page, "70999-0101-30");
  await phil.page.getByText("All packages match.").waitFor();
  await shot(phil.page, "dashboard-product-check");
  await expect
    .poll(() => phil.page.evaluate<string>("document.activeElement?.textContent ?? ''"))
    .toContain("Verify and continue");
  await philPresses("Enter");
  await phil.page.keyboard.press("s");
  await phil.page.getByText("Ready to pack.").waitFor();

  await open(tess.page, "Pack and ship");
  await tess.page.getByText("To print").waitFor();
  // Before the label is printed there is nothing to hand over.
  const shipInAHurry = async () => {
    for (const key of ["a", "Enter", "a", "Enter"]) await tess.page.keyboard.press(key);
  };
  await shipInAHurry();
  await shot(tess.page, "dashboard-pack");
  expect(await violations(tess.page)).toEqual([]);
  const printing = openedDocument(tess.page);
  await tessPresses("P");
  expect(await printing).toMatch(/^blob:/);
  await expect
    .poll(() => tess.page.evaluate<string>("document.activeElement?.textContent ?? ''"))
    .toContain("Handed to carrier");
  // Printing charges nothing, and the partner does not see the tracking number yet.
  const packed = await read(made);
  expect([packed.order_status, packed.payment.status, packed.shipments]).toEqual(["Filling", "authorized", []]);
  await shot(tess.page, "dashboard-printed");
  await tessPresses("Enter");
  await tess.page.getByRole("button", { name: "Undo" }).waitFor();
  expect(keys).toBeLessThanOrEqual(16);
  // In a hurry: nothing happens twice, before and after the step is sent.
  await shipInAHurry();
  await tess.page.keyboard.press("s");
  await tess.page.getByText("Shipped. The payment is charged.").waitFor();
  await tess.page.getByRole("button", { name: "Mark delivered" }).waitFor();
  await shipInAHurry();
  expect(await tess.page.getByRole("button", { name: "Undo" }).count()).toBe(0);
  expect((await read(made)).order_status).toBe("Shipped");
  const coming = tess.page.waitForResponse(/\/documents\//);
  const opening = openedDocument(tess.page);
  await tess.page
    .getByRole("button", { name: /Open .*label/i })
    .first()
    .click();
  expect((await coming).headers()["content-type"]).toBe("application/pdf");
  expect(await opening).toMatch(/^blob:/);
  expect(await violations(tess.page)).toEqual([]);
  await shot(tess.page, "dashboard-shipped");
  quiet(phil);
  quiet(tess);
});

test("each role sees its own work first, and every chart has a table and answers the keyboard", async () => {
  await order();
  /** The first tile, which has the key 1. */
  const first = async (page: Page) => {
    const tile = page.locator("main a", { has: page.locator("kbd", { hasText: /^1$/ }) });
    return tile.textContent();
  };
  const tess = await journey.openAs(technician, "/dashboard");
  await tess.page.getByRole("heading", { name: "Waiting longest: fill, check and pack" }).waitFor();
  expect(await first(tess.page)).toMatch(/^Fill/);
  await tess.page.keyboard.press("2");
  await heading(tess.page, "Pack and ship");

  const phil = await journey.openAs(pharmacist, "/dashboard");
  const { page } = phil;
  expect(await first(page)).toMatch(/^Clinical review/);
  await page.getByRole("heading", { name: "Messages to answer" }).waitFor();
  const today = page.getByRole("slider", { name: "Orders today, by hour" });
  await today.focus();
  await page.keyboard.press("Home");
  await expect.poll(() => today.getAttribute("aria-valuetext")).toMatch(/^12\sAM: Received \d+, Shipped \d+$/);
  await page.keyboard.press("ArrowRight");
  await expect.poll(() => today.getAttribute("aria-valuenow")).toBe("2");
  for (const [name, row] of [
    ["Orders today, by hour", /^\d/],
    ["Orders in the last 7 days, by day", /\d/],
    ["Open orders that reach their target today, by hour", /\d/],
    ["Open orders by queue and wait", /^Clinical review \d/],
  ] as const) {
    await page.getByText(`Show table: ${name}`).focus();
    await page.keyboard.press("Enter");
    await page.getByRole("table", { name }).getByRole("row", { name: row }).first().waitFor();
  }
  expect(await violations(page)).toEqual([]);
  await page.emulateMedia({ colorScheme: "dark" });
  expect(await violations(page, "color-contrast")).toEqual([]);
  for (const seen of [tess, phil]) quiet(seen);
});

test("the person who filled an order sees that another person must check it", async () => {
  const made = await order();
  const seen = await journey.openAs(lead, at(made));
  const { page } = seen;
  await page.getByRole("button", { name: "Approve review" }).click();
  await page.getByRole("button", { name: "Send now" }).click();
  const lot = page.getByLabel("Lot");
  const filled = async () => [await lot.inputValue(), await page.getByLabel("Expires on").inputValue()];
  // A scanner types and ends with Enter: the input counts only then, and Enter does not submit the form.
  await lot.pressSequentially("01003123456789061731123110L-9");
  await page.keyboard.press("Enter");
  await page.getByText("not part of this order").waitFor();
  expect(await filled()).toEqual(["", ""]);
  await lot.pressSequentially("0100370999101300173112311");
  await page.getByText("not part of this order").waitFor();
  await lot.pressSequentially("0L-9");
  expect(await lot.inputValue()).toBe("01003709991013001731123110L-9");
  await page.keyboard.press("Enter");
  await expect.poll(filled).toEqual(["L-9", "2031-12-31"]);
  expect(await page.getByText("not part of this order").count()).toBe(0);
  expect((await read(made)).order_status).toBe("Filling");
  await page.getByRole("button", { name: "Complete fill" }).click();
  await page.getByRole("button", { name: "Send now" }).click();
  await page.getByText("another person must check it", { exact: false }).waitFor();
  expect(await page.getByRole("button", { name: "Verify and continue" }).count()).toBe(0);
  await shot(page, "dashboard-second-person");
  quiet(seen);
});

const approve = async (page: Page) => {
  await page.locator("body").press("a");
  await page.getByRole("button", { name: "Approve review" }).press("Enter");
  await page.getByRole("button", { name: "Undo" }).waitFor();
};

test("a step can be undone for ten seconds, and the browser sends it only then", async () => {
  const made = await order();
  const seen = await journey.openAs(pharmacist, at(made));
  const { page } = seen;
  let sent = 0;
  page.on("request", (request) => {
    if (request.url().endsWith("/work")) sent += 1;
  });
  await page.clock.install();
  await page.reload();
  await heading(page, made.order_number);
  await page.clock.pauseAt((await page.evaluate<number>("Date.now()")) + 1_000);
  await approve(page);
  // axe needs the clock, and the step must not be sent meanwhile.
  const faults = violations(page);
  for (let ms = 0; ms < 5_000; ms += 10) await page.clock.runFor(10);
  expect(await faults).toEqual([]);
  await page.clock.runFor(4_000);
  expect(sent).toBe(0);
  await shot(page, "dashboard-undo");
  await page.locator("body").press("u");
  await page.getByRole("button", { name: "Approve review" }).waitFor();
  await page.clock.runFor(11_000);
  expect(sent).toBe(0);
  await approve(page);
  await page.clock.runFor(9_000);
  expect(sent).toBe(0);
  await page.clock.runFor(2_000);
  await expect.poll(() => sent).toBe(1);
  await page.clock.resume();
  await page.getByText("Approved.").waitFor();
  expect((await read(made)).order_status).toBe("Filling");
  quiet(seen);
});

test("an approval opens the next order of the list, where it can still be undone", async () => {
  const [first, second] = [await order(), await order()];
  const seen = await journey.openAs(pharmacist, "/dashboard/queue/clinical_review");
  const { page } = seen;
  await page.getByRole("row", { name: second.order_number }).waitFor();
  await openRow(page, "Clinical review", first);
  await approve(page);
  await heading(page, second.order_number);
  await page.getByText(`Order ${first.order_number}: Approve review in`).waitFor();
  expect(await violations(page)).toEqual([]);
  await shot(page, "dashboard-undo-on-the-next");
  await page.keyboard.press("u");
  await heading(page, first.order_number);
  expect((await read(first)).order_status).toBe("Processing");
  await approve(page);
  await heading(page, second.order_number);
  // The next step sends the one before.
  await approve(page);
  await page.getByText(`Order ${first.order_number}: Approved.`).waitFor();
  expect((await read(first)).order_status).toBe("Filling");
  quiet(seen);
});

test("a step is sent when the user moves on: to the list, to another page, or away", async () => {
  const [listed, refused, gone, closed] = [await order(), await order(), await order(), await order()];
  const seen = await journey.openAs(pharmacist, "/dashboard/queue/clinical_review");
  const { page } = seen;
  const filling = (one: Order) => expect.poll(async () => (await read(one)).order_status).toBe("Filling");
  await openRow(page, "Clinical review", listed);
  await approve(page);
  await page.keyboard.press("Escape");
  await page.getByText(`Order ${listed.order_number}: Approved.`).waitFor();
  await filling(listed);

  await openRow(page, "Clinical review", refused);
  await approve(page);
  const { account_id } = journey.app.demo.partners[0]!;
  const by = { person_id: "somebody", role: "pharmacist", license: "RPH-1001" } as const;
  await approveReview(journey.app.deps, { account_id, order_number: refused.order_number, by });
  await page.keyboard.press("Escape");
  // A refusal stays on the screen that the user has moved on to.
  await page.getByText(`Order ${refused.order_number}: `).waitFor();

  await page.goto(journey.app.addresses.base_url + at(gone));
  await approve(page);
  await page.goto(`${journey.app.addresses.base_url}/docs`);
  await filling(gone);

  await page.goto(journey.app.addresses.base_url + at(closed));
  await approve(page);
  await page.close({ runBeforeUnload: true });
  await filling(closed);
  quiet(seen);
});

test("an order that was sent back and filled again must be scanned again", async () => {
  const made = await standing("product_check");
  const seen = await journey.openAs(pharmacist, at(made));
  const { page } = seen;
  const scan = async () => {
    await page.getByLabel("Scan a package").fill(made.items[0]!.ndc!);
    await page.keyboard.press("Enter");
    await page.getByText("All packages match.").waitFor();
  };
  await scan();
  await page.getByRole("button", { name: "Send back to fill" }).click();
  await page.getByRole("textbox", { name: "Reason" }).fill("The seal is broken.");
  await page.getByRole("button", { name: "Send back", exact: true }).click();
  await page.getByText("Sent back to fill.").waitFor();
  await page.getByText("“The seal is broken.”").waitFor();
  await filled(made);
  await page.keyboard.press("r");
  await page.getByLabel("Scan a package").waitFor();
  expect(await page.getByRole("button", { name: "Verify and continue" }).isDisabled()).toBe(true);
  await scan();
  await page.getByRole("button", { name: "Verify and continue" }).click();
  await page.getByRole("button", { name: "Send now" }).click();
  await page.getByText("Ready to pack.").waitFor();
  quiet(seen);
});

test("an open order page says who changed the order, and loads it again only when asked", async () => {
  const made = await order();
  const seen = await journey.openAs(technician, at(made));
  const { page } = seen;
  await heading(page, made.order_number);
  // What staff find themselves is the first reason for a hold, not the partner's own hold.
  await page.keyboard.press("h");
  expect(await page.getByLabel("Exception").inputValue()).toBe("72");
  await page.keyboard.press("Escape");
  const { account_id } = journey.app.demo.partners[0]!;
  const find = "select person_id from person where email = $1";
  const { rows } = await journey.app.deps.db.raw(find, [pharmacist.email]);
  const by = { person_id: rows[0]!["person_id"] as string, role: "pharmacist", license: "RPH-1001" } as const;
  await approveReview(journey.app.deps, { account_id, order_number: made.order_number, by });
  await page.getByText("Phil Marrow changed this order.").waitFor();
  expect(await page.getByLabel("Lot").count()).toBe(0);
  expect(await inspect(page, "dashboard-changed")).toEqual([]);
  await page.getByRole("button", { name: "Refresh", exact: true }).click();
  await page.getByLabel("Lot").waitFor();
  await page.getByText("Phil Marrow changed this order.").waitFor({ state: "detached" });
  quiet(seen);
});

test("All orders also lists canceled orders, and can show the open ones alone", async () => {
  const [open, canceled] = [await order(), await order()];
  const { account_id } = journey.app.demo.partners[0]!;
  const by = { person_id: "somebody", role: "lead", license: null } as const;
  const work = { account_id, order_number: canceled.order_number, by };
  await cancelWithReason(journey.app.deps, work, "The patient asked for it.");
  const seen = await journey.openAs(lead, "/dashboard/orders");
  const { page } = seen;
  for (const { order_number } of [open, canceled]) await page.getByRole("row", { name: order_number }).waitFor();
  await page.getByRole("combobox", { name: "Show" }).selectOption("open");
  await page.getByRole("row", { name: canceled.order_number }).waitFor({ state: "detached" });
  await page.getByRole("row", { name: open.order_number }).waitFor();
  quiet(seen);
});

test("a user closes an exception with a reason, and the order returns to its previous stage", async () => {
  const made = await order({ patient: { email: null } });
  expect(made.order_status).toBe("On Hold");
  const seen = await journey.openAs(lead, "/dashboard");
  const { page } = seen;
  await page.keyboard.press("g");
  await page.keyboard.press("o");
  await openRow(page, "On hold", made);
  await page.getByText("Missing Email").first().waitFor();
  await shot(page, "dashboard-held");
  await page.keyboard.press("e");
  await page.keyboard.type("The patient gave the address by telephone.");
  expect(await violations(page)).toEqual([]);
  await page.keyboard.press("Tab");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await page.getByText("Resolved.").waitFor();
  expect((await read(made)).order_status).toBe("Processing");
  await shot(page, "dashboard-resolved");
  quiet(seen);
});

test("a pharmacist asks the prescriber from the page of an order", async () => {
  // Sam Silent never answers.
  const written = { drug_name: "atorvastatin", written_qty: 90, days_supply: 90, prescriber_name: "Sam Silent" };
  const made = await placed(journey.app, orderOf(await arrived(journey.app, written)));
  const seen = await journey.openAs(lead, at(made));
  const { page } = seen;
  const card = page.getByRole("region", { name: "Prescriber and refills" });
  await card.getByText("No refill schedule.").waitFor();
  expect(await card.getByRole("button", { name: "Ask for a renewal" }).isDisabled()).toBe(true);
  await card.getByText("never filled", { exact: false }).waitFor();
  await card.getByRole("button", { name: "Ask the prescriber" }).click();
  await page.getByLabel("What you ask for").selectOption("D");
  await page.getByLabel("Service reason").fill("td");
  await page.getByLabel("Question").fill("The patient takes another statin.");
  expect(await violations(page)).toEqual([]);
  await shot(page, "dashboard-ask");
  await page.locator("dialog").getByRole("button", { name: "Send" }).click();
  await card.getByText("TD: The patient takes another statin.").waitFor();
  await card.scrollIntoViewIfNeeded();
  expect(await inspect(page, "dashboard-prescriber")).toEqual([]);
  quiet(seen);
});

test("a question holds the order, the partner answers it in the portal, and both sides read the same thread", async () => {
  const made = await order();
  const tess = await journey.openAs(technician, at(made));
  await tess.page.getByText("No messages yet.", { exact: false }).waitFor();
  await tess.page.keyboard.press("m");
  await tess.page.keyboard.type("The prescription says 30 tablets.\nIs that right?");
  await tess.page.getByLabel("Hold the order until the partner answers").selectOption("72");
  await tess.page.getByRole("button", { name: "Send and hold" }).click();
  await tess.page.getByText("1 question unanswered").waitFor();
  await tess.page.getByText("On hold: 1 exception").waitFor();
  await tess.page.getByText("1 question unanswered").scrollIntoViewIfNeeded();
  expect(await inspect(tess.page, "dashboard-thread")).toEqual([]);

  const portal = `/portal/sandbox/orders/${made.order_number}`;
  const sam = await journey.openAs(journey.app.demo.partners[0]!.portal, portal);
  await sam.page.getByText("1 question for you").waitFor();
  expect(await inspect(sam.page, "portal-thread")).toEqual([]);
  await sam.page.keyboard.press("m");
  await sam.page.keyboard.type("Yes, 30 tablets.");
  await sam.page.keyboard.press("Tab");
  await sam.page.keyboard.press("Enter");
  await sam.page.getByText("Answered", { exact: true }).waitFor();
  expect((await read(made)).order_status).toBe("Processing");

  await tess.page.getByRole("heading", { name: "Messages" }).click();
  await tess.page.keyboard.press("g");
  await tess.page.keyboard.press("m");
  await openRow(tess.page, "Messages", made);
  await tess.page.getByText("Answered", { exact: true }).waitFor();
  const textsOf = async (page: Page) =>
    (
      await page.getByRole("list", { name: "Messages, oldest first" }).locator("li > p:last-of-type").allInnerTexts()
    ).map((text) => text.trim());
  const texts = ["The prescription says 30 tablets.\nIs that right?", "Yes, 30 tablets."];
  expect([await textsOf(tess.page), await textsOf(sam.page)]).toEqual([texts, texts]);
  await tess.page.getByRole("button", { name: "Reply" }).click();
  await tess.page.keyboard.type("Thank you.");
  await tess.page.getByRole("button", { name: "Send", exact: true }).click();
  await tess.page.getByText("Message sent.").waitFor();
  await tess.page.getByText("Answers “Yes, 30 tablets.”").waitFor();
  quiet(tess);
  quiet(sam);
});

test("a pharmacist overrides an allergy with a code and an explanation; the timeline shows code and license", async () => {
  const allergies = [{ text: "penicillin", codes: [], reaction: null, severity: null }];
  const made = await order({ prescription: prescribed("amoxicillin-500", 21, { allergies }) });
  const seen = await journey.openAs(pharmacist, at(made));
  const { page } = seen;
  await page.getByText("Allergy Detected").first().waitFor();
  await page.keyboard.press("e");
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Override code").selectOption("previously_tolerated");
  await dialog.getByLabel("Reason", { exact: true }).fill("Took it in May without a reaction.");
  expect(await violations(page)).toEqual([]);
  await shot(page, "dashboard-override");
  await dialog.getByRole("button", { name: "Resolve" }).click();
  await page.getByText("Resolved.").waitFor();
  await page.getByText("tolerated this drug or combination before. License RPH-2001").waitFor();
  expect((await read(made)).order_status).toBe("Processing");
  quiet(seen);
});

test("a lead assigns an order and mentions a colleague, who sees it live at the bell, opens it and reads the rest", async () => {
  const made = await order();
  const colleague = await journey.person("technician", "Nia Volk");
  const theirs = await journey.openAs(colleague, "/dashboard");
  const bell = theirs.page.getByRole("button", { name: /^Notifications/ });
  await bell.click();
  await theirs.page.getByRole("dialog").getByText("All caught up").waitFor();
  await theirs.page.keyboard.press("Escape");

  const { page, ...seen } = await journey.openAs(lead, at(made));
  await heading(page, made.order_number);
  await page.keyboard.press("A");
  await page.getByLabel("Colleague").selectOption({ label: "Nia Volk, technician" });
  expect(await violations(page)).toEqual([]);
  await page.getByRole("dialog").getByRole("button", { name: "Assign" }).click();
  await page.getByText(/^Claimed by Nia Volk until/).waitFor();
  await page.keyboard.press("n");
  await page.keyboard.type("Please call them today, @ni");
  await page.getByRole("dialog").getByRole("button", { name: "Nia Volk" }).click();
  await page.keyboard.type("and tell me.");
  await page.getByText("Notifies Nia Volk.").waitFor();
  expect(await inspect(page, "dashboard-mention")).toEqual([]);
  await page.getByRole("dialog").getByRole("button", { name: "Add note" }).click();
  await page.getByText("“Please call them today, @Nia Volk and tell me.”").waitFor();
  quiet({ page, ...seen });

  await theirs.page.getByRole("button", { name: "Notifications, 2 unread" }).click();
  const list = theirs.page.getByRole("dialog");
  await list.getByRole("link", { name: /Lea Dorn assigned an order to you/ }).waitFor();
  expect(await inspect(theirs.page, "dashboard-notifications")).toEqual([]);
  await list.getByRole("link", { name: new RegExp(`Lea Dorn mentioned you in a note.*${made.order_number}`) }).click();
  await heading(theirs.page, made.order_number);
  await theirs.page.getByText(/^Claimed by you until/).waitFor();
  await theirs.page.getByRole("button", { name: "Notifications, 1 unread" }).click();
  await list.getByRole("button", { name: "Mark all as read" }).click();
  await theirs.page.keyboard.press("Escape");
  await theirs.page.getByRole("button", { name: "Notifications", exact: true }).waitFor();
  quiet(theirs);
});

test("a new user takes the tour once, by keyboard, and each page explains itself with the guide's words", async () => {
  const novice = await journey.person("technician", "Nova Sims");
  const { page, ...seen } = await journey.openAs(novice, "/dashboard", { tour: true });
  const shown = (name: string) => page.getByRole("dialog").getByRole("heading", { name });
  await shown("Welcome to the dashboard").waitFor();
  expect(await inspect(page, "dashboard-tour")).toEqual([]);
  await page.setViewportSize({ width: 1280, height: 720 });
  for (const title of ["Find anything", "Work on an order", "Work together"]) {
    await page.keyboard.press("Enter");
    await shown(title).waitFor();
  }
  await page.keyboard.press("Enter");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await page.reload();
  await heading(page, "Home");
  await page.keyboard.press("F1");
  await shown("The morning: what is late?").waitFor();
  await page.keyboard.press("Escape");
  await page.keyboard.press("g");
  await page.keyboard.press("k");
  await heading(page, "Stock");
  await page.getByRole("button", { name: "Help for this page" }).click();
  await shown("The shelf").waitFor();
  await page.getByRole("dialog").getByText("You never set stock").waitFor();
  expect(await inspect(page, "dashboard-help")).toEqual([]);
  expect(await page.getByRole("dialog").getByRole("link", { name: "Open the whole guide" }).getAttribute("href")).toBe(
    "/docs/guides/dashboard",
  );
  await page.getByRole("dialog").getByRole("button", { name: "Take the tour" }).click();
  await shown("Welcome to the dashboard").waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  quiet({ page, ...seen });
});

test("an order that is held at the last step shows as held, not as shipped", async () => {
  const { body } = await newOrder(journey.app);
  const payment = { payer: "patient", token: "tok_declined_at_capture" };
  const made = await standing("pack", await placed(journey.app, { ...body, payment }));
  const seen = await journey.openAs(lead, at(made));
  const printing = openedDocument(seen.page);
  await seen.page.getByRole("button", { name: "Print slip and label" }).click();
  await printing;
  await seen.page.getByRole("button", { name: "Handed to carrier" }).click();
  await seen.page.getByRole("button", { name: "Send now" }).click();
  await seen.page
    .getByRole("status")
    .getByText(/^On hold: /)
    .waitFor();
  expect(await seen.page.getByText("Shipped. The payment is charged.").count()).toBe(0);
  expect((await read(made)).order_status).toBe("On Hold");
  await shot(seen.page, "dashboard-held-instead");
  quiet(seen);
});

test("a failed document or export shows the reason, and waits for sign-in if the session has ended", async () => {
  const made = await standing("pack");
  const seen = await journey.openAs(technician, at(made));
  const { page } = seen;
  const open = page.getByRole("button", { name: /^Open .* to print it/ }).first();
  const failing = { status: 500, headers: { "x-request-id": "req-print-1" }, json: {} };
  await page.route("**/documents/**", (route) => route.fulfill(failing));
  await open.click();
  await page.getByText("req-print-1").waitFor();
  await page.unroute("**/documents/**");
  journey.app.advance(IDLE_MS + 60_000);
  await open.click();
  await page.getByText("Your work on this page is still here.").waitFor();
  const opening = openedDocument(page);
  await page.getByLabel("Password").fill(technician.password);
  await page.keyboard.press("Enter");
  expect(await opening).toMatch(/^blob:/);

  await page.keyboard.press("g");
  await page.keyboard.press("a");
  await page.getByRole("row", { name: made.order_number }).waitFor();
  const csv = page.getByRole("button", { name: "CSV" });
  await page.route("**/orders.csv?*", (route) =>
    route.fulfill({ ...failing, headers: { "x-request-id": "req-csv-1" } }),
  );
  await csv.click();
  await page.getByText("req-csv-1").waitFor();
  await page.unroute("**/orders.csv?*");
  const download = page.waitForEvent("download");
  await csv.click();
  expect((await download).suggestedFilename()).toBe("orders.csv");
  expect(readFileSync((await (await download).path())!, "utf8")).toContain(made.order_number);
  quiet(seen);
});

test("the search finds a caller by last name or date of birth, and offers recent pages and commands", async () => {
  const made = await order({ patient: { first_name: "Zelda", last_name: "Quackenbush", dob: "1951-04-09" } });
  const seen = await journey.openAs(lead, "/dashboard");
  const { page } = seen;
  const find = async (text: string) => {
    await page.keyboard.press("Control+k");
    await page.keyboard.type(text);
  };
  const hit = page.getByRole("option", { name: made.order_number });
  for (const [text, by] of [
    ["4/9/1951", "by date of birth"],
    ["quackenbush", "by last name"],
  ] as const) {
    await find(text);
    await hit.filter({ hasText: by }).waitFor();
    if (by === "by date of birth") await page.keyboard.press("Escape");
  }
  expect(await violations(page)).toEqual([]);
  await shot(page, "dashboard-search-name");
  // A phone shows the whole order number.
  await page.setViewportSize({ width: 390, height: 844 });
  const cut =
    "[...document.querySelectorAll('[role=option] > span')].filter((one) => one.scrollWidth > one.clientWidth)";
  await expect.poll(() => page.evaluate(`${cut}.map((one) => one.textContent)`)).toEqual([]);
  await shot(page, "dashboard-search-phone");
  await page.setViewportSize({ width: 1280, height: 720 });
  await page.keyboard.press("Enter");
  await heading(page, made.order_number);
  await page.keyboard.press("g");
  await page.keyboard.press("h");
  await heading(page, "Home");
  await find("");
  await page
    .getByRole("option", { name: `Order ${made.order_number}` })
    .filter({ hasText: "Recent" })
    .waitFor();
  expect(await violations(page)).toEqual([]);
  await shot(page, "dashboard-palette");
  await page.keyboard.press("Enter");
  await heading(page, made.order_number);
  await find("keyboard shortcuts");
  await page.getByRole("option", { name: "Keyboard shortcuts" }).click();
  await page.getByRole("heading", { name: "Keyboard shortcuts" }).waitFor();
  quiet(seen);
});

test("the search shows a prescription without an order, and links to the patient or to its review entry", async () => {
  const { prescription_id } = await newOrder(journey.app);
  const seen = await journey.openAs(lead, "/dashboard");
  const { page } = seen;
  const find = async () => {
    await page.keyboard.press("Control+k");
    await page.keyboard.type(String(prescription_id));
    await page.getByRole("option", { name: "No order yet" }).waitFor();
  };
  await find();
  expect(await violations(page)).toEqual([]);
  await shot(page, "dashboard-search-unordered");
  await page.keyboard.press("Enter");
  await page.getByRole("region", { name: "Prescriptions" }).getByText(`Rx ${prescription_id}`).waitFor();
  await journey.app.deps.db.raw(
    "insert into review (account_id, kind, prescription_id, created_at) values ($1, 'prescription_acceptance', $2, now())",
    [journey.app.demo.partners[0]!.account_id, prescription_id],
  );
  await find();
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Decision" }).waitFor();
  quiet(seen);
});

test("a new user sees production first, and the page remembers the chosen environment", async () => {
  const made = await order();
  const seen = await journey.openAs(lead, "/dashboard/orders", { environment: null });
  const { page } = seen;
  const asked: string[] = [];
  page.on("request", (request) => {
    const { pathname, searchParams } = new URL(request.url());
    if (/web\/dashboard\/(home|stream|orders)$/.test(pathname)) asked.push(searchParams.get("environment") ?? "none");
  });
  await page.getByRole("button", { name: "Environment: Production" }).waitFor();
  await page.getByText("All caught up").waitFor();
  await page.getByRole("button", { name: "Environment: Production" }).click();
  await page.getByRole("menuitemradio", { name: "Sandbox" }).click();
  await page.getByRole("row", { name: made.order_number }).waitFor();
  asked.length = 0;
  await page.reload();
  await page.getByRole("button", { name: "Environment: Sandbox" }).waitFor();
  await page.getByRole("row", { name: made.order_number }).waitFor();
  await page.keyboard.press("g");
  await page.keyboard.press("h");
  await page.getByText("Waiting longest").waitFor();
  await page.getByRole("row").nth(1).waitFor();
  expect(new Set(asked)).toEqual(new Set(["sandbox"]));
  expect(await violations(page)).toEqual([]);
  await shot(page, "dashboard-environment");
  await page.keyboard.press("g");
  await page.keyboard.press("x");
  await page.getByText("No orders waiting").waitFor();
  quiet(seen);
});

test("a sign-in form covers the page when the session ends, and the typed text survives the sign-in", async () => {
  const made = await order();
  const seen = await journey.openAs(pharmacist, at(made));
  const { page } = seen;
  await heading(page, made.order_number);
  const address = page.url();
  await page.keyboard.press("n");
  await page.getByRole("textbox", { name: "Note" }).fill("Called the prescriber; she confirms the dose.");
  // Going back to the order does not lose it either.
  await page.keyboard.press("Escape");
  await page.getByRole("textbox", { name: "Note" }).waitFor({ state: "detached" });
  await page.keyboard.press("n");
  expect(await page.getByRole("textbox", { name: "Note" }).inputValue()).toMatch(/^Called the prescriber/);
  journey.app.advance(IDLE_MS + 60_000);
  await page.getByRole("button", { name: "Add note" }).click();
  await page.getByText("Your work on this page is still here.").waitFor();
  expect(await violations(page)).toEqual([]);
  const cover = page.getByRole("dialog", { name: "Sign in again" });
  const nothingElse = async () => {
    await cover.waitFor();
    expect(await page.getByText(made.order_number).filter({ visible: true }).count()).toBe(0);
    expect(await page.locator("textarea").filter({ visible: true }).count()).toBe(0);
    expect(await page.getByRole("heading", { level: 1 }).count()).toBe(0);
  };
  // No number of attempts closes it, from any focus.
  await page.evaluate("document.activeElement.blur()");
  for (let time = 0; time < 5; time++) {
    await page.keyboard.press("Escape");
    await nothingElse();
  }
  await cover.evaluate((element) => (element as unknown as { close: () => void }).close());
  await nothingElse();
  await shot(page, "dashboard-sign-in-again");
  await page.getByLabel("Password").fill(pharmacist.password);
  await page.keyboard.press("Enter");
  await page.getByText("Note added.").waitFor();
  await page.getByRole("heading", { level: 1, name: made.order_number }).waitFor();
  await page.getByText("she confirms the dose", { exact: false }).waitFor();
  expect(page.url()).toBe(address);
  quiet(seen);
});

test("signing in as another user ends the previous session", async () => {
  const made = await order();
  const seen = await journey.openAs(pharmacist, at(made));
  const { page } = seen;
  await heading(page, made.order_number);
  const { base_url } = journey.app.addresses;
  const session = async () =>
    ((await (await page.request.get(`${base_url}/web/session`)).json()) as { session: { email: string } | null })
      .session;
  // The page learns that the session has ended, while the browser still has a session without a known token.
  await page.route("**/web/dashboard/orders/**", (route) => route.fulfill({ status: 401, json: {} }));
  await page.keyboard.press("r");
  await page.getByText("Your work on this page is still here.").waitFor();
  expect((await session())?.email).toBe(pharmacist.email);
  await page.request.post(`${base_url}/web/session`, {
    headers: { "x-csrf-token": (await tokenOf(page)) ?? "" },
    data: { ...technician },
  });
  expect((await session())?.email).toBe(technician.email);
  await page.getByRole("button", { name: "Sign in as someone else" }).click();
  await page.getByRole("heading", { level: 1, name: "Sign in" }).waitFor();
  expect(await session()).toBeNull();
  quiet(seen);
});

test("an idle page signs out although it refreshes itself, and hides its content", async () => {
  const made = await order();
  const seen = await journey.openAs(pharmacist, at(made));
  const { page } = seen;
  await heading(page, made.order_number);
  await page.keyboard.press("v");
  await page.getByText("Quillfeather").first().waitFor();
  await page.clock.install();
  await page.reload();
  await heading(page, made.order_number);
  await page.clock.fastForward(IDLE_MS - 60_000);
  expect(await page.getByText("Your work on this page is still here.").count()).toBe(0);
  await page.clock.fastForward(70_000);
  await page.getByText("Your work on this page is still here.").waitFor();
  const session = await page.request.get(`${journey.app.addresses.base_url}/web/session`);
  expect(((await session.json()) as { session: unknown }).session).toBeNull();
  quiet(seen);
});

test("a page that cannot reach the service when it locks signs out as soon as it can", async () => {
  const seen = await journey.openAs(technician, "/dashboard");
  const { page } = seen;
  await page.clock.install();
  await page.reload();
  await heading(page, "Home");
  let refused = 0;
  await page.route("**/web/session", (route) => {
    refused += 1;
    return route.abort();
  });
  await page.clock.fastForward(IDLE_MS + 10_000);
  await page.getByText("Your work on this page is still here.").waitFor();
  await expect.poll(() => refused).toBeGreaterThan(0);
  expect(await tokenOf(page)).toBeDefined();
  await page.unroute("**/web/session");
  await expect
    .poll(async () => {
      await page.clock.fastForward(5_000);
      return tokenOf(page);
    })
    .toBeUndefined();
});

test("only requests caused by the user count as activity", async () => {
  const seen = await journey.openAs(technician, "/dashboard");
  const { page } = seen;
  const asked: (string | undefined)[] = [];
  page.on("request", (request) => {
    if (request.url().includes("/web/dashboard/orders")) asked.push(request.headers()["x-pestle-present"]);
  });
  await page.clock.install();
  await page.reload();
  await page.getByText("Waiting longest").waitFor();
  await page.keyboard.press("Shift");
  /** What the page's own refresh sends, some time later. */
  const later = (ms: number) => async () => {
    asked.length = 0;
    await page.clock.fastForward(ms);
    await page.evaluate("new Promise((done) => requestAnimationFrame(done))").catch(() => {});
    return asked.map((one) => one ?? "nobody");
  };
  await expect.poll(later(15_000)).toEqual(["1"]);
  await page.clock.fastForward(60_000);
  await expect.poll(later(15_000)).toEqual(["nobody"]);
});

test("a user sets up a second factor with a locally drawn QR code, and needs it from then on", async () => {
  const who = await journey.person("technician", "Factor Two");
  const seen = await journey.openAs(who, "/dashboard");
  await seen.page.getByRole("button", { name: /your account/ }).click();
  await seen.page.getByRole("menuitem", { name: "Set up two-factor authentication" }).click();
  await seen.page.getByRole("img", { name: /QR code/ }).waitFor();
  expect(await violations(seen.page)).toEqual([]);
  await shot(seen.page, "dashboard-second-factor");
  const secret = decode((await seen.page.locator("dialog code").textContent()) ?? "");
  const code = () => totpCode(secret, Math.floor(journey.app.deps.now().getTime() / 30_000));
  await seen.page.getByRole("textbox", { name: "Code" }).fill(code());
  await seen.page.keyboard.press("Enter");
  await seen.page.getByText("Two-factor authentication is on.").waitFor();
  quiet(seen);
  journey.app.advance(60_000);
  const again = await journey.open("/dashboard/queue/fill");
  await again.page.getByLabel("Email").fill(who.email);
  await again.page.getByLabel("Password").fill(who.password);
  await again.page.keyboard.press("Enter");
  await again.page.getByRole("textbox", { name: "Code" }).fill("000000");
  await again.page.keyboard.press("Enter");
  await again.page.getByText("is wrong", { exact: false }).waitFor();
  await shot(again.page, "dashboard-code");
  await again.page.getByRole("textbox", { name: "Code" }).fill(code());
  await again.page.keyboard.press("Enter");
  await heading(again.page, "Fill");
});

test("a user who stopped a sign-in halfway in one tab can sign in from another", async () => {
  const who = await journey.person("technician", "Two Tabs");
  const setting_up = await journey.openAs(who, "/dashboard");
  await setting_up.page.getByRole("button", { name: /your account/ }).click();
  await setting_up.page.getByRole("menuitem", { name: "Set up two-factor authentication" }).click();
  const secret = decode((await setting_up.page.locator("dialog code").textContent()) ?? "");
  const code = () => totpCode(secret, Math.floor(journey.app.deps.now().getTime() / 30_000));
  await setting_up.page.getByRole("textbox", { name: "Code" }).fill(code());
  await setting_up.page.keyboard.press("Enter");
  await setting_up.page.getByText("Two-factor authentication is on.").waitFor();
  journey.app.advance(60_000);

  const { page: first } = await journey.open("/dashboard");
  const second = await first.context().newPage();
  await second.goto(`${journey.app.addresses.base_url}/dashboard`);
  const givePassword = async (page: Page) => {
    await page.getByLabel("Email").fill(who.email);
    await page.getByLabel("Password").fill(who.password);
    await page.keyboard.press("Enter");
    await page.getByRole("textbox", { name: "Code" }).waitFor();
  };
  await second.getByLabel("Email").waitFor();
  await givePassword(first);
  await givePassword(second);
  await second.getByRole("textbox", { name: "Code" }).fill(code());
  await second.keyboard.press("Enter");
  await heading(second, "Home");
  // The first tab follows.
  await heading(first, "Home");
});

describe("many orders at once", () => {
  test("a bulk action completes every order that it can, and shows the reason for each that it cannot", async () => {
    // Without a safety finding, which a bulk approval would refuse.
    const clean = { prescription: { allergies: [] } };
    const [good, gone, warned] = [await order(clean), await order(clean), await order(clean)];
    await patientCalls(journey.app, warned.patient_id).patch({ patient_safety: { allergies: ["peanuts"] } });
    const seen = await journey.openAs(pharmacist, "/dashboard/queue/clinical_review");
    const { page } = seen;
    for (const { order_number } of [good, gone, warned]) await page.getByLabel(`Select ${order_number}`).check();
    const { account_id } = journey.app.demo.partners[0]!;
    const by = { person_id: "somebody", role: "pharmacist", license: "RPH-1001" } as const;
    const approve = page.getByRole("group", { name: "Selected orders" }).getByRole("button", { name: "Approve" });
    await approve.click();
    await page.getByText("You cannot undo an approval.", { exact: false }).waitFor();
    expect(await violations(page)).toEqual([]);
    await shot(page, "dashboard-bulk-question");
    // A second Enter cancels, because one slip must not approve many orders.
    await page.keyboard.press("Enter");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    expect((await read(good)).order_status).toBe("Processing");
    await approve.click();
    const confirm = page.getByRole("button", { name: "Approve 3 orders" });
    await confirm.waitFor();
    // A colleague is faster. The question stays about all three orders, also when the queue refreshes.
    await approveReview(journey.app.deps, { account_id, order_number: gone.order_number, by });
    await page.getByLabel(`Select ${gone.order_number}`).waitFor({ state: "detached" });
    await confirm.click();
    await page.getByRole("heading", { name: "Some orders were not updated" }).waitFor();
    const left = await page.getByRole("dialog").getByRole("link").allTextContents();
    expect(left.sort()).toEqual([gone.order_number, warned.order_number].sort());
    await page.getByRole("row", { name: new RegExp(`${warned.order_number}.*safety check has a finding`) }).waitFor();
    await shot(page, "dashboard-bulk-report");
    expect(await violations(page)).toEqual([]);
    expect([(await read(good)).order_status, (await read(warned)).order_status]).toEqual(["Filling", "Processing"]);
    const { page: log } = await journey.openAs(lead, `/dashboard/audit?subject=${good.order_number}`);
    await log.getByRole("row", { name: /Phil Marrow.*approved the clinical review of an order/ }).waitFor();
    quiet(seen);
  });

  test("selected orders are assigned to a colleague, and the audit log says to whom", async () => {
    const made = [await order(), await order()];
    const seen = await journey.openAs(lead, "/dashboard/queue/clinical_review");
    const { page } = seen;
    for (const { order_number } of made) await page.getByLabel(`Select ${order_number}`).check();
    await page.getByRole("group", { name: "Selected orders" }).getByRole("button", { name: "Assign" }).click();
    await page.getByRole("heading", { name: "Assign 2 orders" }).waitFor();
    await page.getByLabel("Colleague").selectOption({ label: "Phil Marrow, pharmacist" });
    expect(await inspect(page, "dashboard-bulk-assign")).toEqual([]);
    await page.getByRole("dialog").getByRole("button", { name: "Assign" }).click();
    await page.getByText("Assign: 2 done.").waitFor();
    await page.goto(`${journey.app.addresses.base_url}/dashboard/audit?subject=${made[0]!.order_number}`);
    await page.getByRole("row", { name: /assigned an order to a colleague.*Phil Marrow/ }).waitFor();
    expect(await violations(page)).toEqual([]);
    await shot(page, "dashboard-audit-assigned");
    quiet(seen);
  });

  test("a bulk shipment runs in small batches, and reports a failed batch with the others", async () => {
    const seen = await journey.openAs(lead, "/dashboard");
    const { page } = seen;
    const orders = Array.from({ length: 45 }, (_, row) => inventedOrder(row));
    await page.route("**/web/dashboard/orders?*", (route) => route.fulfill({ json: { orders, next: null } }));
    const sizes: number[] = [];
    await page.route("**/web/dashboard/bulk", (route) => {
      const named = (route.request().postDataJSON() as { orders: Record<string, unknown>[] }).orders;
      sizes.push(named.length);
      if (sizes.length === 2)
        return route.fulfill({ status: 503, headers: { "x-request-id": "req-bulk-2" }, json: {} });
      const results = named.map((one) => ({ ...one, done: true, key: null, message: null }));
      return route.fulfill({ json: { done: named.length, refused: 0, results } });
    });
    await page.keyboard.press("g");
    await page.keyboard.press("p");
    await heading(page, "Pack and ship");
    await page.getByRole("grid").getByRole("row").nth(5).waitFor();
    await page.keyboard.press("X");
    await page
      .getByRole("group", { name: "Selected orders" })
      .getByRole("button", { name: "Handed to carrier" })
      .click();
    await page.getByRole("button", { name: "Handed to carrier 45 orders" }).click();
    await page.getByText("25 updated, 20 failed.").waitFor();
    expect(sizes).toEqual([20, 20, 5]);
    expect(await page.getByRole("dialog").getByText("req-bulk-2").count()).toBe(20);
    quiet(seen);
  });

  test("selected orders print in one file, with the paper that this browser keeps", async () => {
    const [one, two] = [await standing("pack"), await standing("pack")];
    const seen = await journey.openAs(technician, "/dashboard/queue/pack");
    const { page } = seen;
    for (const { order_number } of [one, two]) await page.getByLabel(`Select ${order_number}`).check();
    const bar = page.getByRole("group", { name: "Selected orders" });
    await bar.getByRole("button", { name: "Print settings" }).click();
    await page.getByLabel("Labels on").selectOption("letter");
    expect(await violations(page)).toEqual([]);
    await shot(page, "dashboard-print-settings");
    await page.getByRole("button", { name: "Save" }).click();
    const asked = page.waitForRequest(/\/web\/dashboard\/print\?/);
    const printing = openedDocument(page);
    await bar.getByRole("button", { name: "Print", exact: true }).click();
    expect(await printing).toMatch(/^blob:/);
    const { searchParams } = new URL((await asked).url());
    expect([searchParams.get("orders")!.split(",").length, searchParams.get("label_paper")]).toEqual([2, "letter"]);
    await page.getByRole("row", { name: new RegExp(`${one.order_number}.*Printed`) }).waitFor();
    expect(await inspect(page, "dashboard-pack-queue")).toEqual([]);
    await page.getByRole("combobox", { name: "Slip and label" }).selectOption("no");
    await page.getByRole("row", { name: one.order_number }).waitFor({ state: "detached" });
    quiet(seen);
  });

  test("a queue updates itself: orders that another user finished leave it", async () => {
    const made = await order();
    const seen = await journey.openAs(pharmacist, "/dashboard/queue/clinical_review");
    await seen.page.getByRole("row", { name: made.order_number }).waitFor();
    const { account_id } = journey.app.demo.partners[0]!;
    const work = { account_id, order_number: made.order_number };
    await approveReview(journey.app.deps, {
      ...work,
      by: { person_id: "phil", role: "pharmacist", license: "RPH-1001" },
    });
    await seen.page.getByRole("row", { name: made.order_number }).waitFor({ state: "detached" });
    quiet(seen);
  });

  test("the address contains the filters, and a saved view can be opened again", async () => {
    await order();
    const seen = await journey.openAs(lead, "/dashboard/orders?environment=production");
    const { page } = seen;
    await page.getByText("No matching orders").waitFor();
    await page.getByRole("combobox", { name: "Environment" }).selectOption("sandbox");
    await page.getByRole("row").nth(1).waitFor();
    expect(new URL(page.url()).search).toBe("?environment=sandbox");
    await page.getByRole("button", { name: "Views" }).click();
    await page.getByRole("menuitem", { name: "Save view…" }).click();
    await page.getByLabel("Name").fill("Sandbox only");
    await page.keyboard.press("Enter");
    await page.getByRole("dialog").waitFor({ state: "hidden" });
    await page.keyboard.press("g");
    await page.keyboard.press("a");
    await page.getByRole("button", { name: "Views" }).click();
    await page.getByRole("menuitemradio", { name: "Sandbox only" }).click();
    await expect.poll(() => new URL(page.url()).search).toBe("?environment=sandbox");
    quiet(seen);
  });
});

test("text from other people is shown as text, even if it looks like markup", async () => {
  const HOSTILE = `<img src=x onerror=alert(1)>"'><script>alert(2)</script>{{7*7}}`;
  const made = await order({
    patient: { first_name: HOSTILE, last_name: "‮<b>Moss</b>" },
    prescription: { sig_text: HOSTILE, prescriber: { ...PRESCRIBER, last_name: HOSTILE } },
  });
  const seen = await journey.openAs(lead, at(made));
  const { page } = seen;
  await page.getByText(HOSTILE).first().waitFor();
  await page.keyboard.press("v");
  await page.getByText(HOSTILE).nth(2).waitFor();
  await page.keyboard.press("n");
  await page.getByRole("textbox", { name: "Note" }).fill(HOSTILE);
  await page.getByRole("button", { name: "Add note" }).click();
  await page.getByText(`“${HOSTILE}”`).waitFor();
  expect(await page.locator("main img, main script").count()).toBe(0);
  await shot(page, "dashboard-hostile");
  quiet(seen);
});

test("to a partner's users, an unknown address and a forbidden one look the same", async () => {
  const { email, password } = journey.app.demo.partners[0]!.portal;
  const made = await order();
  const texts: string[] = [];
  for (const path of ["/dashboard", at(made), "/dashboard/no/such/place"]) {
    const { page } = await journey.open(path);
    await page.getByLabel("Email").fill(email);
    await page.getByLabel("Password").fill(password);
    await page.keyboard.press("Enter");
    await page.getByText("Page not found").waitFor();
    // The page shows nothing of the dashboard, not even its frame.
    expect(await page.getByRole("navigation").count()).toBe(0);
    texts.push(await page.locator("body").innerText());
  }
  expect(new Set(texts).size).toBe(1);
});

test.each([
  ["a partner's person at the dashboard", "/dashboard", () => journey.app.demo.partners[0]!.portal, "/portal"],
  ["a pharmacist at the portal", "/portal", () => pharmacist, "/dashboard"],
] as const)("%s sees a link to their own pages, and can sign out", async (_, path, who, own) => {
  const { page } = await journey.open(path);
  const signIn = async () => {
    await page.getByLabel("Email").fill(who().email);
    await page.getByLabel("Password").fill(who().password);
    await page.keyboard.press("Enter");
    await page.getByText("Page not found").waitFor();
  };
  await signIn();
  expect(await violations(page)).toEqual([]);
  await shot(page, `elsewhere-${own.slice(1)}`);
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.getByRole("heading", { name: "Sign in" }).waitFor();
  await signIn();
  await page.getByRole("link", { name: /^Go to the/ }).click();
  await page.locator("main#content").waitFor();
  expect(new URL(page.url()).pathname.startsWith(own)).toBe(true);
});

describe("axe finds no violation", () => {
  const screens: [string, () => Promise<string>, (page: Page) => Promise<unknown>][] = [
    ["home", async () => (await order()) && "/dashboard", (page) => page.getByRole("row").nth(1).waitFor()],
    ["queue", async () => "/dashboard/queue/clinical_review", (page) => page.getByRole("row").nth(1).waitFor()],
    [
      "empty-queue",
      async () => "/dashboard/orders?environment=production",
      (page) => page.getByText("No matching orders").waitFor(),
    ],
    [
      "order",
      async () => at(await order()),
      (page) => page.getByRole("heading", { name: "Prescribed and dispensed" }).waitFor(),
    ],
    [
      "held-order",
      async () => at(await order({ patient: { email: null } })),
      (page) => page.getByText("On hold: 1 exception").waitFor(),
    ],
    ["fill", async () => at(await standing("fill")), (page) => page.getByLabel("Lot").waitFor()],
    ["check", async () => at(await standing("product_check")), (page) => page.getByLabel("Scan a package").waitFor()],
    [
      "pack",
      async () => at(await standing("pack")),
      (page) => page.getByRole("button", { name: "Print slip and label" }).waitFor(),
    ],
    ["nothing", async () => "/dashboard/no/such/place", (page) => page.getByText("Page not found").waitFor()],
  ];
  test.each(screens)("on %s, in both themes and on a tablet", async (name, path, ready) => {
    const seen = await journey.openAs(lead, await path());
    await ready(seen.page);
    expect(await inspect(seen.page, `dashboard-${name}`)).toEqual([]);
    quiet(seen);
    await seen.page.context().close();
  });

  test("in Spanish, and no English is left", async () => {
    const held = at(await order({ patient: { email: null } }));
    const faults: string[] = [];
    const seen = await journey.openAs(lead, "/dashboard", { language: "es" });
    const { page } = seen;
    for (const [name, path] of [
      ["home", "/dashboard"],
      ["queue", "/dashboard/queue/clinical_review"],
      ["orders", "/dashboard/orders"],
      ["order", at(await standing("pack"))],
      ["held-order", held],
      ["messages", "/dashboard/messages"],
      ["account", "/dashboard/account"],
    ]) {
      await page.goto(`${journey.app.addresses.base_url}${path}`);
      await page.locator("main h1").waitFor();
      await expect.poll(() => page.locator("main [role=status]", { hasText: "Cargando" }).count()).toBe(0);
      faults.push(...(await inspectSpanish(page, `dashboard-${name}`)));
    }
    expect(faults).toEqual([]);
    quiet(seen);
    await page.context().close();
  });

  test("on the sign-in page, the search and the sheet of shortcuts", async () => {
    const made = await order();
    const door = await journey.open("/dashboard");
    await door.page.getByLabel("Email").waitFor();
    expect(await inspect(door.page, "dashboard-sign-in")).toEqual([]);
    const seen = await journey.openAs(lead, "/dashboard");
    await seen.page.keyboard.press("?");
    await seen.page.getByRole("heading", { name: "Keyboard shortcuts" }).waitFor();
    expect(await inspect(seen.page, "dashboard-shortcuts")).toEqual([]);
    await seen.page.keyboard.press("Escape");
    await seen.page.keyboard.press("Control+k");
    await seen.page.keyboard.type(made.order_number);
    await seen.page.getByRole("option", { name: made.order_number }).waitFor();
    expect(await inspect(seen.page, "dashboard-search")).toEqual([]);
    await seen.page.keyboard.press("Enter");
    await heading(seen.page, made.order_number);
    quiet(seen);
    quiet(door);
  });
});

/** An order that staff have worked up to this stage. */
async function standing(stage: "fill" | "product_check" | "pack", given?: Order): Promise<Order> {
  const made = given ?? (await order());
  const { account_id } = journey.app.demo.partners[0]!;
  const work = { account_id, order_number: made.order_number };
  const phil = { person_id: "phil", role: "pharmacist", license: "RPH-1001" } as const;
  const { deps } = journey.app;
  await approveReview(deps, { ...work, by: phil });
  if (stage === "fill") return made;
  await filled(made);
  if (stage === "product_check") return made;
  const scans = made.items.map(({ item_id, ndc, sku }) => ({ item_id, code: ndc ?? sku! }));
  await verifyProduct(deps, { ...work, by: phil }, scans);
  return made;
}

async function filled({ order_number, items }: Order): Promise<void> {
  const { account_id } = journey.app.demo.partners[0]!;
  const by = { person_id: "tess", role: "technician", license: null } as const;
  const lots = items.map(({ item_id }) => ({ item_id, lot: "L1", lot_expires_on: "2099-01-01" }));
  await completeFill(journey.app.deps, { account_id, order_number, by }, lots);
}

const PRESCRIBER = {
  last_name: "Lindqvist",
  first_name: "Ada",
  practice: null,
  npi: "1234567893",
  dea: null,
  state_license: null,
  phone: "4155550177",
  fax: null,
  address: null,
};

function decode(text: string): Buffer {
  const bits = [...text]
    .map((letter) => "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".indexOf(letter).toString(2).padStart(5, "0"))
    .join("");
  const bytes = Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
  if (base32(bytes) !== text) throw new Error("not base32");
  return bytes;
}
