import type { IncomingMessage } from "node:http";
import { isTypeInUtf8 } from "../domain/values/http-headers.ts";
import { RequestProblems, refuse } from "../domain/values/refusals.ts";
import { isSentObject } from "../domain/values/unknown-fields.ts";

export type JsonObject = { readonly [name: string]: unknown };

const LARGEST_BODY_BYTES = 1024 * 1024;
/** A larger body is read to its end and thrown away, so that the caller gets the answer; but not for ever. */
const LARGEST_DRAIN_BYTES = 8 * 1024 * 1024;
const DEEPEST_NESTING = 32;
const utf8 = new TextDecoder("utf-8", { fatal: true });

/** The request's body as a JSON object, or the 400 that says what it is instead. Where it is optional, none is empty. */
export async function readJsonObject(raw: IncomingMessage, options: { optional?: boolean } = {}): Promise<JsonObject> {
  const bytes = await readBody(raw);
  if (options.optional && bytes.length === 0) return {};
  if (!isTypeInUtf8(raw.headers["content-type"], "application/json")) refuse(40002, "Content-Type");
  if (bytes === "too large") refuse(40004, "body");
  const value = parseJson(bytes);
  return isSentObject(value) ? value : refuse(40000, "body");
}

export function readBody(raw: IncomingMessage): Promise<Buffer | "too large"> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    raw.on("data", (chunk: Buffer) => {
      size += chunk.length;
      if (size <= LARGEST_BODY_BYTES) chunks.push(chunk);
      else if (size > LARGEST_DRAIN_BYTES) {
        raw.pause();
        resolve("too large");
      }
    });
    raw.on("end", () => resolve(size > LARGEST_BODY_BYTES ? "too large" : Buffer.concat(chunks, size)));
    // The caller went away or was too slow: there is nobody left to read the answer, but the request must end. Every
    // request closes, and an error costs its stack, so none is made for those that came to their end.
    const broken = () => raw.readableEnded || reject(new RequestProblems([{ code: 40000, field: "body" }]));
    raw.on("error", broken);
    raw.on("close", broken);
  });
}

function parseJson(bytes: Buffer): unknown {
  const { value, names } = parsed(bytes) ?? refuse(40001, "body");
  // Which of two values is meant is not for us to guess: the other one might be the right quantity.
  if (namesOf(value) !== names) refuse(40001, "body");
  return value;
}

/** The value, and how many names stand in its text; undefined where it is no JSON. */
function parsed(bytes: Buffer): { value: unknown; names: number } | undefined {
  try {
    const text = utf8.decode(bytes);
    // Whatever walks the value later may recurse, so depth is bounded here, before anything is built.
    const { depth, names } = measure(text);
    return depth > DEEPEST_NESTING ? undefined : { value: JSON.parse(text), names };
  } catch {
    return undefined;
  }
}

/** How deep a text nests, and how many names it has: outside of strings, a colon stands after each name and nowhere else. */
function measure(text: string): { depth: number; names: number } {
  let level = 0;
  let depth = 0;
  let names = 0;
  let inString = false;
  for (let i = 0; i < text.length; i++) {
    const char = text.charCodeAt(i);
    if (inString) {
      if (char === 0x5c) i++;
      else if (char === 0x22) inString = false;
    } else if (char === 0x22) inString = true;
    else if (char === 0x3a) names++;
    else if (char === 0x7b || char === 0x5b) depth = Math.max(depth, ++level);
    else if (char === 0x7d || char === 0x5d) level--;
  }
  return { depth, names };
}

/** A name that stood twice is there once. */
function namesOf(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  const parts = Object.values(value);
  return parts.reduce<number>((sum, part) => sum + namesOf(part), Array.isArray(value) ? 0 : parts.length);
}
