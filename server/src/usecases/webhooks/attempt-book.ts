import { isKeyGone } from "../../db/operations/keys.ts";
import type { Deps } from "../../deps.ts";
import { StatusRefusal } from "../../domain/values/refusals.ts";
import { keepAttempts } from "./keep-attempts.ts";
import type { EndedWebhook } from "./send-webhook.ts";

/** Writes down how attempts ended, many at a time. */
export type AttemptBook = {
  add(sent: EndedWebhook): void;
  /** Fulfilled when all is written that was added. */
  written(): Promise<void>;
  /** Tries no more than once from now on. */
  close(): void;
};

type BookDeps = Pick<Deps, "db" | "queue" | "vault" | "mail" | "log" | "metrics">;

const MOST_AT_ONCE = 250;
const AGAIN_AFTER_MS = 200;

/** What is added while a lot is being written goes with the next one: the busier, the larger the lots. */
export function openAttemptBook(deps: BookDeps, onWritten: (lot: readonly EndedWebhook[]) => void): AttemptBook {
  const waiting: EndedWebhook[] = [];
  let writing: Promise<void> | undefined;
  let closed = false;

  async function writeAll(): Promise<void> {
    while (waiting.length > 0) {
      const lot = waiting.splice(0, MOST_AT_ONCE);
      await write(lot);
      onWritten(lot);
    }
  }

  async function write(lot: readonly EndedWebhook[]): Promise<void> {
    for (;;) {
      try {
        await keepAttempts(deps, lot);
        return;
      } catch (error) {
        deps.metrics.countFault("job");
        if (closed) return;
        // Out of reach: the claims are ours until somebody else takes them, and then nothing is written.
        if (error instanceof StatusRefusal) await new Promise((resolve) => setTimeout(resolve, AGAIN_AFTER_MS));
        else return await writeApart(lot, error as Error);
      }
    }
  }

  /** Whatever is wrong is wrong with one of them, and the others are not to wait for it. */
  async function writeApart(lot: readonly EndedWebhook[], error: Error): Promise<void> {
    if (isKeyGone(error)) {
      // Sealed with a key that a rotation has removed meanwhile: how it ended counts more than what was said. Keys that
      // cannot be read now are read when they are next missed, and the book must not end with that.
      await deps.vault.reload(deps.db).catch(() => {});
      return write(lot.map((sent) => ({ ...sent, ended: { ...sent.ended, exchange_sealed: null } })));
    }
    if (lot.length > 1) {
      for (const one of lot) await write([one]);
      return;
    }
    const { account_id, event_id, endpoint_id } = lot[0]!.ended;
    deps.log.error({ account_id, event_id, endpoint_id, fault: error.message }, "an attempt was not written down");
  }

  return {
    add(sent) {
      waiting.push(sent);
      writing ??= writeAll().finally(() => {
        writing = undefined;
      });
    },
    written: async () => writing,
    close() {
      closed = true;
    },
  };
}
