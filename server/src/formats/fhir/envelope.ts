import type { Envelope } from "../../domain/intake/incoming-message.ts";
import { instant } from "./dates.ts";
import { type Element, hasCode, id, isPresent, many, one, text } from "./elements.ts";
import type { Reading } from "./reading.ts";
import type { Resource } from "./resolve.ts";
import { identifierSystems, identifierTypes, isSystem } from "./systems.ts";

/**
 * Sender, receiver and message id. A new prescription is identified by its Bundle, or else by its own identifier. A
 * cancellation carries the identifier of the prescription it cancels. Used as its message id, that would look like the
 * same message resent with other content. So only its Bundle identifies it, and the other id becomes the relation.
 */
export function readEnvelope(
  root: Element,
  request: Resource | null,
  kind: "new" | "cancel",
  ncpdp_id: string | null,
  reading: Reading,
): Envelope {
  const bundle = root.resourceType === "Bundle" ? root : {};
  const named = token(one(bundle.identifier), "Bundle.identifier", reading);
  const order = orderIdentifier(many(request?.element.identifier));
  const own = token(order, "MedicationRequest.identifier", reading);
  const header = reading.scope.resources.find(({ type }) => type === "MessageHeader");
  const to = receiver(request, header, reading) ?? ncpdp_id;
  if (ncpdp_id !== null && to !== ncpdp_id) {
    reading.warn("receiver_conflict", "MedicationRequest.dispenseRequest.performer");
  }
  return {
    format: "fhir",
    version: "R4",
    from:
      id(one(header?.element.source).endpoint) ?? id(one(bundle.meta).source) ?? id(one(request?.element.meta).source),
    from_qualifier: null,
    to,
    to_qualifier: to === null ? null : "P",
    message_id: named ?? (kind === "new" ? own : null),
    relates_to_message_id: kind === "cancel" ? own : null,
    sent_time: sentTime(bundle.timestamp, reading),
    prescriber_order_number: id(order.value),
    test_message: [bundle, request?.element ?? {}].some(isTest),
    return_receipt: false,
  };
}

/** `system|value`, because two senders can use the same number. */
function token(identifier: Element, path: string, reading: Reading): string | null {
  const value = text(identifier.value);
  const system = text(identifier.system);
  const written = system === null ? value : `${system}|${value}`;
  if (value === null) return null;
  if (id(written) === null) reading.warn("id_too_long", path);
  return id(written);
}

/** The identifier marked as the prescriber's order number, else the official one, else the first. */
function orderIdentifier(identifiers: Element[]): Element {
  const usable = identifiers.filter((identifier) => text(identifier.value) !== null);
  return (
    usable.find(({ type }) => hasCode(type, identifierTypes.placer)) ??
    usable.find(({ use }) => use === "official") ??
    usable[0] ??
    {}
  );
}

/** The NCPDP id of the dispensing pharmacy. The reference itself can carry it. */
function receiver(request: Resource | null, header: Resource | undefined, reading: Reading): string | null {
  const asked = [
    { from: request, reference: one(request?.element.dispenseRequest).performer },
    { from: request, reference: request?.element.performer },
    ...many(header?.element.destination).map((destination) => ({ from: header, reference: destination.receiver })),
  ];
  for (const { from, reference } of asked) {
    const found = from ? reading.scope.resolve(reference, from, ["Organization", "Location"]) : null;
    const identifiers = [...many(one(reference).identifier), ...many(found?.element.identifier)];
    const ncpdp = identifiers.find(({ system }) => isSystem(text(system), identifierSystems.ncpdp));
    const value = id(ncpdp?.value);
    if (value !== null) return value;
  }
  return null;
}

function sentTime(timestamp: unknown, reading: Reading): string | null {
  const sent = instant(timestamp);
  if (sent === null && isPresent(timestamp)) reading.warn("sent_time_unreadable", "Bundle.timestamp");
  return sent;
}

/** HL7's tag for test data. */
function isTest(element: Element): boolean {
  const { tag, security } = one(element.meta);
  return [...many(tag), ...many(security)].some(({ code }) => code === "HTEST");
}
