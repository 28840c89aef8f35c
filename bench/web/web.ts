import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type BrowserContext, chromium } from "playwright-core";
import { findBrowser } from "../../scripts/browser.ts";
import { products } from "../../server/src/seed/cast.ts";
import type { SignIn } from "../../server/src/seed/demo-file.ts";
import { type Account, openAccount } from "../account.ts";
import { openCheckout } from "../checkout.ts";
import { median, type Report } from "../figures.ts";
import { type Effort, onStage, type Stage } from "../stage.ts";
import { CATEGORIES, type Category, openLighthouse, type Score } from "./lighthouse.ts";

const LEAST = 95;
const OPEN_ORDERS = 30;
const PRODUCT = products.find(({ sku }) => sku === "atorvastatin-20")!;
/** The dashboard's own choice of the environment; the demo's partners work in the sandbox. */
const CHOICE = "pestle-dashboard-environment";
const ARGS = ["--no-sandbox", "--disable-background-networking", "--disable-component-update", "--disable-sync"];

type Row = { page: string; scores: Record<Category, number>; lost: string[] };

/** Lighthouse on the most used pages, signed in, in an account with many orders. */
export async function benchWeb({ rounds }: Effort, { orders }: { orders: number }): Promise<Report> {
  return onStage({ checkout: await openCheckout() }, async (stage) => {
    const account = await openAccount(stage);
    const order_number = await fill(stage, account, orders);
    const { operator, partners, base_url } = stage.demo;
    const rows: Row[] = [];
    const look = async (who: SignIn | null, pages: Record<string, string>) =>
      inBrowser(base_url, async (context, port) => {
        if (who !== null) await signIn(context, base_url + Object.values(pages)[0]!, who);
        const score = await openLighthouse(port);
        for (const [page, path] of Object.entries(pages)) {
          const found: Score[] = [];
          for (let round = 0; round < rounds; round++) found.push(await score(base_url + path));
          rows.push(rowOf(page, found));
          console.error(`${page}: ${Object.values(rows.at(-1)!.scores).join(", ")}`);
        }
      });
    await look(operator, {
      home: "/dashboard",
      queue: "/dashboard/queue/clinical_review",
      order: `/dashboard/order/${account.account_id}/${order_number}`,
    });
    await look(partners[0]!.portal, { "portal home": "/portal/sandbox/home" });
    await look(null, { docs: "/docs" });
    return reportOf(rows, rounds, orders);
  });
}

/** Delivered orders of several years, and some that are open. Returns an open one. */
async function fill(stage: Stage, { account_id, ask }: Account, count: number): Promise<string> {
  const { checkout, db } = stage;
  const { fillOrderBook } = checkout.modules["bench/order-book.ts"];
  const place = async () => {
    const body = { simulation_type: "prescription", simulation: { ndc: PRODUCT.ndc, written_qty: 30 } };
    const { patient_id, prescription_id } = (await ask("/simulate", { method: "POST", body })).json;
    const order = { shipping: { method_id: 1 }, patient: { patient_id }, items: [{ prescription_id }] };
    return (await ask("/orders", { method: "POST", body: order })).json as { order_number: string };
  };
  const { order_number } = await place();
  await fillOrderBook(stage, account_id, { sample: order_number, product: PRODUCT, count });
  for (let nth = 1; nth < OPEN_ORDERS; nth++) await place();
  await db.raw("vacuum analyze");
  return order_number;
}

async function inBrowser(base_url: string, work: (context: BrowserContext, port: number) => Promise<void>) {
  const executablePath = findBrowser();
  if (executablePath === undefined) throw new Error("no Chromium: install Debian's package chromium-headless-shell");
  const folder = mkdtempSync(join(tmpdir(), "pestle-lighthouse-"));
  const port = await freePort();
  const args = [...ARGS, `--remote-debugging-port=${port}`];
  const context = await chromium.launchPersistentContext(folder, { executablePath, args });
  try {
    const page = await context.newPage();
    await page.goto(base_url);
    await page.evaluate(`localStorage["${CHOICE}"] = "sandbox"; localStorage["pestle-tour"] = "*"`);
    await page.close();
    await work(context, port);
  } finally {
    await context.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function signIn(context: BrowserContext, url: string, { email, password }: SignIn): Promise<void> {
  const page = await context.newPage();
  await page.goto(url);
  await page.getByLabel("Email").fill(email);
  await page.getByLabel("Password").fill(password);
  await page.keyboard.press("Enter");
  await page.locator("main#content").waitFor();
  await page.close();
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

const rowOf = (page: string, found: readonly Score[]): Row => ({
  page,
  scores: Object.fromEntries(
    CATEGORIES.map((name) => [name, median(found.map(({ scores }) => scores[name]))]),
  ) as Row["scores"],
  lost: [...new Set(found.flatMap(({ lost }) => lost))],
});

function reportOf(rows: readonly Row[], rounds: number, orders: number): Report {
  const reached = rows.every(({ scores }) => CATEGORIES.every((name) => scores[name] >= LEAST));
  const lines = [
    `Lighthouse, a desk's screen and network, ${orders.toLocaleString("en-US")} orders, median of ${rounds}; aim ${LEAST}`,
    "",
    ["page".padEnd(14), ...CATEGORIES.map((name) => name.padStart(16))].join(""),
    ...rows.map(({ page, scores }) =>
      [page.padEnd(14), ...CATEGORIES.map((name) => String(scores[name]).padStart(16))].join(""),
    ),
    "",
    ...rows.flatMap(({ page, lost }) => lost.map((audit) => `${page}: ${audit}`)),
  ];
  return { text: lines.join("\n"), json: { bench: "web", orders, rounds, rows, reached }, reached };
}
