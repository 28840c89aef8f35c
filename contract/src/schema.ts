import type { ErrorCode } from "./errors.ts";

/**
 * JSON Schema 2020-12 as plain data, with its TypeScript type attached: `Static<typeof Order>`. The phantom key exists
 * only for the compiler. No value has it.
 */
export type Schema<T = unknown> = JsonSchema & { readonly "~static"?: T };
export type Static<S> = S extends { readonly "~static"?: infer T } ? Exclude<T, undefined> : never;
export type JsonSchema = { readonly [keyword: string]: unknown; readonly [reading]?: Reading };

/** What the server needs to read a request field. JSON Schema has no keywords for it, so documents omit it. */
export const reading = Symbol("reading");
export type Reading = {
  /** Rejects a missing or malformed value. Defaults to 42200. */
  readonly code?: ErrorCode;
  /** What a string must be beyond its keywords. */
  readonly kind?: FieldKind;
  /** Maximum decimals. `multipleOf` is not exact on fractions. */
  readonly decimals?: number;
  /** Replaces the code's resolution. */
  readonly message?: string;
  /** The same, for a list entry that repeats an earlier one. */
  readonly repeated?: string;
};
export type FieldKind =
  | "city"
  | "country"
  | "document_number"
  | "email"
  | "line"
  | "line_with_words"
  | "message"
  | "ndc"
  | "one_ndc"
  | "person_name"
  | "phone"
  | "phone_or_blank"
  | "prescriber_name"
  | "prescriber_phone"
  | "sig"
  | "state"
  | "street"
  | "street_or_blank"
  | "trimmed_line"
  | "two_letters"
  | "zip";

/** More keywords and how to read the field, or only the description. */
type Options = (JsonSchema & Reading) | string;
type Schemas = Record<string, Schema>;
type Flat<T> = { [K in keyof T]: T[K] };
type ObjectOf<P extends Schemas, K extends keyof P> = Flat<
  { [N in Exclude<keyof P, K>]: Static<P[N]> } & { [N in K]?: Static<P[N]> }
>;

const keywords = (options: Options): JsonSchema => {
  if (typeof options === "string") return { description: options };
  const { code, kind, decimals, message, repeated, ...rest } = options;
  const own = Object.entries({ code, kind, decimals, message, repeated }).filter(([, value]) => value !== undefined);
  return own.length === 0 ? rest : { ...rest, [reading]: Object.fromEntries(own) };
};

export const string = (options: Options = {}): Schema<string> => ({ type: "string", ...keywords(options) });
export const integer = (options: Options = {}): Schema<number> => ({ type: "integer", ...keywords(options) });
export const number = (options: Options = {}): Schema<number> => ({ type: "number", ...keywords(options) });
export const boolean = (options: Options = {}): Schema<boolean> => ({ type: "boolean", ...keywords(options) });

/** An instant: ISO 8601, UTC, with milliseconds. */
export const time = (options: Options = {}): Schema<string> => ({
  type: "string",
  format: "date-time",
  ...keywords(options),
  examples: ["2026-11-15T08:30:00.000Z"],
});

/** A calendar day in the pharmacy's time zone. */
export const date = (options: Options = {}): Schema<string> => ({
  type: "string",
  format: "date",
  ...keywords(options),
  examples: ["2026-11-15"],
});

/** One of a list of strings, or one of a list of integers. */
export const oneOf = <const V extends readonly [string | number, ...(string | number)[]]>(
  values: V,
  options: Options = {},
): Schema<V[number]> => ({
  type: typeof values[0] === "string" ? "string" : "integer",
  enum: [...values],
  ...keywords(options),
});

export const array = <T>(items: Schema<T>, options: Options = {}): Schema<T[]> => ({
  type: "array",
  items,
  ...keywords(options),
});

/** Properties are required unless listed as optional. Allows unknown properties because responses can grow. */
export const object = <P extends Schemas, K extends keyof P & string = never>(
  properties: P,
  { optional = [], ...rest }: JsonSchema & Reading & { readonly optional?: readonly K[] } = {},
): Schema<ObjectOf<P, K>> => {
  const required = Object.keys(properties).filter((name) => !(optional as readonly string[]).includes(name));
  return { type: "object", properties, ...(required.length > 0 && { required }), ...keywords(rest) };
};

/** A request object: the server rejects unknown fields. */
export const closed = <P extends Schemas, K extends keyof P & string = never>(
  properties: P,
  options: JsonSchema & Reading & { readonly optional?: readonly K[] } = {},
): Schema<ObjectOf<P, K>> => object(properties, { ...options, additionalProperties: false });

/** A closed object whose fields are all optional. */
export const partial = <P extends Schemas>(properties: P, options: JsonSchema & Reading = {}) =>
  closed(properties, { ...options, optional: Object.keys(properties) as (keyof P & string)[] });

export const union = <S extends readonly Schema[]>(schemas: S, options: Options = {}): Schema<Static<S[number]>> => ({
  oneOf: schemas,
  ...keywords(options),
});

export const nullable = <T>(schema: Schema<T>): Schema<T | null> => {
  if ("$id" in schema || typeof schema.type !== "string") return { anyOf: [schema, { type: "null" }] };
  const values = schema.enum as unknown[] | undefined;
  return { ...schema, type: [schema.type, "null"], ...(values && { enum: [...values, null] }) };
};

/** Names a schema, so that OpenAPI lists it once and refers to it elsewhere. */
export const named = <T>(name: string, schema: Schema<T>): Schema<T> => ({ $id: name, ...schema });
