import { createRequire } from "node:module";
import type { Ajv2020 as Ajv } from "ajv/dist/2020.js";

// Both are CommonJS, whose default export the compiler and Node see differently.
const require = createRequire(import.meta.url);
const { Ajv2020 } = require("ajv/dist/2020.js") as { Ajv2020: typeof Ajv };
const addFormats = require("ajv-formats") as (ajv: Ajv) => Ajv;

type Json = { [key: string]: unknown };
export type JsonSchema = Json;
type Parameter = { name: string; in: "path" | "query" | "header"; required?: boolean; schema: JsonSchema };
type Media = { schema: JsonSchema; example?: unknown; examples?: Record<string, { value: unknown }> };
type Described = {
  description: string;
  headers?: Record<string, { schema: JsonSchema }>;
  content?: Record<string, Media>;
  "x-error-codes"?: number[];
};
export type Operation = {
  operation_id: string;
  method: string;
  path: string;
  on_token_server: boolean;
  parameters: Parameter[];
  body: (Media & { content_type: string; required: boolean; pointer: string }) | undefined;
  responses: Record<string, Described & { pointer: string }>;
};
export type Answered = { status: number; headers: Headers; text: string };

/** Present only if not empty. */
const OPTIONAL_HEADERS = new Set(["Link", "Idempotent-Replayed", "Quota", "Quota-Policy"]);

/** An OpenAPI 3.1 document that checks values: each part of it is a validator. */
export function readOpenapi(text: string) {
  const document = JSON.parse(text) as {
    paths: Record<string, Json>;
    components: Json;
    webhooks: Record<string, Json>;
  };
  const open = validator(document);
  // Answers may gain fields, but the document must describe all current ones, so undescribed fields are faults.
  const shut = validator(closed(document) as object);

  const resolved = <T>(value: T): T => {
    const { $ref } = (value ?? {}) as { $ref?: string };
    return $ref === undefined ? value : (lookUp(document, $ref.slice(1)) as T);
  };

  const operations = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item)
      .filter(([method]) => method !== "servers")
      .map(([method, operation]) => readOperation(path, method, operation as Json, item)),
  );

  function readOperation(path: string, method: string, operation: Json, item: Json): Operation {
    const at = pointer("paths", path, method);
    const requestBody = operation["requestBody"] as { required: boolean; content: Record<string, Media> } | undefined;
    const [content_type, media] = Object.entries(requestBody?.content ?? {})[0] ?? [];
    const responses = Object.entries(operation["responses"] as Record<string, { $ref?: string }>);
    return {
      operation_id: operation["operationId"] as string,
      method: method.toUpperCase(),
      path,
      on_token_server: "servers" in item,
      parameters: ((operation["parameters"] ?? []) as Parameter[]).map(resolved),
      body:
        media === undefined
          ? undefined
          : {
              ...media,
              content_type: content_type!,
              required: requestBody!.required,
              pointer: `${at}${pointer("requestBody", "content", content_type!, "schema")}`,
            },
      responses: Object.fromEntries(
        responses.map(([status, given]) => [
          status,
          {
            ...(resolved(given) as Described),
            pointer: given.$ref === undefined ? `${at}${pointer("responses", status)}` : given.$ref.slice(1),
          },
        ]),
      ),
    };
  }

  return {
    document,
    operations,
    resolved,
    /** How a value violates the schema at this pointer. */
    misfits: (at: string, value: unknown) => open(at, value),
    /** How an answer violates the operation's description. */
    complaints(operation: Operation, { status, headers, text: body }: Answered): string[] {
      const described = operation.responses[String(status)];
      if (described === undefined) return [`${status} is not documented`];
      const faults = Object.entries(described.headers ?? {}).flatMap(([name, header]) => {
        const value = headers.get(name);
        if (value === null) return OPTIONAL_HEADERS.has(name) ? [] : [`${status} lacks the header ${name}`];
        const { type, pattern } = resolved(header).schema as { type: string; pattern?: string };
        const fits = type === "integer" ? /^\d+$/.test(value) : new RegExp(pattern ?? "").test(value);
        return fits ? [] : [`${status} has an invalid header ${name}`];
      });
      const [content_type] = Object.keys(described.content ?? {});
      if (content_type === undefined) return body === "" ? faults : [...faults, `${status} has an undocumented body`];
      const given = headers.get("content-type")?.split(";")[0];
      if (given !== content_type) return [...faults, `${status} is ${given}, not ${content_type}`];
      if (!content_type.endsWith("json")) return body === "" ? [...faults, `${status} is empty`] : faults;
      const value = JSON.parse(body) as { errors?: { code: number }[] };
      const at = `${described.pointer}${pointer("content", content_type, "schema")}`;
      const unknown = described["x-error-codes"]
        ? (value.errors ?? []).filter(({ code }) => !described["x-error-codes"]!.includes(code))
        : [];
      return [
        ...faults,
        ...shut(at, value).map((misfit) => `${status} ${misfit}`),
        ...unknown.map(({ code }) => `${status} has the undocumented code ${code}`),
      ];
    },
  };
}
export type OpenapiDocument = ReturnType<typeof readOpenapi>;

/** A JSON pointer to these names. */
export const pointer = (...names: string[]) =>
  names.map((name) => `/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");

const lookUp = (document: unknown, at: string) =>
  at
    .slice(1)
    .split("/")
    .map((name) => name.replaceAll("~1", "/").replaceAll("~0", "~"))
    .reduce((value, name) => (value as Json)[name], document);

function validator(document: object): (at: string, value: unknown) => string[] {
  const ajv = addFormats(new Ajv2020({ strict: false, allErrors: true }));
  ajv.addSchema(document, "openapi");
  const compiled = new Map<string, ReturnType<Ajv["compile"]>>();
  return (at, value) => {
    const validate = compiled.get(at) ?? ajv.compile({ $ref: encodeURI(`openapi#${at}`) });
    compiled.set(at, validate);
    if (validate(value)) return [];
    return (validate.errors ?? []).map(({ instancePath, message, params }) => {
      return `${instancePath || "/"} ${message} ${JSON.stringify(params)}`;
    });
  };
}

/** A copy in which no object may have undescribed fields. */
function closed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(closed);
  if (typeof value !== "object" || value === null) return value;
  const copy = Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, closed(entry)]));
  const isSchema = "properties" in copy && "type" in copy && !("additionalProperties" in copy);
  return isSchema ? { ...copy, additionalProperties: false } : copy;
}
