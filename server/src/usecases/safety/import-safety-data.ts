import { createHash } from "node:crypto";
import type { Config } from "../../config.ts";
import { announce } from "../../db/bus.ts";
import type { Database, Tx } from "../../db/db.ts";
import { insertSafetyImport, lockSafetyImports } from "../../db/safety/safety-imports.ts";
import { readSafetyData, type SafetyData } from "../../domain/safety/data.ts";
import { diffSafetyRows, type SafetyDiff } from "../../domain/safety/diff.ts";
import { withInteractionsOf } from "../../domain/safety/interaction-csv.ts";
import { SafetyDataFault } from "../../domain/safety/read-rows.ts";
import { type SafetyTable, safetyTables, wordLists } from "../../domain/safety/rows.ts";
import { isNamesFile, withNamesOf } from "../../domain/safety/texts/names-csv.ts";
import { dateIn } from "../../domain/values/calendar.ts";
import { AdminRefusal } from "../accounts/admin-refusal.ts";
import { requirePharmacist } from "../intake/require-reviewer.ts";
import { transact } from "../write.ts";
import { loadLexicon } from "./load-lexicon.ts";
import { canaryFaults, type LoadedSafety, loadSafety } from "./load-safety-data.ts";

export type SafetyImport = {
  /** All tables as JSON, or interactions or drug names as CSV. */
  text: string;
  file_name: string;
  dry_run: boolean;
  /** The licensed pharmacist who reviewed the file and answers for it; null is allowed only for a dry run. */
  email: string | null;
};
export type ImportedSafety = {
  /** null if nothing was written: faults, no changes, or a dry run. */
  import_number: number | null;
  version: string | null;
  diff: SafetyDiff;
  faults: readonly string[];
};

/** Replaces all tables or none and notifies every process. Refuses tables that fail their canaries. */
export async function importSafetyData(
  { config, db }: { config: Config; db: Database },
  given: SafetyImport,
  now: Date,
): Promise<ImportedSafety> {
  const today = dateIn(config.TIME_ZONE, now);
  return transact({ db }, async (tx) => {
    if (!given.dry_run) await lockSafetyImports(tx);
    const before = await loadSafety(config, tx);
    let data: SafetyData;
    try {
      data = readImport(given, before);
    } catch (error) {
      if (!(error instanceof SafetyDataFault)) throw error;
      return { import_number: null, version: null, diff: [], faults: error.faults };
    }
    const { version, rows } = data;
    const faults = canaryFaults(data);
    if (faults.length > 0) return { import_number: null, version, diff: [], faults };
    // If the current tables cannot be read, every row is new.
    const diff = diffSafetyRows(before.data?.rows ?? nothing(data), rows);
    const same = diff.length === 0 && before.unfit.length === 0 && before.data?.version === version;
    if (given.dry_run || same) return { import_number: null, version, diff, faults };
    return { import_number: await save(tx, given, data, diff, { now, today }), version, diff, faults };
  });
}

async function save(
  tx: Tx,
  given: SafetyImport,
  data: SafetyData,
  diff: SafetyDiff,
  { now, today }: { now: Date; today: string },
): Promise<number> {
  if (given.email === null) throw new AdminRefusal("Sign in first: an import records the pharmacist who made it.");
  const { person_id } = await requirePharmacist(tx, given.email, today);
  const import_number = await insertSafetyImport(tx, {
    version: data.version,
    file_name: given.file_name,
    sha256: sha256(given.text),
    imported_by: person_id,
    imported_at: now,
    summary: diff,
    data: data.rows,
  });
  await announce(tx, { kind: "safety", account_id: "" });
  return import_number;
}

/** Text that begins with a brace is JSON; anything else is CSV and is merged into the current tables. */
function readImport({ text, file_name }: SafetyImport, { data }: LoadedSafety): SafetyData {
  if (/^\ufeff?\s*\{/.test(text)) return readSafetyData(parsed(text), undefined, loadLexicon());
  if (data === null) {
    throw new AdminRefusal(
      "A CSV file is merged into the current tables, and those cannot be read. Import JSON first.",
    );
  }
  const merge = isNamesFile(text) ? withNamesOf : withInteractionsOf;
  const { json, place } = merge(text, data, `${file_name} ${sha256(text).slice(0, 8)}`);
  return readSafetyData(json, place, loadLexicon());
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\ufeff/, ""));
  } catch {
    throw new SafetyDataFault(["file: not valid JSON"]);
  }
}

const nothing = ({ rows }: SafetyData): SafetyData["rows"] => ({
  ...rows,
  ...(Object.fromEntries(Object.keys(safetyTables).map((table) => [table, []])) as unknown as Record<SafetyTable, []>),
  sources: {},
  words: Object.fromEntries(Object.keys(wordLists).map((list) => [list, []])) as unknown as SafetyData["rows"]["words"],
});

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");
