import { readFileSync } from "node:fs";
import type { Config } from "../../config.ts";
import type { Queryable } from "../../db/db.ts";
import { loadSafetyImport, newestSafetyImport } from "../../db/safety/safety-imports.ts";
import { canariesFail } from "../../domain/safety/canaries.ts";
import { readSafetyData, type SafetyData } from "../../domain/safety/data.ts";
import { SafetyDataFault } from "../../domain/safety/read-rows.ts";

/** Found from `src/` and from `dist/` alike. */
const SHIPPED = new URL("../../../data/safety.json", import.meta.url);

/** The safety tables in force and where they come from. `data` is null where nothing could be read. */
export type LoadedSafety = {
  /** null: from a file. */
  import_number: number | null;
  origin: string;
  data: SafetyData | null;
  /** Why they cannot be relied on; empty while they can. */
  unfit: readonly string[];
};

const FILE_BEHIND_SETTING = "the file of SAFETY_DATA_FILE";

/**
 * The newest import; where there is none, the file. What is damaged is never replaced by something older: whoever
 * imported a table counts on it. Without a database only the file is looked at.
 */
export async function loadSafety(config: Config, db: Queryable | null): Promise<LoadedSafety> {
  const import_number = db === null ? null : await newestSafetyImport(db);
  if (db === null || import_number === null) return loadSafetyFile(config);
  const stored = await loadSafetyImport(db, import_number);
  return { import_number, origin: `import ${import_number}`, ...judged(() => stored) };
}

/** The tables of the setting's file, or those that come with this build. */
export function loadSafetyFile({ SAFETY_DATA_FILE }: Pick<Config, "SAFETY_DATA_FILE">): LoadedSafety {
  const origin = SAFETY_DATA_FILE === "" ? "this build" : FILE_BEHIND_SETTING;
  const text = () => readFileSync(SAFETY_DATA_FILE === "" ? SHIPPED : SAFETY_DATA_FILE, "utf8");
  return { import_number: null, origin, ...judged(() => JSON.parse(text().replace(/^\ufeff/, "")) as unknown) };
}

export const canaryFaults = (data: SafetyData): string[] =>
  canariesFail(data).map((name) => `the canary "${name}" does not behave`);

function judged(read: () => unknown): Pick<LoadedSafety, "data" | "unfit"> {
  try {
    const data = readSafetyData(read());
    return { data, unfit: canaryFaults(data) };
  } catch (error) {
    return { data: null, unfit: reasonsOf(error) };
  }
}

/** What is wrong, in words that repeat nothing of the data. */
function reasonsOf(error: unknown): readonly string[] {
  if (error instanceof SafetyDataFault) return error.faults;
  if (error instanceof SyntaxError) return ["file: this is no JSON"];
  return [`file: cannot be read (${(error as { code?: string }).code ?? "unknown fault"})`];
}
