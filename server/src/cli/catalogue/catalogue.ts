import { basename } from "node:path";
import { createInterface } from "node:readline/promises";
import { hasTerminal } from "@pestle/cli/accounts/secret-input";
import { WrongUsage } from "@pestle/cli/errors";
import { readBytes } from "@pestle/cli/files";
import { minute, table } from "@pestle/cli/output";
import type { CommandRow } from "@pestle/cli/program";
import { type Environment, environments } from "@pestle/contract";
import { readConfig } from "../../config.ts";
import { writeCell } from "../../domain/catalogue/cells.ts";
import { type Fault, kindOfColumns, readFileTable } from "../../domain/catalogue/file-table.ts";
import { type CatalogueDiff, changesNothing } from "../../domain/catalogue/plan-import.ts";
import { type CatalogueKind, catalogueKinds, type Row } from "../../domain/catalogue/rows.ts";
import { writeFile } from "../../domain/catalogue/write-file.ts";
import { AdminRefusal } from "../../usecases/accounts/admin-refusal.ts";
import { type CatalogueImport, importCatalogue } from "../../usecases/catalogue/import-catalogue.ts";
import { ingredientReader } from "../../usecases/catalogue/ingredient-reader.ts";
import {
  type CatalogueOwner,
  readCatalogueRows,
  readCatalogueVersions,
} from "../../usecases/catalogue/read-catalogue-rows.ts";
import { loadSafety } from "../../usecases/safety/load-safety-data.ts";
import { type Session, withSchema } from "../session.ts";
import { serviceCommand } from "./shipping-service.ts";

type Whose = { account?: string; environment?: Environment };
type ImportOptions = Whose & {
  kind?: CatalogueKind;
  partial?: boolean;
  dryRun?: boolean;
  yes?: boolean;
  json?: boolean;
};
type ExportOptions = Whose & { kind: CatalogueKind; format?: "csv" | "json" };

const ACCOUNT = ["--account <account_id>", "the account, from `pestle partner list`"] as const;
const ENVIRONMENT = [
  "--environment <environment>",
  "for licences, which belong to the pharmacy",
  { choices: environments },
] as const;

export const catalogueCommands: readonly CommandRow[] = [
  {
    name: "catalogue import",
    summary: "replace a catalogue with a file: shows the diff, then applies all of it or nothing",
    argument: ["file", "CSV or JSON, UTF-8"],
    options: [
      ACCOUNT,
      ENVIRONMENT,
      [
        "--kind <kind>",
        "what the file contains (default: detected if all columns are present)",
        { choices: catalogueKinds },
      ],
      ["--partial", "keep rows that are not in the file instead of retiring them"],
      ["--dry-run", "show the diff without importing"],
      ["--yes", "do not ask for confirmation"],
    ],
    examples: [
      "catalogue import products.csv --account 3f9k2m8x1q7z --dry-run",
      "catalogue import prices.csv --account 3f9k2m8x1q7z --kind products --partial",
      "catalogue import licences.json --environment production",
    ],
    async run(options: ImportOptions, file, env) {
      const config = readConfig(env);
      const given = readImport(options, file);
      const asks = !given.dry_run && !options.yes && !options.json && hasTerminal();
      const apply = async ({ db, now }: Session) => {
        const safety = given.kind === "products" ? await loadSafety(config, db) : null;
        const full = { ...given, readIngredient: safety?.data ? ingredientReader({ data: safety.data }) : undefined };
        const agreed = asks ? await agreement(await importCatalogue(db, { ...full, dry_run: true }, now)) : undefined;
        return importCatalogue(db, { ...full, ...(agreed && { agreed }) }, now);
      };
      const { version, faults, warnings, ...diff } = await withSchema(config, apply);
      const data = { ...given.owner, kind: given.kind, dry_run: given.dry_run, version, ...diff, faults, warnings };
      if (faults.length > 0) return { data, text: faultsText(faults), failed: true };
      const text = [...(asks ? [] : [diffText(diff), ...warningLines(warnings)]), outcome(diff, version)].join("\n");
      return { data, text };
    },
  },
  {
    name: "catalogue export",
    lists: "rows of the catalogue",
    summary: "export a catalogue as a file that you can import again",
    options: [
      ACCOUNT,
      ENVIRONMENT,
      ["--kind <kind>", "what to export", { required: true, choices: catalogueKinds }],
      ["--format <format>", "the format (default: csv)", { choices: ["csv", "json"] }],
    ],
    examples: [
      "catalogue export --account 3f9k2m8x1q7z --kind products > products.csv",
      "catalogue export --environment sandbox --kind licences --format json",
    ],
    async run({ kind, format = "csv", ...whose }: ExportOptions, _argument, env) {
      const owner = ownerOf(whose, kind);
      const catalogue = await withSchema(readConfig(env), ({ db }) => readCatalogueRows(db, owner));
      const rows = catalogue[kind] as readonly Row[];
      const data = JSON.parse(writeFile(kind, rows, "json")) as object[];
      return { data, text: writeFile(kind, rows, format).trimEnd() };
    },
  },
  {
    name: "catalogue versions",
    lists: "imports",
    summary: "list imports that changed something",
    options: [ACCOUNT, ENVIRONMENT],
    examples: ["catalogue versions --account 3f9k2m8x1q7z", "catalogue versions --environment production --json"],
    async run(whose: Whose, _argument, env) {
      const data = await withSchema(readConfig(env), ({ db }) => readCatalogueVersions(db, ownerOf(whose)));
      if (data.length === 0) return { data, text: "No imports yet." };
      const rows = data.map(({ version, kind, source, imported_at, summary }) => [
        String(version),
        minute(imported_at),
        kind,
        ...counts(summary).map(([, count]) => String(count)),
        source,
      ]);
      const head = ["version", "imported", "kind", "added", "changed", "retired", "unchanged", "file"];
      return { data, text: table(head, rows) };
    },
  },
  serviceCommand,
];

/** Licences belong to an environment; everything else belongs to an account. */
function ownerOf({ account, environment }: Whose, kind?: CatalogueKind): CatalogueOwner {
  const licences = kind === undefined ? environment !== undefined : kind === "licences";
  if (licences && environment !== undefined && account === undefined) return { environment };
  if (!licences && account !== undefined && environment === undefined) return { account_id: account };
  if (kind === undefined) throw new WrongUsage("Give --account, or --environment for licences.");
  throw new WrongUsage(
    licences ? "For licences, give --environment but not --account." : `For ${kind}, give only --account.`,
  );
}

function readImport({ kind: told, partial, dryRun, ...whose }: ImportOptions, file: string): CatalogueImport {
  const table = readFileTable(readText(file));
  // An unreadable file of any kind is refused for that reason.
  const kind = told ?? kindOfColumns(table.names) ?? (table.names.length === 0 ? fallback(whose) : undefined);
  if (kind === undefined) throw new WrongUsage("Cannot tell from the columns what the file contains. Give --kind.");
  const owner = ownerOf(whose, kind);
  return { owner, kind, table, source: basename(file), partial: partial ?? false, dry_run: dryRun ?? false };
}

const fallback = ({ environment }: Whose): CatalogueKind => (environment === undefined ? "products" : "licences");

function readText(file: string): string {
  const bytes = readBytes(file);
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new AdminRefusal("The file is not UTF-8. Save it as CSV UTF-8 or as JSON.");
  }
}

/** The diff that the user confirms on the terminal. */
async function agreement({ version: _, faults, warnings, ...diff }: Awaited<ReturnType<typeof importCatalogue>>) {
  if (faults.length > 0 || changesNothing(diff)) return undefined;
  process.stderr.write(`${[diffText(diff), ...warningLines(warnings)].join("\n")}\n`);
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  const answer = await lines.question("Apply this? [y/N] ").finally(() => lines.close());
  if (!/^y(es)?$/i.test(answer.trim())) throw new AdminRefusal("Nothing changed.");
  return diff;
}

const warningLines = (warnings: readonly Fault[]): string[] =>
  warnings.length === 0
    ? []
    : [
        table(
          ["where", "column", "warning"],
          warnings.map(({ at, column, sentence }) => [at, column ?? "-", sentence]),
        ),
      ];

function faultsText(faults: readonly Fault[]): string {
  const rows = faults.map(({ at, column, sentence }) => [at, column ?? "-", sentence]);
  const count = faults.length === 1 ? "1 error" : `${faults.length} errors`;
  return `${table(["where", "column", "fix"], rows)}\nNothing changed: ${count}.`;
}

const counts = ({ added, changed, retired, unchanged }: CatalogueDiff) =>
  [
    ["added", added.length],
    ["changed", changed.length],
    ["retired", retired.length],
    ["unchanged", unchanged],
  ] as const;

function diffText(diff: CatalogueDiff): string {
  const shown = (value: Parameters<typeof writeCell>[0]) => writeCell(value) || "(empty)";
  return [
    ...diff.added.map((key) => `+ ${key}`),
    ...diff.changed.flatMap(({ key, fields }) => [
      `~ ${key}`,
      ...fields.map(({ field, from, to }) => `    ${field}  ${shown(from)} -> ${shown(to)}`),
    ]),
    ...diff.retired.map((key) => `- ${key}`),
    counts(diff)
      .map(([name, count]) => `${count} ${name}`)
      .join(", "),
  ].join("\n");
}

function outcome(diff: CatalogueDiff, version: number | null): string {
  if (version !== null) return `Version ${version} is now active.`;
  return changesNothing(diff) ? "No changes." : "Dry run: nothing changed.";
}
