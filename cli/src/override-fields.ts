import { WrongUsage } from "./errors.ts";
import { isObject, type JsonFields, valueFor } from "./set-fields.ts";

/**
 * Changes fields of a record by `--set`: `medication_requests[0].refills_left=0`. Only fields that the record has can
 * change, so that a misspelled one is not overlooked. A value keeps the type that the field has.
 */
export function overridden(record: JsonFields, settings: readonly string[]): JsonFields {
  const changed = structuredClone(record);
  for (const setting of settings) {
    const at = setting.indexOf("=");
    if (at < 1) throw new WrongUsage("--set takes field=value, such as medication_requests[0].refills_left=0.");
    const path = setting
      .slice(0, at)
      .split(/[.[\]]+/)
      .filter((name) => name !== "");
    const last = path.pop() ?? "";
    let holder: unknown = changed;
    for (const name of path) holder = fieldOf(holder, name, setting.slice(0, at));
    const before = fieldOf(holder, last, setting.slice(0, at));
    (holder as JsonFields)[last] = valueLike(before, last, setting.slice(at + 1));
  }
  return changed;
}

function fieldOf(holder: unknown, name: string, path: string): unknown {
  const fields = isObject(holder) || Array.isArray(holder) ? (holder as JsonFields) : {};
  if (Object.hasOwn(fields, name)) return fields[name];
  const names = Object.keys(fields);
  const known = names.length === 0 ? "It has no fields." : `It has ${names.join(", ")}.`;
  throw new WrongUsage(`There is no ${name} in ${path}. ${known}`);
}

function valueLike(before: unknown, name: string, text: string): unknown {
  if (typeof before === "string") return text === "null" ? null : text;
  if (typeof before === "number" && text.trim() !== "" && Number.isFinite(Number(text))) return Number(text);
  return valueFor(name, text);
}
