import { helpText } from "@pestle/contract";
import { reportPatientMessage } from "../../db/patients/patient-messages.ts";
import { insertSmsChoice, SMS_CHOICE_PLACE } from "../../db/patients/sms-choices.ts";
import type { Deps } from "../../deps.ts";
import { filled, shownPhone } from "../../domain/patients/notice-text.ts";
import { optOutWord } from "../../domain/patients/opt-out-word.ts";
import { northAmericanPhone } from "../../domain/values/address/phone.ts";
import { isUuid } from "../../domain/values/identifiers.ts";
import { tellUndelivered } from "../patients/send-patient-messages.ts";

/** What Twilio's words for the state of a message mean to us. Others say nothing new. */
const states: Readonly<Record<string, "sent" | "delivered" | "failed">> = {
  accepted: "sent",
  scheduled: "sent",
  queued: "sent",
  sending: "sent",
  sent: "sent",
  delivered: "delivered",
  read: "delivered",
  undelivered: "failed",
  failed: "failed",
};

/** Twilio's id of a message. */
const SID = /^(SM|MM)[0-9a-f]{32}$/;

/** Takes a report about a text message. False if it names none of ours. */
export async function takeTwilioReport(
  deps: Pick<Deps, "db" | "now">,
  { account_id, message_id }: { account_id: string; message_id: string },
  report: { status: string; provider_id: string; error_code: string | null },
): Promise<boolean> {
  const state = states[report.status];
  if (state === undefined || !isUuid(message_id) || !SID.test(report.provider_id)) return false;
  const reason =
    state === "failed" ? `twilio_${/^\d{1,6}$/.test(report.error_code ?? "") ? report.error_code : "0"}` : null;
  const changed = await reportPatientMessage(deps.db, account_id, message_id, { ...report, state, reason });
  if (changed === undefined) return false;
  const { order_number } = changed;
  if (state === "failed") await tellUndelivered(deps, { account_id, order_number }, deps.now());
  return true;
}

/** Takes a text message of a patient. Returns what to answer; null for nothing, because Twilio confirms STOP and START itself. */
export async function takePatientText(
  deps: Pick<Deps, "db" | "vault" | "now" | "config">,
  message: { from: string; text: string; provider_id: string },
): Promise<string | null> {
  const word = optOutWord(message.text);
  const phone = northAmericanPhone(message.from);
  if (word === null || phone === null || !SID.test(message.provider_id)) return null;
  if (word === "help") {
    const { PHARMACY_NAME: pharmacy, PHARMACY_PHONE } = deps.config;
    return filled(helpText, { pharmacy, phone: shownPhone(PHARMACY_PHONE) });
  }
  const index = deps.vault.layeredIndex(phone, SMS_CHOICE_PLACE);
  await insertSmsChoice(deps.db, index, message.provider_id, word, deps.now());
  return null;
}
