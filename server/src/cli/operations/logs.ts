import { setTimeout as delay } from "node:timers/promises";
import { partnerAccount, profileOption } from "@pestle/cli/accounts/partner-account";
import { wholeNumber } from "@pestle/cli/arguments";
import { WrongUsage } from "@pestle/cli/errors";
import { facts, pc } from "@pestle/cli/output";
import { type CommandRow, untilStopped } from "@pestle/cli/program";
import { readConfig } from "../../config.ts";
import { listAccounts } from "../../db/accounts/accounts.ts";
import type { Db } from "../../db/db.ts";
import { listRequests, loadRequest, type RequestPosition, type RequestRow } from "../../db/operations/request-log.ts";
import { errorHints } from "../../domain/operations/error-hints.ts";
import { AdminRefusal } from "../../usecases/accounts/admin-refusal.ts";
import { hasDatabase, type Session, withSchema } from "../session.ts";

type WhoseOptions = { account?: string; partner?: string; profile?: string };
type TailOptions = WhoseOptions & {
  status?: string;
  errorsOnly?: boolean;
  since?: string;
  last?: string;
  follow?: boolean;
  json?: boolean;
};

const whose: NonNullable<CommandRow["options"]> = [
  ["--account <account_id>", "the account, from `pestle partner list`"],
  ["--partner <name>", "a partner of the demo (default when not logged in: the first)"],
  profileOption,
];

/** Read from the service's database: the API has no request log. Partners see theirs in the portal. */
export const logCommands: readonly CommandRow[] = [
  {
    name: "logs tail",
    summary: "stream an account's API requests with their errors",
    options: [
      ["--status <status>", "only this status or class: 422, 4xx"],
      ["--errors-only", "only refused or failed requests"],
      ["--since <time>", "start from a time, a date, or 90s, 15m, 2h, 3d ago"],
      ["--last <number>", "start with this many recent requests (default: 10)"],
      ["--no-follow", "print existing requests and exit"],
      ...whose,
    ],
    examples: ["logs tail", "logs tail --errors-only --since 2h", "logs tail --status 422 --json --no-follow"],
    async run(options: TailOptions, _argument, env) {
      const matches = statusFilter(options);
      const since = options.since === undefined ? undefined : timeOf(options.since);
      const last = options.last === undefined ? USUALLY_SHOWN : wholeNumber(options.last, "--last");
      await ofAccount(options, env, (session, account_id) =>
        untilStopped((stop) => tail(session.db, account_id, { ...options, matches, from: since, most: last }, stop)),
      );
      return undefined;
    },
  },
  {
    name: "logs show",
    summary: "show one request: what was sent, what was wrong and how to fix it",
    argument: ["request_id", "from the response's X-Request-Id header"],
    options: whose,
    examples: ["logs show 5f0c2b1e-8a4d-4c63-9b7f-2d1e6a90c4b8"],
    async run(options: WhoseOptions, request_id, env) {
      if (!UUID.test(request_id))
        throw new WrongUsage("Give the request id from X-Request-Id, such as 5f0c2b1e-8a4d-….");
      return ofAccount(options, env, async ({ db }, account_id) => {
        const row = await loadRequest(db, account_id, request_id.toLowerCase());
        if (row === undefined) throw new AdminRefusal("The account has no such request, or it is too old.");
        const { at, method, route, status, duration_ms, credential_id } = row;
        const data = toldOf(row);
        const about = facts({
          request_id: row.request_id,
          at: at.toISOString(),
          request: `${method} ${route}`,
          status: String(status),
          took: `${Math.round(duration_ms)} ms`,
          credential: `${account_id}-${credential_id}`,
        });
        const hints = data.errors.map(
          ({ code, title, field, resolution }) =>
            `! ${code} ${title}${field === null ? "" : ` (${field})`}: ${resolution}`,
        );
        return { data, text: [about, ...hints].join("\n") };
      });
    },
  },
];

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const USUALLY_SHOWN = 10;
const LOOK_EVERY_MS = 1_000;
const PAGE = 1_000;
/** Each process logs its requests about once a second, so a later query can find earlier requests. */
const LATE_MS = 15_000;
const END_OF_TIME: RequestPosition = {
  at: new Date("9999-12-31T00:00:00Z"),
  request_id: "00000000-0000-0000-0000-000000000000",
};

async function ofAccount<Result>(
  { account, ...options }: WhoseOptions,
  env: NodeJS.ProcessEnv | undefined,
  work: (session: Session, account_id: string) => Promise<Result>,
): Promise<Result> {
  const config = readConfig(env);
  const known = account === undefined ? await partnerAccount(options, env) : undefined;
  if (!hasDatabase(config)) {
    const portal = known === undefined ? "the portal" : `${known.base_url}/portal`;
    throw new AdminRefusal(
      `The request log is in the service's database, which is not on this machine. See ${portal}.`,
    );
  }
  const account_id = account ?? known?.client_id.split("-")[0] ?? "";
  return withSchema(config, async (session) => {
    const accounts = await listAccounts(session.db);
    if (!accounts.some((row) => row.account_id === account_id)) {
      throw new AdminRefusal("This database has no such account. Run `pestle partner list` to see them.");
    }
    return work(session, account_id);
  });
}

type Tail = TailOptions & { matches: (status: number) => boolean; from: Date | undefined; most: number };

async function tail(db: Db, account_id: string, options: Tail, stop: AbortSignal): Promise<void> {
  const { matches, from, most, errorsOnly: errors = false, follow, json } = options;
  const print = (row: RequestRow) => process.stdout.write(`${json ? JSON.stringify(toldOf(row)) : lineOf(row)}\n`);
  /** Requests since a time, oldest first. Stops paging once `enough` of the newest match. */
  const load = async (since: Date, enough = Number.POSITIVE_INFINITY) => {
    const rows: RequestRow[] = [];
    const filter = { credential_id: null, method: null, route: null, status: null, error_code: null, since, errors };
    for (let before = END_OF_TIME, found = 0, more = true; more && found < enough; ) {
      const page = await listRequests(db, account_id, filter, before, PAGE);
      rows.push(...page);
      found += page.filter(({ status }) => matches(status)).length;
      before = page.at(-1) ?? before;
      more = page.length === PAGE;
    }
    return rows.reverse();
  };
  let newest_ms = Date.now();
  const recent = follow === false ? [] : await load(new Date(newest_ms - LATE_MS));
  const there = await load(from ?? new Date(newest_ms - DAY_MS), from === undefined ? most : undefined);
  const wanted = there.filter(({ status }) => matches(status));
  for (const row of wanted.slice(from === undefined ? Math.max(0, wanted.length - most) : 0)) print(row);
  let seen = new Map([...recent, ...there].map(({ request_id, at }) => [request_id, at.getTime()]));
  while (follow !== false) {
    await delay(LOOK_EVERY_MS, undefined, { signal: stop });
    const edge_ms = newest_ms - LATE_MS;
    seen = new Map([...seen].filter(([, at_ms]) => at_ms >= edge_ms));
    for (const row of await load(new Date(edge_ms))) {
      if (seen.has(row.request_id)) continue;
      seen.set(row.request_id, row.at.getTime());
      newest_ms = Math.max(newest_ms, row.at.getTime());
      if (matches(row.status)) print(row);
    }
  }
}

function toldOf({ error_codes, duration_ms, at, ...row }: RequestRow) {
  const errors = errorHints(row.status, error_codes);
  return { ...row, at: at.toISOString(), duration_ms: Math.round(duration_ms * 100) / 100, errors };
}

function lineOf({ at, method, route, status, duration_ms, error_codes, request_id }: RequestRow): string {
  const paint = status >= 500 ? pc.red : status >= 400 ? pc.yellow : pc.green;
  const cells = [
    at.toISOString(),
    method.padEnd(6),
    paint(String(status)),
    `${Math.round(duration_ms)} ms`.padStart(8),
  ];
  return [...cells, request_id, route, ...(error_codes.length === 0 ? [] : [error_codes.join(" ")])].join("  ");
}

function statusFilter({ status, errorsOnly }: TailOptions): (status: number) => boolean {
  const given = status ?? "";
  if (!/^$|^[1-5](xx|\d\d)$/i.test(given)) throw new WrongUsage("--status takes a status such as 422, or 4xx.");
  const fits = new RegExp(`^${given.replace(/x/gi, "\\d")}`);
  return (one) => fits.test(String(one)) && (!errorsOnly || one >= 400);
}

const DAY_MS = 86_400_000;
const UNITS = { s: 1_000, m: 60_000, h: 3_600_000, d: DAY_MS };

function timeOf(text: string): Date {
  const [, count, unit] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
  if (count !== undefined) return new Date(Date.now() - Number(count) * UNITS[unit as keyof typeof UNITS]);
  const time = /^\d{4}-\d{2}-\d{2}(T\S+(Z|[+-]\d{2}:\d{2}))?$/.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(time)) throw new WrongUsage("--since takes a time with time zone, a date, or 90s, 15m, 2h, 3d.");
  return new Date(time);
}
