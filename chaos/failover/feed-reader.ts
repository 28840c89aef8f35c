import { setTimeout as delay } from "node:timers/promises";
import { ask, insist } from "../ask.ts";
import { headersOf, type Sites } from "../journeys.ts";

type Page = { webhook_events: { event_id: string }[]; next_cursor: string | null; end_cursor: string };
export type FeedReader = {
  /** Stops reading while the service is down on purpose. */
  pause(): Promise<void>;
  resume(): void;
  /** Reads to the end of the feed, and returns the events in the order in which they were read. */
  finish(): Promise<string[]>;
};

const ANSWER_DEADLINE_MS = 120_000;
const PAUSE_MS = 100;
const PAGE = 100;

/** Follows the feed from its beginning, as a partner does: each request continues at the last cursor. */
export function followFeed(sites: Sites, token: string): FeedReader {
  const read: string[] = [];
  let cursor: string | undefined;
  let stopping: boolean;
  const step = async () => {
    const page = await readPage(sites, token, cursor);
    read.push(...page.webhook_events.map(({ event_id }) => event_id));
    cursor = page.end_cursor;
    return page.webhook_events.length;
  };
  const follow = async () => {
    stopping = false;
    while (!stopping) if ((await step()) === 0) await delay(PAUSE_MS);
  };
  let following: Promise<void>;
  const resume = () => {
    following = follow();
    // `pause` reports a failure. Until then an unhandled rejection would end the process.
    following.catch(() => {});
  };
  const pause = async () => {
    stopping = true;
    await following;
  };
  resume();
  return {
    pause,
    resume,
    async finish() {
      await pause();
      while ((await step()) > 0);
      return read;
    },
  };
}

/** The whole feed, from its beginning. */
export async function replayFeed(sites: Sites, token: string): Promise<string[]> {
  const read: string[] = [];
  for (let cursor: string | undefined; ; ) {
    const page = await readPage(sites, token, cursor);
    read.push(...page.webhook_events.map(({ event_id }) => event_id));
    if (page.webhook_events.length === 0) return read;
    cursor = page.end_cursor;
  }
}

async function readPage(sites: Sites, token: string, cursor: string | undefined): Promise<Page> {
  const reply = await insist(async () => {
    const site = sites().find((one) => one !== undefined);
    const after = cursor === undefined ? "" : `&cursor=${encodeURIComponent(cursor)}`;
    return site && ask(`${site.base_url}/webhook_events?limit=${PAGE}${after}`, { headers: headersOf(token) });
  }, ANSWER_DEADLINE_MS);
  if (reply.status !== 200) throw new Error(`the feed answered ${reply.status}: ${reply.text.slice(0, 200)}`);
  return JSON.parse(reply.text) as Page;
}

/** Events of the feed that a reader, which followed it to its end, did not get. */
export function missedEvents(followed: readonly string[], replayed: readonly string[]): string[] {
  const got = new Set(followed);
  const below = replayed.filter((event_id) => !got.has(event_id)).length;
  return below === 0 ? [] : [`${below} times: an event was added below a cursor`];
}

/** Compares what a reader got while it followed the feed with the feed afterwards. */
export function judgeFeed(followed: readonly string[], replayed: readonly string[]): string[] {
  const faults = missedEvents(followed, replayed);
  const there = new Set(replayed);
  const gone = followed.filter((event_id) => !there.has(event_id)).length;
  if (gone > 0) faults.push(`${gone} times: an event that a reader got is gone`);
  if (new Set(followed).size < followed.length || there.size < replayed.length)
    faults.push("an event is in the feed twice");
  if (faults.length === 0 && followed.some((event_id, at) => replayed[at] !== event_id))
    faults.push("the feed replays its events in another order");
  return faults;
}
