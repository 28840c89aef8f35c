import { randomUUID } from "node:crypto";
import {
  addresses,
  type ClientOptions,
  clientNamed,
  inEnvironment,
  keptAccount,
  nobody,
  type PartnerAccount,
  profileOption,
} from "@pestle/cli/accounts/partner-account";
import { ANSWER_LIMIT_MS, requestToken } from "@pestle/cli/accounts/token";
import { kindOfStatus, reason, ServiceRefusal, WrongUsage } from "@pestle/cli/errors";
import { facts, type Output, table } from "@pestle/cli/output";
import type { CommandRow } from "@pestle/cli/program";
import { type Environment, environments } from "@pestle/contract";
import { type Config, readConfig } from "../../config.ts";
import { findMade, type MadeOfMessage } from "../../db/intake/messages.ts";
import { findLastOfOrder } from "../../db/intake/prescriptions.ts";
import { intakeRefusals } from "../../domain/intake/intake-refusals.ts";
import { intakeWarnings } from "../../domain/intake/intake-warnings.ts";
import { dateIn } from "../../domain/values/calendar.ts";
import { StatusRefusal } from "../../domain/values/refusals.ts";
import { type ScriptVersion, scriptVersions } from "../../formats/script/version.ts";
import { type Demo, readDemo } from "../../seed/demo-file.ts";
import { AdminRefusal } from "../../usecases/accounts/admin-refusal.ts";
import { hashOfSent, messageIdentity } from "../../usecases/intake/message-identity.ts";
import { openAnyPatientId } from "../../usecases/patients/patient-rows.ts";
import type { Vault } from "../../vault/vault.ts";
import { hasDatabase, type Session, withVault } from "../session.ts";
import { type RxAnswer, readRxAnswer } from "./rx-answer.ts";
import { type RxFormat, type RxMessage, readRxFile, readRxMessage } from "./rx-message.ts";
import { CANCELABLE_ORDER, PRESET_SENDER, type PresetName, presetMessage, rxPresets } from "./rx-presets.ts";

type SendOptions = ClientOptions & {
  preset?: PresetName;
  to?: string;
  version?: ScriptVersion;
  print?: boolean;
  list?: boolean;
};

export const rxSendCommand: CommandRow = {
  name: "rx send",
  lists: "presets, with `--list`",
  summary: "send an e-prescription to a running service and explain its reply",
  argument: ["file", "a SCRIPT (XML) or FHIR (JSON) message", { optional: true }],
  options: [
    ["--preset <name>", "send a sample message instead of a file", { choices: Object.keys(rxPresets) }],
    ["--list", "list the presets"],
    ["--print", "print the message instead of sending it"],
    ["--to <ncpdp_id>", "the receiver of a preset or FHIR file (default: the demo's first partner)"],
    ["--version <version>", "the SCRIPT version of a preset (default: 2017071)", { choices: scriptVersions }],
    profileOption,
    ["--client-id <client_id>", "the sender (default: the demo's intake); reads the secret from CLIENT_SECRET"],
    ["--secret-stdin", "read the secret from standard input instead"],
    ["--environment <environment>", "which token server to use", { choices: environments }],
  ],
  examples: [
    "rx send --preset simple",
    "rx send --preset controlled-unsigned --to 9900025 --json",
    "rx send --preset simple --version 10.6 --print > message.xml",
    "rx send message.xml",
    "BASE_URL=https://api.larkspur.example pestle rx send bundle.json --client-id 3f9k2m8x1q7z-a1b2c3d4 --environment production",
  ],
  async run(options: SendOptions, file, env) {
    if (options.list) return listPresets();
    if ((file === "") === (options.preset === undefined)) throw new WrongUsage("Give either a file or --preset.");
    const config = readConfig(env);
    const demo = readDemo(config.DATA_DIR);
    const message = options.preset === undefined ? fromFile(file, options) : await fromPreset(options, config, demo);
    if (options.print) {
      const text = message.body.toString("utf8");
      return { data: { format: message.format, message: text }, text };
    }
    const client = await chooseClient(options, config, demo, env);
    const { access_token } = await requestToken(client, ["intake"]);
    const given = message.format === "fhir" ? (options.to ?? null) : null;
    const said = await post(client.base_url, access_token, message, given);
    return told(readRxAnswer(message.format, said), said, await whatBecame(config, client, message, given));
  },
};

function listPresets(): Output {
  const data = Object.entries(rxPresets).map(([name, preset]) => ({
    name,
    format: "format" in preset ? preset.format : "script",
    says: preset.says,
    expects: preset.expects in intakeRefusals ? `refused with ${preset.expects}` : preset.expects,
  }));
  const rows = data.map(({ name, format, expects, says }) => [name, format, expects, says]);
  return { data, text: table(["preset", "format", "answer", "what it is"], rows) };
}

function fromFile(file: string, { version, to }: SendOptions): RxMessage {
  if (version !== undefined) throw new WrongUsage("--version requires --preset: a file is sent unchanged.");
  const message = readRxFile(file);
  if (to !== undefined && message.format === "script") {
    throw new WrongUsage("--to requires --preset or a FHIR file: a SCRIPT message names its own receiver.");
  }
  return message;
}

async function fromPreset(options: SendOptions, config: Config, demo: Demo | undefined): Promise<RxMessage> {
  const name = options.preset as PresetName;
  const preset = rxPresets[name];
  const format: RxFormat = "format" in preset ? preset.format : "script";
  if (format === "fhir" && options.version !== undefined)
    throw new WrongUsage("--version applies only to SCRIPT presets.");
  const to = options.to ?? demo?.partners[0]?.ncpdp_id;
  if (to == null) throw new AdminRefusal(`There is no demo in ${config.DATA_DIR}. Give --to.`);
  const environment = options.environment ?? demo?.intake.environment ?? "sandbox";
  const now = new Date();
  const text = presetMessage(name, {
    to,
    version: options.version ?? "2017071",
    message_id: randomUUID().replaceAll("-", ""),
    sent_time: now,
    today: dateIn(config.TIME_ZONE, now),
    relates_to: "cancels" in preset ? await lastSimple(config, to, environment) : null,
  });
  return { format, body: Buffer.from(text) };
}

/** Without the database, a cancellation names only the order, and so matches every `simple` message of it. */
async function lastSimple(config: Config, to: string, environment: Environment): Promise<string | null> {
  const last = await beside(config, ({ db }) => findLastOfOrder(db, to, environment, PRESET_SENDER, CANCELABLE_ORDER));
  return last?.sender_message_id ?? null;
}

/** Sends as the demo's network by default: partner accounts rarely have the intake scope. */
async function chooseClient(
  options: SendOptions,
  config: Config,
  demo: Demo | undefined,
  env: NodeJS.ProcessEnv | undefined,
): Promise<PartnerAccount> {
  if (options.clientId !== undefined) return clientNamed(options.clientId, options, config, demo);
  if (demo !== undefined && options.profile === undefined && config.PESTLE_PROFILE === "") {
    const { environment } = demo.intake;
    const network = { ...demo.intake, ...addresses(config, demo, environment), chosen_by: "the demo's network" };
    return inEnvironment(network, options.environment);
  }
  const kept = keptAccount(options.profile, config, env);
  if (kept === undefined) throw new AdminRefusal(nobody(config));
  return inEnvironment(kept, options.environment);
}

const PATHS = { script: "/intake/script", fhir: "/intake/fhir" };
const TYPES = { script: "application/xml", fhir: "application/fhir+json" };

async function post(base_url: string, token: string, { format, body }: RxMessage, ncpdp_id: string | null) {
  const url = `${base_url}${PATHS[format]}${ncpdp_id === null ? "" : `?${new URLSearchParams({ ncpdp_id })}`}`;
  const response = await fetch(url, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": TYPES[format] },
    body: new Uint8Array(body),
    signal: AbortSignal.timeout(ANSWER_LIMIT_MS),
    redirect: "error",
  }).catch((error) => {
    throw new ServiceRefusal(
      "unreachable",
      `No service answers at ${base_url} (${reason(error.cause ?? error)}). Is it running?`,
    );
  });
  const text = await response.text();
  if (response.status === 200) return text;
  const message = `The intake rejected the message (status ${response.status}): ${problemIn(text)}`;
  throw new ServiceRefusal(kindOfStatus(response.status), message, {
    request_id: response.headers.get("x-request-id") ?? undefined,
  });
}

/** The message of an error body in any of its formats. */
function problemIn(text: string): string {
  try {
    const { error, errors, error_description } = JSON.parse(text);
    return errors?.[0]?.message ?? error_description ?? error?.message ?? "no reason given";
  } catch {
    return "the server there is not an intake";
  }
}

/** Runs the work if the service's database is on this machine. Otherwise the reply is all we know. */
async function beside<Result>(
  config: Config,
  work: (session: Session & { vault: Vault }) => Promise<Result>,
): Promise<Result | undefined> {
  if (!hasDatabase(config)) return undefined;
  try {
    return await withVault(config, work);
  } catch (error) {
    if (error instanceof AdminRefusal || error instanceof StatusRefusal) return undefined;
    throw error;
  }
}

async function whatBecame(config: Config, client: PartnerAccount, message: RxMessage, ncpdp_id: string | null) {
  const [account_id = "", credential_id = ""] = client.client_id.split("-");
  const read = readRxMessage(message, ncpdp_id);
  const caller = { account_id, credential_id };
  const identity = messageIdentity(read, caller, hashOfSent(message.format, read, message.body));
  const { sender, sender_message_id } = identity;
  const made = await beside(config, async ({ db, vault }) => {
    const found = await findMade(db, account_id, sender, sender_message_id);
    if (found === undefined) return undefined;
    const { patient_key, id_sealed, ...made } = found;
    return { ...made, patient_id: openAnyPatientId({ vault }, made.account_id ?? "", { patient_key, id_sealed }) };
  });
  return { ...identity, made };
}

type Became = {
  sender: string;
  sender_message_id: string;
  made: (Omit<MadeOfMessage, "patient_key" | "id_sealed"> & { patient_id: string | null }) | undefined;
};

const WORDS: Record<RxAnswer["outcome"], string> = {
  accepted: "Accepted",
  pending: "Pending",
  refused: "Refused",
  canceled: "Canceled",
  not_canceled: "Not canceled",
  unknown: "Not understood",
};
const GOOD: readonly RxAnswer["outcome"][] = ["accepted", "pending", "canceled"];

function told(answer: RxAnswer, said: string, { sender, sender_message_id, made }: Became): Output {
  const { outcome, code, description_codes, sentence } = answer;
  const warnings = made?.warnings ?? answer.warnings.map((warning) => warning.code);
  const codes = [code, description_codes[0]].filter((part) => part != null).join(" / ");
  const { account_id, patient_id, acceptance } = made ?? {};
  const prescription_id = made?.prescription_id ?? answer.prescription_id;
  const known = { message_id: sender_message_id, account_id, patient_id, prescription_id };
  const lines = [
    `${WORDS[outcome]}${codes === "" ? "" : ` (${codes})`}: ${sentence}`,
    ...description_codes.slice(1).map((also) => `  also ${also}: ${refusalSentence(also)}`),
    facts(
      Object.fromEntries(Object.entries(known).flatMap(([name, value]) => (value == null ? [] : [[name, `${value}`]]))),
    ),
    ...[...new Set(warnings)].map((warning) => `! ${warningSentence(warning)}`),
  ];
  if (acceptance === "pending") {
    lines.push(`A pharmacist must accept it: pestle rx accept ${prescription_id} --account ${account_id}`);
  } else if (made?.outcome === "review") {
    lines.push("It needs a manual review: pestle rx review");
  }
  const data = {
    outcome,
    code,
    description_codes,
    sentence,
    sender,
    message_id: sender_message_id,
    account_id: account_id ?? null,
    patient_id: patient_id ?? null,
    prescription_id,
    acceptance: acceptance ?? null,
    warnings: warnings.map((warning) => ({ code: warning, sentence: warningSentence(warning) })),
    answer: said,
  };
  return { data, text: lines.join("\n"), failed: !GOOD.includes(outcome) };
}

const refusalSentence = (code: string) =>
  (intakeRefusals as Record<string, readonly [string, string]>)[code]?.[1] ?? "";
const warningSentence = (code: string) => (intakeWarnings as Record<string, string>)[code] ?? code;
