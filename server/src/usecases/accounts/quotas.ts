import type { Environment, QuotaName, ShownQuota } from "@pestle/contract";
import {
  countAccount,
  exchangeUsage,
  listUncounted,
  listUsage,
  lockCount,
  saveQuota,
} from "../../db/accounts/usage.ts";
import type { Database } from "../../db/db.ts";
import type { Deps } from "../../deps.ts";
import { type Drawn, exhaustedBy, shownQuotas, stateOf } from "../../domain/accounts/quotas.ts";
import { QuotaRefusal } from "../../domain/values/refusals.ts";
import { transact } from "../write.ts";
import { requireAccount } from "./require-account.ts";

/**
 * Runs a write that adds to quotas, and counts it. Refuses it if a quota is reached, unless `kept` finds the answer of an
 * earlier request: a repeated request stores nothing.
 */
export async function withinQuota<Done>(
  { quotas: book }: Pick<Deps, "quotas">,
  { account_id, environment }: { account_id: string; environment: Environment },
  drawn: Drawn | undefined,
  work: () => Done | Promise<Done>,
  given: { kept?: () => Promise<Done | undefined>; stores?: (done: Done) => boolean } = {},
): Promise<Done> {
  if (drawn === undefined) return work();
  const exhausted = exhaustedBy(drawn, book.read(account_id, environment));
  if (exhausted !== undefined) {
    const kept = await given.kept?.();
    if (kept !== undefined) return kept;
    throw new QuotaRefusal(exhausted);
  }
  // Counted before the work, so that requests at the same time do not all take the last place.
  book.add(account_id, drawn);
  let stored = false;
  try {
    const done = await work();
    stored = given.stores?.(done) ?? true;
    return done;
  } finally {
    if (!stored) book.add(account_id, negative(drawn));
  }
}

const negative = (drawn: Drawn): Drawn =>
  Object.fromEntries(Object.entries(drawn).map(([name, amount]) => [name, -amount]));

/** Rows that another process wrote in a transaction which was open during the last exchange. */
const SLACK_MS = 30_000;

/** Exchanges the numbers of this process with the database. The first run reads them all. */
export function usageExchange({ db, quotas: book }: Pick<Deps, "db" | "quotas">): { run(): Promise<void> } {
  let since: Date | null = null;
  const exchange = async () => {
    const taken = book.take();
    const rows = await exchangeUsage(db, taken, since).catch((error) => {
      book.settle(taken, false);
      throw error;
    });
    book.settle(taken, true);
    book.learn(rows);
    const now = rows[0]?.now;
    if (now !== undefined) since = new Date(now.getTime() - SLACK_MS);
  };
  return { run: () => book.inTurn(exchange) };
}

const COUNT_EVERY_S = 3600;
/** Counting costs at most one part in this many of a connection's time. */
const COUNT_REST = 200;
const ACCOUNTS_PER_RUN = 100;

/** Counts again what the accounts of an environment store, those first that were never counted. */
export async function countUsage(deps: Pick<Deps, "db" | "now">, environment: Environment): Promise<void> {
  const due = await listUncounted(deps.db, environment, COUNT_EVERY_S, COUNT_REST, ACCOUNTS_PER_RUN);
  for (const { account_id } of due) {
    await transact(deps, async (tx) => {
      if (await lockCount(tx, account_id)) await countAccount(tx, account_id, deps.now);
    });
  }
}

/** The quotas of an account with what it uses, as last counted. */
export async function readQuotas(
  db: Database,
  { account_id, environment }: { account_id: string; environment: Environment },
): Promise<ShownQuota[]> {
  const rows = await listUsage(db, account_id);
  return shownQuotas(
    stateOf((name) => {
      const row = rows.find(({ quota }) => quota === name);
      return { used: row?.used ?? 0, most: row?.most ?? null, environment };
    }),
  );
}

/** Sets quotas of one account, or restores their defaults with null, and returns them all. */
export const changeQuotas = (
  db: Database,
  account_id: string,
  changes: Readonly<Partial<Record<QuotaName, number | null>>>,
): Promise<ShownQuota[]> =>
  transact({ db }, async (tx) => {
    const account = await requireAccount(tx, account_id);
    for (const [quota, most] of Object.entries(changes)) await saveQuota(tx, account_id, quota as QuotaName, most);
    return readQuotas(tx, account);
  });
