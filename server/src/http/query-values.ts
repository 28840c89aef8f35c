import { readInstant } from "../domain/values/calendar.ts";
import { refuse } from "../domain/values/refusals.ts";

/** What was asked for, by name (`readQuery`). */
export type Query = ReadonlyMap<string, string[]>;

/** The value of a parameter, null where it was left out; one that does not fit is 40003. */
export function textOf(query: Query, name: string, fits: (text: string) => boolean): string | null {
  const [text] = query.get(name) ?? [];
  if (text === undefined) return null;
  return fits(text) && !text.includes("\0") ? text : refuse(40003, name);
}

export function numberOf(query: Query, name: string, fits: (number: number) => boolean = () => true): number | null {
  const text = textOf(query, name, (given) => /^[1-9]\d{0,8}$/.test(given) && fits(Number(given)));
  return text === null ? null : Number(text);
}

/** A date is its first instant where the pharmacy is. */
export function timeOf(query: Query, name: string, zone: string): Date | null {
  const text = textOf(query, name, (given) => readInstant(given, zone) !== null);
  return text === null ? null : readInstant(text, zone);
}

export function flagOf(query: Query, name: string): boolean | null {
  const text = textOf(query, name, (given) => given === "true" || given === "false");
  return text === null ? null : text === "true";
}
