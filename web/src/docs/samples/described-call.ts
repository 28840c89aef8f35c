import type { HttpMethod, OpenApiDocument, Operation, Parameter, PathItem } from "../openapi-document.ts";

/** An example of a request, as the OpenAPI document describes the operation. */
export type DescribedCall = {
  operation_id: string;
  method: Uppercase<HttpMethod>;
  url: string;
  /** The partner API and the sandbox's token server. */
  base_url: string;
  auth_url: string;
  /** The values of the path's parameters, in their order. */
  ids: (string | number)[];
  bearer: boolean;
  idempotent: boolean;
  body?: { content_type: string; example: unknown };
};

/** Undefined for what the document has no path for, such as a webhook. */
export function describedCall(document: OpenApiDocument, path: string, method: string): DescribedCall | undefined {
  const item = document.paths?.[path];
  const operation = item?.[method as HttpMethod];
  if (item === undefined || operation === undefined) return undefined;
  const parameters = (operation.parameters ?? []).map((one) => resolved(document, one));
  const ids = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => exampleOf(parameters, path, name!));
  const rest = [...ids];
  const address = path.replaceAll(/\{\w+\}/g, () => encodeURIComponent(rest.shift()!));
  const body = bodyOf(operation);
  return {
    operation_id: operation.operationId,
    method: method.toUpperCase() as DescribedCall["method"],
    url: serverOf(document, item) + address,
    base_url: document.servers?.[0]?.url ?? "",
    auth_url: sandboxTokens(document).replace(/\/oauth\/token$/, ""),
    ids,
    bearer: (operation.security ?? []).some((one) => "sandbox" in one),
    idempotent: parameters.some(({ name }) => name === "Idempotency-Key"),
    ...(body && { body }),
  };
}

/** Paths of the token servers list them: production, then sandbox. */
const serverOf = ({ servers = [] }: OpenApiDocument, item: PathItem): string =>
  item.servers?.at(-1)?.url ?? servers[0]?.url ?? "";

const sandboxTokens = ({ components }: OpenApiDocument): string =>
  components?.securitySchemes?.["sandbox"]?.flows?.clientCredentials?.tokenUrl ?? "";

function resolved(document: OpenApiDocument, one: Parameter | { $ref: string }): Parameter {
  if (!("$ref" in one)) return one;
  return document.components?.parameters?.[one.$ref.split("/").at(-1)!] ?? { name: "", in: "" };
}

/** Without an example, a name to replace: `SCHEDULE_ID`. */
function exampleOf(parameters: Parameter[], path: string, name: string): string | number {
  const known = parameters.find((one) => one.in === "path" && one.name === name)?.schema?.examples?.[0];
  if (known !== undefined) return known;
  const noun = name === "id" ? `${/(\w+?)s?\/\{id\}/.exec(path)?.[1]}_id` : name;
  return noun.toUpperCase();
}

function bodyOf({ requestBody }: Operation): DescribedCall["body"] {
  const [content_type, content] = Object.entries(requestBody?.content ?? {})[0] ?? [];
  if (content_type === undefined || content === undefined) return undefined;
  const example = content.example ?? Object.values(content.examples ?? {})[0]?.value;
  // An omitted body counts as an empty object.
  return example === undefined || JSON.stringify(example) === "{}" ? undefined : { content_type, example };
}
