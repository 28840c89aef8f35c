import { MOST_DETAILS } from "@pestle/contract";
import { type Problem, refuse, refuseAll } from "../domain/values/refusals.ts";
import { unknownField } from "../domain/values/unknown-fields.ts";

/**
 * Reads the query by the names that the operation takes. A name that ends in `[]` may repeat. An unknown, repeated or
 * unreadable parameter is 40003, because a misspelled filter must not return everything.
 */
export function readQuery(url: string, known: readonly string[]): Map<string, string[]> {
  const query = new Map<string, string[]>();
  const start = url.indexOf("?");
  if (start < 0) return query;
  const unknown = new Map<string, Problem>();
  for (const pair of url.slice(start + 1).split("&")) {
    if (pair === "") continue;
    const equals = pair.indexOf("=");
    const name = decoded(equals < 0 ? pair : pair.slice(0, equals));
    const value = decoded(equals < 0 ? "" : pair.slice(equals + 1));
    if (name === undefined) refuse(40003, "query");
    if (!known.includes(name)) {
      if (unknown.size < MOST_DETAILS) unknown.set(name, unknownField(40003, name, known));
      continue;
    }
    const values = query.get(name) ?? [];
    if (value === undefined || (values.length > 0 && !name.endsWith("[]"))) refuse(40003, name);
    query.set(name, [...values, value]);
  }
  refuseAll([...unknown.values()]);
  return query;
}

function decoded(text: string): string | undefined {
  try {
    const value = decodeURIComponent(text.replaceAll("+", " "));
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
    return /[\u0000-\u001f\u007f]/.test(value) ? undefined : value;
  } catch {
    return undefined;
  }
}
