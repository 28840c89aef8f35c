import type { Receiver } from "./webhook-receivers.ts";

/**
 * What a partner received events about: a patient whose prescription arrived, and an order that was held and
 * released.
 */
export type Journey = { patient_id: string; order_number: string };

type Body = {
  event_id: string;
  event_type: string;
  patient_id: string;
  order_number?: string;
  sequence?: number;
};

/** The expected events of each order, by change. */
const CHANGES = [["ORDER_EXCEPTION", "RX_UPDATED"], ["RX_UPDATED"]];

/**
 * Every problem with the received events: a missing or unknown event, different bytes at different endpoints, a gap
 * in an order's sequence, or a change whose first attempt arrived before its predecessor.
 */
export function judgeReceivers(
  journeys: readonly Journey[],
  receivers: readonly (Pick<Receiver, "bodies" | "faults"> & Partial<Pick<Receiver, "retried">>)[],
  feed: ReadonlySet<string>,
): string[] {
  const faults: string[] = [];
  const bodies = new Map<string, string>();
  for (const receiver of receivers) {
    faults.push(...receiver.faults);
    const received = new Map<string, Body[]>();
    for (const [event_id, text] of receiver.bodies) {
      const body = JSON.parse(text) as Body;
      if (body.event_id !== event_id) faults.push("an event under another event's id");
      if (!feed.has(event_id)) faults.push("an event that is not in the feed");
      if ((bodies.get(event_id) ?? text) !== text) faults.push("an event with other bytes than elsewhere");
      bodies.set(event_id, text);
      const about = body.order_number ?? body.patient_id;
      received.set(about, [...(received.get(about) ?? []), body]);
    }
    for (const { patient_id, order_number } of journeys) {
      faults.push(
        ...judgePrescription(received.get(patient_id) ?? []),
        ...judgeOrder(received.get(order_number) ?? [], receiver.retried),
      );
      received.delete(patient_id);
      received.delete(order_number);
    }
    if (received.size > 0) faults.push(`events about ${received.size} that nobody knows`);
  }
  return faults;
}

function judgePrescription(events: readonly Body[]): string[] {
  const types = events.map(({ event_type }) => event_type).join(", ");
  if (types === "RX_RECEIVED") return [];
  return [
    types === "" ? "a prescription that an endpoint got no event for" : `a prescription with the events ${types}`,
  ];
}

function judgeOrder(events: readonly Body[], retried: ReadonlySet<string> = new Set()): string[] {
  const faults = CHANGES.flatMap((expected, index) => {
    const types = events.filter(({ sequence }) => sequence === index + 1).map(({ event_type }) => event_type);
    const same = types.sort().join() === expected.join();
    return same ? [] : [`change ${index + 1} of an order told as ${types.join(", ") || "nothing"}`];
  });
  const sequences = events.map(({ sequence }) => sequence!);
  if (sequences.some((sequence) => sequence > CHANGES.length)) faults.push("a change that was not made");
  // A retry may arrive after a newer event.
  const first = events.filter(({ event_id }) => !retried.has(event_id)).map(({ sequence }) => sequence!);
  if (first.some((sequence, at) => sequence < (first[at - 1] ?? 0))) faults.push("changes out of order");
  return faults;
}
