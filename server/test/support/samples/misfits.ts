import type { JsonSchema } from "@pestle/contract";

/**
 * How a value violates a schema of the contract, by path; empty if it fits. Knows the keywords that the contract uses
 * and fails on any other, so that no rule is skipped.
 */
export function misfits(schema: JsonSchema, value: unknown, at = "$"): string[] {
  return Object.entries(schema).flatMap(([keyword, rule]) => {
    if (silent.has(keyword)) return [];
    // Any content of an event is allowed here.
    if (keyword === "properties" && schema["additionalProperties"] === true) return [];
    const check = checks[keyword];
    if (check === undefined) throw new Error(`the keyword ${keyword} is not known here`);
    return check(rule as never, value, at);
  });
}

const silent = new Set(["$id", "description", "default", "examples", "title"]);

type Check = (rule: never, value: unknown, at: string) => string[];
const unless = (holds: boolean, at: string, what: string) => (holds ? [] : [`${at} ${what}`]);
const isObject = (value: unknown): value is Record<string, unknown> => typeOf(value) === "object";

const checks: Record<string, Check> = {
  type: (rule: string | string[], value, at) => {
    const own = typeOf(value);
    const fits = [rule].flat().some((type) => type === own || (type === "number" && own === "integer"));
    return unless(fits, at, `is of type ${own}, not ${rule}`);
  },
  enum: (rule: unknown[], value, at) => unless(rule.includes(value), at, "is none of the values"),
  pattern: (rule: string, value, at) => unless(typeof value !== "string" || new RegExp(rule).test(value), at, rule),
  format: (rule: keyof typeof formats, value, at) =>
    unless(typeof value !== "string" || formats[rule].test(value), at, `is no ${rule}`),
  minimum: (rule: number, value, at) => unless(typeof value !== "number" || value >= rule, at, "is too small"),
  maximum: (rule: number, value, at) => unless(typeof value !== "number" || value <= rule, at, "is too large"),
  minItems: (rule: number, value, at) => unless(!Array.isArray(value) || value.length >= rule, at, "is too short"),
  items: (rule: JsonSchema, value, at) =>
    Array.isArray(value) ? value.flatMap((item, index) => misfits(rule, item, `${at}[${index}]`)) : [],
  required: (rule: string[], value, at) =>
    isObject(value) ? rule.flatMap((name) => unless(name in value, at, `lacks ${name}`)) : [],
  // Answers may gain fields, but the schema describes all current ones.
  properties: (rule: Record<string, JsonSchema>, value, at) =>
    isObject(value)
      ? Object.entries(value).flatMap(([name, part]) =>
          rule[name] === undefined ? [`${at}.${name} is not described`] : misfits(rule[name], part, `${at}.${name}`),
        )
      : [],
  additionalProperties: () => [],
  anyOf: (rule: JsonSchema[], value, at) =>
    unless(
      rule.some((one) => misfits(one, value).length === 0),
      at,
      "fits none of them",
    ),
};

const formats = {
  uuid: /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/,
  date: /^\d{4}-\d\d-\d\d$/,
  "date-time": /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/,
  email: /^\S+@\S+$/,
  uri: /^https?:/,
};

function typeOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  return Number.isInteger(value) ? "integer" : typeof value;
}
