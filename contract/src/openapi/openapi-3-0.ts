import { type OpenapiOptions, openapi } from "./openapi.ts";

type Json = { [key: string]: unknown };

/** The same description as OpenAPI 3.0, for tools that do not read 3.1. Webhooks, which 3.0 lacks, are an extension. */
export const openapi30 = (options: OpenapiOptions) => {
  const { info, webhooks, components, ...document } = openapi(options);
  const { summary: _, license, ...about } = info;
  const typeOf = (reference: string): unknown => {
    const name = reference.slice(reference.lastIndexOf("/") + 1);
    return (components.schemas[name] as Json | undefined)?.["type"];
  };
  return {
    ...(older(document, typeOf) as Omit<typeof document, "openapi">),
    openapi: "3.0.3",
    info: { ...about, license: { name: license.name, url: "https://www.apache.org/licenses/LICENSE-2.0" } },
    components: older(components, typeOf),
    "x-webhooks": older(webhooks, typeOf),
  };
};

/** Members whose content is a value, not a part of the description. */
const VALUES = new Set(["example", "examples", "default", "enum", "value", "x-error-codes"]);

function older(part: unknown, typeOf: (reference: string) => unknown): unknown {
  if (Array.isArray(part)) return part.map((one) => older(one, typeOf));
  if (typeof part !== "object" || part === null) return part;
  const { type, anyOf, examples, exclusiveMinimum, ...rest } = part as Json;
  const members = Object.entries(rest).map(([name, value]) => {
    // A field can have the name of a keyword, such as `default`.
    if (name === "properties") return [name, mapped(value as Json, (field) => older(field, typeOf))];
    return [name, VALUES.has(name) ? value : older(value, typeOf)];
  });
  return {
    ...Object.fromEntries(members),
    ...(type !== undefined && olderType(type, typeOf)),
    ...(anyOf !== undefined && olderChoice(anyOf as Json[], typeOf)),
    // In a schema a list, elsewhere a map by name.
    ...(examples !== undefined && (Array.isArray(examples) ? { example: examples[0] } : { examples })),
    ...(exclusiveMinimum !== undefined && { minimum: exclusiveMinimum, exclusiveMinimum: true }),
  };
}

function olderType(type: unknown, typeOf: (reference: string) => unknown): Json {
  if (!Array.isArray(type)) return { type: older(type, typeOf) };
  const names = type.filter((name) => name !== "null");
  return { type: names[0], ...(names.length < type.length && { nullable: true }) };
}

/** 3.0 knows no type `null`, so the other choice is a value that can only be null. */
function olderChoice(choices: Json[], typeOf: (reference: string) => unknown): Json {
  const some = choices.filter((choice) => choice["type"] !== "null");
  const { $ref } = some[0] ?? {};
  const none = { type: typeof $ref === "string" ? typeOf($ref) : some[0]?.["type"], nullable: true, enum: [null] };
  return { anyOf: [...(older(some, typeOf) as Json[]), ...(some.length < choices.length ? [none] : [])] };
}

const mapped = (members: Json, change: (value: unknown) => unknown): Json =>
  Object.fromEntries(Object.entries(members).map(([name, value]) => [name, change(value)]));
