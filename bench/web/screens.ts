import { type Browser, chromium, type Page } from "playwright-core";
import type { From } from "../../chaos/server-process.ts";
import { findBrowser } from "../../scripts/browser.ts";
import { longestTask } from "../../scripts/longest-task.ts";
import { products } from "../../server/src/seed/cast.ts";
import type { SignIn } from "../../server/src/seed/demo-file.ts";
import { matchRoute } from "../../web/src/app/router/address.ts";
import { type Account, openAccount } from "../account.ts";
import { openCheckout } from "../checkout.ts";
import type { Report } from "../figures.ts";
import { onStage, type Stage } from "../stage.ts";
import { addExamples } from "./example-records.ts";
import { screenPaths } from "./screen-paths.ts";

const MOST_KB = 170;
const MOST_TASK_MS = 100;
const PRODUCT = products.find(({ sku }) => sku === "atorvastatin-20")!;
/** The dashboard's own choice of the environment; the demo's partners work in the sandbox. */
const CHOICE = "pestle-dashboard-environment";
const OPEN_EVERY = 10;
const CONTENT_WITHIN_MS = 120_000;

type Row = {
  screen: string;
  /** Script and style, compressed. */
  code_kb: number;
  data_kb: number;
  content_ms: number;
  opening_ms: number;
  scrolling_ms: number;
};

/** `only` chooses screens; a test opens a few. `cache`: `kept` is for a test, where the times do not matter. */
type Selection = { from?: From; only?: (path: string) => boolean; cache?: "empty" | "kept" };

/** Opens every screen with an empty cache, in an account with many orders and one of each other record. */
export async function benchScreens(
  { orders, patients }: { orders: number; patients: number },
  { from, only = () => true, cache = "empty" }: Selection = {},
): Promise<Report> {
  return onStage({ checkout: await openCheckout(), from }, async (stage) => {
    const account = await openAccount(stage);
    await fill(stage, account, orders, Math.ceil(orders / patients));
    const examples = await addExamples(stage, account);
    await stage.db.raw("vacuum analyze");
    const executablePath = findBrowser();
    if (executablePath === undefined) throw new Error("no Chromium: install Debian's package chromium-headless-shell");
    const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu"] });
    try {
      const { base_url, operator, partners } = stage.demo;
      const pharmacist = stage.demo.people.find(({ role }) => role === "pharmacist")!;
      const paths = screenPaths("dashboard").filter(only);
      const own = (path: string) => path === PHARMACIST_SCREEN;
      const measureApp = (...app: App) => measured(browser, cache, ...app);
      const apps = [
        await measureApp(
          `${base_url}/dashboard`,
          operator,
          paths.filter((path) => !own(path)),
          examples.dashboard,
        ),
        await measureApp(`${base_url}/dashboard`, pharmacist, paths.filter(own), examples.dashboard),
        await measureApp(
          `${base_url}/portal`,
          partners[0]!.portal,
          inSandbox(screenPaths("portal").filter(only)),
          examples.portal,
        ),
      ];
      return reportOf(
        { orders, patients },
        apps.flatMap(({ rows }) => rows),
        apps.flatMap(({ unseen }) => unseen),
      );
    } finally {
      await browser.close();
    }
  });
}

/** The demo's operator is an administrator, who does not counsel patients. */
const PHARMACIST_SCREEN = "/counseling";

const inSandbox = (paths: readonly string[]) => paths.map((path) => path.replace("$environment", "sandbox"));

/** Delivered orders, of which each tenth is open instead: as many in each queue as have shipped and not arrived. */
async function fill(stage: Stage, { account_id, ask }: Account, count: number, per_patient: number): Promise<void> {
  const { checkout, db } = stage;
  const body = { simulation_type: "prescription", simulation: { ndc: PRODUCT.ndc, written_qty: 30 } };
  const { patient_id, prescription_id } = (await ask("/simulate", { method: "POST", body })).json;
  const order = { shipping: { method_id: 1 }, patient: { patient_id }, items: [{ prescription_id }] };
  const placed = (await ask("/orders", { method: "POST", body: order })).json as { order_number: string };
  const { fillOrderBook } = checkout.modules["bench/order-book.ts"];
  await fillOrderBook(stage, account_id, { sample: placed.order_number, product: PRODUCT, count, per_patient });
  await db.raw(
    `with open as (
      select order_number, row / $2 % 5 as kind
      from (
        select order_number, row_number() over (order by order_position) as row
        from orders
        where account_id = $1 and order_status = 'Delivered'
      ) delivered
      where row % $2 = 0
    )
    update orders o
    set order_status = (array['Processing', 'Filling', 'Filling', 'Filling', 'Shipped'])[kind + 1],
      stage = (array['clinical_review', 'fill', 'product_check', 'pack'])[kind + 1]
    from open
    where o.account_id = $1 and o.order_number = open.order_number`,
    [account_id, OPEN_EVERY],
  );
}

type App = [base: string, who: SignIn, paths: readonly string[], examples: readonly string[]];

/** Opens the screens without parameters, and those with an example. The screens' links lead to the others. */
async function measured(
  browser: Browser,
  cache: "empty" | "kept",
  ...[base, who, paths, examples]: App
): Promise<{ rows: Row[]; unseen: string[] }> {
  const storageState = await signedIn(browser, base, who);
  // A context of its own has an empty cache.
  const newPage = async () => {
    const page = await browser.newPage({ storageState, viewport: { width: 1280, height: 720 } });
    page.setDefaultTimeout(CONTENT_WITHIN_MS);
    return page;
  };
  const kept = cache === "kept" ? await newPage() : undefined;
  const rows: Row[] = [];
  const links = new Set(examples);
  let left = paths;
  const isReady = (path: string) => !path.includes("$") || exampleOf(path, paths, links) !== undefined;
  let open = left.filter(isReady);
  while (open.length > 0) {
    for (const path of open) {
      const address = path.includes("$") ? exampleOf(path, paths, links)! : path;
      const page = kept ?? (await newPage());
      rows.push(await measureScreen(page, base + address, `${new URL(base).pathname}${path}`, links));
      if (page !== kept) await page.close();
    }
    left = left.filter((path) => !open.includes(path));
    open = left.filter(isReady);
  }
  await kept?.close();
  return { rows, unseen: left.map((path) => new URL(base).pathname + path) };
}

const exampleOf = (path: string, paths: readonly string[], links: ReadonlySet<string>): string | undefined => {
  const routes = paths.map((one) => ({ path: one }));
  return [...links].find((link) => matchRoute(routes, link)?.route.path === path);
};

async function signedIn(browser: Browser, base: string, { email, password }: SignIn) {
  const context = await browser.newContext();
  const page = await context.newPage();
  page.setDefaultTimeout(CONTENT_WITHIN_MS);
  await page.goto(base);
  await page.evaluate(`localStorage["${CHOICE}"] = "sandbox"`);
  await page.getByLabel("Email").fill(email);
  await page.getByLabel("Password").fill(password);
  await page.keyboard.press("Enter");
  await page.locator("main#content").waitFor();
  const state = await context.storageState();
  await context.close();
  return state;
}

/** Waits for a heading and the end of all loading. Returns the time since the start of the visit. */
const CONTENT = `new Promise((resolve, reject) => {
  const look = () => {
    const main = document.querySelector("main#content");
    const loading = [...(main?.querySelectorAll("[role=status]") ?? [])].some((one) => one.textContent === "Loading");
    if (main?.querySelector("h1") && !loading) resolve(performance.now());
    else if (performance.now() > ${CONTENT_WITHIN_MS}) reject(new Error("no content: " + location.pathname));
    else setTimeout(look, 10);
  };
  look();
})`;
const DRAWN = "new Promise((done) => requestAnimationFrame(() => setTimeout(done, 0)))";
const SCROLL = `(document.querySelector("main [role=grid]") ?? document.querySelector("main#content"))`;

async function measureScreen(page: Page, url: string, screen: string, links: Set<string>): Promise<Row> {
  const faults: string[] = [];
  page.on("response", (response) => {
    if (response.status() >= 400) faults.push(`${response.status()} ${response.url()}`);
  });
  let content_ms = 0;
  const opening_ms = await longestTask(page, async () => {
    await page.goto(url);
    content_ms = await page.evaluate<number>(CONTENT);
    await page.evaluate(DRAWN);
  });
  const heading = await page.locator("main h1").first().innerText();
  if (heading === "Not found") throw new Error(`${url}: the page was not found`);
  // A screen that shows an error is not the screen.
  if (faults.length > 0) throw new Error(`${url}: ${faults.join(", ")}`);
  const scrolling_ms = await longestTask(page, async () => {
    for (const share of [0.3, 0.6, 1, 0]) {
      await page.evaluate(`${SCROLL}.scrollTo(0, ${SCROLL}.scrollHeight * ${share})`);
      await page.evaluate(DRAWN);
    }
  });
  await collect(page, url, links);
  const [code_kb, data_kb] = await page.evaluate<[number, number]>(SIZES);
  const row = { screen, code_kb, data_kb, content_ms, opening_ms, scrolling_ms };
  console.error(lineOf(row));
  return row;
}

/** Kilobytes of the code and of the answers, as they were sent. */
const SIZES = `(() => {
  const all = performance.getEntriesByType("resource");
  const code = (one) => /\\/assets\\/.*\\.(js|css)$/.test(one.name);
  const sum = (some) => some.reduce((bytes, one) => bytes + one.encodedBodySize, 0) / 1000;
  return [sum(all.filter(code)), sum(all.filter((one) => one.name.includes("/web/")))];
})()`;

async function collect(page: Page, url: string, links: Set<string>): Promise<void> {
  const base = `/${new URL(url).pathname.split("/")[1]}`;
  for (const path of await page.evaluate<string[]>("[...document.links].map((one) => one.pathname)")) {
    if (path.startsWith(`${base}/`)) links.add(path.slice(base.length));
  }
}

const COLUMNS = ["code kB", "data kB", "content ms", "opening ms", "scrolling ms"];
const lineOf = ({ screen, code_kb, data_kb, content_ms, opening_ms, scrolling_ms }: Row) =>
  screen.padEnd(46) +
  [code_kb.toFixed(0), data_kb.toFixed(1), content_ms.toFixed(0), opening_ms.toFixed(0), scrolling_ms.toFixed(0)]
    .map((text) => text.padStart(14))
    .join("");

function reportOf(size: { orders: number; patients: number }, rows: readonly Row[], unseen: readonly string[]): Report {
  const isOver = ({ code_kb, opening_ms, scrolling_ms }: Row) =>
    code_kb > MOST_KB || Math.max(opening_ms, scrolling_ms) > MOST_TASK_MS;
  const reached = !rows.some(isOver);
  const lines = [
    `${size.orders.toLocaleString("en-US")} orders of ${size.patients.toLocaleString("en-US")} patients; aim: at most ${MOST_KB} kB of code, no task over ${MOST_TASK_MS} ms`,
    "Content: from the start of the visit with an empty cache. Opening and scrolling: processor time of the longest task.",
    "",
    "screen".padEnd(46) + COLUMNS.map((title) => title.padStart(14)).join(""),
    ...rows.map((row) => lineOf(row) + (isOver(row) ? "  missed" : "")),
    ...unseen.map((screen) => `${screen.padEnd(46)}${"no link to one".padStart(28)}`),
  ];
  return { text: lines.join("\n"), json: { bench: "screens", ...size, rows, unseen, reached }, reached };
}
