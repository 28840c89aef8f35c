import { refuse } from "../domain/values/refusals.ts";
import { isSentObject } from "../domain/values/unknown-fields.ts";
import type { JsonObject } from "./body.ts";

/** The fields of a body, each of the kind that it must be; another is 42200 with the field's name. */

export function textField(body: JsonObject, field: string, longest = 1_000): string {
  const value = body[field];
  return typeof value === "string" && value.length > 0 && value.length <= longest ? value : refuse(42200, field);
}

export const optionalText = (body: JsonObject, field: string, longest?: number): string | undefined =>
  isThere(body, field) ? textField(body, field, longest) : undefined;

export function wholeField(body: JsonObject, field: string): number {
  const value = body[field];
  return Number.isSafeInteger(value) ? (value as number) : refuse(42200, field);
}

export const optionalWhole = (body: JsonObject, field: string): number | undefined =>
  isThere(body, field) ? wholeField(body, field) : undefined;

export function amountField(body: JsonObject, field: string): number {
  const value = body[field];
  return typeof value === "number" && value >= 0 && value <= 1e9 ? value : refuse(42200, field);
}

export function choiceField<Choice extends string>(
  body: JsonObject,
  field: string,
  choices: readonly Choice[],
): Choice {
  return choices.find((choice) => choice === body[field]) ?? refuse(42200, field);
}

export function flagField(body: JsonObject, field: string): boolean {
  const value = body[field] ?? false;
  return typeof value === "boolean" ? value : refuse(42200, field);
}

export function objectField(body: JsonObject, field: string): JsonObject {
  const value = body[field];
  return isSentObject(value) ? value : refuse(42200, field);
}

/** At least one, and never more than a person could mean. */
export function listField<Item>(
  body: JsonObject,
  field: string,
  most: number,
  read: (item: JsonObject) => Item,
): Item[] {
  const value = body[field];
  if (!Array.isArray(value) || value.length === 0 || value.length > most) refuse(42200, field);
  return (value as unknown[]).map((item) => (isSentObject(item) ? read(item) : refuse(42200, field)));
}

const isThere = (body: JsonObject, field: string) => body[field] !== undefined && body[field] !== null;
