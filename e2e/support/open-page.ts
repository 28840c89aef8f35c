import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";
import { findBrowser } from "../../scripts/browser.ts";

const QUIET = [
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

export type SignIn = { email: string; password: string };
export type Seen = {
  page: Page;
  /** Requests of the page to other hosts. */
  foreign: string[];
  /** Browser complaints: a policy violation or a script error. */
  complaints: string[];
};
type OpenOptions = {
  theme?: "light" | "dark";
  width?: number;
  height?: number;
  /** The user's earlier choice; null on a first visit. */
  environment?: "sandbox" | null;
  /** Whether a new user sees the tour of the dashboard. */
  tour?: boolean;
  /** The person chose Spanish before. */
  language?: "es";
  /** Where the person is, as an IANA name, if not where the tests run. */
  time_zone?: string;
  /** Browsers keep passkeys for names, not for addresses. */
  host?: "localhost";
  /** A session of its own, from the form, for tests of signing in and out. */
  newSession?: boolean;
};
/** The storage key of the dashboard's choice. */
const CHOSEN = "pestle-dashboard-environment";
/** The storage key of the people who have seen the tour. */
const TOUR = "pestle-tour";
/** The storage key of the language. */
const LANGUAGE = "pestle-language";

export type Opener = {
  /** A separate browser context at this address. */
  open(path: string, options?: OpenOptions): Promise<Seen>;
  /** The same, signed in: with the form at the address, or with the session of an earlier page. */
  openAs(who: SignIn, path: string, options?: OpenOptions): Promise<Seen>;
};

type Cookies = Awaited<ReturnType<BrowserContext["cookies"]>>;

export async function launchBrowser(): Promise<Browser> {
  const executablePath = findBrowser();
  if (executablePath === undefined)
    throw new Error("no Chromium: install Debian's package chromium-headless-shell, or set CHROMIUM");
  return chromium.launch({ executablePath, args: ["--no-sandbox", ...QUIET] });
}

/** Opens pages of the service as people do. */
export function pageOpener(browser: Browser, base_url: string): Opener {
  /** A page that starts with a session loads once instead of twice. */
  const sessions = new Map<string, Cookies>();
  const open = async (
    path: string,
    {
      theme = "light",
      width = 1280,
      height = 720,
      environment = "sandbox",
      host,
      tour = false,
      language,
      time_zone,
    }: OpenOptions = {},
    cookies: Cookies = [],
  ) => {
    // Without animations: a browser without a GPU draws each of their frames on the processor.
    const context = await browser.newContext({
      viewport: { width, height },
      colorScheme: theme,
      reducedMotion: "reduce",
      ...(time_zone && { timezoneId: time_zone }),
    });
    // The demo's partners work in the sandbox; the dashboard would start in production.
    if (environment !== null) {
      // An empty page has no storage.
      await context.addInitScript(`try { localStorage["${CHOSEN}"] ??= "sandbox" } catch {}`);
    }
    if (!tour) await context.addInitScript(`try { localStorage["${TOUR}"] ??= "*" } catch {}`);
    if (language) await context.addInitScript(`try { localStorage["${LANGUAGE}"] ??= "${language}" } catch {}`);
    await context.addCookies(cookies);
    const page = await context.newPage();
    page.setDefaultTimeout(60_000);
    pressAsPeopleDo(page);
    const address = host === undefined ? base_url : base_url.replace("127.0.0.1", host);
    const seen: Seen = { page, foreign: [], complaints: [] };
    page.on("request", (request) => {
      const url = request.url();
      if (!url.startsWith(address) && !url.startsWith("data:")) seen.foreign.push(url);
    });
    page.on("console", (message) => {
      // The page shows a rejected request to the user, so the browser's console line adds nothing.
      if (message.type() !== "error" || message.text().startsWith("Failed to load resource")) return;
      seen.complaints.push(message.text());
    });
    page.on("pageerror", (error) => seen.complaints.push(error.message));
    page.on("dialog", (dialog) => {
      seen.complaints.push(`a dialog: ${dialog.message()}`);
      void dialog.dismiss();
    });
    const response = await page.goto(address + path);
    // No external and no inline content, on every page.
    if (!response?.headers()["content-security-policy"]?.startsWith("default-src 'none'")) throw new Error("no policy");
    return seen;
  };
  return {
    open,
    async openAs({ email, password }, path, options = {}) {
      const { newSession = options.host !== undefined } = options;
      const seen = await open(path, options, newSession ? [] : sessions.get(email));
      const { page } = seen;
      const field = page.getByLabel(/^(Email|Correo)/);
      const content = page.locator("main#content");
      await field.or(content).first().waitFor();
      if (!(await content.isVisible())) {
        await page.keyboard.insertText(email);
        await page.keyboard.press("Tab");
        await page.keyboard.insertText(password);
        await page.keyboard.press("Enter");
        await content.waitFor();
      }
      if (!newSession) sessions.set(email, await page.context().cookies());
      return seen;
    },
  };
}

/** The first key of the navigation sequences. */
const GO = "g";

/** Users press a key once they see the page, and the second key of a sequence right after the first. */
function pressAsPeopleDo(page: Page): void {
  const press = page.keyboard.press.bind(page.keyboard);
  let last = "";
  page.keyboard.press = async (key, ...rest) => {
    // A page that is closing has nothing to show.
    if (last !== GO) await page.evaluate(SHOWN).catch(() => undefined);
    last = key;
    await press(key, ...rest);
  };
}
export const SHOWN = "new Promise((done) => requestAnimationFrame(() => setTimeout(done, 0)))";
