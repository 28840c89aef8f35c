import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { CommandRefusal, reason } from "./errors.ts";
import { isObject, type JsonFields } from "./set-fields.ts";

export function readBytes(file: string | 0): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    throw new CommandRefusal(`The file cannot be read: ${reason(error)}`);
  }
}

/** `-` is standard input. */
export const readText = (file: string): string => readBytes(file === "-" ? 0 : file).toString("utf8");

export function readObject(file: string): JsonFields {
  const text = readText(file);
  try {
    const value: unknown = JSON.parse(text);
    if (isObject(value)) return value;
  } catch {
    // Invalid JSON gets the same message as JSON that is not an object.
  }
  throw new CommandRefusal("The file does not contain a JSON object.");
}

/** Only the current user can read the file, because it contains patient data. */
export function writePrivate(file: string, content: Buffer | string): void {
  try {
    writeFileSync(file, content, { mode: 0o600 });
    // writeFileSync does not change the mode of an existing file.
    chmodSync(file, 0o600);
  } catch (error) {
    throw new CommandRefusal(`The file cannot be written: ${reason(error)}`);
  }
}
