import fc from "fast-check";
import type { JsonSchema } from "./openapi-document.ts";

type Resolve = (schema: JsonSchema) => JsonSchema;

/**
 * Values that a schema of the document allows, including unusual ones that it does not exclude: odd letters, extreme
 * numbers.
 */
export function allowedBy(schema: JsonSchema, resolve: Resolve): fc.Arbitrary<unknown> {
  const whole = resolve(schema);
  const among = (whole["oneOf"] ?? whole["anyOf"]) as JsonSchema[] | undefined;
  if (among !== undefined) return fc.oneof(...among.map((one) => allowedBy(one, resolve)));
  if (whole["enum"] !== undefined) return fc.constantFrom(...(whole["enum"] as unknown[]));
  const types = [whole["type"]].flat() as string[];
  return fc.oneof(...types.map((type) => ofType[type]!(whole, resolve)));
}

const ofType: Record<string, (schema: JsonSchema, resolve: Resolve) => fc.Arbitrary<unknown>> = {
  null: () => fc.constant(null),
  boolean: () => fc.boolean(),
  integer: ({ minimum = -5, maximum = 2 ** 31 }) => fc.integer({ min: minimum as number, max: maximum as number }),
  number: () => fc.oneof(fc.integer({ min: -1, max: 400 }), fc.float({ noNaN: true, noDefaultInfinity: true })),
  string: (schema) => text(schema),
  array: ({ items, minItems = 0, maxItems = 3 }, resolve) =>
    fc.array(allowedBy(items as JsonSchema, resolve), { minLength: minItems as number, maxLength: maxItems as number }),
  object: ({ properties = {}, required = [] }, resolve) =>
    fc.record(
      Object.fromEntries(
        Object.entries(properties as Record<string, JsonSchema>).map(([name, one]) => [name, allowedBy(one, resolve)]),
      ),
      { requiredKeys: required as string[] },
    ),
};

const formats: Record<string, fc.Arbitrary<string>> = {
  uuid: fc.uuid(),
  date: fc
    .date({ min: new Date(0), max: new Date("2200"), noInvalidDate: true })
    .map((at) => at.toISOString().slice(0, 10)),
  "date-time": fc.date({ min: new Date(0), max: new Date("2200"), noInvalidDate: true }).map((at) => at.toISOString()),
  uri: fc.webUrl(),
  email: fc.emailAddress(),
};

function text({ format, pattern, minLength, maxLength }: JsonSchema): fc.Arbitrary<string> {
  if (format !== undefined) return formats[format as string]!;
  if (pattern !== undefined) return fc.stringMatching(new RegExp(pattern as string));
  const size = { minLength: (minLength as number) ?? 0, maxLength: (maxLength as number) ?? 40 };
  return fc.oneof(fc.string(size), fc.string({ ...size, unit: "grapheme" }), fc.constantFrom("Rosa", "CA", "94110"));
}

const NONSENSE = [null, true, 0, -1, 1.5, 1e300, "", " ", "\u0000", "é🙂", "x".repeat(5_000), [], {}, [[]], [null]];

/** The same value with one change: a part removed, replaced or added. */
export function mutatedJson(value: unknown): fc.Arbitrary<unknown> {
  const places = placesIn(value, []);
  return fc
    .tuple(fc.constantFrom(...places), fc.constantFrom("drop", "replace", "add"), fc.constantFrom(...NONSENSE))
    .map(([place, what, nonsense]) => {
      const copy = structuredClone({ root: value }) as Record<string, unknown>;
      const names = ["root", ...place];
      const last = names.pop()!;
      const holder = names.reduce((at, name) => at[name] as Record<string, unknown>, copy);
      const here = holder[last];
      if (what === "drop") delete holder[last];
      else if (what === "add" && typeof here === "object" && here !== null && !Array.isArray(here)) {
        holder[last] = { ...here, adress: nonsense };
      } else holder[last] = nonsense;
      return copy["root"] ?? nonsense;
    });
}

const placesIn = (value: unknown, at: string[]): string[][] => [
  at,
  ...(typeof value === "object" && value !== null
    ? Object.entries(value).flatMap(([name, entry]) => placesIn(entry, [...at, name]))
    : []),
];
