import type { IncomingMessage } from "node:http";
import { isTypeInUtf8 } from "../domain/values/http-headers.ts";
import { RequestProblems, refuse, refuseAll } from "../domain/values/refusals.ts";
import { isSentObject, unknownFields } from "../domain/values/unknown-fields.ts";

export type JsonObject = { readonly [name: string]: unknown };

export const LARGEST_BODY_BYTES = 1024 * 1024;
/** Reads a larger body to its end and discards it, so that the caller gets the answer. Stops at this size. */
const LARGEST_DRAIN_BYTES = 8 * 1024 * 1024;
const DEEPEST_NESTING = 32;
/** No object needs as many. Reading 60,000 of them would stop all other requests for a tenth of a second. */
const MOST_FIELDS = 1_000;
/** Enough to find unknown fields in a body with too many. */
const FIRST_FIELDS = 200;
const utf8 = new TextDecoder("utf-8", { fatal: true });

/**
 * Reads the body as a JSON object, or throws the 400 that names the problem. An optional body may be empty. With `known`,
 * the names of the fields, a body with far too many fields gets the 422 for the first unknown ones.
 */
export async function readJsonObject(
  raw: IncomingMessage,
  options: { optional?: boolean; known?: readonly string[] | undefined } = {},
): Promise<JsonObject> {
  const bytes = await readBody(raw);
  if (options.optional && bytes.length === 0) return {};
  if (!isTypeInUtf8(raw.headers["content-type"], "application/json")) refuse(40002, "Content-Type");
  if (bytes === "too large") refuse(40004, "body");
  const { value, whole } = parseJson(bytes);
  if (!isSentObject(value)) refuse(40000, "body");
  if (whole) return value;
  if (options.known !== undefined) refuseAll(unknownFields(value, options.known));
  return refuse(40004, "body");
}

/** The size of a body. A chunked one announces none. */
export const bytesOf = ({ headers }: Pick<IncomingMessage, "headers">, body: JsonObject): number =>
  Number(headers["content-length"] ?? Buffer.byteLength(JSON.stringify(body)));

export function readBody(raw: IncomingMessage, largest_bytes = LARGEST_BODY_BYTES): Promise<Buffer | "too large"> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    raw.on("data", (chunk: Buffer) => {
      size += chunk.length;
      if (size <= largest_bytes) chunks.push(chunk);
      else if (size > LARGEST_DRAIN_BYTES) {
        raw.pause();
        resolve("too large");
      }
    });
    raw.on("end", () => resolve(size > largest_bytes ? "too large" : Buffer.concat(chunks, size)));
    // The caller hung up or was too slow. No one reads the answer, but the request must end. Every request closes, and
    // an error costs a stack trace, so a complete request creates none.
    const broken = () => raw.readableEnded || reject(new RequestProblems([{ code: 40000, field: "body" }]));
    raw.on("error", broken);
    raw.on("close", broken);
  });
}

type Parsed = { value: unknown; names: number; whole: boolean };

function parseJson(bytes: Buffer): Parsed {
  const found = parsed(bytes) ?? refuse(40001, "body");
  // Do not guess which of two values is meant: the other one might be the right quantity.
  if (found.whole && namesOf(found.value) !== found.names) refuse(40001, "body");
  return found;
}

/** The value and the number of names in its text; undefined if it is not valid JSON. Not `whole`: only the first fields. */
function parsed(bytes: Buffer): Parsed | undefined {
  try {
    const text = utf8.decode(bytes);
    // Later code may recurse into the value, so limit its depth before parsing.
    const { depth, names, most_fields, first_fields } = measure(text);
    if (depth > DEEPEST_NESTING) return undefined;
    if (most_fields <= MOST_FIELDS) return { value: JSON.parse(text), names, whole: true };
    return { value: first_fields === undefined ? {} : JSON.parse(`${first_fields}}`), names, whole: false };
  } catch {
    return undefined;
  }
}

/**
 * Measures the nesting depth, and counts the names in all and in the object with most of them. Outside of strings, a colon
 * follows each name and appears nowhere else. `first_fields` is the text of the first fields of the outermost object.
 */
function measure(text: string) {
  let level = 0;
  let depth = 0;
  let names = 0;
  let most_fields = 0;
  let commas = 0;
  const fields_at = new Uint32Array(DEEPEST_NESTING + 2);
  let first_fields: string | undefined;
  let inString = false;
  for (let i = 0; i < text.length; i++) {
    const char = text.charCodeAt(i);
    if (inString) {
      if (char === 0x5c) i++;
      else if (char === 0x22) inString = false;
    } else if (char === 0x22) inString = true;
    else if (char === 0x3a) {
      names++;
      // Deeper values are refused anyway.
      const fields = level > DEEPEST_NESTING ? 0 : ++fields_at[level]!;
      if (fields > most_fields) most_fields = fields;
    } else if (char === 0x2c && level === 1 && ++commas === FIRST_FIELDS) first_fields = text.slice(0, i);
    else if (char === 0x7b || char === 0x5b) {
      depth = Math.max(depth, ++level);
      if (level <= DEEPEST_NESTING) fields_at[level] = 0;
    } else if (char === 0x7d || char === 0x5d) level--;
  }
  return { depth, names, most_fields, first_fields };
}

/** A duplicate name counts once here. */
function namesOf(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  const parts = Array.isArray(value) ? value : Object.values(value);
  let names = parts === value ? 0 : parts.length;
  for (const part of parts) if (typeof part === "object") names += namesOf(part);
  return names;
}
