import { spawn } from "node:child_process";
import { once } from "node:events";
import { WrongUsage } from "../errors.ts";
import type { CommandRow } from "../program.ts";
import { type PartnerOptions, partnerAccount, partnerOptions } from "./partner-account.ts";

/** The pages that `pestle open` knows. Those of the portal are per environment. */
const pages = {
  portal: "/portal/{environment}/home",
  orders: "/portal/{environment}/orders",
  exceptions: "/portal/{environment}/exceptions",
  refills: "/portal/{environment}/refills",
  statements: "/portal/{environment}/statements",
  webhooks: "/portal/{environment}/webhooks",
  events: "/portal/{environment}/events",
  requests: "/portal/{environment}/requests",
  errors: "/portal/{environment}/errors",
  usage: "/portal/{environment}/usage",
  credentials: "/portal/{environment}/credentials",
  team: "/portal/{environment}/team",
  docs: "/docs/",
  reference: "/docs/api",
  dashboard: "/dashboard",
} as const;
export type Page = keyof typeof pages;
export const pageNames = Object.keys(pages) as [Page, ...Page[]];

/** Pages of one record, whose id is the second argument. */
const WITH_RECORD: readonly Page[] = ["orders", "refills", "statements", "webhooks", "events", "requests"];

export function pageAddress(base_url: string, environment: string, page: string, record: string | undefined): string {
  if (!(pageNames as readonly string[]).includes(page)) {
    throw new WrongUsage(`The page must be one of ${pageNames.join(", ")}.`);
  }
  const known = page as Page;
  const address = `${base_url}${pages[known].replace("{environment}", environment)}`;
  if (record === undefined) return address;
  if (!WITH_RECORD.includes(known)) throw new WrongUsage(`An id works with ${WITH_RECORD.join(", ")}.`);
  return `${address}/${encodeURIComponent(record)}`;
}

export const openCommand: CommandRow = {
  name: "open",
  summary: "open a page of the portal or the documentation in a browser, or print its address",
  argument: ["page", `one of ${pageNames.join(", ")} (default: portal)`, { optional: true, words: pageNames }],
  second_argument: ["id", "an order number, or another record's id", { optional: true }],
  options: [["--print", "only print the address"], ...partnerOptions],
  examples: ["open", "open orders 7K2M9XQ4TB", "open requests --print", "open docs"],
  async run({ print, id, ...options }: PartnerOptions & { print?: boolean; id?: string; json?: boolean }, page, env) {
    const { base_url, environment } = await partnerAccount(options, env);
    const url = pageAddress(base_url, environment, page || "portal", id);
    // A script, or a person without a screen, gets the address.
    const opened = !print && !options.json && process.stdout.isTTY === true && (await openInBrowser(url));
    return { data: { url, opened }, text: url };
  },
};

const OPENERS: Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>> = {
  darwin: ["open"],
  win32: ["cmd", "/c", "start", ""],
};

/** Whether a browser could be started. */
async function openInBrowser(url: string): Promise<boolean> {
  const [program, ...args] = OPENERS[process.platform] ?? ["xdg-open"];
  const child = spawn(program, [...args, url], { detached: true, stdio: "ignore" });
  child.unref();
  return once(child, "spawn").then(
    () => true,
    () => false,
  );
}
