import type { EventFields, EventType } from "@pestle/contract";

/** An event that a change sends. It is saved with the change. */
export type MadeEvent = { event_id: string; event_type: EventType; body: Record<string, unknown> };

export function madeEvent<T extends EventType>(
  event_type: T,
  fields: EventFields<T>,
  now: Date,
  event_id: string,
): MadeEvent {
  const timestamp = Math.floor(now.getTime() / 1000);
  return { event_id, event_type, body: { event_id, event_type, timestamp, ...fields } };
}
