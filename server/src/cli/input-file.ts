import { readFileSync } from "node:fs";
import { AdminRefusal } from "../usecases/admin-refusal.ts";
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
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as JsonFields;
  } catch {
    // What is no JSON is no object either.
  }
  throw new AdminRefusal("The file holds no JSON object.");
}
