import { randomBytes } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import {
  type CreatedWebhookEndpoint,
  eventTypeNames,
  type WebhookAttempt,
  type WebhookEndpoint,
  type WebhookEventRecord,
  type WebhookStatistics,
} from "@pestle/contract";
import { type PartnerOptions, partnerOptions } from "../accounts/partner-account.ts";
import { readSecretFromStdin } from "../accounts/secret-input.ts";
import { WrongUsage } from "../errors.ts";
import { facts, minute, type Output, progress, table } from "../output.ts";
import { openPartnerApi } from "../partner-api.ts";
import type { CommandRow } from "../program.ts";

const ID = ["id", "from `pestle webhooks list`"] as const;
const EXAMPLE_ID = "5f0c2b1e-8a4d-4c63-9b7f-2d1e6a90c4b8";
const MISSING = "The account has no such endpoint. Run `pestle webhooks list` to see its endpoints.";
const BOTH_SHOWN_ONCE = "Save them now: they are not shown again.";
/** An attempt takes up to 15 s, and the first starts within a second. */
const OUTCOME_WITHIN_MS = 20_000;
const LOOK_EVERY_MS = 200;

type AddOptions = PartnerOptions & { events?: string[]; description?: string; webhookSecretStdin?: boolean };

export const webhookCommands: readonly CommandRow[] = [
  {
    name: "webhooks list",
    lists: "endpoints",
    summary: "list an account's webhook endpoints",
    options: partnerOptions,
    examples: ["webhooks list", 'webhooks list --partner "Juniper Care" --json'],
    async run(options: PartnerOptions, _argument, env) {
      const api = await openPartnerApi(options, env);
      const { webhook_endpoints } = await api.request<{ webhook_endpoints: WebhookEndpoint[] }>(
        "GET",
        "/webhook_endpoints",
      );
      const rows = webhook_endpoints.map((row) => [
        row.id,
        standing(row),
        eventsOf(row),
        row.url,
        row.description ?? "-",
      ]);
      const text =
        rows.length === 0 ? "No endpoints yet." : table(["id", "status", "events", "url", "description"], rows);
      return { data: webhook_endpoints, text };
    },
  },
  {
    name: "webhooks add",
    summary: "add an endpoint; its secrets are shown once",
    argument: ["url", "where to send events; in the sandbox it can be on this machine"],
    options: [
      ["--events <type...>", "event types (default: all except opt-in types)", { choices: eventTypeNames }],
      ["--description <text>", "a description"],
      ["--webhook-secret-stdin", "read the webhook secret from standard input (default: generate one)"],
      ...partnerOptions,
    ],
    examples: [
      "webhooks add http://127.0.0.1:3000/hook",
      "webhooks add https://partner.example/hook --events RX_RECEIVED ORDER_UPDATED --description orders",
    ],
    async run(options: AddOptions, url, env) {
      const { events, description, webhookSecretStdin, secretStdin } = options;
      if (webhookSecretStdin && secretStdin) {
        throw new WrongUsage("Standard input can hold only one secret. Set CLIENT_SECRET for the other.");
      }
      const secret = webhookSecretStdin ? await readSecretFromStdin() : randomBytes(24).toString("base64url");
      const api = await openPartnerApi(options, env);
      const body = { url, secret, ...(events && { events }), ...(description && { description }) };
      const made = await api.request<CreatedWebhookEndpoint>("POST", "/webhook_endpoints", { body });
      const data = { ...made, ...(!webhookSecretStdin && { secret }) };
      const shown = { id: made.id, url: made.url, events: eventsOf(made), signed_by: made.signing_credential_id };
      const secrets = { ...(!webhookSecretStdin && { webhook_secret: secret }), signing_secret: made.signing_secret };
      return { data, text: `${facts({ ...shown, ...secrets })}\n${BOTH_SHOWN_ONCE}` };
    },
  },
  {
    name: "webhooks remove",
    summary: "remove an endpoint; pending deliveries are dropped",
    argument: ID,
    options: partnerOptions,
    examples: [`webhooks remove ${EXAMPLE_ID}`],
    async run(options: PartnerOptions, id, env) {
      const api = await openPartnerApi(options, env);
      await api.request("DELETE", `/webhook_endpoints/${encodeURIComponent(id)}`, { missing: MISSING });
      return { data: { id, removed: true }, text: "Endpoint removed." };
    },
  },
  {
    name: "webhooks enable",
    summary: "enable a disabled endpoint; pending deliveries are sent",
    argument: ID,
    options: partnerOptions,
    examples: [`webhooks enable ${EXAMPLE_ID}`],
    async run(options: PartnerOptions, id, env) {
      const api = await openPartnerApi(options, env);
      const body = { status: "active" };
      const path = `/webhook_endpoints/${encodeURIComponent(id)}` as const;
      const data = await api.request<WebhookEndpoint>("PATCH", path, { body, missing: MISSING });
      return { data, text: "The endpoint is active." };
    },
  },
  {
    name: "webhooks test",
    summary: "send a sample event to an endpoint and show the response",
    argument: ID,
    options: [
      ["--event <type>", "the event type (default: RX_RECEIVED)", { choices: eventTypeNames }],
      ["--no-wait", "do not wait for the response"],
      ...partnerOptions,
    ],
    examples: [`webhooks test ${EXAMPLE_ID}`, `webhooks test ${EXAMPLE_ID} --event ORDER_EXCEPTION --json`],
    async run(options: PartnerOptions & { event?: string; wait?: boolean }, id, env) {
      const api = await openPartnerApi(options, env);
      const body = options.event === undefined ? {} : { event_type: options.event };
      const path = `/webhook_endpoints/${encodeURIComponent(id)}/test` as const;
      const { event_id } = await api.request<WebhookEventRecord>("POST", path, { body, missing: MISSING });
      const bar = progress();
      const late = Date.now() + (options.wait === false ? 0 : OUTCOME_WITHIN_MS);
      while (Date.now() < late) {
        const { attempts } = await api.request<{ attempts: WebhookAttempt[] }>(
          "GET",
          `/webhook_events/${event_id}/attempts`,
        );
        if (attempts[0] !== undefined) {
          bar.done();
          return outcomeOf(event_id, attempts[0]);
        }
        bar.show("Waiting for the response");
        await delay(LOOK_EVERY_MS);
      }
      bar.done();
      const text = `Event ${event_id} is being delivered. Follow it with: pestle events show ${event_id}`;
      return { data: { event_id, attempt: null }, text };
    },
  },
  {
    name: "webhooks stats",
    summary: "show an endpoint's statistics: attempts, durations, pending deliveries",
    argument: ID,
    options: partnerOptions,
    examples: [`webhooks stats ${EXAMPLE_ID}`, `webhooks stats ${EXAMPLE_ID} --json`],
    async run(options: PartnerOptions, id, env) {
      const api = await openPartnerApi(options, env);
      const path = `/webhook_endpoints/${encodeURIComponent(id)}/statistics` as const;
      return statistics(await api.request<WebhookStatistics>("GET", path, { missing: MISSING }));
    },
  },
];

const standing = ({ status, disabled_reason }: WebhookEndpoint) =>
  disabled_reason === null ? status : `${status} (${disabled_reason})`;
const eventsOf = ({ events }: Pick<WebhookEndpoint, "events">) => (events.length === 0 ? "all" : events.join(" "));

function outcomeOf(event_id: string, attempt: WebhookAttempt): Output {
  const { delivered, status, error_message, duration_ms, response } = attempt;
  const answer = status === null ? "No answer" : `Status ${status}`;
  const lines = [
    `${delivered ? "Delivered" : "Not delivered"}: ${answer} in ${duration_ms} ms.${error_message === null ? "" : ` ${error_message}`}`,
    ...(response === null || response.body === "" ? [] : [response.body]),
    `event_id  ${event_id}`,
  ];
  return { data: { event_id, attempt }, text: lines.join("\n"), failed: !delivered };
}

function statistics(found: WebhookStatistics): Output {
  const percent = (rate: number | null) => (rate === null ? "-" : `${Math.round(rate * 1000) / 10} %`);
  const ms = (value: number | null) => (value === null ? "-" : `${value} ms`);
  const about = facts({
    attempts: String(found.attempts),
    delivered: `${found.delivered} (${percent(found.success_rate)})`,
    failed: String(found.failed),
    average: ms(found.average_duration_ms),
    slowest: ms(found.slowest_duration_ms),
    waiting:
      found.oldest_waiting_at === null
        ? String(found.waiting)
        : `${found.waiting}, since ${minute(found.oldest_waiting_at)}`,
  });
  const rows = found.hours.map((row) => [
    minute(row.hour),
    ...[row.attempts, row.delivered, row.failed].map(String),
    ms(row.average_duration_ms),
    ms(row.slowest_duration_ms),
  ]);
  const hours = table(["hour", "attempts", "delivered", "failed", "average", "slowest"], rows);
  return { data: found, text: rows.length === 0 ? about : `${about}\n\n${hours}` };
}
