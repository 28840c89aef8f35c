import { setTimeout as delay } from "node:timers/promises";
import { type LoggedRequest, statusRange } from "@pestle/contract";
import { type PartnerOptions, partnerOptions } from "../accounts/partner-account.ts";
import { wholeNumber } from "../arguments.ts";
import { WrongUsage } from "../errors.ts";
import { facts, pc } from "../output.ts";
import { OutOfReach, openPartnerApi } from "../partner-api.ts";
import { type CommandRow, untilStopped } from "../program.ts";

type WhoseOptions = PartnerOptions & { account?: string };
type TailOptions = WhoseOptions & {
  status?: string;
  errorsOnly?: boolean;
  since?: string;
  last?: string;
  follow?: boolean;
  json?: boolean;
};

/** Where requests come from. */
export type RequestSource = {
  /** Requests since a time, newest first. `status` is a filter of `GET /requests`. */
  newest(since: Date, status: string | undefined): AsyncIterable<LoggedRequest>;
  one(request_id: string): Promise<LoggedRequest>;
};
/** Opens a source for some work. */
export type OpenRequests = <Result>(
  options: WhoseOptions,
  env: NodeJS.ProcessEnv | undefined,
  work: (source: RequestSource) => Promise<Result>,
) => Promise<Result>;

export const NO_REQUEST = "The account has no such request, or it is too old.";
const PAGE = 200;

/** `GET /requests` of a service anywhere. */
export const requestsOverApi: OpenRequests = async (options, env, work) => {
  const api = await openPartnerApi(options, env);
  type Page = { requests: LoggedRequest[]; next_cursor: string | null };
  async function* newest(since: Date, status: string | undefined) {
    for (let cursor: string | undefined | null; cursor !== null; ) {
      const query = { since: since.toISOString(), status, limit: PAGE, cursor };
      const page: Page = await api.request<Page>("GET", "/requests", { query });
      yield* page.requests;
      cursor = page.next_cursor;
    }
  }
  return work({
    newest,
    one: (request_id) => api.request("GET", `/requests/${request_id}`, { missing: NO_REQUEST }),
  });
};

type Options = NonNullable<CommandRow["options"]>;
/** `more` are options of a program that can also read requests elsewhere. */
export const logCommands = (open = requestsOverApi, more: Options = []): readonly CommandRow[] => [
  {
    name: "logs tail",
    summary: "stream an account's API requests with their errors",
    options: [
      ["--status <status>", "only this status or class: 422, 4xx"],
      ["--errors-only", "only refused or failed requests"],
      ["--since <time>", "start from a time, a date, or 90s, 15m, 2h, 3d ago"],
      ["--last <number>", "start with this many recent requests (default: 10)"],
      ["--no-follow", "print existing requests and exit"],
      ...more,
      ...partnerOptions,
    ],
    examples: ["logs tail", "logs tail --errors-only --since 2h", "logs tail --status 422 --json --no-follow"],
    async run(options: TailOptions, _argument, env) {
      const filter = filterOf(options);
      const from = options.since === undefined ? undefined : timeOf(options.since);
      const most = options.last === undefined ? USUALLY_SHOWN : wholeNumber(options.last, "--last");
      await open(options, env, (source) =>
        untilStopped((stop) => tail(source, { ...options, ...filter, from, most }, stop)),
      );
      return undefined;
    },
  },
  {
    name: "logs show",
    summary: "show one request: what was wrong and how to fix it",
    argument: ["request_id", "from the response's X-Request-Id header"],
    options: [...more, ...partnerOptions],
    examples: ["logs show 5f0c2b1e-8a4d-4c63-9b7f-2d1e6a90c4b8"],
    async run(options: WhoseOptions, request_id, env) {
      if (!UUID.test(request_id))
        throw new WrongUsage("Give the request id from X-Request-Id, such as 5f0c2b1e-8a4d-….");
      return open(options, env, async (source) => {
        const request = await source.one(request_id.toLowerCase());
        const about = facts({
          request_id: request.request_id,
          at: request.requested_at,
          request: `${request.method} ${request.path}`,
          status: String(request.status),
          took: `${Math.round(request.duration_ms)} ms`,
          credential: request.client_id,
        });
        const hints = request.errors.map(
          ({ code, title, field, resolution }) =>
            `! ${code} ${title}${field === null ? "" : ` (${field})`}: ${resolution}`,
        );
        return { data: request, text: [about, ...hints].join("\n") };
      });
    },
  },
];

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const USUALLY_SHOWN = 10;
const LOOK_EVERY_MS = 1_000;
/** Each process logs its requests about once a second, so a later query can find earlier requests. */
const LATE_MS = 15_000;

type Filter = { status: string | undefined; matches: (status: number) => boolean };
type Tail = Omit<TailOptions, "status"> & Filter & { from: Date | undefined; most: number };

async function tail(source: RequestSource, options: Tail, stop: AbortSignal): Promise<void> {
  const { status, matches, from, most, follow, json } = options;
  const print = (request: LoggedRequest) =>
    process.stdout.write(`${json ? JSON.stringify(request) : lineOf(request)}\n`);
  /** Matching requests since a time, oldest first: the newest ones, at most `enough`. */
  const load = async (since: Date, enough = Number.POSITIVE_INFINITY) => {
    const found: LoggedRequest[] = [];
    if (enough === 0) return found;
    for await (const request of source.newest(since, status)) {
      if (matches(request.status) && found.push(request) >= enough) break;
    }
    return found.reverse();
  };
  let newest_ms = Date.now();
  const recent = follow === false ? [] : await load(new Date(newest_ms - LATE_MS));
  const there = await load(from ?? new Date(newest_ms - DAY_MS), from === undefined ? most : undefined);
  for (const request of there) print(request);
  const timeIn = ({ requested_at }: LoggedRequest) => Date.parse(requested_at);
  let seen = new Map([...recent, ...there].map((request) => [request.request_id, timeIn(request)]));
  for (let told = false; follow !== false; ) {
    await delay(LOOK_EVERY_MS, undefined, { signal: stop });
    const edge_ms = newest_ms - LATE_MS;
    const loaded = await load(new Date(edge_ms)).catch((error) => {
      // Waits while the service restarts.
      if (!(error instanceof OutOfReach)) throw error;
      if (!told) process.stderr.write(`${error.message} Retrying.\n`);
      told = true;
    });
    if (loaded === undefined) continue;
    told = false;
    seen = new Map([...seen].filter(([, at_ms]) => at_ms >= edge_ms));
    for (const request of loaded) {
      if (seen.has(request.request_id)) continue;
      seen.set(request.request_id, timeIn(request));
      newest_ms = Math.max(newest_ms, timeIn(request));
      print(request);
    }
  }
}

function lineOf(request: LoggedRequest): string {
  const { requested_at, method, path, status, duration_ms, errors, request_id } = request;
  const paint = status >= 500 ? pc.red : status >= 400 ? pc.yellow : pc.green;
  const cells = [
    requested_at,
    method.padEnd(6),
    paint(String(status)),
    `${Math.round(duration_ms)} ms`.padStart(8),
    request_id,
    path,
  ];
  // The status itself needs no second mention.
  const codes = errors.map(({ code }) => code).filter((code) => code !== status);
  return [...cells, ...(codes.length === 0 ? [] : [codes.join(" ")])].join("  ");
}

function filterOf({ status, errorsOnly }: TailOptions): Filter {
  const asked = status?.toLowerCase() ?? (errorsOnly ? "errors" : undefined);
  const range = asked === undefined ? { from: 100, to: 599 } : statusRange(asked);
  if (range === null) throw new WrongUsage("--status takes a status such as 422, or 4xx.");
  const { from, to } = range;
  return { status: asked, matches: (one) => one >= from && one <= to && (!errorsOnly || one >= 400) };
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
