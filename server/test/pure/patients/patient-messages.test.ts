import {
  helpText,
  noticeChannelNames,
  noticeFrames,
  noticeLanguages,
  optOutWords,
  patientNoticeNames,
  patientNotices,
} from "@pestle/contract";
import { describe, expect, test } from "vitest";
import { isSignedByTwilio, twilioSignature } from "../../../src/adapters/messages/twilio/twilio-signature.ts";
import { decideMessage, type MessageFacts } from "../../../src/domain/patients/decide-message.ts";
import { nextMessageTime } from "../../../src/domain/patients/message-hours.ts";
import { messagingOf, messagingProblems } from "../../../src/domain/patients/messaging.ts";
import { noticeText } from "../../../src/domain/patients/notice-text.ts";
import { optOutWord } from "../../../src/domain/patients/opt-out-word.ts";

const slots = { pharmacy: "Larkspur Pharmacy", phone: "(207) 555-0142", link: "https://carrier.example/9" };
const noon = new Date("2026-11-18T20:00:00.000Z");
const facts: MessageFacts = {
  notice: "order_shipped",
  channel: "sms",
  created_at: noon,
  record: {
    email: "rosa@mail.example",
    phone: "4155550134",
    addresses: [],
    messaging: { email: true, sms: true, consented_at: "2026-11-01T00:00:00.000Z", language: "en" },
  },
  order_status: "Shipped",
  ship_state: "CA",
  tracking_url: slots.link,
  opted_out: false,
  sent_in_a_day: 0,
};
const given = { now: noon, hours: "08:00-21:00", pharmacy: slots, provided: true };

describe("the texts", () => {
  const all = patientNoticeNames.flatMap((notice) =>
    noticeLanguages.flatMap((language) => noticeChannelNames.map((channel) => ({ notice, language, channel }))),
  );
  test("have room for the pharmacy, its phone number and the carrier's page, and for nothing else", () => {
    const texts = [
      ...patientNoticeNames.flatMap((notice) =>
        noticeLanguages.flatMap((language) => Object.values(patientNotices[notice].texts[language])),
      ),
      ...noticeLanguages.flatMap((language) => Object.values(noticeFrames[language])),
      helpText,
    ];
    const named = new Set(texts.flatMap((text) => [...text.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)));
    expect([...named].sort()).toEqual(["link", "pharmacy", "phone", "text"]);
  });
  test.each(all)("$notice by $channel in $language is complete", ({ notice, language, channel }) => {
    const { subject, text } = noticeText(notice, channel, language, slots);
    expect(`${subject} ${text}`).not.toMatch(/[{}]/);
    expect(text).toContain(slots.pharmacy);
    expect(subject).toContain(slots.pharmacy);
    if (channel === "sms") expect(text).toContain("STOP");
  });
  test("a carrier without a page leaves its sentence out", () => {
    const { text } = noticeText("order_shipped", "sms", "en", { ...slots, link: null });
    expect(text).toBe("Larkspur Pharmacy: Your order has shipped. Reply STOP to opt out.");
  });
});

describe("the decision right before an attempt", () => {
  const decide = (more: Partial<MessageFacts>, also: Partial<typeof given> = {}) =>
    decideMessage({ ...facts, ...more }, { ...given, ...also });
  const { messaging } = facts.record;
  test("a patient with consent gets the text", () => {
    expect(decide({})).toEqual({
      kind: "send",
      content: {
        to: "4155550134",
        subject: "Larkspur Pharmacy: Your order has shipped",
        text: "Larkspur Pharmacy: Your order has shipped. Track it: https://carrier.example/9 Reply STOP to opt out.",
      },
    });
    expect(decide({ channel: "email" })).toMatchObject({ content: { to: "rosa@mail.example" } });
  });
  test.each([
    ["no_consent", { record: { ...facts.record, messaging: { ...messaging!, sms: false } } }, {}],
    ["no_consent", { record: { email: null, phone: "4155550134", addresses: [] } }, {}],
    ["no_contact", { record: { ...facts.record, phone: null } }, {}],
    ["opted_out", { opted_out: true }, {}],
    ["no_provider", {}, { provided: false }],
    ["outdated", { order_status: "Delivered" as const }, {}],
    ["outdated", { notice: "order_delayed" as const }, {}],
    ["too_late", { created_at: new Date(noon.getTime() - 25 * 3_600_000) }, {}],
    ["too_many", { sent_in_a_day: 4 }, {}],
  ])("%s", (reason, more, also) => {
    expect(decide(more, also)).toEqual({ kind: "suppress", reason });
  });
  test("a text message waits for the morning of the patient's state; an email does not", () => {
    const night = { created_at: new Date("2026-11-19T06:00:00.000Z") };
    const now = { now: night.created_at };
    expect(decide(night, now)).toEqual({ kind: "wait", until: new Date("2026-11-19T16:00:00.000Z") });
    expect(decide({ ...night, channel: "email" }, now).kind).toBe("send");
  });
});

describe("quiet hours", () => {
  const next = (now: string, state: string | null, hours = "08:00-21:00") =>
    nextMessageTime(new Date(now), state, hours)?.toISOString();
  test.each([
    ["at 8:00 sharp", "2026-11-18T13:00:00.000Z", "ME", "2026-11-18T13:00:00.000Z"],
    ["a second before 8:00", "2026-11-18T12:59:59.000Z", "ME", "2026-11-18T13:00:00.000Z"],
    ["a second before 21:00", "2026-11-19T01:59:59.000Z", "ME", "2026-11-19T01:59:59.000Z"],
    ["at 21:00 sharp", "2026-11-19T02:00:00.000Z", "ME", "2026-11-19T13:00:00.000Z"],
    ["in summer", "2026-07-18T11:59:00.000Z", "ME", "2026-07-18T12:00:00.000Z"],
    ["in Hawaii", "2026-11-18T13:00:00.000Z", "HI", "2026-11-18T18:00:00.000Z"],
    ["in both zones of Florida, in the morning", "2026-11-18T13:30:00.000Z", "FL", "2026-11-18T14:00:00.000Z"],
    ["in both zones of Florida, in the evening", "2026-11-19T02:30:00.000Z", "FL", "2026-11-19T14:00:00.000Z"],
    [
      "in an unknown state, where Hawaii and Maine both allow it",
      "2026-11-18T13:00:00.000Z",
      null,
      "2026-11-18T18:00:00.000Z",
    ],
    ["for the armed forces abroad, the same", "2026-11-18T13:00:00.000Z", "AE", "2026-11-18T18:00:00.000Z"],
  ])("%s", (_, now, state, expected) => {
    expect(next(now, state)).toBe(expected);
  });
  test("hours that the zones of a state do not share are never", () => {
    expect(next("2026-11-18T13:00:00.000Z", "FL", "08:00-08:30")).toBeUndefined();
  });
});

describe("consent", () => {
  const now = noon;
  test("replaces what was on file, and needs its time", () => {
    expect(messagingOf({})).toEqual({ email: false, sms: false, consented_at: null, language: "en" });
    expect(messagingProblems({ sms: true }, [], now)).toMatchObject([
      { field: "messaging.consented_at", problem: "missing" },
    ]);
    expect(messagingProblems({ sms: false }, [], now)).toEqual([]);
    const later = new Date(now.getTime() + 1000).toISOString();
    expect(messagingProblems({ sms: true, consented_at: later }, [], now)).toMatchObject([{ problem: "not_allowed" }]);
    expect(messagingProblems({ sms: true, consented_at: now.toISOString() }, [], now)).toEqual([]);
  });
});

test("opt-out words count alone, in any case and with any punctuation", () => {
  for (const [meaning, words] of Object.entries(optOutWords))
    for (const word of words) {
      expect(optOutWord(word)).toBe(meaning);
      expect(optOutWord(` ${word.toLowerCase()}! `)).toBe(meaning);
    }
  expect(optOutWord("please stop by my house")).toBeNull();
  expect(optOutWord("")).toBeNull();
});

test("the signature is the one of Twilio's documentation, and any other text has another one", () => {
  const url = "https://mycompany.com/myapp.php?foo=1&bar=2";
  const form = new URLSearchParams({
    ...{ CallSid: "CA1234567890ABCDE", Caller: "+12349013030", Digits: "1234" },
    ...{ From: "+12349013030", To: "+18005551212" },
  });
  const signature = "0/KCTR6DLpKmkAf8muzZqo1nDgQ=";
  expect(twilioSignature("12345", url, form)).toBe(signature);
  expect(isSignedByTwilio("12345", { url, form, signature })).toBe(true);
  expect(isSignedByTwilio("12346", { url, form, signature })).toBe(false);
  expect(isSignedByTwilio("12345", { url: `${url}&x=1`, form, signature })).toBe(false);
  expect(isSignedByTwilio("12345", { url, form: new URLSearchParams("Digits=1"), signature })).toBe(false);
  expect(isSignedByTwilio("12345", { url, form, signature: "" })).toBe(false);
});
