import { choice, file, matching, type Setting, secureUrl, type Values, whole } from "@pestle/cli/setting";
import {
  PROVIDER_KINDS,
  type ProviderChoice,
  type ProviderKind,
  type ProviderName,
  providerKinds,
  providers,
} from "@pestle/contract";
import { HOURS_PATTERN } from "./domain/patients/message-hours.ts";

/** The settings of outside services: who serves production accounts, and with which keys. A part of the table in config.ts. */
export const providerSettings = {
  SMTP_URL: {
    default: "",
    meaning: "Mail server for notices to partners, such as a disabled webhook endpoint. If unset, Pestle sends none.",
    fix: "smtp://user:password@host:587 or smtps://user:password@host:465",
    secret: true,
    parse: (value: string) => matching(/^$|^smtps?:\/\/([^\s/@]+@)?[^\s/@?#]+$/, value),
  },
  MAIL_FROM: {
    default: "",
    meaning: "Sender address of notices. Required with SMTP_URL.",
    fix: "an email address",
    parse: (value: string) => matching(/^$|^[^\s@<>]+@[^\s@<>]+$/, value),
  },
  MAIL_BOUNCE_TOKEN: {
    default: "",
    meaning: `Bearer token with which your mail server posts returned email to <BASE_URL>${providers.smtp.webhook_path}. If unset, Pestle does not learn of email that comes back later.`,
    fix: "at least 16 visible ASCII characters",
    secret: true,
    parse: (value: string) => matching(/^$|^[\x21-\x7e]{16,}$/, value),
  },
  DKIM_DOMAIN: {
    default: "",
    meaning: "Domain that signs email to patients (DKIM). Requires DKIM_SELECTOR and DKIM_KEY_FILE.",
    fix: "a domain name, such as larkspur.example",
    parse: (value: string) => matching(/^$|^[A-Za-z0-9.-]{1,253}$/, value),
  },
  DKIM_SELECTOR: {
    default: "",
    meaning: "Selector of the DKIM key: its public half is in the DNS as <selector>._domainkey.<domain>.",
    fix: "1 to 63 letters, digits, dots, dashes and underscores",
    parse: (value: string) => matching(/^$|^[A-Za-z0-9._-]{1,63}$/, value),
  },
  DKIM_KEY_FILE: file("PEM", "PEM private key of the DKIM signature."),
  PAYMENTS: provider("payments"),
  CARRIER: provider("carrier"),
  ADDRESSES: provider("addresses"),
  MAIL: provider("mail"),
  SMS: provider("sms"),
  STRIPE_SECRET_KEY: secret(
    "Secret key of your Stripe account, for PAYMENTS=stripe. A live key: production refuses test keys.",
  ),
  STRIPE_WEBHOOK_SECRET: secret(
    `Signing secret of the Stripe webhook endpoint <BASE_URL>${providers.stripe.webhook_path}.`,
  ),
  STRIPE_API_BASE: apiBase("https://api.stripe.com", "Stripe"),
  EASYPOST_API_KEY: secret(
    "Production API key of your EasyPost account, for CARRIER=easypost and ADDRESSES=easypost. Production refuses test keys.",
  ),
  EASYPOST_WEBHOOK_SECRET: secret(`Secret of the EasyPost webhook <BASE_URL>${providers.easypost.webhook_path}.`),
  EASYPOST_API_BASE: apiBase("https://api.easypost.com", "EasyPost"),
  EASYPOST_LABEL_FORMAT: choice("PDF", ["PDF", "PNG", "ZPL"], "Format of the labels that Pestle buys from EasyPost."),
  PARCEL_SIZE: {
    default: "9x6x3",
    meaning:
      "Usual size of a parcel in whole inches, for postage: length, width and height. `pestle catalogue services` sets another size for a shipping method.",
    fix: "length, width and height in inches, such as 9x6x3",
    parse: (value: string) => matching(/^[1-9]\d?x[1-9]\d?x[1-9]\d?$/, value),
  },
  PARCEL_WEIGHT_OZ: whole("8", 1, 1120, "Usual weight of a parcel in ounces, for postage."),
  TWILIO_ACCOUNT_SID: {
    default: "",
    meaning: "Account SID of your Twilio account, for SMS=twilio.",
    fix: "AC and 32 hexadecimal digits",
    parse: (value: string) => matching(/^$|^AC[0-9a-f]{32}$/, value),
  },
  TWILIO_AUTH_TOKEN: secret("Auth token of your Twilio account. It also verifies Twilio's callbacks."),
  TWILIO_FROM: {
    default: "",
    meaning: "Phone number or messaging service that sends text messages.",
    fix: "a number such as +12075550142, or MG and 32 hexadecimal digits",
    parse: (value: string) => matching(/^$|^\+[1-9]\d{7,14}$|^MG[0-9a-f]{32}$/, value),
  },
  TWILIO_API_BASE: apiBase("https://api.twilio.com", "Twilio"),
  SMS_HOURS: {
    default: "08:00-21:00",
    meaning:
      "Local hours in which patients get text messages, by the time zones of the state that the order ships to. Others wait. The default is the federal rule for calls and texts (47 CFR 64.1200).",
    fix: "two times with a dash, such as 09:00-20:00",
    parse: (value: string) => {
      const [from, to] = value.split("-");
      return HOURS_PATTERN.test(value) && from! < to! ? value : undefined;
    },
  },
} satisfies Record<string, Setting>;

type ProviderConfig = Values<typeof providerSettings>;

/** What is wrong with the settings taken together; undefined if nothing is. */
export function providerFault(config: ProviderConfig): string | undefined {
  if ((config.SMTP_URL === "") !== (config.MAIL_FROM === ""))
    return "SMTP_URL and MAIL_FROM belong together. Set both or neither.";
  for (const kind of PROVIDER_KINDS) {
    const { setting } = providerKinds[kind];
    const name = chosenProvider(config, kind);
    if (name === null || !isProviderName(name)) continue;
    const { title, settings: needed, test_key, key_setting } = providers[name];
    const lacks = needed.find((one) => config[one] === "");
    if (lacks !== undefined) return `${setting}=${name} requires ${lacks}. ${providerSettings[lacks].meaning}`;
    if (key_setting !== null && test_key?.test(config[key_setting]))
      return `${key_setting} is a test key, and ${setting}=${name} is for production accounts. Use ${title}'s live key; the sandbox uses the simulator.`;
  }
  const dkim = [config.DKIM_DOMAIN, config.DKIM_SELECTOR, config.DKIM_KEY_FILE].filter((value) => value !== "").length;
  if (dkim === 1 || dkim === 2)
    return "DKIM_DOMAIN, DKIM_SELECTOR and DKIM_KEY_FILE belong together. Set all three or none.";
  return undefined;
}

/** The provider that a setting names for production accounts; null if it names none. */
export function chosenProvider(config: ProviderConfig, kind: ProviderKind): ProviderChoice | null {
  const chosen = config[providerKinds[kind].setting];
  if (chosen === "" && kind === "mail" && config.SMTP_URL !== "") return "smtp";
  return chosen === "" ? null : chosen;
}

const isProviderName = (name: string): name is ProviderName => name in providers;

/** The setting that names the provider of a kind for production accounts. */
function provider<Kind extends ProviderKind>(kind: Kind) {
  const { choices, meaning, missing } = providerKinds[kind];
  const values = ["", ...choices] as readonly ("" | ProviderChoice<Kind>)[];
  const named = choices.map((name) => `\`${name}\``).join(", ");
  const unset = kind === "mail" ? "Unset: `smtp` if SMTP_URL is set." : `Unset: ${missing}`;
  return choice("", values, `Provider for production accounts: ${named}. ${meaning} ${unset}`);
}

function secret(meaning: string) {
  const parse = (value: string) => matching(/^[\x21-\x7e]{0,500}$/, value);
  return { default: "", meaning, fix: "the value that the provider showed, without spaces", secret: true, parse };
}

function apiBase(fallback: string, name: string) {
  const meaning = `Address of ${name}'s API. Change it only for a proxy. Plain http only on loopback.`;
  return { default: fallback, meaning, fix: "an https URL without a trailing slash", parse: secureUrl };
}
