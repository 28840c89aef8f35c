import { eventTypeNames, type WebhookAttempt, type WebhookEventRecord } from "@pestle/contract";
import { type PartnerOptions, partnerOptions } from "../accounts/partner-account.ts";
import { WrongUsage } from "../errors.ts";
import { facts, minute, type Output, pageOf, progress, table } from "../output.ts";
import { openPartnerApi, type PartnerApi } from "../partner-api.ts";
import type { CommandRow } from "../program.ts";

const EXAMPLE_ID = "019a8712-04c0-7b3e-9d0e-3c8a1b2d4e5f";
const EXAMPLE_ENDPOINT = "5f0c2b1e-8a4d-4c63-9b7f-2d1e6a90c4b8";
const MISSING = "The account has no such event, or it is too old. Run `pestle events list` to see its events.";
const NO_ENDPOINT = "The account has no such endpoint. Run `pestle webhooks list` to see its endpoints.";
const DAY_MS = 24 * 3600 * 1000;
const USUALLY_SHOWN = 25;
const LONGEST_PAGE = 200;
/** A longer feed is cut off here, with a note that there is more. */
const MOST_WALKED = 10_000;

type ListOptions = PartnerOptions & {
  type?: string;
  order?: string;
  delivered?: string;
  after?: string;
  limit?: string;
};
type ResendOptions = PartnerOptions & { endpoint?: string; failedSince?: string; missed?: boolean };
export type FeedAnswer = { webhook_events: WebhookEventRecord[]; next_cursor: string | null; end_cursor: string };

export const eventCommands: readonly CommandRow[] = [
  {
    name: "events list",
    lists: "events",
    summary: "list an account's events and delivery status, newest last",
    options: [
      ["--type <type>", "only events of this type", { choices: eventTypeNames }],
      ["--order <order_number>", "only events for this order"],
      ["--delivered <yes>", "only events that every endpoint has received, or not", { choices: ["true", "false"] }],
      ["--after <time>", "only after a time with time zone, or a date (default: a day ago)"],
      ["--limit <number>", `how many of the newest (default: ${USUALLY_SHOWN})`],
      ...partnerOptions,
    ],
    examples: [
      "events list",
      "events list --delivered false --after 2026-11-14",
      "events list --order 7K2M9XQ4TB --json",
    ],
    async run({ type, order, delivered, after, limit, ...options }: ListOptions, _argument, env) {
      const most = readCount(limit);
      const api = await openPartnerApi(options, env);
      // The account's clock can be ahead of ours but never behind.
      const since = after ?? new Date(Date.now() - DAY_MS).toISOString();
      const { events, next_cursor } = await walk(api, {
        event_type: type,
        order_number: order,
        delivered,
        after: since,
      });
      return listed(events.slice(-most), next_cursor);
    },
  },
  {
    name: "events show",
    summary: "show an event, its body and every delivery attempt",
    argument: ["event_id", "from `pestle events list`"],
    options: partnerOptions,
    examples: [`events show ${EXAMPLE_ID}`, `events show ${EXAMPLE_ID} --json`],
    async run(options: PartnerOptions, event_id, env) {
      const api = await openPartnerApi(options, env);
      const path = `/webhook_events/${encodeURIComponent(event_id)}` as const;
      const event = await api.request<WebhookEventRecord>("GET", path, { missing: MISSING });
      const { attempts } = await api.request<{ attempts: WebhookAttempt[] }>("GET", `${path}/attempts`, {
        query: { limit: LONGEST_PAGE },
      });
      return shown(event, attempts);
    },
  },
  {
    name: "events resend",
    summary: "resend an event, or all events that failed since a time",
    argument: ["event_id", "from `pestle events list`", { optional: true }],
    options: [
      ["--endpoint <id>", "only to this endpoint (default: all subscribed endpoints); required with --failed-since"],
      ["--failed-since <time>", "instead of one event: all that failed since a time or date"],
      ["--missed", "with --failed-since: also events never sent to the endpoint"],
      ...partnerOptions,
    ],
    examples: [
      `events resend ${EXAMPLE_ID}`,
      `events resend ${EXAMPLE_ID} --endpoint ${EXAMPLE_ENDPOINT}`,
      `events resend --failed-since 2026-11-14T22:00:00Z --endpoint ${EXAMPLE_ENDPOINT}`,
    ],
    async run({ endpoint, failedSince, missed, ...options }: ResendOptions, event_id, env) {
      if ((event_id === "") === (failedSince === undefined)) {
        throw new WrongUsage("Give either an event or --failed-since.");
      }
      if (failedSince === undefined) {
        if (missed) throw new WrongUsage("--missed requires --failed-since.");
        return resendOne(await openPartnerApi(options, env), event_id, endpoint);
      }
      if (endpoint === undefined) throw new WrongUsage("Give --endpoint: failed events are resent to one endpoint.");
      return resendFailed(await openPartnerApi(options, env), endpoint, failedSince, missed ?? false);
    },
  },
];

function readCount(limit: string | undefined): number {
  if (limit === undefined) return USUALLY_SHOWN;
  if (!/^[1-9]\d{0,4}$/.test(limit) || Number(limit) > MOST_WALKED) {
    throw new WrongUsage(`--limit takes a number from 1 to ${MOST_WALKED}.`);
  }
  return Number(limit);
}

/** The feed from a time to its end, up to MOST_WALKED events. */
async function walk(api: PartnerApi, query: Record<string, string | undefined>) {
  const events: WebhookEventRecord[] = [];
  const bar = progress();
  let cursor: string | undefined;
  do {
    const page: FeedAnswer = await api.request("GET", "/webhook_events", {
      query: { ...query, cursor, limit: LONGEST_PAGE },
    });
    events.push(...page.webhook_events);
    bar.show(`${events.length} events`);
    cursor = page.next_cursor ?? undefined;
  } while (cursor !== undefined && events.length < MOST_WALKED);
  bar.done();
  return { events, next_cursor: cursor ?? null };
}

function listed(events: readonly WebhookEventRecord[], next_cursor: string | null): Output {
  const rows = events.map((event) => [
    minute(event.created_at),
    event.event_type,
    event.order_number ?? event.patient_id ?? "-",
    event.event_id,
    summed(event),
  ]);
  const list = rows.length === 0 ? "No events." : table(["when", "event", "about", "event_id", "deliveries"], rows);
  const text = next_cursor === null ? list : `${list}\nThere are newer events. Give a later --after.`;
  return { data: pageOf(events, next_cursor), text };
}

/** "2 delivered, 1 pending" */
function summed({ deliveries }: WebhookEventRecord): string {
  const counts = (["delivered", "pending", "failed"] as const).map((status) => {
    const count = deliveries.filter((delivery) => delivery.status === status).length;
    return count === 0 ? "" : `${count} ${status}`;
  });
  return counts.filter((part) => part !== "").join(", ") || "-";
}

function shown(event: WebhookEventRecord, attempts: readonly WebhookAttempt[]): Output {
  const { event_id, event_type, created_at, order_number, patient_id, body, deliveries } = event;
  const about = facts({ event_id, event_type, created_at, order: order_number ?? "-", patient: patient_id ?? "-" });
  const waiting = deliveries.map(({ endpoint_id, status, next_attempt_at }) => [
    endpoint_id,
    status,
    next_attempt_at ?? "-",
  ]);
  const tried = attempts.map(({ at, endpoint_id, attempt, status, duration_ms, error_message }) => [
    at,
    endpoint_id,
    String(attempt),
    String(status ?? "-"),
    `${duration_ms} ms`,
    error_message ?? "delivered",
  ]);
  const parts = [
    about,
    JSON.stringify(body, null, 2),
    waiting.length === 0 ? "No endpoint subscribes to it." : table(["endpoint", "delivery", "next attempt"], waiting),
    ...(tried.length === 0 ? [] : [table(["at", "endpoint", "attempt", "status", "took", "outcome"], tried)]),
  ];
  return { data: { ...event, attempts }, text: parts.join("\n\n") };
}

async function resendOne(api: PartnerApi, event_id: string, endpoint: string | undefined): Promise<Output> {
  const path = `/webhook_events/${encodeURIComponent(event_id)}/redeliver` as const;
  const body = endpoint === undefined ? {} : { endpoint_id: endpoint };
  const event = await api.request<WebhookEventRecord>("POST", path, { body, missing: MISSING });
  const count = event.deliveries.filter(({ status }) => status === "pending").length;
  const text = count === 0 ? "There is no active endpoint to send it to." : `Resending to ${endpoints(count)}.`;
  return { data: event, text, failed: count === 0 };
}

async function resendFailed(api: PartnerApi, id: string, since: string, missed: boolean): Promise<Output> {
  const path = `/webhook_endpoints/${encodeURIComponent(id)}/redeliver` as const;
  const bar = progress();
  let count = 0;
  for (let more = true; more; ) {
    const taken = await api.request<{ count: number; more: boolean }>("POST", path, {
      body: { since, missed },
      missing: NO_ENDPOINT,
    });
    count += taken.count;
    more = taken.more;
    bar.show(`${count} events`);
  }
  bar.done();
  const text = count === 0 ? "No failed events since then." : `Resending ${count} ${count === 1 ? "event" : "events"}.`;
  return { data: { count }, text };
}

const endpoints = (count: number) => (count === 1 ? "1 endpoint" : `${count} endpoints`);
