import { WrongUsage } from "@pestle/cli/errors";
import { writePrivate } from "@pestle/cli/files";
import { minute, type Output, table } from "@pestle/cli/output";
import type { CommandRow } from "@pestle/cli/program";
import { type Environment, environments } from "@pestle/contract";
import { readConfig } from "../../config.ts";
import { listSubmissions, type Submission } from "../../db/fulfillment/pmp-submissions.ts";
import { markedStatuses, type SubmissionStatus } from "../../domain/fulfillment/pmp-submission.ts";
import { markSubmission } from "../../usecases/fulfillment/mark-submission.ts";
import {
  type ControlledReport,
  correctControlled,
  reportControlled,
  requireState,
} from "../../usecases/fulfillment/report-controlled.ts";
import { AS, signedInStaff } from "../accounts/staff-session.ts";
import { withSchema, withVault } from "../session.ts";

type Options = {
  from: string;
  to: string;
  environment?: Environment;
  state?: string;
  record?: boolean;
  out?: string;
};
type Correction = { account: string; kind: "revise" | "void"; record?: boolean; out?: string };
type Marked = { status: SubmissionStatus; as?: string; note?: string };

const MOST_LISTED = 100;
const ENVIRONMENT = [
  "--environment <environment>",
  "the environment (default: production)",
  { choices: environments },
] as const;
const OUT = ["--out <file>", "the file to write, readable only by you (default: print it)"] as const;
const RECORD = ["--record", "track it as a submission, see `pestle report list`"] as const;

export const reportCommands: readonly CommandRow[] = [
  {
    name: "report controlled",
    summary: "report shipped controlled substances to state prescription monitoring programs (ASAP 4.2B)",
    options: [
      ["--from <date>", "the first day", { required: true }],
      ["--to <date>", "the last day", { required: true }],
      ENVIRONMENT,
      ["--state <state>", "only fills shipped to this state, such as CA"],
      RECORD,
      OUT,
    ],
    examples: [
      "report controlled --from 2026-11-14 --to 2026-11-14 --out 2026-11-14.dat",
      "report controlled --from 2026-11-14 --to 2026-11-14 --state CA --record --out CA-2026-11-14.dat",
      "report controlled --from 2026-11-01 --to 2026-11-30 --environment sandbox",
    ],
    async run({ from, to, environment = "production", state, record, out }: Options, _argument, env) {
      const asked = { from, to, environment, state: state ?? null, record: record ?? false };
      const report = await withVault(readConfig(env), (session) =>
        reportControlled({ ...session, now: () => session.now }, asked),
      );
      return outputOf(report, out);
    },
  },
  {
    name: "report correct",
    summary: "revise or void the reported controlled substances of an order (ASAP 4.2B, DSP01 01 or 02)",
    argument: ["order_number", "the shipped order"],
    options: [
      ["--account <account_id>", "the account, from `pestle partner list`", { required: true }],
      ["--kind <kind>", "what to send", { required: true, choices: ["revise", "void"] }],
      RECORD,
      OUT,
    ],
    examples: ["report correct 0N6T3W8Q4E --account 3f9k2m8x1q7z --kind void --record --out void.dat"],
    async run({ account, kind, record, out }: Correction, order_number, env) {
      const asked = {
        account_id: account,
        order_number: order_number.toUpperCase(),
        kind,
        record: record ?? false,
      };
      const report = await withVault(readConfig(env), (session) =>
        correctControlled({ ...session, now: () => session.now }, asked),
      );
      return outputOf(report, out);
    },
  },
  {
    name: "report list",
    lists: "reports",
    summary: "list the recorded reports of controlled substances and their status, newest first",
    options: [ENVIRONMENT, ["--state <state>", "only reports for this state, such as CA"]],
    examples: ["report list", "report list --state CA --json"],
    async run({ environment = "production", state }: Pick<Options, "environment" | "state">, _argument, env) {
      if (state !== undefined) requireState(state);
      const data = await withSchema(readConfig(env), ({ db }) =>
        listSubmissions(db, environment, state ?? null, MOST_LISTED),
      );
      const head = ["id", "kind", "state", "days", "fills", "created", "status", "by", "note"];
      return { data, text: data.length === 0 ? "No reports are recorded." : table(head, data.map(listed)) };
    },
  },
  {
    name: "report mark",
    summary: "record that a report was submitted, or that the state's program accepted or rejected it",
    argument: ["submission_id", "from `pestle report list`"],
    options: [
      ["--status <status>", "the new status", { required: true, choices: markedStatuses }],
      AS,
      ["--note <text>", "the program's reference or reason, on one line, without patient data"],
    ],
    examples: [
      "report mark 12 --status submitted",
      'report mark 12 --status rejected --note "PRE02 is missing in record 3."',
    ],
    async run({ status, as, note }: Marked, argument, env) {
      if (!/^\d{1,15}$/.test(argument)) throw new WrongUsage("Give the number from `pestle report list`.");
      const given = { submission_id: Number(argument), status, note: note ?? null };
      const data = await withSchema(readConfig(env), async ({ config, db, now }) => {
        const { person_id } = await signedInStaff({ config, db, now: () => now }, env, as);
        return markSubmission(db, { ...given, person_id }, now);
      });
      return { data, text: `Submission ${data.submission_id} is ${data.status}.` };
    },
  },
];

function outputOf({ text, ...about }: ControlledReport, out: string | undefined): Output {
  const notices = [
    ...about.gaps.map(
      ({ order_number, prescription_id, fields }) =>
        `Order ${order_number}, prescription ${prescription_id} is missing ${fields.join(", ")}.`,
    ),
    ...about.unreported.map(
      ({ order_number, prescription_id }) =>
        `No submitted report on record contains order ${order_number}, prescription ${prescription_id}. Check before you submit.`,
    ),
  ];
  if (out === undefined) {
    // Standard output gets only the report, so that it can be piped.
    for (const line of notices) process.stderr.write(`${line}\n`);
    return { data: { ...about, report: text }, text: text.trimEnd() };
  }
  writePrivate(out, text);
  const fills = about.records === 1 ? "1 fill" : `${about.records} fills`;
  const recorded = about.submission_id === null ? [] : [`Recorded as submission ${about.submission_id}.`];
  return { data: { ...about, file: out }, text: [`Wrote ${out}: ${fills}.`, ...recorded, ...notices].join("\n") };
}

const listed = (row: Submission): string[] => [
  String(row.submission_id),
  row.kind,
  row.state ?? "all",
  row.from_date === row.to_date ? row.from_date : `${row.from_date} to ${row.to_date}`,
  String(row.records),
  minute(row.created_at),
  row.status,
  row.status_by ?? "-",
  row.note ?? "-",
];
