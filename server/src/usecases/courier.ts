import { type ClaimedDelivery, claimDeliveries, releaseDeliveries } from "../db/webhook-deliveries.ts";
import { type DueEndpoint, loadDueEndpoints } from "../db/webhook-endpoints.ts";
import type { Deps } from "../deps.ts";
import { newPace, type Pace, paceAfter, roomOf } from "../domain/endpoint-pace.ts";
import { StatusRefusal } from "../domain/refusals.ts";
import { shareSlots } from "../domain/share-slots.ts";
import { withKeysOfNow } from "../vault/vault.ts";
import { keepAttempts } from "./keep-attempts.ts";
import { accountNow } from "./move-clock.ts";
import { openEndpoint, type SendingEndpoint, type SentWebhook, sendWebhook } from "./send-webhook.ts";

/** Carries deliveries: claims what is due, has many attempts under way at once, and writes down how they ended. */
export type Courier = {
  /** Claims what is due and begins to send it. Returns how many attempts began, and whether more may be due. */
  beginDue(): Promise<{ begun: number; more: boolean }>;
  /** Whether enough attempts ended that it is worth to claim again. */
  hasRoom(): boolean;
  /** Fulfilled when nothing is under way any more. */
  idle(): Promise<void>;
  /** Gives back what is still under way, so that other processes take it at once. */
  giveBack(): Promise<void>;
};

type CourierDeps = Pick<Deps, "config" | "db" | "vault" | "webhook_client" | "log" | "metrics" | "now">;
type UnderWay = { delivery: ClaimedDelivery; endpoint: SendingEndpoint; began_ms: number };
type Known = { pace: Pace; in_flight: number; endpoint: SendingEndpoint };

/** An attempt takes 15 s at most; the rest is for writing it down. */
const LEASE_S = 30;
/** Whoever has not answered by now waits beside the pool and not in it, so that hanging endpoints do not fill it. */
const SLOW_AFTER_MS = 1_000;
/** So many times the pool may wait beside it. */
const SLOW_FACTOR = 8;
const MOST_SAVED_AT_ONCE = 250;
const SAVE_AGAIN_AFTER_MS = 200;
const MOST_KNOWN = 10_000;

export function createCourier(deps: CourierDeps, concurrency: number, onRoom: () => void): Courier {
  const under_way = new Set<UnderWay>();
  const known = new Map<string, Known>();
  const ended: { one: UnderWay; sent: Exclude<SentWebhook, "given_up"> }[] = [];
  let saving: Promise<void> | undefined;
  let tellIdle: () => void = () => {};
  let closed = false;

  const freeSlots = () => {
    const slow_ms = performance.now() - SLOW_AFTER_MS;
    let young = 0;
    for (const { began_ms } of under_way) if (began_ms > slow_ms) young += 1;
    return Math.min(concurrency - young, concurrency * SLOW_FACTOR - under_way.size);
  };

  async function beginDue() {
    const slots = freeSlots();
    if (slots <= 0) return { begun: 0, more: true };
    const now = deps.now();
    const due: Known[] = [];
    for (const endpoint of await loadDueEndpoints(deps.db, now)) due.push(await know(endpoint));
    const now_ms = performance.now();
    const shares = shareSlots(
      due.map(({ pace, in_flight }) => ({ room: roomOf(pace, in_flight, now_ms), in_flight })),
      slots,
    );
    const asked = due.flatMap(({ endpoint }, index) => {
      const { account_id, endpoint_id, clock_offset_s } = endpoint;
      const most = shares[index]!;
      return most === 0 ? [] : [{ account_id, endpoint_id, most, account_now: accountNow(now, clock_offset_s) }];
    });
    if (asked.length === 0) return { begun: 0, more: false };
    const claimed = await claimDeliveries(deps.db, asked, LEASE_S);
    for (const delivery of claimed) begin(delivery);
    return {
      begun: claimed.length,
      more: asked.some(({ most, endpoint_id }) => most === countOf(claimed, endpoint_id)),
    };
  }

  /** Secrets are opened once, and again when anything about the endpoint changed. */
  async function know(endpoint: DueEndpoint): Promise<Known> {
    const before = known.get(endpoint.endpoint_id);
    if (before !== undefined && isSame(before.endpoint, endpoint)) return before;
    const row: Known = {
      pace: before?.pace ?? newPace,
      in_flight: before?.in_flight ?? 0,
      endpoint: await opened(endpoint),
    };
    if (known.size >= MOST_KNOWN) forgetIdle();
    known.set(endpoint.endpoint_id, row);
    return row;
  }

  /** Secrets that do not open are this endpoint's trouble: its attempts fail, and nobody else's. */
  async function opened(endpoint: DueEndpoint): Promise<SendingEndpoint> {
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

  function begin(delivery: ClaimedDelivery): void {
    const row = known.get(delivery.endpoint_id)!;
    const one: UnderWay = { delivery, endpoint: row.endpoint, began_ms: performance.now() };
    under_way.add(one);
    row.in_flight += 1;
    if (delivery.attempts === 0) {
      deps.metrics.observeFirstAttempt(Math.max(0, Date.now() - delivery.queued_at.getTime()) / 1000);
    }
    void sendWebhook(deps, row.endpoint, delivery).then((sent) => end(one, sent));
  }

  function end(one: UnderWay, sent: SentWebhook): void {
    if (sent === "given_up") return;
    const { delivery_status, duration_ms } = sent.ended;
    deps.metrics.observeAttempt(delivery_status, duration_ms / 1000);
    const row = known.get(one.delivery.endpoint_id)!;
    row.pace = paceAfter(row.pace, delivery_status === "delivered", performance.now());
    ended.push({ one, sent });
    saving ??= saveEnded().finally(() => {
      saving = undefined;
    });
  }

  /** What ended while the former lot was being saved goes with the next: the busier, the larger the lots. */
  async function saveEnded(): Promise<void> {
    while (ended.length > 0) {
      const lot = ended.splice(0, MOST_SAVED_AT_ONCE);
      await save(lot);
      for (const { one } of lot) letGo(one);
      onRoom();
    }
  }

  async function save(lot: typeof ended): Promise<void> {
    for (;;) {
      try {
        await keepAttempts(
          deps,
          lot.map(({ sent }) => sent),
        );
        return;
      } catch (error) {
        deps.metrics.countFault("job");
        if (closed) return;
        // Out of reach: the claims are ours until somebody else takes them, and then nothing is written.
        if (error instanceof StatusRefusal) await new Promise((resolve) => setTimeout(resolve, SAVE_AGAIN_AFTER_MS));
        else if (lot.length > 1) {
          for (const single of lot) await save([single]);
          return;
        } else {
          const { account_id, event_id, endpoint_id } = lot[0]!.one.delivery;
          deps.log.error(
            { account_id, event_id, endpoint_id, fault: (error as Error).message },
            "an attempt was not kept",
          );
          return;
        }
      }
    }
  }

  function letGo(one: UnderWay): void {
    under_way.delete(one);
    const row = known.get(one.delivery.endpoint_id);
    if (row !== undefined) row.in_flight -= 1;
    if (under_way.size === 0) tellIdle();
  }

  return {
    beginDue,
    hasRoom: () => freeSlots() >= Math.max(1, Math.floor(concurrency / 8)),
    idle: () =>
      new Promise((resolve) => {
        tellIdle = resolve;
        if (under_way.size === 0) resolve();
      }),
    async giveBack() {
      closed = true;
      await saving;
      const left = [...under_way].map(({ delivery }) => delivery);
      if (left.length > 0) await releaseDeliveries(deps.db, left);
    },
  };
}

const countOf = (claimed: readonly ClaimedDelivery[], endpoint_id: string) =>
  claimed.reduce((count, delivery) => count + (delivery.endpoint_id === endpoint_id ? 1 : 0), 0);

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
