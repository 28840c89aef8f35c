import { readFileSync } from "node:fs";
import type { Config } from "../../config.ts";
import type { Queryable } from "../../db/db.ts";
import { loadSafetyImport, newestSafetyImport } from "../../db/safety/safety-imports.ts";
import { canariesFail } from "../../domain/safety/canaries.ts";
import { readSafetyData, type SafetyData } from "../../domain/safety/data.ts";
import { SafetyDataFault } from "../../domain/safety/read-rows.ts";
import { loadLexicon } from "./load-lexicon.ts";

/** The same relative path works from `src/` and from `dist/`. */
const SHIPPED = new URL("../../../data/safety.json", import.meta.url);

/** The current safety tables and their origin. `data` is null if they cannot be read. */
export type LoadedSafety = {
  /** null if they come from a file. */
  import_number: number | null;
  origin: string;
  data: SafetyData | null;
  /** Why the tables are unreliable; empty if they are fit. */
  unfit: readonly string[];
};

const FILE_BEHIND_SETTING = "the SAFETY_DATA_FILE file";

/**
 * The newest import, or the file if there is no import. Damaged tables are never replaced by older ones, because the
 * pharmacist who imported them relies on their content. Without a database, only the file counts.
 */
export async function loadSafety(config: Config, db: Queryable | null): Promise<LoadedSafety> {
  const import_number = db === null ? null : await newestSafetyImport(db);
  if (db === null || import_number === null) return loadSafetyFile(config);
  const stored = await loadSafetyImport(db, import_number);
  return { import_number, origin: `import ${import_number}`, ...judged(() => stored) };
}

let shipped: LoadedSafety | undefined;

/** The tables in SAFETY_DATA_FILE, or those that ship with this build, which never change while the process runs. */
export function loadSafetyFile({ SAFETY_DATA_FILE }: Pick<Config, "SAFETY_DATA_FILE">): LoadedSafety {
  if (SAFETY_DATA_FILE !== "") return readFile(SAFETY_DATA_FILE, FILE_BEHIND_SETTING);
  // A damaged file may be repaired, so only fit tables are kept.
  if (shipped === undefined || shipped.unfit.length > 0) shipped = readFile(SHIPPED, "this build");
  return shipped;
}

function readFile(file: string | URL, origin: string): LoadedSafety {
  const text = () => readFileSync(file, "utf8").replace(/^\ufeff/, "");
  return { import_number: null, origin, ...judged(() => JSON.parse(text()) as unknown) };
}

export const canaryFaults = (data: SafetyData): string[] => canariesFail(data).map((name) => `canary "${name}" failed`);

function judged(read: () => unknown): Pick<LoadedSafety, "data" | "unfit"> {
  try {
    const data = readSafetyData(read(), undefined, loadLexicon());
    return { data, unfit: canaryFaults(data) };
  } catch (error) {
    return { data: null, unfit: reasonsOf(error) };
  }
}

/** Describes the fault without quoting the data. */
function reasonsOf(error: unknown): readonly string[] {
  if (error instanceof SafetyDataFault) return error.faults;
  if (error instanceof SyntaxError) return ["file: not valid JSON"];
  return [`file: cannot be read (${(error as { code?: string }).code ?? "unknown error"})`];
}
