import { WrongUsage } from "./errors.ts";

export type JsonFields = { [name: string]: unknown };

export const isObject = (value: unknown): value is JsonFields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Turns `patient.address.zip=95814` and the like into one object. Only numeric fields become numbers: a ZIP code is text. */
export function fieldsOf(settings: readonly string[]): JsonFields {
  const fields: JsonFields = newFields();
  for (const setting of settings) {
    const at = setting.indexOf("=");
    if (at < 1) throw new WrongUsage("--set takes field=value, such as refills_left=3.");
    const path = setting.slice(0, at).split(".");
    setAt(fields, path, valueFor(path.at(-1)!, setting.slice(at + 1)));
  }
  return fields;
}

const NUMBERS = ["written_qty", "days_supply", "refills_left"];
const WORDS: Record<string, unknown> = { true: true, false: false, null: null };

/** Text that looks like a word or like JSON becomes a value; numeric fields become numbers. */
export function valueFor(name: string, text: string): unknown {
  if (Object.hasOwn(WORDS, text)) return WORDS[text];
  if (NUMBERS.includes(name) && text.trim() !== "" && Number.isFinite(Number(text))) return Number(text);
  if (!/^[[{"]/.test(text)) return text;
  try {
    return JSON.parse(text);
  } catch {
    throw new WrongUsage(`The value of ${name} looks like JSON but does not parse.`);
  }
}

function setAt(fields: JsonFields, [name = "", ...rest]: string[], value: unknown): void {
  if (rest.length === 0) {
    fields[name] = value;
    return;
  }
  fields[name] ??= newFields();
  const inner = fields[name];
  if (typeof inner !== "object") throw new WrongUsage(`--set gives ${name} both a value and subfields.`);
  setAt(inner as JsonFields, rest, value);
}

/** No prototype, so a field named `__proto__` is an ordinary field. */
const newFields = (): JsonFields => Object.create(null) as JsonFields;
