import { type Problem, RequestProblems } from "../domain/values/refusals.ts";
import { isSentObject, notA, notOneOf } from "../domain/values/unknown-fields.ts";
import type { JsonObject } from "./body.ts";

/** Readers for the fields of a body. A missing or unreadable field is 42200 with its name and its problem. */

/** A field of the route's body in the contract, or any name if the body is an object of unknown fields. */
type FieldIn<Body> = keyof Body & string;

export function textField<Body extends object>(body: Body, field: FieldIn<Body>, longest = 1_000): string {
  const value: unknown = body[field];
  if (typeof value !== "string") return reject(notA("string", field, value));
  return value.length > 0 && value.length <= longest ? value : reject(notAllowed(field));
}

export const optionalText = <Body extends object>(
  body: Body,
  field: FieldIn<Body>,
  longest?: number,
): string | undefined => (isThere(body, field) ? textField(body, field, longest) : undefined);

export function wholeField<Body extends object>(body: Body, field: FieldIn<Body>): number {
  const value: unknown = body[field];
  return Number.isSafeInteger(value) ? (value as number) : reject(notA("integer", field, value));
}

export const optionalWhole = <Body extends object>(body: Body, field: FieldIn<Body>): number | undefined =>
  isThere(body, field) ? wholeField(body, field) : undefined;

export function amountField<Body extends object>(body: Body, field: FieldIn<Body>): number {
  const value: unknown = body[field];
  if (typeof value !== "number") return reject(notA("number", field, value));
  return value >= 0 && value <= 1e9 ? value : reject(notAllowed(field));
}

export function choiceField<Body extends object, Choice extends string>(
  body: Body,
  field: FieldIn<Body>,
  choices: readonly Choice[],
): Choice {
  return choices.find((choice) => choice === body[field]) ?? reject(notOneOf(field, body[field], choices));
}

export function flagField<Body extends object>(body: Body, field: FieldIn<Body>): boolean {
  const value: unknown = body[field] ?? false;
  return typeof value === "boolean" ? value : reject(notA("boolean", field, value));
}

export function objectField<Body extends object>(body: Body, field: FieldIn<Body>): JsonObject {
  const value: unknown = body[field];
  return isSentObject(value) ? value : reject(notA("object", field, value));
}

/** Requires at least one item, and caps the length at what a person could enter. */
export function listField<Body extends object, Item>(
  body: Body,
  field: FieldIn<Body>,
  most: number,
  read: (item: JsonObject) => Item,
): Item[] {
  const value: unknown = body[field];
  if (!Array.isArray(value)) return reject(notA("array", field, value));
  if (value.length === 0 || value.length > most) return reject(notAllowed(field));
  return (value as unknown[]).map((item) => (isSentObject(item) ? read(item) : reject(notAllowed(field))));
}

const notAllowed = (field: string): Problem => ({ code: 42200, field, problem: "not_allowed" });

function reject(problem: Problem): never {
  throw new RequestProblems([problem]);
}

const isThere = <Body extends object>(body: Body, field: FieldIn<Body>) =>
  body[field] !== undefined && body[field] !== null;
