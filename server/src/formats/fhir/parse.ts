import type { Element } from "./elements.ts";

/** Deeper than any real prescription, and shallow enough for recursion. */
export const MAX_DEPTH = 64;

export type Parsed = { ok: true; root: Element } | { ok: false; why: "not_json" | "too_deep" | "not_an_object" };

/** UTF-8 only, as FHIR requires. Checks the depth before parsing. */
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
  return { ok: true, root: root as Element };
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
