import { eventPlace } from "../../db/webhooks/new-event.ts";
import type { Vault } from "../../vault/vault.ts";

type Event = { account_id: string; event_id: string };

/** The body of an event as its row stores it. */
export const sealBody = (vault: Vault, { account_id, event_id }: Event, body: string): Buffer =>
  vault.seal(Buffer.from(body), eventPlace(account_id, event_id));

/** An event of an earlier version can still have its body in clear. */
export function openBody(vault: Vault, event: Event & { body: string | null; body_sealed: Buffer | null }): string {
  if (event.body_sealed === null) return event.body ?? "";
  return vault.open(event.body_sealed, eventPlace(event.account_id, event.event_id)).toString("utf8");
}
