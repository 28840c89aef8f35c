import { CommanderError } from "commander";
import { WrongSetting } from "../config.ts";
import { IndexKeyRefusal } from "../db/index-key-fence.ts";
import { StatusRefusal } from "../domain/values/refusals.ts";

/** Invalid or conflicting arguments. */
export class WrongUsage extends Error {}

/** One line for any error, and the exit code: 2 for bad arguments or settings, 1 for everything else. */
export function explain(error: unknown): { line: string; exit_code: 1 | 2 } {
  if (error instanceof CommanderError) {
    // `commander.help`: a group without a verb. Commander has already printed the help.
    return {
      line: error.code === "commander.help" ? "" : oneLine(error.message.replace(/^error: /, "")),
      exit_code: 2,
    };
  }
  if (error instanceof WrongUsage || error instanceof WrongSetting)
    return { line: oneLine(error.message), exit_code: 2 };
  if (error instanceof IndexKeyRefusal) return { line: oneLine(error.message), exit_code: 1 };
  if (error instanceof StatusRefusal) {
    return { line: "Cannot reach the database. Check that it is running, and check DATABASE_URL.", exit_code: 1 };
  }
  return { line: reason(error), exit_code: 1 };
}

/** Some Node errors have a code but no message. */
export function reason(error: unknown): string {
  const { message, code } = error as { message?: string; code?: string };
  return oneLine(message || code || "unknown error");
}

const oneLine = (text: string) => text.trim().replace(/\s*\n\s*/g, " ");
