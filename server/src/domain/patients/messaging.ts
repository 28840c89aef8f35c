import {
  type MessagingInput,
  type NoticeChannel,
  noMessaging,
  noticeChannelNames,
  type PatientMessaging,
} from "@pestle/contract";
import type { Problem } from "../values/refusals.ts";
import type { PatientRecord } from "./patient-record.ts";

/** The consent as stored. It replaces the earlier one, so a channel that is missing ends. */
export function messagingOf({ email = false, sms = false, consented_at, language }: MessagingInput): PatientMessaging {
  const agreed = email || sms;
  return { email, sms, consented_at: agreed ? consented_at! : null, language: language ?? noMessaging.language };
}

/** Consent counts only with the time at which the patient gave it. */
export function messagingProblems(sent: MessagingInput | undefined, known: readonly Problem[], now: Date): Problem[] {
  const field = "messaging.consented_at";
  if (sent === undefined || known.some((problem) => problem.field === field)) return [];
  const { email = false, sms = false, consented_at } = sent;
  if (consented_at === undefined) return email || sms ? [{ code: 42200, field, problem: "missing" }] : [];
  return new Date(consented_at) > now ? [{ code: 42200, field, problem: "not_allowed", message: IN_FUTURE }] : [];
}
const IN_FUTURE = "Send the time at which the patient agreed. It must not be in the future.";

/** The channels that the patient agreed to. */
export const channelsOf = ({ messaging = noMessaging }: Pick<PatientRecord, "messaging">): NoticeChannel[] =>
  noticeChannelNames.filter((channel) => messaging[channel]);
