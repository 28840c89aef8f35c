/**
 * Tolerant access to FHIR JSON. A missing element and one of the wrong type both read as absent, so callers need no
 * type checks.
 */
export type Element = { readonly [name: string]: unknown };

const NOTHING: Element = Object.freeze({});

/** The object, or an empty one. Some senders wrap everything in lists: take the first object. */
export function one(value: unknown): Element {
  if (isElement(value)) return value;
  if (Array.isArray(value)) return value.find(isElement) ?? NOTHING;
  return NOTHING;
}

/** The objects of a list. A single object counts as a list of one, because some libraries write it that way. */
export function many(value: unknown): Element[] {
  if (Array.isArray(value)) return value.filter(isElement);
  return isElement(value) ? [value] : [];
}

/** Control characters and lone surrogates: valid in JSON, but not in XML or the database. */
const UNWRITABLE = /[^\P{Cc}\t\n\r]|\p{Cs}/gu;

/** Trimmed, never empty. Ignores numbers and booleans: an id sent as a number has lost its leading zeros. */
export function text(value: unknown): string | null {
  if (typeof value !== "string") return null;
  const trimmed = value.replace(UNWRITABLE, "").trim();
  return trimmed === "" ? null : trimmed;
}

const MAX_ID_LENGTH = 255;

/** Text used as a lookup key. No real id is longer. */
export function id(value: unknown): string | null {
  const written = text(value);
  return written !== null && written.length <= MAX_ID_LENGTH ? written : null;
}

export function texts(value: unknown): string[] {
  const values = Array.isArray(value) ? value : [value];
  return values.flatMap((item) => text(item) ?? []);
}

/** A decimal, also if sent as a string. */
export function number(value: unknown): number | null {
  if (typeof value === "number") return Number.isFinite(value) ? value : null;
  const written = text(value);
  return written !== null && /^\d{1,12}(\.\d{1,12})?$/.test(written) ? Number(written) : null;
}

/** Whether a property is present with any type, for elements that we must not silently ignore. */
export function isPresent(value: unknown): boolean {
  return value !== undefined && value !== null;
}

export interface Coding {
  system: string | null;
  code: string | null;
  display: string | null;
}

export function codings(concept: unknown): Coding[] {
  return many(one(concept).coding).map(codingOf);
}

export function codingOf(coding: Element): Coding {
  return { system: text(coding.system), code: text(coding.code), display: text(coding.display) };
}

/** A concept's display text: its text, or else the first display of its codings. */
export function conceptText(concept: unknown): string | null {
  return text(one(concept).text) ?? codings(concept).find((coding) => coding.display !== null)?.display ?? null;
}

/** Whether the concept has one of these codes. Ignores systems, because many senders omit them. */
export function hasCode(concept: unknown, wanted: readonly string[]): boolean {
  return codings(concept).some((coding) => coding.code !== null && wanted.includes(coding.code));
}

function isElement(value: unknown): value is Element {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
