import { boolean, named, nullable, object, oneOf, partial, type Static, time } from "../schema.ts";

/*
 * What Pestle tells patients, and how. Pestle writes to no patient without the consent that the partner passed, and no text
 * has room for the name of a drug, a person or a partner.
 */

export const noticeChannels = {
  email: "Email",
  sms: "Text message",
} as const;
export type NoticeChannel = keyof typeof noticeChannels;
export const noticeChannelNames = Object.keys(noticeChannels) as [NoticeChannel, ...NoticeChannel[]];

export const noticeLanguages = ["en", "es"] as const;
export type NoticeLanguage = (typeof noticeLanguages)[number];

type NoticeText = { readonly subject: string; readonly text: string };
export type NoticeRow = {
  readonly name: string;
  /** When the patient gets it. */
  readonly when: string;
  readonly texts: Readonly<Record<NoticeLanguage, NoticeText>>;
};

/**
 * The notices. The texts name nothing but `{pharmacy}`, `{phone}` and `{link}`, the carrier's page of the parcel. A sentence
 * with `{link}` is left out if the carrier has no page.
 */
export const patientNotices = {
  order_shipped: {
    name: "Order shipped",
    when: "The parcel is with the carrier.",
    texts: {
      en: { subject: "Your order has shipped", text: "Your order has shipped. Track it: {link}" },
      es: { subject: "Su pedido fue enviado", text: "Su pedido fue enviado. Rastréelo: {link}" },
    },
  },
  order_delivered: {
    name: "Order delivered",
    when: "The carrier has delivered the parcel.",
    texts: {
      en: { subject: "Your order was delivered", text: "Your order was delivered. Questions? Call {phone}." },
      es: { subject: "Su pedido fue entregado", text: "Su pedido fue entregado. ¿Preguntas? Llame al {phone}." },
    },
  },
  order_delayed: {
    name: "Order delayed",
    when: "The order has been on hold for 24 hours.",
    texts: {
      en: {
        subject: "Your order is delayed",
        text: "Your order is delayed. We are working on it. Questions? Call {phone}.",
      },
      es: {
        subject: "Su pedido está demorado",
        text: "Su pedido está demorado. Estamos trabajando en ello. ¿Preguntas? Llame al {phone}.",
      },
    },
  },
} as const satisfies Record<string, NoticeRow>;
export type PatientNotice = keyof typeof patientNotices;
export const patientNoticeNames = Object.keys(patientNotices) as [PatientNotice, ...PatientNotice[]];

/** What surrounds every text. The subject of an email starts with the name too. */
export const noticeFrames: Readonly<Record<NoticeLanguage, Readonly<Record<NoticeChannel, string>>>> = {
  en: {
    sms: "{pharmacy}: {text} Reply STOP to opt out.",
    email:
      "{text}\n\n{pharmacy}\n{phone}\n\nYou agreed to email about your orders. To stop it, contact the service where you ordered. Please do not reply to this message.",
  },
  es: {
    sms: "{pharmacy}: {text} Responda STOP para no recibir más mensajes.",
    email:
      "{text}\n\n{pharmacy}\n{phone}\n\nUsted aceptó recibir correos sobre sus pedidos. Para no recibirlos más, avise al servicio donde hizo el pedido. Por favor, no responda a este mensaje.",
  },
};

/** The answer to HELP. */
export const helpText =
  "{pharmacy}: notices about your orders. Call {phone} for help. Reply STOP to opt out. / Avisos sobre sus pedidos. Ayuda: {phone}. Responda STOP para no recibir más mensajes.";

/** Words that a patient texts, alone and in any case. */
export const optOutWords = {
  stop: ["STOP", "STOPALL", "UNSUBSCRIBE", "CANCEL", "END", "QUIT"],
  start: ["START", "UNSTOP", "YES"],
  help: ["HELP", "INFO"],
} as const;
export type OptOutWord = keyof typeof optOutWords;

export const noticeStates = {
  queued: "waiting to be sent",
  sending: "being sent",
  sent: "sent",
  delivered: "delivered",
  failed: "not delivered",
  unknown: "may have been sent; it is not sent again",
  suppressed: "not sent",
} as const;
export type NoticeState = keyof typeof noticeStates;
export const noticeStateNames = Object.keys(noticeStates) as [NoticeState, ...NoticeState[]];

/** Why a notice was not sent. */
export const suppressions = {
  no_consent: "the patient's consent ended",
  no_contact: "the patient has no such address or number",
  opted_out: "the patient replied STOP",
  outdated: "the order went on before it could be sent",
  too_late: "it could not be sent within a day",
  too_many: "the patient has received the most messages of a day",
  no_provider: "the pharmacy has no provider for it",
} as const;
export type Suppression = keyof typeof suppressions;

/** A message as staff and partners see it, without the recipient and the text. Times are ISO 8601. */
export type ShownPatientMessage = {
  at: string;
  notice: PatientNotice;
  channel: NoticeChannel;
  state: NoticeState;
  /** Why it was not sent or not delivered: a key of `suppressions`, or a code of the provider. */
  reason: string | null;
  /** True if no one received it, as in the sandbox. */
  simulated: boolean;
};

/** At most this many messages by each channel to one patient in 24 hours. */
export const MOST_NOTICES_PER_DAY = 4;

const language = oneOf(noticeLanguages, { default: "en", description: "The language of the messages." });

/** `messaging` of `PATCH /patients/{patient_id}`. It replaces what was on file. */
export const MessagingInput = named(
  "MessagingInput",
  partial(
    {
      email: boolean("The patient agreed to email about orders. Without it: false."),
      sms: boolean("The patient agreed to text messages about orders. Without it: false."),
      consented_at: time("When the patient agreed. Required with `email` or `sms`. Not in the future."),
      language,
    },
    { description: "The patient's consent to messages of the pharmacy. It replaces the consent on file." },
  ),
);
export type MessagingInput = Static<typeof MessagingInput>;

/** A patient without consent has neither channel. */
export const PatientMessaging = named(
  "PatientMessaging",
  object({
    email: boolean("The patient agreed to email about orders."),
    sms: boolean("The patient agreed to text messages about orders."),
    consented_at: nullable(time("When the patient agreed. Null without consent.")),
    language,
  }),
);
export type PatientMessaging = Static<typeof PatientMessaging>;
export const noMessaging: PatientMessaging = { email: false, sms: false, consented_at: null, language: "en" };
