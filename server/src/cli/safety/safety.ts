import { basename } from "node:path";
import { readBytes } from "@pestle/cli/files";
import { facts, minute, table } from "@pestle/cli/output";
import type { CommandRow } from "@pestle/cli/program";
import { readConfig } from "../../config.ts";
import { listSafetyImports } from "../../db/safety/safety-imports.ts";
import { assessSafety } from "../../domain/safety/assess-safety.ts";
import type { SafetyData } from "../../domain/safety/data.ts";
import type { SafetyDiff } from "../../domain/safety/diff.ts";
import { type SafetyTable, safetyTables } from "../../domain/safety/rows.ts";
import { readConditions } from "../../domain/safety/texts/conditions.ts";
import { readSig } from "../../domain/safety/texts/sig.ts";
import { isUnderstood, understand } from "../../domain/safety/texts/understand.ts";
import { AdminRefusal } from "../../usecases/accounts/admin-refusal.ts";
import { importSafetyData } from "../../usecases/safety/import-safety-data.ts";
import { type LoadedSafety, loadSafety, loadSafetyFile } from "../../usecases/safety/load-safety-data.ts";
import { AS, signedInStaff } from "../accounts/staff-session.ts";
import { withSchema } from "../session.ts";

type ImportOptions = { as?: string; dryRun?: boolean };
type CheckOptions = {
  allergy?: string[];
  with?: string[];
  condition?: string[];
  age?: string;
  sex?: string;
  sig?: string;
  quantity?: string;
  days?: string;
};

/** Rows shown per table in a diff. --json has all of them. */
const MOST_SHOWN = 20;

export const safetyCommands: readonly CommandRow[] = [
  {
    name: "safety import",
    summary: "import safety tables: all of them as JSON, or interactions or drug names as CSV",
    argument: ["file", "JSON from `pestle safety show --data`, or a CSV of interactions or of drug names; UTF-8"],
    options: [AS, ["--dry-run", "show the diff without importing"]],
    examples: [
      "safety import feed.json --dry-run",
      "safety import feed.json",
      "safety import interactions.csv --as noor@larkspur.example",
      "safety import names.csv --as noor@larkspur.example",
    ],
    async run({ as, dryRun = false }: ImportOptions, file, env) {
      const config = readConfig(env);
      const given = { text: readText(file), file_name: basename(file), dry_run: dryRun };
      const data = await withSchema(config, async ({ db, now }) => {
        // A dry run changes nothing, so it needs no person.
        const email = dryRun ? null : (await signedInStaff({ config, db, now: () => now }, env, as)).email;
        return importSafetyData({ config, db }, { ...given, email }, now);
      });
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
    summary: "check a drug against a patient and its directions, and explain the findings",
    argument: ["drug", "in free text"],
    options: [
      ["--allergy <text...>", "the patient's allergies"],
      ["--with <drug...>", "the patient's other medications"],
      ["--condition <text...>", "the patient's conditions: words or ICD-10 codes"],
      ["--age <years>", "the patient's age"],
      ["--sex <M|F>", "the patient's sex"],
      ["--sig <text>", "the directions"],
      ["--quantity <units>", "the dispensed units: tablets, capsules or mL"],
      ["--days <days>", "the days of supply"],
    ],
    examples: [
      'safety check amoxicillin --allergy "Penicillin (hives)"',
      'safety check "Zoloft 50 mg" --with Nardil --with ibuprofen',
      'safety check semaglutide --condition "family history of MTC" --age 44 --sex F',
      'safety check "metformin 500 mg tablet" --sig "take 1 tablet twice daily" --quantity 30 --days 30',
    ],
    async run({ allergy = [], with: taken = [], condition = [], ...given }: CheckOptions, drug, env) {
      const config = readConfig(env);
      const now = new Date();
      const { patient, sig_text, units, days_supply } = checkedCase(given, now);
      const data = readable(await withSchema(config, ({ db }) => loadSafety(config, db)));
      const understood = understand(data, drug);
      // A name that is not understood in full stays as given, so that the check reports it.
      const ingredients = isUnderstood(understood) ? understood.substances.map(({ name }) => name) : [];
      const findings = assessSafety(data, {
        items: [
          {
            item_id: 1,
            ingredients: ingredients.length > 0 ? ingredients : [drug],
            drug,
            is_drug: true,
            gcn: null,
            sig_text,
            units,
            days_supply,
            drug_schedule: "0",
          },
        ],
        fills: [],
        allergies: allergy,
        medications: taken,
        conditions: condition,
        patient,
        now,
      });
      const texts = [
        ...[drug, ...allergy, ...taken].map((text) => ({ text, means: meaningOf(data, text) })),
        ...condition.map((text) => ({ text, means: conditionsIn(data, text) })),
        ...(sig_text === null ? [] : [{ text: sig_text, means: directionsIn(sig_text) }]),
      ];
      const lines = findings.map(({ exception_id, severity, message, advice, source }) => {
        const does = exception_id === null ? "warns" : `holds with ${exception_id}`;
        return [`${severity}, ${does}: ${message}`, ...(advice === null ? [] : [advice]), source].join("\n    ");
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

/** Reads the numbers of a case, or rejects them. */
function checkedCase({ age, sex, sig, quantity, days }: CheckOptions, now: Date) {
  const years = numberOf("--age", age, 0, OLDEST);
  const gender = sex?.toUpperCase() ?? null;
  if (gender !== null && gender !== "M" && gender !== "F") throw new AdminRefusal("Give --sex as M or F.");
  if (years !== null && !Number.isInteger(years)) throw new AdminRefusal("Give --age in whole years.");
  return {
    patient: {
      dob: years === null ? null : `${now.getUTCFullYear() - years}-01-01`,
      gender: gender as "M" | "F" | null,
      weight_kg: null,
    },
    sig_text: sig ?? null,
    units: numberOf("--quantity", quantity, 0, MOST_UNITS),
    days_supply: numberOf("--days", days, 1, MOST_DAYS),
  };
}

const OLDEST = 120;
const MOST_UNITS = 100_000;
const MOST_DAYS = 365;

function numberOf(name: string, text: string | undefined, least: number, most: number): number | null {
  if (text === undefined) return null;
  const value = /^\d+(?:\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
  if (!(value >= least && value <= most)) throw new AdminRefusal(`Give ${name} as a number from ${least} to ${most}.`);
  return value;
}

const conditionsIn = (data: SafetyData, text: string): string[] =>
  readConditions(data.patient_rules, [text]).conditions.map(({ name }) => name);

function directionsIn(text: string): string[] {
  const sig = readSig(text);
  if (!sig.parsed) return [];
  const { min, max } = sig.amount_per_day;
  const amount = [...new Set([min, max].map((value) => Math.round(value * 1000) / 1000))].join(" to ");
  return [`${amount} ${sig.unit} per day`, ...(sig.prn ? ["as needed"] : [])];
}

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
