import { type Output, table } from "@pestle/cli/output";
import type { CommandRow } from "@pestle/cli/program";
import { type Config, readConfig } from "../../config.ts";
import { decideIntake } from "../../domain/intake/decide-intake.ts";
import type { IncomingMessage, IntakeRefusal, ReadMessage } from "../../domain/intake/incoming-message.ts";
import { type DescriptionCode, intakeRefusals, refusalFor } from "../../domain/intake/intake-refusals.ts";
import { intakeWarnings, type WarningCode } from "../../domain/intake/intake-warnings.ts";
import { type AcceptanceReason, acceptanceReasons } from "../../domain/intake/prescription.ts";
import { type Explanation, findFields } from "../../formats/script/explain.ts";
import { prescriptionRules } from "../../usecases/intake/take-message.ts";
import { type RxMessage, readRxFile, readRxMessage } from "./rx-message.ts";

export const rxLintCommand: CommandRow = {
  name: "rx lint",
  summary: "show how the service would read a message, field by field; prints patient data",
  argument: ["file", "a SCRIPT (XML) or FHIR (JSON) message"],
  examples: ["rx lint message.xml", "rx lint bundle.json --json", "pestle rx send --preset prn --print > prn.xml"],
  async run(_options, file, env) {
    return report(lint(readRxFile(file), readConfig(env), new Date()));
  },
};

type Lint = Explanation & {
  format: RxMessage["format"];
  refusal: IntakeRefusal | null;
  warnings: { code: WarningCode; path: string | null; sentence: string }[];
  /** Why a pharmacist must accept the prescription before it can be filled. */
  acceptance_reasons: AcceptanceReason[];
};

/** The reader's result, and the rules' verdict on a new prescription without any context. */
function lint(message: RxMessage, config: Config, now: Date): Lint {
  const explanation = message.format === "script" ? findFields(message.body) : explainFhir(readRxMessage(message));
  const { outcome } = explanation;
  const noticed = outcome.ok ? outcome.message.warnings : outcome.warnings;
  const judged = outcome.ok ? judge(outcome.message, config, now) : undefined;
  const codes = (judged?.warnings ?? []).filter((code) => !noticed.some((warning) => warning.code === code));
  return {
    ...explanation,
    format: message.format,
    refusal: outcome.ok ? (judged?.refusal ?? null) : outcome.refusal,
    warnings: [...noticed, ...codes.map((code) => ({ code, path: null }))].map((warning) => ({
      ...warning,
      sentence: intakeWarnings[warning.code],
    })),
    acceptance_reasons: judged?.acceptance_reasons ?? [],
  };
}

/** Responses and cancellations depend on earlier messages, which are unknown here. */
function judge(message: IncomingMessage, config: Config, now: Date) {
  const { content, envelope } = message;
  // A FHIR message can be sent to a URL that names the receiver.
  const nobodys = envelope.to === null && envelope.format === "script" ? refusalFor("002") : null;
  if (content.kind !== "new") return { refusal: nobodys, warnings: [], acceptance_reasons: [] };
  const nothing = { candidates: [], taken_patient_ids: [], prescriptions: [], formulary: [] };
  const rules = prescriptionRules({ config });
  const given = { sender: "", workflow: "api_driven" as const, rules, now, new_patient_id: "" };
  const { reply, warnings, prescription } = decideIntake(message, nothing, given);
  return {
    refusal: nobodys ?? (reply.kind === "refused" ? reply.refusal : null),
    warnings,
    acceptance_reasons: prescription?.acceptance_reasons ?? [],
  };
}

/** The FHIR reader does not record paths, so show the message as read. */
function explainFhir(outcome: ReadMessage): Explanation {
  return {
    outcome,
    fields: flat(outcome.ok ? wordsOf(outcome.message) : { envelope: outcome.envelope }, ""),
    missing: [],
    unread: [],
  };
}

/** Uses the same field names as for SCRIPT messages. */
function wordsOf({ envelope, content }: IncomingMessage) {
  const said = content.kind === "cancel" ? content.target : content.prescription;
  return { envelope, ...said };
}

function flat(value: unknown, path: string): Explanation["fields"] {
  if (value === null || value === undefined) return [];
  if (typeof value !== "object") return [{ field: path, path: "", text: String(value) }];
  const entries = Object.entries(value);
  if (Array.isArray(value)) return entries.flatMap(([index, part]) => flat(part, `${path}[${index}]`));
  return entries.flatMap(([name, part]) => flat(part, path === "" ? name : `${path}.${name}`));
}

function report(found: Lint): Output {
  const { format, outcome, refusal, fields, warnings, missing, unread, acceptance_reasons } = found;
  const envelope = outcome.ok ? outcome.message.envelope : outcome.envelope;
  const kind = outcome.ok ? outcome.message.content.kind : null;
  const what = [format === "fhir" ? "FHIR" : "SCRIPT", envelope?.version, kind]
    .filter((part) => part != null)
    .join(" ");
  const problems = refusal === null ? [] : [refusal.description_code, ...(refusal.also ?? [])];
  const verdict =
    refusal === null
      ? "The service would accept it."
      : `The service would refuse it (${refusal.code} / ${refusal.description_code}).`;
  const reasons = acceptance_reasons.map((reason) => `  ${acceptanceReasons[reason]}`);
  const lines = [
    "The output below contains patient data. Handle it accordingly.",
    `${what}. ${verdict}`,
    ...problems.map((code) => `  ${code}  ${intakeRefusals[code][1]}`),
    ...section("A pharmacist would need to accept it", reasons),
    ...section("Found", rowsOf(format === "fhir" ? ["field", "text"] : ["field", "text", "path"], fields)),
    ...section("Warnings", rowsOf(["code", "sentence", "path"], warnings)),
    ...section("Missing", rowsOf(["field", "sentence", "path"], missing)),
    ...section(
      "Ignored",
      unread.map((path) => `  ${path}`),
    ),
  ];
  const data = {
    format,
    version: envelope?.version ?? null,
    kind,
    refusal: refusal && { ...refusal, sentences: problems.map(sentenceOf) },
    acceptance_reasons,
    fields,
    warnings,
    missing,
    unread,
  };
  return { data, text: lines.join("\n"), failed: refusal !== null };
}

const sentenceOf = (code: DescriptionCode) => intakeRefusals[code][1];

const section = (title: string, lines: readonly string[]) => (lines.length === 0 ? [] : ["", `${title}:`, ...lines]);

function rowsOf<Name extends string>(names: readonly Name[], rows: readonly Record<Name, string | null>[]): string[] {
  if (rows.length === 0) return [];
  // A message can contain terminal control characters.
  const cells = rows.map((row) => names.map((name) => (row[name] ?? "-").replaceAll(/\p{Cc}+/gu, " ")));
  return table(names, cells)
    .split("\n")
    .map((line) => `  ${line}`);
}
