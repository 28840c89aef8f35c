import { type JsonSchema, type JsonType, limitText, reading, type Schema } from "@pestle/contract";
import { stateNamed } from "./address/states.ts";
import { isDate } from "./calendar.ts";
import { fieldKinds } from "./field-kinds.ts";
import { isUuid } from "./identifiers.ts";
import type { Cause, Problem } from "./refusals.ts";
import { isSentObject, type SentFields, unknownFields } from "./unknown-fields.ts";

/** The readable part: an omitted or rejected field is absent, and a rejected list entry is undefined. */
export type Read<T> = T extends readonly (infer Entry)[]
  ? (Entry extends object ? Read<Entry> | undefined : Entry)[]
  : T extends object
    ? { [Field in keyof T]?: Read<T[Field]> }
    : T;

/**
 * Readers for values with their own rules: objects by schema name, texts by format. Each gets the value and its
 * location (`address.`, `url`). A null value means rejected, with the row's own code unless the reader reports another
 * problem.
 */
export type OwnReaders = {
  readonly [name: string]: (sent: never, at: string) => { value: unknown; problems: Problem[] };
};

/**
 * Reads a complete body with its rows in the contract. Each unknown, missing or malformed field is a problem, with the
 * row's code and the field's path (`patient.identity_documents[0].type`).
 */
export function readBody<T>(
  schema: Schema<T>,
  sent: SentFields,
  prefix = "",
  readers: OwnReaders = {},
): { fields: Read<T>; problems: Problem[] } {
  const problems: Problem[] = [];
  const fields = readFields(schema, sent, prefix, { problems, readers }) as Read<T>;
  return { fields, problems };
}

/** The problem for a rejected field, also for rules that rows cannot express. Without a value, the field is missing. */
export const refusalOf = <T>(schema: Schema<T>, field: keyof T & string, sent: unknown, prefix = ""): Problem =>
  refusal(rowsOf(schema)[field]!, `${prefix}${field}`, sent);

/** Every field of a body, with null for omitted and rejected ones. */
export const withNulls = <T extends object, R extends object>(schema: Schema<T>, fields: R) =>
  ({ ...Object.fromEntries(Object.keys(rowsOf(schema)).map((name) => [name, null])), ...fields }) as {
    [Field in keyof R]-?: NonNullable<R[Field]> | null;
  };

type Walk = { readonly problems: Problem[]; readonly readers: OwnReaders };

const rowsOf = (schema: JsonSchema) => schema["properties"] as Record<string, JsonSchema>;

function readFields(schema: JsonSchema, sent: SentFields, prefix: string, walk: Walk): Record<string, unknown> {
  const rows = rowsOf(schema);
  const { required = [] } = schema as { required?: readonly string[] };
  walk.problems.push(...unknownFields(sent, Object.keys(rows), prefix));
  const fields: Record<string, unknown> = {};
  for (const [name, row] of Object.entries(rows)) {
    const given = present(row, sent[name]);
    if (given === undefined && !required.includes(name)) continue;
    const value = readValue(row, given, `${prefix}${name}`, walk);
    if (value !== undefined) fields[name] = value;
  }
  return fields;
}

/** Null means absent, except where a row gives it a meaning of its own. */
const present = (row: JsonSchema, value: unknown) => (value === null && !isNullable(row) ? undefined : value);
const isNullable = (row: JsonSchema) => Array.isArray(row["type"]) && row["type"].includes("null");

/** Undefined if rejected. */
function readValue(row: JsonSchema, value: unknown, field: string, walk: Walk): unknown {
  const type = typeOf(row);
  if (value === null && isNullable(row)) return null;
  const told = walk.problems.length;
  const read = type === "array" ? readList(row, value, field, walk) : readOne(row, type, value, field, walk);
  if (read === undefined && walk.problems.length === told) walk.problems.push(refusal(row, field, value));
  return read;
}

/** Undefined without a problem means the row's own rejection. */
function readOne(row: JsonSchema, type: unknown, value: unknown, field: string, walk: Walk): unknown {
  const own = walk.readers[(row["$id"] ?? row["format"]) as string];
  const at = type === "object" ? `${field}.` : field;
  if (type === "object") {
    if (!isSentObject(value)) return undefined;
    if (own === undefined) return readFields(row, value, at, walk);
  }
  const given = type === "object" ? value : readScalar(row, type, value, own !== undefined);
  if (own === undefined || given === undefined) return given;
  const read = own(given as never, at);
  for (const problem of read.problems) walk.problems.push(problem);
  return read.value ?? undefined;
}

/** A list of texts or numbers is all or nothing. Rejected objects leave a gap. */
function readList(row: JsonSchema, sent: unknown, field: string, walk: Walk): unknown {
  const { items, minItems = 0, maxItems = Number.POSITIVE_INFINITY, uniqueItems = false } = row as ListLimits;
  if (!Array.isArray(sent) || sent.length < minItems || sent.length > maxItems) return undefined;
  const entries = sent.map((value: unknown, index) => {
    const here = `${field}[${index}]`;
    const read = readValue(items, value, here, walk);
    if (read === undefined || !uniqueItems || sent.indexOf(value) === index) return read;
    walk.problems.push({ ...refusal(row, here, sent), problem: "conflict", message: row[reading]!.repeated! });
    return undefined;
  });
  return items["type"] !== "object" && entries.includes(undefined) ? undefined : entries;
}
type ListLimits = { items: JsonSchema; minItems?: number; maxItems?: number; uniqueItems?: boolean };

function readScalar(row: JsonSchema, type: unknown, value: unknown, own_format: boolean): unknown {
  if (row["enum"] !== undefined) return (row["enum"] as unknown[]).includes(value) ? value : undefined;
  if (type === "string") return typeof value === "string" ? readText(row, value, own_format) : undefined;
  if (type === "boolean") return typeof value === "boolean" ? value : undefined;
  return typeof value === "number" && isNumberOf(row, type, value) ? value : undefined;
}

function isNumberOf(row: JsonSchema, type: unknown, value: number): boolean {
  const { minimum = Number.NEGATIVE_INFINITY, maximum = Number.POSITIVE_INFINITY, exclusiveMinimum } = row as Limits;
  const { decimals } = row[reading] ?? {};
  return (
    (type === "number" || Number.isSafeInteger(value)) &&
    value >= minimum &&
    value <= maximum &&
    (exclusiveMinimum === undefined || value > exclusiveMinimum) &&
    (decimals === undefined || Number(value.toFixed(decimals)) === value)
  );
}
type Limits = { minimum?: number; maximum?: number; exclusiveMinimum?: number };

/** Kinds count UTF-16 units, like columns and labels. Other texts count characters, like JSON Schema. */
function readText(row: JsonSchema, text: string, own_format: boolean): unknown {
  const { minLength = 0, maxLength = Number.POSITIVE_INFINITY, pattern, format = "" } = row as TextLimits;
  const { kind } = row[reading] ?? {};
  if (kind !== undefined) return fieldKinds[kind](text, maxLength);
  const fits =
    text.length >= minLength &&
    (maxLength === Number.POSITIVE_INFINITY || isKept(text, maxLength)) &&
    (pattern === undefined || new RegExp(pattern, "u").test(text)) &&
    (own_format || (formats[format]?.(text) ?? true));
  return fits ? text : undefined;
}

/** A lone surrogate has no UTF-8 bytes, so it would be stored and signed as something else. */
const isKept = (text: string, most: number) =>
  !/\p{Surrogate}/u.test(text) && (text.length <= most || [...text].length <= most);

type TextLimits = { minLength?: number; maxLength?: number; pattern?: string; format?: string };
/** The other formats have their own readers: a URL depends on its target, a time on the pharmacy's time zone. */
const formats: { readonly [format: string]: (text: string) => boolean } = { date: isDate, uuid: isUuid };

/** A value that is not an object is rejected like its first required field, unless it has its own code. */
function refusal(row: JsonSchema, field: string, sent: unknown): Problem {
  const { code, message } = row[reading] ?? {};
  const [needed] = (row["required"] ?? []) as readonly string[];
  if (code === undefined && needed !== undefined) return refusal(rowsOf(row)[needed]!, `${field}.${needed}`, undefined);
  const cause = causeOf(row, sent);
  // A code of its own has a resolution of its own.
  const told = message ?? (code === undefined && cause.problem === "not_allowed" ? limitText(row) : undefined);
  return { code: code ?? 42200, field, ...(told !== undefined && { message: told }), ...cause };
}

function causeOf(row: JsonSchema, sent: unknown): Cause {
  if (sent === undefined) return { problem: "missing" };
  const expected = typeOf(row);
  if (!isOf[expected](sent)) return { problem: "wrong_type", expected };
  const meant = row[reading]?.kind === "state" ? stateNamed(String(sent)) : undefined;
  if (meant) return { problem: "not_allowed", resembles: { sent: meant, names: [meant] } };
  const allowed = ((row["enum"] ?? []) as (string | number | null)[]).filter((value) => value !== null);
  if (allowed.length === 0) return { problem: "not_allowed" };
  const resembles = typeof sent === "string" && { resembles: { sent, names: allowed as string[] } };
  return { problem: "not_allowed", allowed, ...resembles };
}

const typeOf = (row: JsonSchema) => [row["type"]].flat()[0] as JsonType;

const isOf: Record<JsonType, (value: unknown) => boolean> = {
  string: (value) => typeof value === "string",
  integer: (value) => Number.isInteger(value),
  number: (value) => typeof value === "number",
  boolean: (value) => typeof value === "boolean",
  array: Array.isArray,
  object: isSentObject,
};
