import type { Envelope } from "../../domain/intake/incoming-message.ts";
import { instant } from "./dates.ts";
import { party, header as paths, transaction as transactionPaths } from "./paths.ts";
import type { Reading } from "./reading.ts";
import { child, type XmlElement } from "./xml.ts";

/**
 * Sender, receiver and message id. Read before any refusal, so that we can address the reply. Refuses a message without
 * an id, sender or receiver.
 */
export function readEnvelope(
  reading: Reading,
  message: XmlElement,
  transaction: XmlElement | null,
  version: string | null,
): Envelope {
  const header = child(message, "Header");
  const from = partyOf(reading, header, "From");
  const to = partyOf(reading, header, "To");
  const envelope = {
    format: "script" as const,
    version,
    from: from.id,
    from_qualifier: from.qualifier,
    to: mailboxOf(to.id) ?? pharmacyOf(reading, transaction),
    to_qualifier: to.qualifier,
    message_id: reading.text(header, paths.message_id, "envelope.message_id"),
    relates_to_message_id: shortText(reading, header, "relates_to_message_id"),
    sent_time: sentTime(reading, header),
    prescriber_order_number: shortText(reading, header, "prescriber_order_number"),
    test_message: isYes(reading.text(header, paths.test_message, "envelope.test_message")),
    return_receipt: isAsked(reading.text(transaction, transactionPaths.return_receipt, "envelope.return_receipt")),
  };
  if (header === null) reading.refuse("010");
  else refuseUnusable(reading, envelope, header);
  return envelope;
}

/** "Yes" in the forms senders use. Anything else is not a yes. */
export function isYes(text: string | null): boolean {
  return text !== null && /^(y|yes|1|true)$/i.test(text);
}

/** Anything but "no", for fields that take codes (`Y`, `H`, `001`) and where a false yes is harmless. */
export function isAsked(text: string | null): boolean {
  return text !== null && !/^(n|no|0+|false)$/i.test(text);
}

/** The longest text we accept as a lookup key. */
export const LONGEST_ID = 255;
const STANDARD_ID_LENGTH = 35;

function refuseUnusable(reading: Reading, { message_id, from, to }: Envelope, header: XmlElement): void {
  if (message_id === null || message_id.length > LONGEST_ID) reading.refuse("025");
  else if (message_id.length > STANDARD_ID_LENGTH) reading.warn("message_id_long", child(header, "MessageID"));
  if (from === null || from.length > LONGEST_ID) reading.refuse("028");
  if (to === null || to.length > LONGEST_ID) reading.refuse("002");
}

function shortText(
  reading: Reading,
  header: XmlElement | null,
  name: "relates_to_message_id" | "prescriber_order_number",
): string | null {
  const hit = reading.hit(header, paths[name], `envelope.${name}`);
  if (hit === null || hit.text.length <= LONGEST_ID) return hit?.text ?? null;
  reading.warn("id_too_long", hit.element);
  return null;
}

function sentTime(reading: Reading, header: XmlElement | null): string | null {
  const hit = reading.hit(header, paths.sent_time, "envelope.sent_time");
  if (hit === null) return null;
  const time = instant(hit.text);
  if (time === null) reading.warn("sent_time_unreadable", hit.element);
  return time;
}

function partyOf(reading: Reading, header: XmlElement | null, name: "To" | "From") {
  const element = header === null ? null : child(header, name);
  if (element === null) return { id: null, qualifier: null };
  const field = `envelope.${name.toLowerCase()}`;
  const id = element.text === "" ? idWithin(element) : element;
  return {
    id: id === null ? null : reading.own(id, field),
    qualifier: reading.text(element, party.qualifier, `${field}_qualifier`),
  };
}

/** The preferred id at any depth: `<To><Pharmacy><Identification><NCPDPID>…`, `<From><Identifier>…`. */
function idWithin(element: XmlElement): XmlElement | null {
  const leaves = leavesOf(element).filter(({ name }) => name !== "Qualifier");
  for (const wanted of party.id) {
    const leaf = leaves.find(({ name }) => name === wanted);
    if (leaf !== undefined) return leaf;
  }
  return leaves[0] ?? null;
}

function leavesOf(element: XmlElement): XmlElement[] {
  return element.children.flatMap((next) => (next.text === "" ? leavesOf(next) : [next, ...leavesOf(next)]));
}

/** Older networks write a pharmacy's id as an email address: `mailto:9900017.ncpdp@…`. */
function mailboxOf(id: string | null): string | null {
  return id === null ? null : (/^mailto:(\w+)\.ncpdp@/i.exec(id)?.[1] ?? id);
}

/** A message without a receiver can still name its pharmacy. */
function pharmacyOf(reading: Reading, transaction: XmlElement | null): string | null {
  const hit = reading.hit(transaction, transactionPaths.pharmacy_id, "envelope.to");
  if (hit !== null) reading.warn("receiver_from_pharmacy", hit.element);
  return hit?.text ?? null;
}
