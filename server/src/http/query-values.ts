import { formatTexts } from "@pestle/contract";
import { readInstant } from "../domain/values/calendar.ts";
import { type Cause, refuse } from "../domain/values/refusals.ts";

/** Query parameters by name (`readQuery`). */
export type Query = ReadonlyMap<string, string[]>;

/** Why a value is refused, and what to send instead. */
type Told = Cause & { message?: string };

/** The value of a parameter; null if omitted. An invalid value is 40003. */
export function textOf(query: Query, name: string, fits: (text: string) => boolean, cause?: Told): string | null {
  const [text] = query.get(name) ?? [];
  if (text === undefined) return null;
  return fits(text) && !text.includes("\0") ? text : refuse(40003, name, cause);
}

/** One of our own values. */
export function choiceOf<Choice extends string>(query: Query, name: string, choices: readonly Choice[]): Choice | null {
  const [sent = ""] = query.get(name) ?? [];
  const cause = { allowed: choices, resembles: { sent, names: choices } };
  return textOf(query, name, (text) => (choices as readonly string[]).includes(text), cause) as Choice | null;
}

export function numberOf(query: Query, name: string, fits: (number: number) => boolean = () => true): number | null {
  const [sent = ""] = query.get(name) ?? [];
  const cause: Cause = /^-?\d+$/.test(sent) ? {} : { problem: "wrong_type", expected: "integer" };
  const text = textOf(query, name, (given) => /^[1-9]\d{0,8}$/.test(given) && fits(Number(given)), cause);
  return text === null ? null : Number(text);
}

/** A date means its first instant in the pharmacy's time zone. */
export function timeOf(query: Query, name: string, zone: string): Date | null {
  const text = textOf(query, name, (given) => readInstant(given, zone) !== null, {
    message: formatTexts["date-time"]!,
  });
  return text === null ? null : readInstant(text, zone);
}

export function flagOf(query: Query, name: string): boolean | null {
  const text = choiceOf(query, name, ["true", "false"]);
  return text === null ? null : text === "true";
}
