import type { Deps } from "../deps.ts";
import { createCourier } from "../usecases/webhooks/courier.ts";

/** Releases attempts still in flight after this time. At worst the receiver gets an event twice. */
export const DELIVERY_GRACE_MS = 5_000;

export type Delivering = {
  /** A delivery may be due: check now. */
  wake(): void;
  /** An endpoint changed, or its partner asks for the next attempt: end its pause. */
  resume(endpoint_id: string): void;
  /** Stops claiming, lets attempts in flight finish within the grace period, and releases the rest. */
  stop(grace_ms: number): Promise<void>;
};

/** The polling interval if no notification arrives. */
const LOOK_EVERY_MS = 500;
const LOOK_AGAIN_AFTER_FAULT_MS = 250;
/** The polling interval while the pool is nearly full: slow attempts leave it after a second without a wake-up. */
const LOOK_FOR_ROOM_EVERY_MS = 50;

/** Delivers the webhooks of several couriers until stopped. They share one client, which closes after the last one. */
export function startDelivering(couriers: readonly { deps: Deps; concurrency: number }[]): Delivering {
  const started = couriers.map(({ deps, concurrency }) => startCourier(deps, concurrency));
  return {
    wake() {
      for (const one of started) one.wake();
    },
    resume(endpoint_id) {
      for (const one of started) one.resume(endpoint_id);
    },
    async stop(grace_ms) {
      await Promise.all(started.map((one) => one.finish(grace_ms)));
      await Promise.all(couriers.map(({ deps }) => deps.webhook_client.close()));
      await Promise.all(started.map((one) => one.giveBack()));
    },
  };
}

/** Checks for due deliveries on wake-up, when attempts end, and periodically. */
function startCourier(deps: Deps, concurrency: number) {
  let stopping = false;
  let woken = false;
  let wakeUp: () => void = () => {};
  const wake = () => {
    woken = true;
    wakeUp();
  };
  const courier = createCourier(deps, concurrency, wake);
  const pause = (ms: number) =>
    new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      wakeUp = () => {
        clearTimeout(timer);
        resolve();
      };
      if (woken || stopping) wakeUp();
    });

  const running = (async () => {
    while (!stopping) {
      woken = false;
      try {
        const { begun, more } = await courier.beginDue();
        if (begun > 0 && more && courier.hasRoom()) continue;
        await pause(LOOK_EVERY_MS);
        while (!stopping && !courier.hasRoom()) {
          woken = false;
          await pause(LOOK_FOR_ROOM_EVERY_MS);
        }
      } catch (error) {
        deps.metrics.countFault("job");
        deps.log.warn({ job: "deliver", fault: (error as Error).message }, "a job failed and will run again");
        await pause(LOOK_AGAIN_AFTER_FAULT_MS);
      }
    }
  })();

  return {
    wake,
    resume: courier.resume,
    async finish(grace_ms: number) {
      stopping = true;
      wakeUp();
      await running;
      let timer: NodeJS.Timeout | undefined;
      const outOfTime = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, grace_ms);
      });
      await Promise.race([courier.idle(), outOfTime]);
      clearTimeout(timer);
    },
    giveBack: () => courier.giveBack(),
  };
}
