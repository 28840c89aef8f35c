import { type ClaimedDelivery, claimDeliveries, releaseDeliveries, type Share } from "../../db/webhooks/deliveries.ts";
import { type DueEndpoint, loadDueEndpoints } from "../../db/webhooks/due-endpoints.ts";
import type { Deps } from "../../deps.ts";
import type { Span } from "../../domain/operations/span.ts";
import { traceContextOf } from "../../domain/operations/trace-context.ts";
import { accountNow } from "../../domain/values/account-clock.ts";
import { newPace, type Pace, paceAfter, resumed, roomOf } from "../../domain/webhooks/endpoint-pace.ts";
import { shareSlots } from "../../domain/webhooks/share-slots.ts";
import { withKeysOfNow } from "../../vault/vault.ts";
import { openAttemptBook } from "./attempt-book.ts";
import { openEndpoint, type SendingEndpoint, type SentWebhook, sendWebhook } from "./send-webhook.ts";

/** Delivers webhooks: claims due deliveries, runs many attempts at once, and saves their results. */
export type Courier = {
  /** Claims due deliveries and starts sending them. Returns how many started and whether more may be due. */
  beginDue(): Promise<{ begun: number; more: boolean }>;
  /** Ends the pause of an endpoint that kept failing: its partner asks for the next attempt, or changed it. */
  resume(endpoint_id: string): void;
  /** Whether enough slots are free to make another claim worthwhile. */
  hasRoom(): boolean;
  /** Resolves when no attempt is running or waiting to be saved. */
  idle(): Promise<void>;
  /** Releases the remaining claims, so that other processes take them over at once. */
  giveBack(): Promise<void>;
};

type CourierDeps = Pick<
  Deps,
  "config" | "db" | "queue" | "vault" | "mail" | "webhook_client" | "log" | "metrics" | "tracer" | "now" | "serves"
>;
type Attempt = { endpoint_id: string; began_ms: number };
type Known = { pace: Pace; in_flight: number; endpoint: SendingEndpoint };

/** An attempt takes at most 15 s; the rest is for saving its result. */
const LEASE_S = 20;
/** After this long an attempt no longer occupies a slot, so that hanging endpoints do not fill the pool. */
const SLOW_AFTER_MS = 1_000;
/** Claims per slot of the pool, including slow attempts and results that are being saved. */
const CLAIMED_FACTOR = 8;
const MOST_KNOWN = 10_000;

export function createCourier(deps: CourierDeps, concurrency: number, onChange: () => void): Courier {
  /** Claimed deliveries whose result is not saved yet. */
  const claims = new Map<string, ClaimedDelivery>();
  /** Running attempts, oldest first. */
  const attempts = new Set<Attempt>();
  const known = new Map<string, Known>();
  const book = openAttemptBook(deps, (lot) => {
    for (const { ended } of lot) claims.delete(keyOf(ended));
    // The next event of the same order may now be sent.
    onChange();
    if (claims.size === 0) tellIdle();
  });
  let more_due = false;
  let tellIdle: () => void = () => {};

  function freeSlots(): number {
    const slow_ms = performance.now() - SLOW_AFTER_MS;
    let slow = 0;
    for (const { began_ms } of attempts) {
      if (began_ms > slow_ms) break;
      slow += 1;
    }
    return Math.min(concurrency - (attempts.size - slow), concurrency * CLAIMED_FACTOR - claims.size);
  }

  const hasRoom = () => freeSlots() >= Math.max(1, Math.floor(concurrency / 4));

  async function beginDue() {
    const slots = freeSlots();
    if (slots <= 0) return { begun: 0, more: true };
    const now = deps.now();
    const due = await loadDueEndpoints(deps.queue, now, deps.serves ?? null);
    const asked = shareOut(due, slots, now);
    const claimed = asked.length === 0 ? [] : await claimDeliveries(deps.queue, asked, LEASE_S);
    if (known.size >= MOST_KNOWN) forgetIdle();
    const endpoints = new Map<string, SendingEndpoint>();
    for (const row of due) endpoints.set(row.endpoint_id, await opened(row));
    for (const delivery of claimed) begin(delivery, endpoints.get(delivery.endpoint_id)!);
    // A claim that filled every share suggests that more is due.
    more_due = claimed.length > 0 && claimed.length === asked.reduce((sum, { most }) => sum + most, 0);
    return { begun: claimed.length, more: more_due };
  }

  function shareOut(due: readonly DueEndpoint[], slots: number, now: Date): Share[] {
    const now_ms = performance.now();
    const asking = due.map(({ endpoint_id }) => {
      const { pace, in_flight } = known.get(endpoint_id) ?? { pace: newPace, in_flight: 0 };
      return { room: roomOf(pace, in_flight, now_ms), in_flight };
    });
    const shares = shareSlots(asking, slots);
    return due.flatMap(({ account_id, endpoint_id, clock_offset_s }, index) => {
      const most = shares[index]!;
      return most === 0 ? [] : [{ account_id, endpoint_id, most, account_now: accountNow(now, clock_offset_s) }];
    });
  }

  /** Unseals the secrets once, and again after a change of the endpoint. */
  async function opened(row: DueEndpoint): Promise<SendingEndpoint> {
    const before = known.get(row.endpoint_id);
    if (before !== undefined && isSame(before.endpoint, row)) return before.endpoint;
    const endpoint = await open(row);
    known.set(row.endpoint_id, { pace: newPace, in_flight: 0, ...known.get(row.endpoint_id), endpoint });
    return endpoint;
  }

  /** If an endpoint's secrets cannot be decrypted, only its own attempts fail. */
  async function open(endpoint: DueEndpoint): Promise<SendingEndpoint> {
    try {
      return await withKeysOfNow(deps, async () => openEndpoint(deps, endpoint));
    } catch (error) {
      const { account_id, endpoint_id } = endpoint;
      deps.log.error(
        { account_id, endpoint_id, fault: (error as Error).message },
        "an endpoint's secrets cannot be decrypted",
      );
      const sign = () => {
        throw error;
      };
      return { ...endpoint, sign };
    }
  }

  function forgetIdle(): void {
    for (const [endpoint_id, { in_flight }] of known) if (in_flight === 0) known.delete(endpoint_id);
  }

  function begin(delivery: ClaimedDelivery, endpoint: SendingEndpoint): void {
    const { endpoint_id } = delivery;
    const attempt: Attempt = { endpoint_id, began_ms: performance.now() };
    claims.set(keyOf(delivery), delivery);
    attempts.add(attempt);
    known.get(endpoint_id)!.in_flight += 1;
    // The event carries the trace of the request that caused it.
    const span = deps.tracer?.begin("deliver webhook", "client", {
      parent: traceContextOf(delivery.traceparent ?? undefined),
      attributes: { "pestle.account_id": delivery.account_id, "pestle.attempt": delivery.attempts + 1 },
    });
    if (delivery.attempts === 0) {
      const lag_s = Math.max(0, Date.now() - delivery.queued_at.getTime()) / 1000;
      deps.metrics.observeFirstAttempt(deps.serves ?? "production", lag_s, span?.trace_id);
    }
    void sendWebhook(deps, endpoint, delivery, span?.traceparent).then((sent) => end(attempt, sent, span));
  }

  function end(attempt: Attempt, sent: SentWebhook, span: Span | undefined): void {
    attempts.delete(attempt);
    const row = known.get(attempt.endpoint_id)!;
    row.in_flight -= 1;
    if (sent === "given_up") return;
    const { delivery_status, duration_ms, status, error } = sent.ended;
    span?.set({ "http.response.status_code": status ?? undefined, "pestle.delivery_status": delivery_status });
    span?.end(delivery_status === "delivered" ? undefined : (error ?? `http_${status}`));
    row.pace = paceAfter(row.pace, delivery_status === "delivered", performance.now());
    deps.metrics.observeAttempt(delivery_status, duration_ms / 1000, span?.trace_id);
    book.add(sent);
    if (more_due && hasRoom()) onChange();
  }

  return {
    beginDue,
    resume(endpoint_id) {
      const row = known.get(endpoint_id);
      if (row !== undefined) row.pace = resumed(row.pace);
      onChange();
    },
    hasRoom,
    idle: () =>
      new Promise((resolve) => {
        tellIdle = resolve;
        if (claims.size === 0) resolve();
      }),
    async giveBack() {
      book.close();
      await book.written();
      if (claims.size > 0) await releaseDeliveries(deps.queue, [...claims.values()]);
    },
  };
}

const keyOf = ({ event_id, endpoint_id }: { event_id: string; endpoint_id: string }) => `${event_id} ${endpoint_id}`;

function isSame(one: DueEndpoint, other: DueEndpoint): boolean {
  return (
    one.url === other.url &&
    one.environment === other.environment &&
    one.clock_offset_s === other.clock_offset_s &&
    one.digest_sealed.equals(other.digest_sealed) &&
    one.secret_sealed.equals(other.secret_sealed) &&
    one.signing_secret_sealed.equals(other.signing_secret_sealed)
  );
}
