import { type ClaimedDelivery, claimDeliveries, releaseDeliveries, type Share } from "../../db/webhooks/deliveries.ts";
import { type DueEndpoint, loadDueEndpoints } from "../../db/webhooks/due-endpoints.ts";
import type { Deps } from "../../deps.ts";
import { accountNow } from "../../domain/values/account-clock.ts";
import { newPace, type Pace, paceAfter, roomOf } from "../../domain/webhooks/endpoint-pace.ts";
import { shareSlots } from "../../domain/webhooks/share-slots.ts";
import { withKeysOfNow } from "../../vault/vault.ts";
import { openAttemptBook } from "./attempt-book.ts";
import { openEndpoint, type SendingEndpoint, type SentWebhook, sendWebhook } from "./send-webhook.ts";

/** Carries deliveries: claims what is due, has many attempts under way at once, and writes down how they ended. */
export type Courier = {
  /** Claims what is due and begins to send it. Returns how many attempts began, and whether more may be due. */
  beginDue(): Promise<{ begun: number; more: boolean }>;
  /** Whether enough attempts ended that it is worth claiming again. */
  hasRoom(): boolean;
  /** Fulfilled when nothing is under way any more. */
  idle(): Promise<void>;
  /** Gives back what is still under way, so that other processes take it at once. */
  giveBack(): Promise<void>;
};

type CourierDeps = Pick<
  Deps,
  "config" | "db" | "queue" | "vault" | "mail" | "webhook_client" | "log" | "metrics" | "now"
>;
type Attempt = { endpoint_id: string; began_ms: number };
type Known = { pace: Pace; in_flight: number; endpoint: SendingEndpoint };

/** An attempt takes 15 s at most; the rest is for writing it down. */
const LEASE_S = 20;
/** Whoever has not answered by now waits beside the pool and not in it, so that hanging endpoints do not fill it. */
const SLOW_AFTER_MS = 1_000;
/** So many times the pool may be claimed: under way, waiting beside it, or being written down. */
const CLAIMED_FACTOR = 8;
const MOST_KNOWN = 10_000;

export function createCourier(deps: CourierDeps, concurrency: number, onChange: () => void): Courier {
  /** What is claimed and not written down yet. */
  const claims = new Map<string, ClaimedDelivery>();
  /** Attempts under way, the oldest first. */
  const attempts = new Set<Attempt>();
  const known = new Map<string, Known>();
  const book = openAttemptBook(deps, (lot) => {
    for (const { ended } of lot) claims.delete(keyOf(ended));
    // The next event of an order may go out now.
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
    const due = await loadDueEndpoints(deps.queue, now);
    const asked = shareOut(due, slots, now);
    const claimed = asked.length === 0 ? [] : await claimDeliveries(deps.queue, asked, LEASE_S);
    if (known.size >= MOST_KNOWN) forgetIdle();
    const endpoints = new Map<string, SendingEndpoint>();
    for (const row of due) endpoints.set(row.endpoint_id, await opened(row));
    for (const delivery of claimed) begin(delivery, endpoints.get(delivery.endpoint_id)!);
    // Whoever got all it asked for may have more.
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

  /** Secrets are opened once, and again when anything about the endpoint changed. */
  async function opened(row: DueEndpoint): Promise<SendingEndpoint> {
    const before = known.get(row.endpoint_id);
    if (before !== undefined && isSame(before.endpoint, row)) return before.endpoint;
    const endpoint = await open(row);
    known.set(row.endpoint_id, { pace: newPace, in_flight: 0, ...known.get(row.endpoint_id), endpoint });
    return endpoint;
  }

  /** Secrets that do not open are this endpoint's trouble: its attempts fail, and nobody else's. */
  async function open(endpoint: DueEndpoint): Promise<SendingEndpoint> {
    try {
      return await withKeysOfNow(deps, async () => openEndpoint(deps, endpoint));
    } catch (error) {
      const { account_id, endpoint_id } = endpoint;
      deps.log.error({ account_id, endpoint_id, fault: (error as Error).message }, "an endpoint's secrets do not open");
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
    if (delivery.attempts === 0) {
      deps.metrics.observeFirstAttempt(Math.max(0, Date.now() - delivery.queued_at.getTime()) / 1000);
    }
    void sendWebhook(deps, endpoint, delivery).then((sent) => end(attempt, sent));
  }

  function end(attempt: Attempt, sent: SentWebhook): void {
    attempts.delete(attempt);
    const row = known.get(attempt.endpoint_id)!;
    row.in_flight -= 1;
    if (sent === "given_up") return;
    const { delivery_status, duration_ms } = sent.ended;
    row.pace = paceAfter(row.pace, delivery_status === "delivered", performance.now());
    deps.metrics.observeAttempt(delivery_status, duration_ms / 1000);
    book.add(sent);
    if (more_due && hasRoom()) onChange();
  }

  return {
    beginDue,
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
