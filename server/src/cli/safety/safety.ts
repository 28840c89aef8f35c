import { basename } from "node:path";
import { readConfig } from "../../config.ts";
import { listSafetyImports } from "../../db/safety/safety-imports.ts";
import { assessSafety } from "../../domain/safety/assess-safety.ts";
import type { SafetyData } from "../../domain/safety/data.ts";
import type { SafetyDiff } from "../../domain/safety/diff.ts";
import { type SafetyTable, safetyTables } from "../../domain/safety/rows.ts";
import { isUnderstood, understand } from "../../domain/safety/understand.ts";
import { AdminRefusal } from "../../usecases/accounts/admin-refusal.ts";
import { importSafetyData } from "../../usecases/safety/import-safety-data.ts";
import { type LoadedSafety, loadSafety, loadSafetyFile } from "../../usecases/safety/load-safety-data.ts";
import { readBytes } from "../files.ts";
import { facts, minute, table } from "../output.ts";
import type { CommandRow } from "../program.ts";
import { withSchema } from "../session.ts";

type ImportOptions = { as?: string; dryRun?: boolean };
type CheckOptions = { allergy?: string[]; with?: string[] };

/** Rows shown per table in a diff. --json has all of them. */
const MOST_SHOWN = 20;

export const safetyCommands: readonly CommandRow[] = [
  {
    name: "safety import",
    summary: "import safety tables: all of them as JSON, or interactions or drug names as CSV",
    argument: ["file", "JSON from `pestle safety show --data`, or a CSV of interactions or of drug names; UTF-8"],
    options: [
      ["--as <email>", "your email; you must be a pharmacist, lead or admin"],
      ["--dry-run", "show the diff without importing"],
    ],
    examples: [
      "safety import feed.json --dry-run",
      "safety import feed.json --as noor@larkspur.example",
      "safety import interactions.csv --as noor@larkspur.example",
      "safety import names.csv --as noor@larkspur.example",
    ],
    async run({ as, dryRun = false }: ImportOptions, file, env) {
      const config = readConfig(env);
      const given = { text: readText(file), file_name: basename(file), dry_run: dryRun, email: as ?? null };
      const data = await withSchema(config, ({ db, now }) => importSafetyData({ config, db }, given, now));
      if (data.faults.length > 0) {
        return { data, text: `${data.faults.join("\n")}\nNothing changed.`, failed: true };
      }
      const outcome =
        data.import_number !== null
          ? `Import ${data.import_number} (version ${data.version}) is now active.`
          : dryRun
            ? "Dry run: nothing changed."
            : "No changes.";
      return { data, text: [...diffLines(data.diff), outcome].join("\n") };
    },
  },
  {
    name: "safety show",
    summary: "show the active safety tables: version, rows, canaries, imports",
    options: [
      ["--data", "print the tables as a file that you can edit and import"],
      ["--shipped", "show this build's tables or SAFETY_DATA_FILE, ignoring imports"],
    ],
    examples: ["safety show", "safety show --data > safety.json", "safety show --shipped --data > safety.json"],
    async run({ data: whole, shipped }: { data?: boolean; shipped?: boolean }, _argument, env) {
      const config = readConfig(env);
      const { loaded, imports } = await withSchema(config, async ({ db }) => ({
        loaded: shipped ? loadSafetyFile(config) : await loadSafety(config, db),
        imports: await listSafetyImports(db),
      }));
      const { data, origin, unfit } = loaded;
      if (whole) {
        const rows = readable(loaded).rows;
        return { data: rows, text: JSON.stringify(rows, null, 2) };
      }
      const rows = data === null ? {} : countsOf(data);
      const shown = facts({
        version: data?.version ?? "none",
        from: origin,
        state: unfit.length === 0 ? "fit: all canaries pass" : "unfit: orders are put on hold",
        ...Object.fromEntries(Object.entries(rows).map(([name, count]) => [name, String(count)])),
      });
      const past = imports.map((row) => [
        String(row.import_number),
        minute(row.imported_at),
        row.version,
        row.imported_by_email,
        row.sha256.slice(0, 12),
        row.file_name,
      ]);
      const head = ["import", "at", "version", "by", "sha256", "file"];
      const text = [shown, ...unfit, ...(past.length > 0 ? [table(head, past)] : [])].join("\n");
      return {
        data: { version: data?.version ?? null, origin, fit: unfit.length === 0, unfit, rows, imports },
        text,
        failed: unfit.length > 0,
      };
    },
  },
  {
    name: "safety check",
    summary: "check a drug against allergies and other drugs, and explain the findings",
    argument: ["drug", "in free text"],
    options: [
      ["--allergy <text...>", "the patient's allergies"],
      ["--with <drug...>", "the patient's other medications"],
    ],
    examples: [
      'safety check amoxicillin --allergy "Penicillin (hives)"',
      'safety check "Zoloft 50 mg" --with Nardil --with ibuprofen',
    ],
    async run({ allergy = [], with: taken = [] }: CheckOptions, drug, env) {
      const config = readConfig(env);
      const data = readable(await withSchema(config, ({ db }) => loadSafety(config, db)));
      const understood = understand(data, drug);
      // A name that is not understood in full stays as given, so that the check reports it.
      const ingredients = isUnderstood(understood) ? understood.substances.map(({ name }) => name) : [];
      const findings = assessSafety(data, {
        items: [
          {
            item_id: 1,
            ingredients: ingredients.length > 0 ? ingredients : [drug],
            gcn: null,
            days_supply: null,
            drug_schedule: "0",
          },
        ],
        fills: [],
        allergies: allergy,
        medications: taken,
        now: new Date(),
      });
      const texts = [drug, ...allergy, ...taken].map((text) => ({ text, means: meaningOf(data, text) }));
      const lines = findings.map(({ exception_id, severity, message, source }) => {
        const does = exception_id === null ? "warns" : `holds with ${exception_id}`;
        return `${severity}, ${does}: ${message}\n    ${source}`;
      });
      return {
        data: { version: data.version, understood: texts, findings },
        text: [
          table(
            ["text", "understood as"],
            texts.map(({ text, means }) => [text, means.join(", ") || "nothing"]),
          ),
          ...(lines.length > 0 ? lines : ["No findings."]),
          `Safety tables version ${data.version}.`,
        ].join("\n"),
      };
    },
  },
];

function readable({ data, unfit }: LoadedSafety): SafetyData {
  if (data === null) throw new AdminRefusal(`The safety tables cannot be read: ${unfit.join("; ")}`);
  return data;
}

function meaningOf(data: SafetyData, text: string): string[] {
  const { substances, excipients, harmless, did_you_mean } = understand(data, text);
  const names = [
    ...substances.map((one) => (did_you_mean.includes(one) ? `did you mean ${one.shown}?` : one.shown)),
    ...excipients.map(({ excipient }) => excipient),
  ];
  return harmless && names.length === 0 ? ["no drug allergy"] : names;
}

const countsOf = ({ rows }: SafetyData): Record<string, number> =>
  Object.fromEntries((Object.keys(safetyTables) as SafetyTable[]).map((name) => [name, rows[name].length]));

function diffLines(diff: SafetyDiff): string[] {
  return diff.flatMap(({ table: name, added, changed, removed }) => {
    const keys = [
      ...added.map((key) => `+ ${key}`),
      ...changed.map((key) => `~ ${key}`),
      ...removed.map((key) => `- ${key}`),
    ];
    const rest = keys.length > MOST_SHOWN ? [`  … and ${keys.length - MOST_SHOWN} more`] : [];
    return [
      `${name}: ${added.length} added, ${changed.length} changed, ${removed.length} removed`,
      ...keys.slice(0, MOST_SHOWN).map((line) => `  ${line}`),
      ...rest,
    ];
  });
}

function readText(file: string): string {
  const bytes = readBytes(file);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new AdminRefusal("The file is not UTF-8.");
  }
}
