import { openProviderClient, type ProviderAnswer, ProviderUnavailable } from "../../providers/provider-client.ts";
import type { ProviderWatch } from "../../providers/provider-watch.ts";
import type { Sms, SmsAnswer } from "../sms.ts";
import { isSignedByTwilio } from "./twilio-signature.ts";

/** Twilio keeps its own list of numbers that replied STOP. */
const OPTED_OUT = 21610;
/** The request never reached Twilio, or Twilio said that it did nothing with it. */
const NOTHING_HAPPENED = new Set(["breaker_open", "econnrefused", "enotfound", "eai_again", "http_429"]);

/** Text messages through Twilio's messages API. It has no idempotency keys, so `send` asks once, and `find` looks back. */
export function openTwilio(options: {
  account_sid: string;
  auth_token: string;
  from: string;
  base_url: string;
  timeout_ms?: number;
  watch: ProviderWatch;
  ticks: () => number;
  now: () => Date;
}): Sms {
  const { account_sid, auth_token, from, base_url, watch, ticks, now, timeout_ms } = options;
  const client = openProviderClient({
    ...{ provider: "twilio" as const, base_url, watch, ticks, now },
    ...(timeout_ms !== undefined && { timeout_ms }),
    headers: { authorization: `Basic ${Buffer.from(`${account_sid}:${auth_token}`).toString("base64")}` },
  });
  const account = `/2010-04-01/Accounts/${account_sid}`;
  return {
    provider: "twilio",
    async send({ to, text, report_to, about }) {
      const sender = from.startsWith("MG") ? { MessagingServiceSid: from } : { From: from };
      const form = new URLSearchParams({ To: `+1${to}`, ...sender, Body: text, StatusCallback: report_to });
      try {
        const answer = await client.call({
          ...{ method: "POST", path: `${account}/Messages.json`, form, about, what: "send text message" },
        });
        return sendAnswer(answer);
      } catch (error) {
        if (!(error instanceof ProviderUnavailable)) throw error;
        return { kind: NOTHING_HAPPENED.has(error.cause_code) ? "not_sent" : "lost", code: error.cause_code };
      }
    },
    async find({ to, text }, since) {
      // Twilio filters by whole days in UTC. A message of the same text to this number is the one: no notice repeats.
      const query = new URLSearchParams({
        ...{ To: `+1${to}`, "DateSent>": since.toISOString().slice(0, 10), PageSize: "100" },
      });
      const path = `${account}/Messages.json?${query}`;
      try {
        const { status, body } = await client.call({ method: "GET", path, what: "find text message" });
        const { messages } = (body ?? {}) as { messages?: unknown };
        if (status !== 200 || !Array.isArray(messages)) return undefined;
        const found = (messages as TwilioMessage[]).find(
          (one) => one.body === text && Date.parse(String(one.date_created)) >= since.getTime() - SKEW_MS,
        );
        return typeof found?.sid === "string" ? found.sid : null;
      } catch (error) {
        if (error instanceof ProviderUnavailable) return undefined;
        throw error;
      }
    },
    async check() {
      const { status, body } = await client.call({ method: "GET", path: `${account}.json`, what: "check the key" });
      if (status === 401 || status === 403)
        throw new Error("Twilio refused TWILIO_ACCOUNT_SID with TWILIO_AUTH_TOKEN.");
      const { status: standing } = (body ?? {}) as { status?: unknown };
      if (status !== 200) throw new Error(`Twilio answered ${status}.`);
      if (standing !== "active") throw new Error("The Twilio account is not active.");
      return "Twilio accepts the key, and the account is active.";
    },
    signed: (call) => isSignedByTwilio(auth_token, call),
    close: () => client.close(),
  };
}

type TwilioMessage = { sid?: unknown; body?: unknown; date_created?: unknown };
/** Twilio's times have whole seconds and its own clock. */
const SKEW_MS = 120_000;

function sendAnswer({ status, body }: ProviderAnswer): SmsAnswer {
  const { sid, code } = (body ?? {}) as { sid?: unknown; code?: unknown };
  if (status < 300) {
    return typeof sid === "string" ? { kind: "sent", provider_id: sid } : { kind: "lost", code: "garbage" };
  }
  // Wrong credentials are the operator's to mend, and the message can go out afterwards.
  if (status === 401 || status === 403) return { kind: "not_sent", code: `http_${status}` };
  return {
    kind: "refused",
    code: /^\d{1,6}$/.test(String(code)) ? String(code) : `http_${status}`,
    opted_out: code === OPTED_OUT,
  };
}
