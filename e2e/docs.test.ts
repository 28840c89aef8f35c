import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { type Journey, shot, startJourney, violations } from "./support/journey.ts";
import { covering } from "./support/page-kinds.ts";

const DIST = fileURLToPath(new URL("../web/dist/docs/", import.meta.url));
/** The compressed size that a first visit to any page may load, without pictures. */
const MOST_KB = 60;

let journey: Journey;
beforeAll(async () => {
  journey = await startJourney();
});
// An open page follows every change, also of later tests.
afterEach((after) => journey.closePages(after));
afterAll(() => journey?.stop());

const built = readdirSync(DIST, { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".html") && !/^(api\/|adr\/\d|404)/.test(name))
  .map((name) => ({
    path: `/docs/${name.replace(/(^|\/)?(index)?\.html$/, "")}`.replace(/\/$/, ""),
    html: readFileSync(DIST + name, "utf8"),
  }));
const pages = built.map(({ path }) => path);

/** These pages show every color of both themes. The contrast is the slowest rule by far. */
const colorful = [
  "/docs",
  "/docs/lifecycle",
  "/docs/exceptions",
  "/docs/guides/verify-webhooks",
  "/docs/guides/dashboard",
];

/** Each kind of element once: the other pages have the same ones with other texts. */
const various = [...new Set([...colorful, ...covering(built)])];

describe.each([["light", various] as const, ["dark", colorful] as const])("in the %s theme", (theme, looked) => {
  test("no kind of element has an axe violation, a browser error or a policy violation", {
    timeout: 300_000,
  }, async () => {
    const { page, foreign, complaints } = await journey.open("/docs", { theme });
    for (const path of looked) {
      await page.goto(journey.app.addresses.base_url + path);
      const is_colorful = colorful.includes(path);
      const rules = theme === "dark" ? "color-contrast" : is_colorful ? "all" : "all but color-contrast";
      expect(await violations(page, rules), path).toEqual([]);
      if (is_colorful) await shot(page, `docs${path.slice(5).replaceAll("/", "-")}-${theme}`);
    }
    expect([foreign, complaints]).toEqual([[], []]);
  });
});

test("every page has one title, and no id twice", () => {
  for (const { path, html } of built) {
    const ids = [...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
    expect([path, ids.filter((id, at) => ids.indexOf(id) !== at)]).toEqual([path, []]);
    expect([path, html.match(/<h1[ >]/g)?.length]).toEqual([path, 1]);
  }
});

test("a reader finds a hold by name and opens it, with the keyboard alone", async () => {
  const { page, complaints } = await journey.open("/docs");
  await page.keyboard.press("/");
  await page.keyboard.type("missing address unit");
  await page.getByRole("option").first().waitFor();
  expect(await violations(page)).toEqual([]);
  await shot(page, "docs-search");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("Enter");
  await page.waitForURL(/\/docs\/exceptions#78-/);
  expect(complaints).toEqual([]);
});

test("a code alone is an address, a search without hits says so, and Escape closes it", async () => {
  const { page } = await journey.open("/docs/errors#42227");
  const heading = page.getByRole("heading", { name: /^42227 Invalid Address Zip/ });
  expect(await heading.evaluate((element) => element.getBoundingClientRect().top)).toBeLessThan(200);
  await page.getByRole("combobox").fill("zzzz");
  await page.getByText("No results").waitFor();
  await page.getByRole("combobox").fill("zip");
  await page.getByRole("option").first().waitFor();
  await page.keyboard.press("Escape");
  expect(await page.getByRole("listbox").isVisible()).toBe(false);
});

test("the copy button copies the code, and the page remembers the chosen scheme", async () => {
  const { page } = await journey.open("/docs/guides/verify-webhooks");
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  const block = page.locator(".code").first();
  await block.hover();
  await block.getByRole("button", { name: "Copy" }).click();
  expect(await page.evaluate("navigator.clipboard.readText()")).toContain("export function verifyService");
  await page.getByRole("button", { name: "Switch to dark mode" }).click();
  await page.getByRole("link", { name: "Next" }).click();
  await page.getByRole("button", { name: "Switch to light mode" }).waitFor();
  expect(await page.evaluate("document.documentElement.dataset.theme")).toBe("dark");
});

test("on a small screen a button opens the list of pages, and no page is wider than the screen or has an error", async () => {
  const { page, foreign, complaints } = await journey.open("/docs/guides/webhooks", { width: 390, height: 800 });
  expect(await page.getByRole("navigation", { name: "Pages" }).isVisible()).toBe(false);
  await page.getByRole("button", { name: "Menu" }).click();
  expect(await violations(page)).toEqual([]);
  await shot(page, "docs-menu");
  await page.getByRole("link", { name: "Exceptions", exact: true }).click();
  await page.waitForURL(/\/docs\/exceptions$/);
  expect(pages.length).toBeGreaterThan(15);
  for (const path of pages) {
    await page.goto(journey.app.addresses.base_url + path);
    expect(await page.evaluate("document.documentElement.scrollWidth"), path).toBeLessThanOrEqual(390);
  }
  expect([foreign, complaints]).toEqual([[], []]);
});

test("without scripts a page is readable and its links work, and on paper there is only the text", async () => {
  const context = await journey.browser.newContext({ javaScriptEnabled: false });
  const page = await context.newPage();
  await page.goto(`${journey.app.addresses.base_url}/docs/lifecycle`);
  expect(await page.locator("svg").first().isVisible()).toBe(true);
  expect(await page.getByRole("combobox").isVisible()).toBe(false);
  await page.getByRole("link", { name: "Next Exceptions" }).click();
  await page.getByRole("heading", { name: "Exceptions", level: 1 }).waitFor();
  await page.emulateMedia({ media: "print" });
  expect(await page.getByRole("navigation", { name: "Pages" }).isVisible()).toBe(false);
  await context.close();
});

test("an unknown address is a page for people and an error for programs", async () => {
  const { base_url } = journey.app.addresses;
  const page = await fetch(`${base_url}/docs/nowhere`, { headers: { accept: "text/html,*/*;q=0.8" } });
  expect([page.status, page.headers.get("content-type")]).toEqual([404, "text/html; charset=utf-8"]);
  expect(await page.text()).toContain("There is no such page");
  const answer = await fetch(`${base_url}/docs/nowhere`, { headers: { accept: "application/json" } });
  expect([answer.status, answer.headers.get("content-type")]).toEqual([404, "application/json; charset=utf-8"]);
});

test("a first visit loads little, and the search index loads only on request", async () => {
  const { page } = await journey.open("/docs");
  const loaded = new Set<string>();
  page.on("request", (request) => {
    if (request.resourceType() !== "image") loaded.add(request.url());
  });
  const sizeOf = async (url: string) => gzipSync(Buffer.from(await (await fetch(url)).arrayBuffer())).length / 1000;
  for (const path of ["/docs", "/docs/errors", "/docs/guides/verify-webhooks"]) {
    loaded.clear();
    await page.goto(journey.app.addresses.base_url + path, { waitUntil: "networkidle" });
    const sizes = await Promise.all([...loaded].map(sizeOf));
    expect(
      sizes.reduce((sum, kb) => sum + kb, 0),
      path,
    ).toBeLessThan(MOST_KB);
    expect([...loaded].filter((url) => url.includes("docs-search"))).toEqual([]);
  }
});
