import type { ExceptionId } from "@pestle/contract";
import type { Day } from "./day.ts";
import type { DayProxy, SeenOrder } from "./proxy.ts";
import { type SceneName, sceneNames, sceneOf, TOKEN_PART } from "./scenes.ts";

/** The sandbox as certify uses it, beside the proxy: it plays prescribers and pharmacy. */
export type Sandbox = {
  prescribe(patient_id: string, patient: object): Promise<unknown>;
  raise(order_number: string, exception_id: ExceptionId): Promise<unknown>;
  /** The pharmacy cancels the order. */
  cancel(order_number: string): Promise<unknown>;
  /** The partner cancels the order, also while it is On Hold. */
  giveBack(order_number: string): Promise<unknown>;
  order(order_number: string): Promise<FoundOrder>;
  ordersOf(patient_id: string): Promise<readonly FoundOrder[]>;
};
export type FoundOrder = { order_number: string; order_status: string; exceptions: readonly { id: number }[] };

export type DayOptions = {
  /** Makes the patients of this run different from all others. */
  run_id: string;
  retry_after_s: number;
  /** How long a part of the day waits for the system. */
  limit_ms: number;
  /** How long certify watches after everything has happened, to see what the system must not do. */
  watch_ms: number;
  scenes?: readonly SceneName[];
  onScene?(done: number, all: number): void;
  now_ms?: () => number;
};

/** Plays the day, waits for what the system does, and cleans up. */
export async function playDay(proxy: DayProxy, sandbox: Sandbox, options: DayOptions): Promise<Day> {
  const { run_id, limit_ms, watch_ms, scenes: played = sceneNames, now_ms = () => performance.now() } = options;
  const ended_holds = new Set<SceneName>();
  const held = new Set<SceneName>();
  /** What certify has asked about a hold already: the number of calls at that time. */
  const looked = new Map<SceneName, number>();
  const canceled = new Set<SceneName>();
  const settled = new Set<SceneName>();
  let token_part: Day["token_part"] = null;
  const patientOf = (scene: SceneName) => `cert-${run_id}-${scene.replaceAll("_", "-")}`;

  for (const part of [1, 2, 3] as const) {
    const own = played.filter((scene) => sceneOf(scene).part === part);
    if (own.length === 0) continue;
    const from_ms = now_ms();
    if (part === TOKEN_PART) proxy.endTokens(own.length);
    for (const scene of own) {
      proxy.expect(scene, patientOf(scene));
      await sandbox.prescribe(patientOf(scene), sceneOf(scene).patient ?? {});
    }
    await waitFor(() => progress(own), limit_ms);
    if (part === TOKEN_PART) token_part = { from_ms, to_ms: now_ms() };
  }
  await waitFor(async () => false, watch_ms);

  const orders: Partial<Record<SceneName, number>> = {};
  for (const scene of played) {
    const found = await sandbox.ordersOf(patientOf(scene));
    orders[scene] = found.length;
    for (const { order_number, order_status } of found) {
      // The stock belongs to the next run again.
      if (order_status !== "Canceled") await sandbox.giveBack(order_number).catch(() => undefined);
    }
  }
  return { calls: [...proxy.calls], orders, ended_holds, token_part, retry_after_s: options.retry_after_s };

  /** Resolves when `look` says so, or at the limit. Looks again after every request and answer. */
  async function waitFor(look: () => Promise<boolean>, most_ms: number): Promise<void> {
    const signal = AbortSignal.timeout(most_ms);
    while (!signal.aborted) {
      const next = proxy.changed(signal);
      if (await look()) return;
      await next;
    }
  }

  /** Plays the pharmacy's part in each scene. True once nothing more is to come. */
  async function progress(own: readonly SceneName[]): Promise<boolean> {
    for (const scene of own) {
      if (settled.has(scene)) continue;
      if (await isSettled(scene)) settled.add(scene);
    }
    options.onScene?.(settled.size, played.length);
    return own.every((scene) => settled.has(scene));
  }

  async function isSettled(scene: SceneName): Promise<boolean> {
    const { always, faults = [], hold, canceled: cancels } = sceneOf(scene);
    const calls = proxy.calls.filter((call) => call.scene === scene);
    if (always !== undefined) return calls.some(({ status }) => status !== null);
    const order = proxy.orders.get(scene);
    if (order === undefined || proxy.left(scene) > 0) return false;
    if (hold !== undefined) return playHold(scene, order, hold);
    if (cancels) {
      if (!canceled.has(scene)) await sandbox.cancel(order.order_number);
      canceled.add(scene);
      return true;
    }
    // After a fault the system must be seen again.
    const answered = calls.filter(({ status, played: by_us }) => status !== null && (!by_us || status === 409));
    return faults[0] === "in_progress" ? calls.length > 1 : answered.length > 0;
  }

  async function playHold(scene: SceneName, order: SeenOrder, hold: ExceptionId): Promise<boolean> {
    if (!held.has(scene)) {
      held.add(scene);
      if (!order.exception_ids.includes(hold)) await sandbox.raise(order.order_number, hold);
    }
    if (sceneOf(scene).must_end === undefined) return true;
    const writes = proxy.calls.filter(
      ({ scene: about, method, path, status }) =>
        about === scene && method !== "GET" && path !== "/orders" && status !== null && status < 300,
    );
    if (writes.length === (looked.get(scene) ?? 0)) return false;
    looked.set(scene, writes.length);
    const { order_status, exceptions } = await sandbox.order(order.order_number);
    const ended = order_status === "Canceled" || exceptions.every(({ id }) => id !== hold);
    if (ended) ended_holds.add(scene);
    return ended;
  }
}
