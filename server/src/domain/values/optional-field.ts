import { isOneLine } from "./text.ts";
import type { SentFields } from "./unknown-fields.ts";

/** Left out is null and fine; anything else must be of its kind, `null` too. */
export function optionalField<Value>(
  sent: SentFields,
  name: string,
  is: (value: unknown) => value is Value,
  refuse: () => void,
): Value | null {
  const value = sent[name];
  if (value === undefined) return null;
  if (is(value)) return value;
  refuse();
  return null;
}

const LONGEST_TEXT = 255;

export const isId = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) > 0;
export const isText = (value: unknown): value is string => isOneLine(value, LONGEST_TEXT);
