import { performance } from "node:perf_hooks";
import type pg from "pg";
import type { Queryable } from "./db.ts";
import { CHANNEL, sql } from "./db.ts";

/** A change that every process receives, so that each can drop its cached copies of the changed data. */
export type Change = {
  /** `deliveries`: an event may be due, and the process that wrote it does not deliver. */
  kind:
    | "token"
    | "credential"
    | "account"
    | "catalogue"
    | "keys"
    | "safety"
    | "webhook_endpoint"
    | "deliveries"
    /** The parties in `ids` have seen what a replica may not have yet (ADR 0090). */
    | "ahead"
    /** A process began to listen, so it has not heard who is ahead. */
    | "joined";
  account_id: string;
  id?: string;
  ids?: string[];
};

export type Primary = { now_ms: number; since_ms: number; server_ms: number };

export type Bus = {
  /** Whether this process has received every change committed up to a moment ago. Cached copies are valid only then. */
  fresh(within_ms?: number): boolean;
  /**
   * The server of this connection, with `reads_clock`: the latest that it can be now by its clock, and that it was when this began;
   * its start.
   */
  primary(): Primary | undefined;
  /** Resolves when the bus is fresh for the first time. */
  readonly opened: Promise<void>;
  close(): Promise<void>;
};

const BEAT_EVERY_MS = 250;
/** Without an answer to a beat for this long, the bus opens another connection. */
const SILENT_AFTER_MS = 5_000;
/** A revocation must take effect in every process within a second, so copies are valid for less than that. */
const FRESH_FOR_MS = 900;
const RECONNECT_AFTER_MS = 100;
const CLOCK = `select extract(epoch from clock_timestamp())::float8 * 1000 as now_ms,
  extract(epoch from pg_postmaster_start_time())::float8 * 1000 as server_ms`;

const JOINED = JSON.stringify({ kind: "joined", account_id: "" } satisfies Change);
const TELL_JOINED = `select pg_notify('${CHANNEL}', '${JOINED}')`;

const notify = {
  ...sql<[channel: string, change: string], { announced: string }>`select pg_notify($1, $2), $2::text as announced`,
  announces: true,
};

/**
 * Notifies all processes when the transaction commits. Use for rare changes only, because a notify takes a global lock.
 */
export async function announce(tx: Queryable, change: Change): Promise<void> {
  await tx.rows(notify, [CHANNEL, announcement(change)]);
}

/** The change as every process receives it, for a statement that announces it itself. */
export const announcement = (change: Change): string => JSON.stringify(change);

/**
 * Listens on a separate connection. PostgreSQL delivers notifications in commit order before the next answer on the
 * same connection, so an answered beat proves that no older notification was missed. When the connection is lost, the
 * bus drops all copies at once, because PostgreSQL does not resend missed notifications.
 */
export function openBus(options: {
  connect: () => Promise<pg.Client>;
  onChange: (change: Change) => void;
  /** Called when the bus may have missed changes: drop every copy. */
  onGap: () => void;
  /** Restarts the database, if it is the embedded one. */
  revive: () => Promise<void>;
  onTrouble: (error: Error) => void;
  silent_after_ms?: number;
  beat_every_ms?: number;
  reads_clock?: boolean;
}): Bus {
  const { silent_after_ms: query_timeout = SILENT_AFTER_MS, beat_every_ms = BEAT_EVERY_MS } = options;
  const text = options.reads_clock ? CLOCK : "select 1";
  let closed = false;
  let heard_at_ms = Number.NEGATIVE_INFINITY;
  let known: Primary | undefined;
  let wake: () => void = () => {};
  let tellOpened: () => void = () => {};
  const opened = new Promise<void>((resolve) => {
    tellOpened = resolve;
  });
  const pause = (ms: number) =>
    new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });

  async function listen(): Promise<void> {
    const client = await options.connect();
    let lost: Error | undefined;
    client.on("error", (error) => {
      lost = error;
      wake();
    });
    client.on("end", () => {
      lost ??= new Error("the listening connection ended");
      wake();
    });
    client.on("notification", ({ payload }) => {
      const change = changeOf(payload);
      if (change === null) options.onGap();
      else options.onChange(change);
    });
    try {
      await client.query({ text: `listen ${CHANNEL}`, query_timeout } as pg.QueryConfig);
      if (options.reads_clock) await client.query({ text: TELL_JOINED, query_timeout } as pg.QueryConfig);
      options.onGap();
      while (!closed && lost === undefined) {
        const sent_at_ms = performance.now();
        const { rows } = await client.query({ text, query_timeout } as pg.QueryConfig);
        heard_at_ms = sent_at_ms;
        if (options.reads_clock) {
          const { now_ms, server_ms } = rows[0] as Omit<Primary, "since_ms">;
          known = { now_ms, server_ms, since_ms: known?.since_ms ?? now_ms + performance.now() - sent_at_ms };
        }
        tellOpened();
        await pause(beat_every_ms);
      }
      if (lost !== undefined) throw lost;
    } finally {
      heard_at_ms = Number.NEGATIVE_INFINITY;
      known = undefined;
      options.onGap();
      await client.end().catch(() => {});
    }
  }

  const running = (async () => {
    while (!closed) {
      try {
        await listen();
      } catch (error) {
        if (closed) return;
        options.onTrouble(error as Error);
        await options.revive().catch(options.onTrouble);
        await pause(RECONNECT_AFTER_MS);
      }
    }
  })();

  return {
    opened,
    fresh: (within_ms = FRESH_FOR_MS) => performance.now() - heard_at_ms < within_ms,
    primary: () => known && { ...known, now_ms: known.now_ms + performance.now() - heard_at_ms },
    async close() {
      closed = true;
      wake();
      await running;
    },
  };
}

/** Null for a foreign payload, because every client of the database can notify on this channel. */
function changeOf(payload: string | undefined): Change | null {
  try {
    const said: unknown = JSON.parse(payload ?? "");
    return typeof said === "object" && said !== null ? (said as Change) : null;
  } catch {
    return null;
  }
}
