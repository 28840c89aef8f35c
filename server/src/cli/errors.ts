import { CommanderError } from "commander";
import { WrongSetting } from "../config.ts";
import { StatusRefusal } from "../domain/values/refusals.ts";

/** Options that do not go together. */
export class WrongUsage extends Error {}

/** The one line for whatever went wrong, and the exit code: 2 for what was typed or set, 1 for the rest. */
export function explain(error: unknown): { line: string; exit_code: 1 | 2 } {
  if (error instanceof CommanderError) {
    // `commander.help`: a group without a verb. The help was printed already.
    return {
      line: error.code === "commander.help" ? "" : oneLine(error.message.replace(/^error: /, "")),
      exit_code: 2,
    };
  }
  if (error instanceof WrongUsage || error instanceof WrongSetting)
    return { line: oneLine(error.message), exit_code: 2 };
  if (error instanceof StatusRefusal) {
    return { line: "The database is out of reach. Check that it runs, and DATABASE_URL.", exit_code: 1 };
  }
  return { line: reason(error), exit_code: 1 };
}

/** Node gives some errors a code and no message. */
export function reason(error: unknown): string {
  const { message, code } = error as { message?: string; code?: string };
  return oneLine(message || code || "unknown fault");
}

const oneLine = (text: string) => text.trim().replace(/\s*\n\s*/g, " ");
