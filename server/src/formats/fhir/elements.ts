/**
 * FHIR's JSON through tolerant eyes. What is missing and what is of another type than the standard's look the same:
 * absent. So a reader asks for what it wants and never has to defend itself against what came.
 */
export type Element = { readonly [name: string]: unknown };

const NOTHING: Element = Object.freeze({});

/** An object, else one without properties. Of a list, which some senders make of everything, the first object. */
export function one(value: unknown): Element {
  if (isElement(value)) return value;
  if (Array.isArray(value)) return value.find(isElement) ?? NOTHING;
  return NOTHING;
}

/** The objects of a list. A lone object counts as a list of one: a common mistake of senders' libraries. */
export function many(value: unknown): Element[] {
  if (Array.isArray(value)) return value.filter(isElement);
  return isElement(value) ? [value] : [];
}

/** Control characters and halves of characters: JSON can carry them, XML and databases cannot. */
const UNWRITABLE = /[^\P{Cc}\t\n\r]|\p{Cs}/gu;

/** Trimmed, never empty. A number or a boolean is not a text: an id that lost its leading zeros is no id. */
export function text(value: unknown): string | null {
  if (typeof value !== "string") return null;
  const trimmed = value.replace(UNWRITABLE, "").trim();
  return trimmed === "" ? null : trimmed;
}

const MAX_ID_LENGTH = 255;

/** A text by which something is found again; nobody's is longer. */
export function id(value: unknown): string | null {
  const written = text(value);
  return written !== null && written.length <= MAX_ID_LENGTH ? written : null;
}

export function texts(value: unknown): string[] {
  const values = Array.isArray(value) ? value : [value];
  return values.flatMap((item) => text(item) ?? []);
}

/** A decimal, also where the sender wrote it as a text. */
export function number(value: unknown): number | null {
  if (typeof value === "number") return Number.isFinite(value) ? value : null;
  const written = text(value);
  return written !== null && /^\d{1,12}(\.\d{1,12})?$/.test(written) ? Number(written) : null;
}

/** Whether a property is there at all, whatever its type: for what must not be passed over in silence. */
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

/** What a person reads of a concept: its text, else the first name among its codes. */
export function conceptText(concept: unknown): string | null {
  return text(one(concept).text) ?? codings(concept).find((coding) => coding.display !== null)?.display ?? null;
}

/** Whether one of the concept's codes is among these; their systems are not asked, as many senders leave them out. */
export function hasCode(concept: unknown, wanted: readonly string[]): boolean {
  return codings(concept).some((coding) => coding.code !== null && wanted.includes(coding.code));
}

function isElement(value: unknown): value is Element {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
