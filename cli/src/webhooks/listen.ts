import { setTimeout as delay } from "node:timers/promises";
import { type EventType, eventTypeNames, signingKey, usualEventTypes, type WebhookEventRecord } from "@pestle/contract";
import { type PartnerOptions, partnerOptions } from "../accounts/partner-account.ts";
import { CommandRefusal, WrongUsage } from "../errors.ts";
import { facts, pc } from "../output.ts";
import { OutOfReach, openPartnerApi, type PartnerApi } from "../partner-api.ts";
import { type CommandRow, untilStopped } from "../program.ts";
import type { FeedAnswer } from "./events.ts";
import { openBookmark } from "./feed-bookmark.ts";
import { type Forwarded, listenSecrets, openForwarder } from "./forward-event.ts";

type ListenOptions = PartnerOptions & {
  forwardTo?: string;
  events?: EventType[];
  since?: string;
  cursorFile?: string;
  json?: boolean;
};

export const listenCommand: CommandRow = {
  name: "listen",
  summary: "stream an account's events to a program on your machine, signed as webhooks are",
  options: [
    ["--forward-to <url>", "where to send events (default: only print them)"],
    ["--events <type...>", "event types (default: all except opt-in types)", { choices: eventTypeNames }],
    ["--since <time>", "start with events after a time or date (default: now)"],
    ["--cursor-file <file>", "save the position in this file and resume from it next time"],
    ...partnerOptions,
  ],
  examples: [
    "listen --forward-to http://127.0.0.1:3000/hook",
    "listen --events RX_RECEIVED ORDER_EXCEPTION --json",
    "listen --forward-to http://127.0.0.1:3000/hook --cursor-file events.cursor",
  ],
  async run(options: ListenOptions, _argument, env) {
    if (options.forwardTo !== undefined && !/^https?:\/\/\S+$/.test(options.forwardTo)) {
      throw new WrongUsage("--forward-to takes a URL that begins with http:// or https://.");
    }
    const api = await openPartnerApi(options, env);
    if (options.forwardTo !== undefined && api.client.client_secret === "") {
      throw new CommandRefusal(
        "--forward-to signs with the client secret. Log in again with --key and --secret-stdin.",
      );
    }
    await untilStopped((stop) => listen(options, api, stop));
    return undefined;
  },
};

/** How often to poll the feed after its last page. */
const LOOK_EVERY_MS = 1_000;
const PAGE = 50;
/** A time in the far future: the feed returns no events, only its end cursor. */
const NOT_YET = "9999-12-30T00:00:00Z";

async function listen(options: ListenOptions, api: PartnerApi, stop: AbortSignal): Promise<void> {
  const { forwardTo, since, json = false } = options;
  const wanted = options.events ?? usualEventTypes;
  const bookmark = openBookmark(options.cursorFile, api.client.client_id);
  const feed = (cursor: string | null, after: string | undefined) =>
    reachable(() =>
      api.request<FeedAnswer>("GET", "/webhook_events", {
        query: { cursor: cursor ?? undefined, after, limit: PAGE },
        signal: stop,
      }),
    );
  // Always requested: fails now if the service or the account does not exist.
  const end = await whereItEnds(api);
  const beginning = bookmark.cursor ?? (since === undefined ? end : null);
  const forward = forwardTo === undefined ? null : await openForwarder(api, forwardTo);
  greet(api, options);
  let cursor = beginning;
  if (cursor !== null) bookmark.turn(cursor);
  while (!stop.aborted) {
    const page = await feed(cursor, bookmark.cursor === null ? since : undefined);
    for (const event of page.webhook_events) {
      if (stop.aborted) return;
      if (bookmark.isDone(event.event_id)) continue;
      if (wanted.includes(event.event_type)) tell(event, forward && (await forward(event, stop)), json);
      bookmark.done(event.event_id);
    }
    cursor = page.end_cursor;
    bookmark.turn(cursor);
    if (page.next_cursor === null) await delay(LOOK_EVERY_MS, undefined, { signal: stop });
  }

  /** Waits while the service restarts. */
  async function reachable<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
    for (let told = false; ; ) {
      try {
        return await ask();
      } catch (error) {
        if (!(error instanceof OutOfReach) || stop.aborted) throw error;
        if (!told) process.stderr.write(`${error.message} Retrying.\n`);
        told = true;
        await delay(LOOK_EVERY_MS, undefined, { signal: stop });
      }
    }
  }
}

/** The position after the newest event. */
export async function whereItEnds(api: PartnerApi): Promise<string> {
  let page: FeedAnswer | undefined;
  do {
    const query = { after: NOT_YET, cursor: page?.next_cursor ?? undefined, limit: 1 };
    page = await api.request<FeedAnswer>("GET", "/webhook_events", { query });
  } while (page.next_cursor !== null);
  return page.end_cursor;
}

function greet({ client, base_url }: PartnerApi, { forwardTo, json }: ListenOptions): void {
  const { client_id } = client;
  const secrets = forwardTo === undefined ? {} : listenSecrets(signingKey(client.client_secret));
  if (json) {
    process.stdout.write(
      `${JSON.stringify({ listening_to: base_url, client_id, forward_to: forwardTo ?? null, ...secrets })}\n`,
    );
    return;
  }
  const lines = [
    facts({ account: client_id, service: base_url, ...(forwardTo && { forward_to: forwardTo }), ...secrets }),
    ...(forwardTo === undefined ? [] : ["Verify with these secrets and your client secret. They stay the same."]),
    pc.dim("Press Ctrl-C to stop."),
  ];
  process.stderr.write(`${lines.join("\n")}\n`);
}

/** Prints one line per event. */
function tell(event: WebhookEventRecord, forwarded: Forwarded | null, json: boolean): void {
  const { event_id, event_type, order_number, patient_id, created_at } = event;
  if (json) {
    const line = { event_id, event_type, order_number, patient_id, created_at, body: event.body, forwarded };
    process.stdout.write(`${JSON.stringify(line)}\n`);
    return;
  }
  const cells = [created_at, event_type.padEnd(17), (order_number ?? patient_id ?? "-").padEnd(10), event_id];
  process.stdout.write(`${[...cells, ...(forwarded === null ? [] : [outcomeOf(forwarded)])].join("  ")}\n`);
}

function outcomeOf({ status, duration_ms, error }: Forwarded): string {
  const good = status !== null && status >= 200 && status <= 299;
  const text = `${status ?? error} in ${duration_ms} ms`;
  return good ? pc.green(text) : pc.red(text);
}
