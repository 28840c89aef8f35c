import { randomUUID } from "node:crypto";
import type { Workflow } from "@pestle/contract";
import { saveBrands, saveProducts, saveShippingMethods } from "../../server/src/db/catalogue/catalogue-rows.ts";
import { enterStock } from "../../server/src/db/catalogue/stock.ts";
import type { Queryable } from "../../server/src/db/db.ts";
import type { Addresses, Deps } from "../../server/src/deps.ts";
import { brands, products, shippingMethods } from "../../server/src/seed/cast.ts";
import { createPartnerAccount } from "../../server/src/usecases/accounts/create-partner.ts";
import { createCredential } from "../../server/src/usecases/accounts/manage-credentials.ts";
import { someAtOnce } from "../../server/src/usecases/operations/some-at-once.ts";
import { seededRandom } from "../random.ts";
import { type Book, count } from "./year-book.ts";

/** A running service with the demo's licences and staff, and its database as the owner of the tables. */
export type Host = { deps: Deps; addresses: Addresses; raw: Queryable["raw"] };

export type Answer<Body = Record<string, unknown>> = { status: number; text: string; body: Body };

/** A sandbox account with its partner, who calls the API over HTTP. */
export type Year = {
  host: Host;
  book: Book;
  random: () => number;
  /** A request. Everything but a success or a refusal is a fault. */
  ask<Body = Record<string, unknown>>(path: string, body?: unknown): Promise<Answer<Body>>;
  /** Where the partner continues to read the feed. */
  cursor: string | null;
  /** Shelves without stock, and how many steps until the next delivery. */
  shortages: Map<string, number>;
};

const PLENTY = 1_000_000;

/** A new account with the cast's catalogue and full shelves, or with empty ones. */
export async function openYear(
  host: Host,
  workflow: Workflow,
  random: () => number,
  { units = PLENTY } = {},
): Promise<Year> {
  const { deps, addresses, raw } = host;
  const begin = deps.now();
  const { account_id, client_id, client_secret } = await deps.db.transaction(async (tx) => {
    const partner = { name: `Partner ${randomUUID()}`, environment: "sandbox" as const, workflow, ncpdp_id: null };
    const account = await createPartnerAccount(tx, partner, begin);
    await saveShippingMethods(tx, account.account_id, shippingMethods, begin);
    await saveBrands(tx, account.account_id, brands);
    await saveProducts(tx, account.account_id, products, begin);
    const stocked = units === 0 ? [] : products;
    const entries = stocked.map(({ sku }) => ({
      ...{ sku, kind: "received" as const, units, order_number: null, note: null },
    }));
    await enterStock(tx, account.account_id, entries, begin);
    const named = { account_id: account.account_id, name: "year", scopes: ["partners"] };
    return { ...account, ...(await createCredential(deps, tx, named, begin)) };
  });
  await raw("update account set rate_per_second = 100000, rate_burst = 100000 where account_id = $1", [account_id]);
  const prices: Book["prices"] = new Map(
    [
      ...products.map(
        ({ sku, price_cents }) => [sku, [{ from: begin, surely_from: begin, cents: price_cents }]] as const,
      ),
      ...shippingMethods.map(
        ({ id, price_cents }) => [`method ${id}`, [{ from: begin, surely_from: begin, cents: price_cents }]] as const,
      ),
    ].map(([of, known]) => [of, [...known]]),
  );
  const book: Book = {
    account_id,
    workflow,
    begin,
    clock_offset_s: 0,
    patients: [],
    prescriptions: new Map(),
    schedules: new Map(),
    prices,
    adjustments: [],
    refunds: [],
    feed: [],
    told: new Map(),
    closed: new Map(),
    seen: {},
    faults: [],
  };
  const body = new URLSearchParams({ grant_type: "client_credentials", scope: "partners", client_id, client_secret });
  const issued = await fetch(`${addresses.sandbox_auth_url}/oauth/token`, { method: "POST", body });
  const { access_token } = (await issued.json()) as { access_token: string };
  const headers = { accept: "application/json", authorization: `Bearer ${access_token}` };
  const ask: Year["ask"] = async (path, sent) => {
    const init =
      sent === undefined
        ? { headers }
        : {
            method: "POST",
            headers: { ...headers, "content-type": "application/json" },
            body: JSON.stringify(sent),
          };
    const response = await fetch(`${addresses.base_url}${path}`, init);
    const text = await response.text();
    const { status } = response;
    if (status >= 300 && status !== 422 && status !== 409) {
      book.faults.push(`${sent === undefined ? "GET" : "POST"} ${path.replace(/\?.*/, "")} got ${status}`);
    }
    return { status, text, body: JSON.parse(text) as never };
  };
  return { host, book, random, ask, cursor: null, shortages: new Map() };
}

/** The account's time. Only `advance` moves its clock. */
export const nowOf = ({ host, book }: Year): Date => new Date(host.deps.now().getTime() + book.clock_offset_s * 1000);

export const simulate = <Body>({ ask }: Year, simulation_type: string, simulation: object) =>
  ask<Body>("/simulate", { simulation_type, simulation });

/** Counts what the service answered. Returns whether it was a success. */
export function noted({ book }: Year, what: string, { status, body }: Answer): boolean {
  const well = status < 300;
  const errors = (body["errors"] ?? []) as { code: number }[];
  count(book, well ? what : `${what}: refused with ${errors.map(({ code }) => code).join(", ") || status}`);
  return well;
}

/**
 * Works on a few at a time. Each gets random numbers of its own, so that the same seed plays the same year whichever of
 * them is faster.
 */
export function someInTurn<One>(
  year: Year,
  all: Iterable<One>,
  work: (year: Year, one: One) => Promise<unknown>,
): Promise<void> {
  const each = [...all].map((one): [Year, One] => [{ ...year, random: seededRandom(between(year, 0, 2 ** 31)) }, one]);
  return someAtOnce(each, async ([own, one]) => void (await work(own, one)));
}

export const chance = ({ random }: Pick<Year, "random">, share: number): boolean => random() < share;
/** The same, but at once if it never happened before: a short year has everything, too. */
export const chanceOrFirst = (year: Year, what: string, share: number): boolean =>
  chance(year, year.book.seen[what] === undefined ? 1 : share);
export const pick = <One>({ random }: Pick<Year, "random">, from: readonly One[]): One =>
  from[Math.floor(random() * from.length)]!;
export const between = ({ random }: Pick<Year, "random">, least: number, most: number): number =>
  least + Math.floor(random() * (most - least + 1));

/** All pages of a list. */
export async function readAll<Entry>({ ask }: Year, path: string, name: string, limit = 200): Promise<Entry[]> {
  const found: Entry[] = [];
  for (let cursor: string | null = ""; cursor !== null; ) {
    const query: string = `${path.includes("?") ? "&" : "?"}limit=${limit}${cursor && `&cursor=${cursor}`}`;
    const { status, body } = await ask(`${path}${query}`);
    if (status !== 200) throw new Error(`${path} got ${status}`);
    found.push(...(body[name] as Entry[]));
    cursor = body["next_cursor"] as string | null;
  }
  return found;
}
