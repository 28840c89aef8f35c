import { MOST_DETAILS } from "./error-entries.ts";
import type { Problem } from "./refusals.ts";

/** A JSON object as sent: any field can be missing or have another type. */
export type SentFields = { readonly [field: string]: unknown };

/**
 * Rejects misspelled fields: with an ignored `adress`, a parcel would go to the old address. Finds as many as an answer
 * names, because a body of 1 MiB can have a hundred thousand of them.
 */
export function unknownFields(sent: SentFields, known: readonly string[], prefix = ""): Problem[] {
  const problems: Problem[] = [];
  for (const name of Object.keys(sent)) {
    if (known.includes(name)) continue;
    problems.push({ code: 42200, field: `${prefix}${name}` });
    if (problems.length === MOST_DETAILS) break;
  }
  return problems;
}

export const isSentObject = (value: unknown): value is SentFields =>
  typeof value === "object" && value !== null && !Array.isArray(value);
