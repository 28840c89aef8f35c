import { type ErrorCode, type FieldProblem, type JsonSchema, reading } from "@pestle/contract/partner";
import type { Problem } from "./refusal.ts";

type Keywords = {
  type?: string | readonly string[];
  enum?: readonly unknown[];
  pattern?: string;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  items?: JsonSchema;
  properties?: { readonly [name: string]: JsonSchema };
  required?: readonly string[];
  additionalProperties?: boolean;
  anyOf?: readonly JsonSchema[];
  oneOf?: readonly JsonSchema[];
};

/**
 * What is wrong with a body, by the contract's schema of it: names, types and limits, with the code of each field. The
 * service knows more, such as addresses and phone numbers.
 */
export function problemsOf(schema: JsonSchema, value: unknown, field = "", code: ErrorCode = 42200): Problem[] {
  const row = schema as Keywords;
  const own = schema[reading]?.code ?? code;
  const wrong = (problem: FieldProblem): Problem[] => [{ code: own, field: field || "body", problem }];
  const choices = row.oneOf ?? row.anyOf;
  if (choices !== undefined) {
    const found = choices.map((choice) => problemsOf(choice, value, field, own));
    return found.find((problems) => problems.length === 0) ?? found[0] ?? [];
  }
  const types = [row.type ?? "object"].flat();
  if (!types.some((type) => isOfType(type, value))) return wrong("wrong_type");
  if (row.enum !== undefined && !row.enum.includes(value)) return wrong("not_allowed");
  if (typeof value === "string" && !fitsText(row, value)) return wrong("not_allowed");
  if (typeof value === "number" && !(value >= (row.minimum ?? -Infinity) && value <= (row.maximum ?? Infinity)))
    return wrong("not_allowed");
  if (Array.isArray(value)) {
    const fits = value.length >= (row.minItems ?? 0) && value.length <= (row.maxItems ?? Infinity);
    if (!fits) return wrong("not_allowed");
    return value.flatMap((entry, index) => problemsOf(row.items ?? {}, entry, `${field}[${index}]`));
  }
  return typeof value === "object" && value !== null ? problemsOfFields(row, value, field) : [];
}

function problemsOfFields(row: Keywords, value: object, field: string): Problem[] {
  const { properties = {}, required = [], additionalProperties = true } = row;
  const pathOf = (name: string) => (field === "" ? name : `${field}.${name}`);
  const given = Object.entries(value);
  const unknown = given
    .filter(([name]) => !additionalProperties && !Object.hasOwn(properties, name))
    .map(([name]): Problem => ({ code: 42200, field: pathOf(name), problem: "unknown_field" }));
  const known = Object.entries(properties).flatMap(([name, schema]) => {
    const one = (value as Record<string, unknown>)[name];
    if (one !== undefined && (one !== null || required.includes(name))) return problemsOf(schema, one, pathOf(name));
    if (!required.includes(name)) return [];
    // A missing object lacks the fields that it must have.
    if ((schema as Keywords).required !== undefined) return problemsOfFields(schema as Keywords, {}, pathOf(name));
    return [{ code: schema[reading]?.code ?? 42200, field: pathOf(name), problem: "missing" } satisfies Problem];
  });
  return [...unknown, ...known];
}

function isOfType(type: string, value: unknown): boolean {
  if (type === "null") return value === null;
  if (type === "array") return Array.isArray(value);
  if (type === "object") return typeof value === "object" && value !== null && !Array.isArray(value);
  if (type === "integer") return Number.isInteger(value);
  return typeof value === type;
}

const fitsText = ({ pattern, minLength = 0, maxLength = Infinity }: Keywords, text: string): boolean =>
  text.length >= minLength &&
  text.length <= maxLength &&
  (pattern === undefined || new RegExp(pattern, "u").test(text));
