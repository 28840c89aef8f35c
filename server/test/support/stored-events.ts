import type { Queryable } from "../../src/db/db.ts";
import { openBody } from "../../src/usecases/webhooks/event-body.ts";
import type { Vault } from "../../src/vault/vault.ts";

export type StoredEvent = {
  account_id: string;
  event_id: string;
  event_type: string;
  order_number: string | null;
  created_at: Date;
  body: string;
};

/** Events as the database has them, with their bodies opened. `rest` is the end of the statement: where, order by. */
export async function storedEvents(
  { db, vault }: { db: Queryable; vault: Vault },
  rest = "",
  params: readonly unknown[] = [],
): Promise<StoredEvent[]> {
  const { rows } = await db.raw(
    `select account_id, event_id, event_type, order_number, created_at, body, body_sealed from webhook_event ${rest}`,
    params,
  );
  return (rows as (StoredEvent & { body_sealed: Buffer | null })[]).map(({ body_sealed, ...row }) => ({
    ...row,
    body: openBody(vault, { ...row, body_sealed }),
  }));
}
