import { randomUUID } from "node:crypto";
import { insertNote, notePlace } from "../../db/fulfillment/order-notes.ts";
import type { Deps } from "../../deps.ts";
import { withKeysOfNow } from "../../vault/vault.ts";

/** Writes on the order's timeline what Pestle itself noticed. The text names no patient and no drug. */
export const addSystemNote = (
  deps: Pick<Deps, "db" | "vault" | "now">,
  account_id: string,
  order_number: string,
  reason: string,
): Promise<unknown> =>
  withKeysOfNow(deps, () => {
    const note_id = randomUUID();
    const place = notePlace(account_id, order_number, note_id);
    return insertNote(deps.db, {
      account_id,
      order_number,
      note_id,
      at: deps.now(),
      person_id: null,
      role: "system",
      text_sealed: deps.vault.seal(Buffer.from(JSON.stringify({ reason })), place),
    });
  });
