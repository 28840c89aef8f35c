import type { CreatedWebhookEndpoint, WebhookAttempt, WebhookEndpoint, WebhookEventRecord } from "@pestle/contract";
import { type AskOptions, ask } from "./patient.ts";
import type { TestApp } from "./test-app.ts";
import { until } from "./tools/until.ts";

export type FeedAnswer = { webhook_events: WebhookEventRecord[]; next_cursor: string | null; end_cursor: string };

/** Webhook operations of a partner, over real sockets. */
export function webhookCalls(app: TestApp, partner = 0) {
  const call = async <Body>(path: string, body?: unknown, options: AskOptions = {}) => {
    const { status, text, headers } = await ask(app, path, body, { partner, ...options });
    return { status, text, headers, body: (text === "" ? undefined : JSON.parse(text)) as Body };
  };
  const expected = async <Body>(status: number, ...asked: Parameters<typeof call>): Promise<Body> => {
    const answered = await call<Body>(...asked);
    if (answered.status !== status) throw new Error(`${answered.status}: ${answered.text}`);
    return answered.body;
  };
  const calls = {
    call,
    create: (body: Record<string, unknown>) =>
      expected<CreatedWebhookEndpoint>(201, "/webhook_endpoints", { secret: "sesame", ...body }),
    list: async () =>
      (await expected<{ webhook_endpoints: WebhookEndpoint[] }>(200, "/webhook_endpoints")).webhook_endpoints,
    read: (id: string) => expected<WebhookEndpoint>(200, `/webhook_endpoints/${id}`),
    patch: (id: string, body: unknown) =>
      expected<WebhookEndpoint>(200, `/webhook_endpoints/${id}`, body, { method: "PATCH" }),
    remove: (id: string) => call(`/webhook_endpoints/${id}`, undefined, { method: "DELETE" }),
    test: (id: string, body?: unknown) =>
      expected<WebhookEventRecord>(202, `/webhook_endpoints/${id}/test`, body, { method: "POST" }),
    feed: (query = "") => expected<FeedAnswer>(200, `/webhook_events${query}`),
    event: (event_id: string) => expected<WebhookEventRecord>(200, `/webhook_events/${event_id}`),
    attempts: async (event_id: string) =>
      (await expected<{ attempts: WebhookAttempt[] }>(200, `/webhook_events/${event_id}/attempts?limit=200`)).attempts,
    redeliver: (event_id: string, body?: unknown) =>
      expected<WebhookEventRecord>(202, `/webhook_events/${event_id}/redeliver`, body, { method: "POST" }),
    redeliverFailed: (id: string, body: unknown) =>
      expected<{ count: number; more: boolean }>(202, `/webhook_endpoints/${id}/redeliver`, body),
    /** The event, once all its deliveries have this status. */
    async settled(event_id: string, status: WebhookEventRecord["deliveries"][number]["status"] = "delivered") {
      let event = await calls.event(event_id);
      await until(async () => {
        event = await calls.event(event_id);
        return (
          event.deliveries.length > 0 && event.deliveries.every((one) => one.status === status && one.attempts > 0)
        );
      }, `the event is ${status}`);
      return event;
    },
  };
  return calls;
}
