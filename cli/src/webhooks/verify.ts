import {
  signingKey,
  standardWebhookHeaders,
  TIMESTAMP_TOLERANCE_S,
  verifyServiceSecret,
  verifyServiceSignature,
  verifyStandardSignature,
} from "@pestle/contract";
import { type PartnerOptions, partnerAccount, partnerOptions } from "../accounts/partner-account.ts";
import { CommandRefusal, WrongUsage } from "../errors.ts";
import { readBytes, readObject, readText } from "../files.ts";
import type { Output } from "../output.ts";
import type { CommandRow } from "../program.ts";
import { listenSecrets } from "./forward-event.ts";

type VerifyOptions = PartnerOptions & { headers: string; url?: string; endpoint?: string };
type Secrets = { url: string; webhook_secret: string; signing_secret: string };
type Check = { check: string; good: boolean; says: string };

/** Tells why a receiver refuses a delivery. It asks no service: the account's client secret is enough. */
export const verifyCommand: CommandRow = {
  name: "verify",
  summary: "check a webhook that your receiver got, and say what does not match",
  argument: ["body", "a file with the raw body, byte for byte"],
  options: [
    ["--headers <file>", "a file with the request's headers, one `name: value` per line", { required: true }],
    ["--endpoint <file>", "what `pestle webhooks add --json` printed (default: the secrets of `pestle listen`)"],
    ["--url <url>", "the URL as registered, or of `pestle listen --forward-to`"],
    ...partnerOptions,
  ],
  examples: [
    "verify body.json --headers headers.txt --url http://127.0.0.1:3000/hook",
    "verify body.json --headers headers.txt --endpoint endpoint.json",
  ],
  async run(options: VerifyOptions, file, env) {
    const body = readBytes(file).toString("utf8");
    const headers = headersIn(readText(options.headers));
    const { client_secret } = await partnerAccount(options, env);
    if (client_secret === "")
      throw new CommandRefusal("This needs the client secret, which the profile does not have.");
    const secrets = secretsOf(options, client_secret);
    return told(await checked(headers, body, client_secret, secrets, Date.now() / 1000));
  },
};

function secretsOf({ endpoint, url }: VerifyOptions, client_secret: string): Secrets {
  if (endpoint === undefined) {
    if (url === undefined) throw new WrongUsage("Give --url, or --endpoint.");
    return { url, ...listenSecrets(signingKey(client_secret)) };
  }
  const { url: registered, secret, signing_secret } = readObject(endpoint);
  if (typeof registered !== "string" || typeof secret !== "string" || typeof signing_secret !== "string") {
    throw new CommandRefusal("The file of --endpoint needs url, secret and signing_secret.");
  }
  return { url: url ?? registered, webhook_secret: secret, signing_secret };
}

export function headersIn(text: string): Map<string, string> {
  const lines = text.split(/\r?\n/).flatMap((line) => {
    const [, name, value] = /^([A-Za-z0-9-]+):[ \t]*(.*?)[ \t]*$/.exec(line) ?? [];
    return name === undefined ? [] : [[name.toLowerCase(), value!] as const];
  });
  return new Map(lines);
}

/** Each part of the two schemes by itself, so that the answer can say which one does not match. */
export async function checked(
  headers: ReadonlyMap<string, string>,
  body: string,
  client_secret: string,
  { url, webhook_secret, signing_secret }: Secrets,
  now_s: number,
): Promise<Check[]> {
  const [id, timestamp, standard] = (["id", "timestamp", "signature"] as const).map(
    (part) => headers.get(standardWebhookHeaders[part]) ?? "",
  ) as [string, string, string];
  const names = [...headers.keys()];
  const named = (part: string) =>
    headers.get(names.find((name) => new RegExp(`^x-.+-${part}$`).test(name)) ?? "") ?? "";
  const key = signingKey(client_secret);
  const age_s = Math.round(now_s - Number(timestamp));
  const presented = { id, timestamp, signature: standard };
  const signed = await verifyStandardSignature(
    signing_secret,
    presented,
    body,
    Number(timestamp),
    TIMESTAMP_TOLERANCE_S,
  );
  const secret = await verifyServiceSecret(key, webhook_secret, named("secret"));
  const service = await verifyServiceSignature(key, "POST", url, body, named("signature"));
  return [
    {
      check: standardWebhookHeaders.timestamp,
      good: Math.abs(age_s) <= TIMESTAMP_TOLERANCE_S,
      says: `It is ${Math.abs(age_s)} s from now. Receivers refuse more than ${TIMESTAMP_TOLERANCE_S} s, so a capture gets too old.`,
    },
    {
      check: standardWebhookHeaders.signature,
      good: signed,
      says: "The body is not the raw one, or the signing secret is of another endpoint.",
    },
    {
      check: "x-…-secret",
      good: secret,
      says: "The client secret or the webhook secret is of another credential or endpoint.",
    },
    {
      check: "x-…-signature",
      good: service,
      says: secret
        ? "The secrets are right, so the URL is not the registered one, or the body is not the raw one."
        : "The client secret does not match, or the URL or the body differs.",
    },
  ];
}

function told(checks: readonly Check[]): Output {
  const lines = checks.map(({ check, good, says }) => (good ? `✓ ${check}` : `✗ ${check}: ${says}`));
  const failed = checks.some(({ good }) => !good);
  const data = { verified: !failed, checks: checks.map(({ says, ...one }) => (one.good ? one : { ...one, says })) };
  return { data, text: lines.join("\n"), failed };
}
