import {
  type CertifyReport,
  certifyRandom,
  faultOfReport,
  hasPassed,
  signingKey,
  signReport,
  WEBHOOK_USER_AGENT,
} from "@pestle/contract";
import { type PartnerOptions, partnerOptions } from "../accounts/partner-account.ts";
import { CommandRefusal, WrongUsage } from "../errors.ts";
import { readObject, readText, writePrivate } from "../files.ts";
import { facts, progress } from "../output.ts";
import { openPartnerApi, type PartnerApi } from "../partner-api.ts";
import type { CommandRow } from "../program.ts";
import { listenSecrets, operatorName } from "../webhooks/forward-event.ts";
import { certifyKey } from "./certify-key.ts";
import { certifyReceiver } from "./certify-receiver.ts";
import { certifyOrdersCommand } from "./orders/certify-orders.ts";
import { ownVersion } from "./own-version.ts";
import { reportText } from "./report-text.ts";
import { reachReceiver } from "./send-delivery.ts";

type CertifyOptions = PartnerOptions & { state?: string; secrets?: string; out?: string };
type VerifyOptions = { publicKey?: string };

const REPORT = "certify-report.json";

export const certifyCommands: readonly CommandRow[] = [
  {
    name: "certify",
    summary: "test a webhook receiver with correct, repeated, late and forged deliveries; exit code 1 if it fails",
    argument: ["url", "the receiver's URL, as registered; it can be on this machine"],
    options: [
      ["--state <url>", "where the receiver shows its state as JSON, to check the effects too"],
      ["--secrets <file>", "the answer of `pestle webhooks add --json` (default: the secrets of `pestle listen`)"],
      ["--out <file>", `where to write the signed report (default: ${REPORT})`],
      ...partnerOptions,
    ],
    examples: [
      "certify http://127.0.0.1:3000/hook",
      "certify http://127.0.0.1:3000/hook --state http://127.0.0.1:3000/state",
      "certify https://partner.example/hook --secrets endpoint.json --json",
    ],
    async run({ state, secrets, out = REPORT, ...options }: CertifyOptions, url, env) {
      requireUrl(url, "The receiver's URL");
      if (state !== undefined) requireUrl(state, "--state");
      const own = secrets === undefined ? undefined : readSecrets(secrets);
      const api = await openPartnerApi(options, env);
      // Refused now if the account does not exist: a report names it.
      await api.request("GET", "/webhook_endpoints");
      const report = await certified(api, { url, state, own }, env);
      writePrivate(out, `${JSON.stringify(report, null, 2)}\n`);
      const text = `${reportText(report)}\nSigned report: ${out}`;
      return { data: report, text, failed: !report.passed };
    },
  },
  certifyOrdersCommand,
  {
    name: "certify verify",
    summary: "check the signature of a report; exit code 1 if it was changed",
    argument: ["file", "a report of `pestle certify` or of the portal"],
    options: [["--public-key <file>", "only trust this key (PEM); the pharmacy's keys are at /audit-keys.json"]],
    examples: [`certify verify ${REPORT}`, `certify verify ${REPORT} --public-key key.pem`],
    async run({ publicKey }: VerifyOptions, file) {
      const report = readObject(file) as unknown as CertifyReport;
      const fault = faultOf(report, publicKey === undefined ? undefined : readText(publicKey));
      if (fault !== undefined) return { data: { valid: false, fault }, text: fault, failed: true };
      const { kind, subject, account_id, at, run_by, passed, key_id } = report;
      const shown = { kind, subject, account: account_id, at, run_by, passed: String(passed), key_id };
      return { data: { valid: true, ...shown, passed }, text: `${facts(shown)}\nThe report is unchanged.` };
    },
  },
];

type Asked = { url: string; state: string | undefined; own: OwnSecrets | undefined };
type OwnSecrets = { secret: string; signing_secret: string };

async function certified(api: PartnerApi, asked: Asked, env: NodeJS.ProcessEnv | undefined): Promise<CertifyReport> {
  const { url, state, own } = asked;
  const { client_id, client_secret, environment } = api.client;
  if (client_secret === "") {
    throw new CommandRefusal(
      "Deliveries are signed with the client secret. Log in again with --key and --secret-stdin.",
    );
  }
  const keys = certifyKey(env);
  const key = signingKey(client_secret);
  const { webhook_secret, signing_secret } = listenSecrets(key);
  const bar = progress();
  // A receiver in production must do nothing with a made-up event, so its effects cannot be checked.
  const test = environment === "production";
  const state_url = test ? undefined : state;
  const checks = await certifyReceiver(
    {
      url,
      operator_name: await operatorName(api),
      user_agent: WEBHOOK_USER_AGENT,
      secrets: { key, ...(own ?? { secret: webhook_secret, signing_secret }) },
      now: new Date(),
      test,
      ...certifyRandom(),
    },
    { ...reachReceiver({ url, state_url }), onCheck: (done, all) => bar.show(`${done} of ${all} checks`) },
  ).finally(bar.done);
  const effects_checked = state_url !== undefined;
  const report = {
    form: 1,
    kind: "receiver",
    subject: url,
    account_id: client_id.split("-")[0]!,
    environment,
    at: new Date().toISOString(),
    run_by: "developer",
    effects_checked,
    passed: hasPassed(checks, effects_checked),
    checks,
    pestle_version: ownVersion(),
  } as const;
  return signReport(report, keys);
}

function requireUrl(url: string, what: string): void {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  const plain = parsed?.username === "" && parsed.password === "" && !url.includes("#");
  if (!plain || !/^https?:\/\/\S+$/.test(url)) {
    throw new WrongUsage(`${what} must begin with http:// or https:// and have no user name and no fragment.`);
  }
}

function readSecrets(file: string): OwnSecrets {
  const { secret, signing_secret } = readObject(file);
  if (typeof secret !== "string" || typeof signing_secret !== "string") {
    throw new WrongUsage("--secrets takes a JSON file with `secret` and `signing_secret`.");
  }
  return { secret, signing_secret };
}

function faultOf(report: CertifyReport, public_key: string | undefined): string | undefined {
  try {
    return faultOfReport(report, public_key === undefined ? undefined : [public_key]);
  } catch {
    return "The file is not a report, or a key cannot be read.";
  }
}
