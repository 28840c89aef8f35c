import type { Queryable } from "../../db/db.ts";
import {
  insertPrescriberMessage,
  prescriberMessagePlace,
  type RequestFacts,
} from "../../db/prescribers/prescriber-messages.ts";
import type { AskedMessage } from "../../domain/prescribers/compose-message.ts";
import { accountNow } from "../../domain/values/account-clock.ts";
import { randomEventId } from "../../random.ts";
import type { Vault } from "../../vault/vault.ts";

/** Queues a request to the prescriber of a prescription. The caller has checked that it is possible. */
export async function queueRequest(
  { vault }: { vault: Vault },
  db: Queryable,
  facts: Pick<RequestFacts, "sender" | "clock_offset_s">,
  request: { account_id: string; prescription_id: number; person_id: string | null; asked: AskedMessage },
  real_now: Date,
): Promise<{ message_id: string; created_at: Date }> {
  const { account_id, prescription_id, person_id, asked } = request;
  const message_id = randomEventId();
  const created_at = accountNow(real_now, facts.clock_offset_s);
  const place = prescriberMessagePlace("asked_sealed", account_id, message_id);
  await insertPrescriberMessage(db, {
    account_id,
    message_id,
    kind: asked.kind,
    sender: facts.sender,
    prescription_id,
    order_number: null,
    person_id,
    created_at,
    asked_sealed: vault.seal(Buffer.from(JSON.stringify(asked)), place),
  });
  return { message_id, created_at };
}
