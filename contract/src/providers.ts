/**
 * The outside services of a pharmacy, by kind. One setting per kind names the provider for production accounts. The
 * sandbox always uses the simulators, and production uses one only if the operator names it.
 */
export const providerKinds = {
  payments: {
    setting: "PAYMENTS",
    title: "Payments",
    meaning: "Charges the cards of patients who pay for their orders.",
    choices: ["stripe", "simulated", "none"],
    /** What happens in production without a provider. */
    missing: "Pestle refuses orders that the patient pays.",
  },
  carrier: {
    setting: "CARRIER",
    title: "Carrier",
    meaning: "Makes shipping labels and tracks parcels.",
    choices: ["easypost", "manual", "simulated", "none"],
    missing: "Orders without a label from the partner stay at the packing stage.",
  },
  addresses: {
    setting: "ADDRESSES",
    title: "Addresses",
    meaning: "Verifies shipping addresses. The built-in ZIP tables check every address first.",
    choices: ["easypost", "none"],
    missing: "Only the built-in ZIP tables check addresses.",
  },
  mail: {
    setting: "MAIL",
    title: "Email",
    meaning: "Sends notices to partners, staff and patients.",
    choices: ["smtp", "none"],
    missing: "Pestle sends no email.",
  },
  sms: {
    setting: "SMS",
    title: "Text messages",
    meaning: "Sends notices to patients who agreed to text messages.",
    choices: ["twilio", "simulated", "none"],
    missing: "Pestle sends no text messages.",
  },
} as const;

export type ProviderKind = keyof typeof providerKinds;
export type ProviderChoice<Kind extends ProviderKind = ProviderKind> = (typeof providerKinds)[Kind]["choices"][number];
export const PROVIDER_KINDS = Object.keys(providerKinds) as readonly ProviderKind[];

/** The outside services that Pestle calls, and their settings. */
export const providers = {
  stripe: {
    title: "Stripe",
    key_setting: "STRIPE_SECRET_KEY",
    settings: ["STRIPE_SECRET_KEY", "STRIPE_WEBHOOK_SECRET"],
    webhook_path: "/providers/stripe/webhook",
    /** Keys that charge no real card. */
    test_key: /^(sk|rk)_test_/,
  },
  easypost: {
    title: "EasyPost",
    key_setting: "EASYPOST_API_KEY",
    settings: ["EASYPOST_API_KEY", "EASYPOST_WEBHOOK_SECRET"],
    webhook_path: "/providers/easypost/webhook",
    /** Keys whose labels no carrier accepts. */
    test_key: /^EZTK/,
  },
  twilio: {
    title: "Twilio",
    key_setting: "TWILIO_AUTH_TOKEN",
    settings: ["TWILIO_ACCOUNT_SID", "TWILIO_AUTH_TOKEN", "TWILIO_FROM"],
    webhook_path: "/providers/twilio/messages",
    /** Named in each message; no one enters it. */
    report_path: "/providers/twilio/status",
    test_key: null,
  },
  smtp: {
    title: "SMTP",
    key_setting: null,
    settings: ["SMTP_URL", "MAIL_FROM"],
    /** Takes email that came back, if MAIL_BOUNCE_TOKEN is set. */
    webhook_path: "/providers/mail/bounce",
    test_key: null,
  },
} as const;
export type ProviderName = keyof typeof providers;
export const PROVIDER_NAMES = Object.keys(providers) as readonly ProviderName[];
