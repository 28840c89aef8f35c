import { explain, type Failure } from "@pestle/cli/errors";
import { IndexKeyRefusal } from "../db/index-key-fence.ts";
import { StatusRefusal } from "../domain/values/refusals.ts";

const UNREACHABLE = "Cannot reach the database. Check that it is running, and check DATABASE_URL.";

/** One line for any error of a command that works on the database. */
export const explainHere = (error: unknown): Failure =>
  explain(error instanceof StatusRefusal && !(error instanceof IndexKeyRefusal) ? new Error(UNREACHABLE) : error);
