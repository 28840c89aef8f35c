import { readFileSync } from "node:fs";
import { isSentObject } from "../domain/values/unknown-fields.ts";
import { AdminRefusal } from "../usecases/accounts/admin-refusal.ts";
import { reason } from "./errors.ts";
import type { JsonFields } from "./set-fields.ts";

/** The text of a file; `-` is standard input. */
export function readText(file: string): string {
  try {
    return readFileSync(file === "-" ? 0 : file, "utf8");
  } catch (error) {
    throw new AdminRefusal(`The file cannot be read: ${reason(error)}`);
  }
}

export function readObject(file: string): JsonFields {
  const text = readText(file);
  try {
    const value: unknown = JSON.parse(text);
    if (isSentObject(value)) return value;
  } catch {
    // What is no JSON is no object either.
  }
  throw new AdminRefusal("The file holds no JSON object.");
}
