import { chmodSync, writeFileSync } from "node:fs";
import { AdminRefusal } from "../usecases/accounts/admin-refusal.ts";
import { reason } from "./errors.ts";

/** A file that tells of patients: for whoever asked for it, and nobody else of this machine. */
export function writePrivate(file: string, content: Buffer | string): void {
  try {
    writeFileSync(file, content, { mode: 0o600 });
    // One that was there already keeps its mode otherwise.
    chmodSync(file, 0o600);
  } catch (error) {
    throw new AdminRefusal(`The file cannot be written: ${reason(error)}`);
  }
}
