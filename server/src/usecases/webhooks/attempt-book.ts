import { isKeyGone } from "../../db/operations/keys.ts";
import type { Deps } from "../../deps.ts";
import { StatusRefusal } from "../../domain/values/refusals.ts";
import { keepAttempts } from "./keep-attempts.ts";
import type { EndedWebhook } from "./send-webhook.ts";

/** Saves attempt results in batches. */
export type AttemptBook = {
  add(sent: EndedWebhook): void;
  /** Resolves when all added results are saved. */
  written(): Promise<void>;
  /** From now on, each batch is tried only once. */
  close(): void;
};

type BookDeps = Pick<Deps, "db" | "queue" | "vault" | "mail" | "log" | "metrics" | "now">;

const MOST_AT_ONCE = 250;
const AGAIN_AFTER_MS = 200;

/** Results that arrive during a write join the next batch, so batches grow with the load. */
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
        // Database unreachable: retry while our claims last. Once another process takes them, this saves nothing.
        if (error instanceof StatusRefusal) await new Promise((resolve) => setTimeout(resolve, AGAIN_AFTER_MS));
        else return await writeApart(lot, error as Error);
      }
    }
  }

  /** One bad result must not block the others, so save them one by one. */
  async function writeApart(lot: readonly EndedWebhook[], error: Error): Promise<void> {
    if (isKeyGone(error)) {
      // A rotation removed the key that sealed the exchange. Save the outcome without the exchange. A failed reload is
      // not fatal: the next use of a missing key reloads again.
      await deps.vault.reload(deps.db).catch(() => {});
      return write(lot.map((sent) => ({ ...sent, ended: { ...sent.ended, exchange_sealed: null } })));
    }
    if (lot.length > 1) {
      for (const one of lot) await write([one]);
      return;
    }
    const { account_id, event_id, endpoint_id } = lot[0]!.ended;
    deps.log.error(
      { account_id, event_id, endpoint_id, fault: error.message },
      "the result of a webhook attempt could not be saved",
    );
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
