import type { Deps } from "../deps.ts";
import { createCourier } from "../usecases/webhooks/courier.ts";

export type Delivering = {
  /** Something may be due: look at once. */
  wake(): void;
  /** Claims nothing more, lets what is under way end within the grace, and gives back the rest. */
  stop(grace_ms: number): Promise<void>;
};

/** Whoever is not told of an event looks this often. */
const LOOK_EVERY_MS = 500;
const LOOK_AGAIN_AFTER_FAULT_MS = 250;
/** While the pool is nearly full: attempts that hang leave it after a second, without a word. */
const LOOK_FOR_ROOM_EVERY_MS = 50;

/** Delivers webhooks until it is stopped, and looks for more when told to, when attempts ended, and now and then. */
export function startDelivering(deps: Deps, concurrency: number): Delivering {
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
    async stop(grace_ms) {
      stopping = true;
      wakeUp();
      await running;
      let timer: NodeJS.Timeout | undefined;
      const outOfTime = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, grace_ms);
      });
      await Promise.race([courier.idle(), outOfTime]);
      clearTimeout(timer);
      await deps.webhook_client.close();
      await courier.giveBack();
    },
  };
}
