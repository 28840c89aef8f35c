import {
  type NoticeChannel,
  type NoticeLanguage,
  noticeFrames,
  type PatientNotice,
  patientNotices,
} from "@pestle/contract";

/** All that a text can name. */
export type NoticeSlots = { pharmacy: string; phone: string; link: string | null };

/** The subject and the text of a notice. Only an email shows the subject. */
export function noticeText(
  notice: PatientNotice,
  channel: NoticeChannel,
  language: NoticeLanguage,
  slots: NoticeSlots,
): { subject: string; text: string } {
  const row = patientNotices[notice].texts[language];
  const text = filled(slots.link === null ? withoutLink(row.text) : row.text, slots);
  return {
    subject: `${slots.pharmacy}: ${row.subject}`,
    text: filled(noticeFrames[language][channel], { ...slots, text }),
  };
}

/** (207) 555-0142 */
export const shownPhone = (digits: string) => digits.replace(/^(\d{3})(\d{3})(\d{4})$/, "($1) $2-$3");

export const filled = (text: string, slots: Readonly<Record<string, string | null>>) =>
  text.replaceAll(/\{(\w+)\}/g, (_, name: string) => slots[name] ?? "");

/** Without the sentence that names the link. */
const withoutLink = (text: string) =>
  text
    .split(/(?<=[.?!]) /)
    .filter((sentence) => !sentence.includes("{link}"))
    .join(" ");
