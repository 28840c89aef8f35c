import { WrongUsage } from "@pestle/cli/errors";
import { writePrivate } from "@pestle/cli/files";
import type { CommandRow } from "@pestle/cli/program";
import {
  type Environment,
  environments,
  type ReportFormat,
  type ReportName,
  reportFormats,
  reportNames,
  reportRow,
} from "@pestle/contract";
import { pdfDocuments } from "../../adapters/documents/documents.ts";
import { readConfig } from "../../config.ts";
import { findAnyPerson } from "../../db/accounts/people.ts";
import type { Queryable } from "../../db/db.ts";
import { AdminRefusal } from "../../usecases/accounts/admin-refusal.ts";
import { requireAccount } from "../../usecases/accounts/require-account.ts";
import { reportCsv, reportPdf } from "../../usecases/fulfillment/reports/export-report.ts";
import type { AskedReport } from "../../usecases/fulfillment/reports/report-source.ts";
import { commandActor } from "../audit-command.ts";
import { withVault } from "../session.ts";

type Options = {
  from: string;
  to?: string;
  environment?: Environment;
  format?: ReportFormat;
  out?: string;
  person?: string;
  account?: string;
  patient?: string;
};

const DAYS = [
  ["--from <date>", "the first day", { required: true }],
  ["--to <date>", "the last day (default: the first)"],
] as const;
const ENVIRONMENT = [
  "--environment <environment>",
  "the environment (default: production)",
  { choices: environments },
] as const;
const SOMEONE = [
  ["--person <email>", "what this user of the dashboard or portal saw and did"],
  ["--account <account_id>", "the patient's account, from `pestle partner list`"],
  ["--patient <patient_id>", "who saw this patient, as the partner names them"],
] as const;
const FILE = [
  ["--format <format>", "the kind of file (default: csv)", { choices: reportFormats }],
  ["--out <file>", "the file to write, readable only by you (default: print it)"],
] as const;

/** A command for each report. The names of patients are in it, as an inspector needs them. */
export const inspectionCommands: readonly CommandRow[] = reportNames.map(
  (report): CommandRow => ({
    name: `report ${report}`,
    summary: summaryOf(report),
    options: [...DAYS, ...(takesSomeone(report) ? SOMEONE : [ENVIRONMENT]), ...FILE],
    examples: takesSomeone(report)
      ? [
          `report ${report} --from 2026-11-01 --to 2026-11-30 --account 3f9k2m8x1q7z --patient wren-2`,
          `report ${report} --from 2026-11-14 --person sam@pharmacy.example --format pdf --out ${report}.pdf`,
        ]
      : [
          `report ${report} --from 2026-11-14`,
          `report ${report} --from 2026-11-01 --to 2026-11-30 --format pdf --out ${report}.pdf`,
        ],
    async run({ from, to = from, environment = "production", format = "csv", out, ...named }: Options, _argument, env) {
      if (format === "pdf" && out === undefined) throw new WrongUsage("Give --out: a PDF cannot be printed here.");
      const content = await withVault(readConfig(env), async (session) => {
        const deps = { ...session, now: () => session.now, documents: pdfDocuments };
        const someone = takesSomeone(report) ? await someoneOf(session.db, named) : null;
        const asked: AskedReport = { report, from, to, environment, someone, reveal: true };
        if (format === "pdf") return reportPdf(deps, commandActor(), asked);
        let text = "";
        for await (const piece of reportCsv(deps, commandActor(), asked)) text += piece;
        return text;
      });
      if (out === undefined) return { data: { report: String(content) }, text: String(content).trimEnd() };
      writePrivate(out, content);
      return { data: { file: out }, text: `Wrote ${out}.` };
    },
  }),
);

function takesSomeone(report: ReportName): boolean {
  return reportRow(report).takes === "someone";
}

function summaryOf(report: ReportName): string {
  const { title } = reportRow(report);
  return `for an inspector: ${title.charAt(0).toLowerCase()}${title.slice(1)}, as CSV or PDF`;
}

async function someoneOf(
  db: Queryable,
  { person, account, patient }: Pick<Options, "person" | "account" | "patient">,
): Promise<NonNullable<AskedReport["someone"]>> {
  if (person !== undefined) {
    const found = await findAnyPerson(db, person);
    if (found === undefined) throw new AdminRefusal("There is no such user. `pestle user list` lists them.");
    return { person_id: found.person_id };
  }
  if (account === undefined || patient === undefined)
    throw new WrongUsage("Give --person, or --account and --patient.");
  return { account_id: (await requireAccount(db, account)).account_id, patient_id: patient };
}
