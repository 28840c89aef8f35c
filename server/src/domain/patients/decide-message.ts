import {
  MOST_NOTICES_PER_DAY,
  type NoticeChannel,
  noMessaging,
  type OrderStatus,
  type PatientNotice,
  type Suppression,
} from "@pestle/contract";
import { nextMessageTime } from "./message-hours.ts";
import { type NoticeSlots, noticeText } from "./notice-text.ts";
import type { PatientRecord } from "./patient-record.ts";

export type MessageFacts = {
  notice: PatientNotice;
  channel: NoticeChannel;
  created_at: Date;
  record: Pick<PatientRecord, "email" | "phone" | "addresses" | "messaging">;
  order_status: OrderStatus;
  /** Where the order goes. */
  ship_state: string | null;
  tracking_url: string | null;
  /** The holder of the number replied STOP. */
  opted_out: boolean;
  /** By this channel, to this patient, in the last 24 hours. */
  sent_in_a_day: number;
};

export type MessageContent = { to: string; subject: string; text: string };
export type MessageDecision =
  | { kind: "send"; content: MessageContent }
  | { kind: "wait"; until: Date }
  | { kind: "suppress"; reason: Suppression };

/** A notice that is older says nothing new. */
export const LATEST_MS = 24 * 3_600_000;

/** The states of an order in which each notice is still true. */
const stillTrue: Readonly<Record<PatientNotice, readonly OrderStatus[]>> = {
  order_shipped: ["Shipped"],
  order_delivered: ["Delivered"],
  order_delayed: ["On Hold"],
};

/** Decides right before each attempt, on the records of that moment: consent can end while a message is in the queue. */
export function decideMessage(
  facts: MessageFacts,
  given: { now: Date; hours: string; pharmacy: Pick<NoticeSlots, "pharmacy" | "phone">; provided: boolean },
): MessageDecision {
  const { notice, channel, record } = facts;
  const { messaging = noMessaging } = record;
  const suppress = (reason: Suppression): MessageDecision => ({ kind: "suppress", reason });
  if (!messaging[channel]) return suppress("no_consent");
  const to = channel === "email" ? record.email : record.phone;
  if (to === null) return suppress("no_contact");
  if (facts.opted_out) return suppress("opted_out");
  if (!given.provided) return suppress("no_provider");
  if (!stillTrue[notice].includes(facts.order_status)) return suppress("outdated");
  if (given.now.getTime() - facts.created_at.getTime() > LATEST_MS) return suppress("too_late");
  if (facts.sent_in_a_day >= MOST_NOTICES_PER_DAY) return suppress("too_many");
  if (channel === "sms") {
    const home = record.addresses.find((address) => address.default)?.state ?? null;
    const at = nextMessageTime(given.now, facts.ship_state ?? home, given.hours);
    if (at === null) return suppress("too_late");
    if (at > given.now) return { kind: "wait", until: at };
  }
  const slots = { ...given.pharmacy, link: facts.tracking_url };
  return { kind: "send", content: { to, ...noticeText(notice, channel, messaging.language, slots) } };
}
