import type { Problem } from "./refusals.ts";

/** A JSON object as sent: any field can be missing or have another type. */
export type SentFields = { readonly [field: string]: unknown };

/** Rejects misspelled fields: with an ignored `adress`, a parcel would go to the old address. */
export const unknownFields = (sent: SentFields, known: readonly string[], prefix = ""): Problem[] =>
  Object.keys(sent)
    .filter((name) => !known.includes(name))
    .map((name) => ({ code: 42200, field: `${prefix}${name}` }));

export const isSentObject = (value: unknown): value is SentFields =>
  typeof value === "object" && value !== null && !Array.isArray(value);
