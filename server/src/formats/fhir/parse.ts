import type { Element } from "./elements.ts";

/** Deeper than any real prescription, and shallow enough for recursion. */
export const MAX_DEPTH = 64;

export type Parsed =
  | { ok: true; root: Element }
  | { ok: false; why: "not_json" | "too_deep" | "not_an_object" }
  | { ok: false; why: "repeated_name"; path: string };

/** UTF-8 only, as FHIR requires. Checks the depth before parsing, and that no object has a name twice. */
export function parseJson(body: Uint8Array): Parsed {
  const written = decode(body);
  if (written === null) return { ok: false, why: "not_json" };
  if (depthOf(written) > MAX_DEPTH) return { ok: false, why: "too_deep" };
  let root: unknown;
  try {
    root = JSON.parse(written);
  } catch {
    return { ok: false, why: "not_json" };
  }
  if (typeof root !== "object" || root === null || Array.isArray(root)) return { ok: false, why: "not_an_object" };
  const within = repeatedName(written);
  const { resourceType } = root as Element;
  const path =
    within &&
    `${resourceType === "Bundle" || resourceType === "MedicationRequest" ? resourceType : "Resource"}${within}`;
  return path === null ? { ok: true, root: root as Element } : { ok: false, why: "repeated_name", path };
}

const utf8 = new TextDecoder("utf-8", { fatal: true });

function decode(body: Uint8Array): string | null {
  try {
    return utf8.decode(body);
  } catch {
    return null;
  }
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPENING = [0x5b, 0x7b];
const CLOSING = [0x5d, 0x7d];

/** The nesting depth of brackets outside strings. Also works on text that is not valid JSON. */
function depthOf(written: string): number {
  let depth = 0;
  let deepest = 0;
  let quoted = false;
  for (let at = 0; at < written.length; at++) {
    const char = written.charCodeAt(at);
    if (quoted) {
      if (char === BACKSLASH) at++;
      else if (char === QUOTE) quoted = false;
    } else if (char === QUOTE) quoted = true;
    else if (char === OPENING[0] || char === OPENING[1]) deepest = Math.max(deepest, ++depth);
    else if (char === CLOSING[0] || char === CLOSING[1]) depth--;
  }
  return deepest;
}

/** An open object with its names, or an open list. `at` is the current name or index. */
type Open = { names: Set<string> | null; at: string | number };

/**
 * The path, below the root, of the first name that an object has twice; null if none. `JSON.parse` would keep the last value, and another
 * program the first: two readers of one prescription could see two drugs. The text is valid JSON.
 */
function repeatedName(written: string): string | null {
  const open: Open[] = [];
  for (let at = 0; at < written.length; at++) {
    const char = written[at];
    const inner = open.at(-1);
    if (char === "{") open.push({ names: new Set(), at: "" });
    else if (char === "[") open.push({ names: null, at: 0 });
    else if (char === "}" || char === "]") open.pop();
    else if (char === "," && inner?.names === null) inner.at = Number(inner.at) + 1;
    else if (char === '"') {
      const end = endOfString(written, at);
      if (inner?.names && isName(written, end)) {
        const name = nameIn(written.slice(at, end));
        inner.at = name;
        if (inner.names.has(name)) return pathOf(open);
        inner.names.add(name);
      }
      at = end - 1;
    }
  }
  return null;
}

/** The position after the closing quote. */
function endOfString(written: string, start: number): number {
  let at = start + 1;
  while (written.charCodeAt(at) !== QUOTE) at += written.charCodeAt(at) === BACKSLASH ? 2 : 1;
  return at + 1;
}

function isName(written: string, end: number): boolean {
  let at = end;
  while (written[at] === " " || written[at] === "\n" || written[at] === "\r" || written[at] === "\t") at++;
  return written[at] === ":";
}

/** Two spellings of one name are the same name: `"id"` and `"\u0069d"`. */
const nameIn = (literal: string): string =>
  literal.includes("\\") ? (JSON.parse(literal) as string) : literal.slice(1, -1);

const ELEMENT_NAME = /^_?[a-z][A-Za-z0-9]{0,63}$/;

/** Element names only: any other text could be a patient's. */
function pathOf(open: readonly Open[]): string {
  const parts = open.map(({ names, at }) => {
    if (names === null) return `[${at}]`;
    return ELEMENT_NAME.test(String(at)) ? `.${at}` : ".*";
  });
  return parts.join("");
}
