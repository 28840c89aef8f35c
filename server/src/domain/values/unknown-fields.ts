import { type JsonType, MOST_DETAILS } from "@pestle/contract";
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
    problems.push(unknownField(42200, name, known, prefix));
    if (problems.length === MOST_DETAILS) break;
  }
  return problems;
}

/** Also a query parameter, with its own code. */
export const unknownField = (code: 40003 | 42200, name: string, known: readonly string[], prefix = ""): Problem => ({
  code,
  field: `${prefix}${name}`,
  problem: "unknown_field",
  resembles: { sent: name, names: known },
});

export const isSentObject = (value: unknown): value is SentFields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The value is missing or has another type. */
export const notA = (expected: JsonType, field: string, sent: unknown): Problem =>
  sent === undefined || sent === null
    ? { code: 42200, field, problem: "missing" }
    : { code: 42200, field, problem: "wrong_type", expected };

/** The value is none of our own texts. */
export const notOneOf = (field: string, sent: unknown, allowed: readonly string[]): Problem =>
  typeof sent === "string"
    ? { code: 42200, field, problem: "not_allowed", allowed, resembles: { sent, names: allowed } }
    : notA("string", field, sent);
