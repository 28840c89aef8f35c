import { refuse } from "../domain/values/refusals.ts";
import { isSentObject } from "../domain/values/unknown-fields.ts";
import type { JsonObject } from "./body.ts";

/** Readers for the fields of a body. A field of the wrong type is 42200 with its name. */

/** A field of the route's body in the contract, or any name if the body is an object of unknown fields. */
type FieldIn<Body> = keyof Body & string;

export function textField<Body extends object>(body: Body, field: FieldIn<Body>, longest = 1_000): string {
  const value: unknown = body[field];
  return typeof value === "string" && value.length > 0 && value.length <= longest ? value : refuse(42200, field);
}

export const optionalText = <Body extends object>(
  body: Body,
  field: FieldIn<Body>,
  longest?: number,
): string | undefined => (isThere(body, field) ? textField(body, field, longest) : undefined);

export function wholeField<Body extends object>(body: Body, field: FieldIn<Body>): number {
  const value: unknown = body[field];
  return Number.isSafeInteger(value) ? (value as number) : refuse(42200, field);
}

export const optionalWhole = <Body extends object>(body: Body, field: FieldIn<Body>): number | undefined =>
  isThere(body, field) ? wholeField(body, field) : undefined;

export function amountField<Body extends object>(body: Body, field: FieldIn<Body>): number {
  const value: unknown = body[field];
  return typeof value === "number" && value >= 0 && value <= 1e9 ? value : refuse(42200, field);
}

export function choiceField<Body extends object, Choice extends string>(
  body: Body,
  field: FieldIn<Body>,
  choices: readonly Choice[],
): Choice {
  return choices.find((choice) => choice === body[field]) ?? refuse(42200, field);
}

export function flagField<Body extends object>(body: Body, field: FieldIn<Body>): boolean {
  const value: unknown = body[field] ?? false;
  return typeof value === "boolean" ? value : refuse(42200, field);
}

export function objectField<Body extends object>(body: Body, field: FieldIn<Body>): JsonObject {
  const value: unknown = body[field];
  return isSentObject(value) ? value : refuse(42200, field);
}

/** Requires at least one item, and caps the length at what a person could enter. */
export function listField<Body extends object, Item>(
  body: Body,
  field: FieldIn<Body>,
  most: number,
  read: (item: JsonObject) => Item,
): Item[] {
  const value: unknown = body[field];
  if (!Array.isArray(value) || value.length === 0 || value.length > most) refuse(42200, field);
  return (value as unknown[]).map((item) => (isSentObject(item) ? read(item) : refuse(42200, field)));
}

const isThere = <Body extends object>(body: Body, field: FieldIn<Body>) =>
  body[field] !== undefined && body[field] !== null;
