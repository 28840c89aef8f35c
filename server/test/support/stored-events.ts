import type { Queryable } from "../../src/db/db.ts";
import { openBody, patientIn } from "../../src/usecases/webhooks/event-body.ts";
import type { Vault } from "../../src/vault/vault.ts";

export type StoredEvent = {
  account_id: string;
  event_id: string;
  event_type: string;
  patient_id: string | null;
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
  return (rows as (Omit<StoredEvent, "patient_id"> & { body_sealed: Buffer | null })[]).map(
    ({ body_sealed, ...row }) => {
      const body = openBody(vault, { ...row, body_sealed });
      return { ...row, body, patient_id: patientIn(JSON.parse(body)) };
    },
  );
}

/** The events about one patient, whom only the bodies name. */
export const eventsOfPatient = async (
  deps: { db: Queryable; vault: Vault },
  patient_id: string,
  rest = "",
): Promise<StoredEvent[]> => (await storedEvents(deps, rest)).filter((event) => event.patient_id === patient_id);

const TYPES = ["RX_RECEIVED", "RX_UPDATED", "SHIPMENT_UPDATED", "ORDER_UPDATED", "ORDER_EXCEPTION"];

/** Events of the same time in the order in which they are sent: by sequence, type and exception. */
export function inSendingOrder(events: readonly StoredEvent[], by_time: boolean): StoredEvent[] {
  const places = events.map((event) => {
    const { sequence, exception } = JSON.parse(event.body) as { sequence?: number; exception?: { id: number } };
    const time = by_time ? event.created_at.getTime() : 0;
    const type = TYPES.indexOf(event.event_type);
    // Those without a sequence follow the change that they belong to. A prescription comes before its order.
    const turn = sequence ?? (type === 0 ? 0 : Number.MAX_SAFE_INTEGER);
    return { event, place: [time, turn, type, exception?.id ?? 0] };
  });
  const first = (a: number[], b: number[]) => a.map((one, index) => one - b[index]!).find((one) => one !== 0) ?? 0;
  return places.sort((a, b) => first(a.place, b.place)).map(({ event }) => event);
}
