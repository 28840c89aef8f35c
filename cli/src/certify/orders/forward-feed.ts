import { setTimeout as delay } from "node:timers/promises";
import type { PartnerApi } from "../../partner-api.ts";
import type { FeedAnswer } from "../../webhooks/events.ts";
import { openForwarder } from "../../webhooks/forward-event.ts";
import { whereItEnds } from "../../webhooks/listen.ts";

const LOOK_EVERY_MS = 500;
const AGAIN_AFTER_MS = 1_000;
const PAGE = 50;

/** Sends every new event to the system's receiver, several at once, and again until the receiver answers 2xx. */
export async function forwardFeed(api: PartnerApi, url: string, stop: AbortSignal): Promise<void> {
  const forward = await openForwarder(api, url);
  let cursor = await whereItEnds(api);
  void follow().catch(() => undefined);

  async function follow(): Promise<void> {
    while (!stop.aborted) {
      const query = { cursor, limit: PAGE };
      const page = await api.request<FeedAnswer>("GET", "/webhook_events", { query, signal: stop });
      for (const event of page.webhook_events) void deliver(event).catch(() => undefined);
      cursor = page.end_cursor;
      if (page.next_cursor === null) await delay(LOOK_EVERY_MS, undefined, { signal: stop });
    }
  }

  async function deliver(event: FeedAnswer["webhook_events"][number]): Promise<void> {
    while (!stop.aborted) {
      const { status } = await forward(event, stop);
      if (status !== null && status >= 200 && status <= 299) return;
      await delay(AGAIN_AFTER_MS, undefined, { signal: stop });
    }
  }
}
