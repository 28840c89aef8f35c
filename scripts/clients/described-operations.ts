import { type Endpoint, endpoints, openapi } from "@pestle/contract";

/** The parts of JSON Schema that the contract uses. */
export type Described = {
  $ref?: string;
  description?: string;
  type?: string | string[];
  enum?: (string | number | null)[];
  anyOf?: Described[];
  oneOf?: Described[];
  items?: Described;
  properties?: { [name: string]: Described };
  required?: string[];
};
export type Parameter = { name: string; description: string; schema: Described };
/** A partner operation as a generator of clients needs it: with names of schemas in place of the schemas. */
export type Operation = {
  id: string;
  method: Endpoint["method"];
  path: string;
  summary: string;
  description: string;
  ids: Parameter[];
  query: Parameter[];
  body?: { schema: Described; required: boolean };
  answer?: Described;
  idempotent: boolean;
  /** The field of the answer that has the items of a list; empty if the answer itself is the list. */
  items?: string;
};

type Content = { content?: { [type: string]: { schema: Described } } };
type Document = {
  paths: { [path: string]: { [method: string]: DescribedOperation } };
  webhooks: { [type: string]: { post: { requestBody: Content } } };
  components: { schemas: { [name: string]: Described }; parameters: { [name: string]: Parameter } };
};
type DescribedOperation = {
  operationId: string;
  parameters?: (Parameter & { in: string; $ref?: string })[];
  requestBody?: Content & { required: boolean };
  responses: { [status: string]: Content };
};

const document = openapi({
  version: "1",
  base_url: "",
  auth_url: "",
  sandbox_auth_url: "",
  operator_name: "Service",
}) as unknown as Document;

export const schemas = document.components.schemas;
export const nameIn = ($ref: string): string => $ref.slice($ref.lastIndexOf("/") + 1);
/** The schema of each event, by its type. */
export const webhookSchemas: Described[] = Object.values(document.webhooks).map(
  ({ post }) => schemaOf(post.requestBody)!,
);

/** The answer of a dry run. */
export const dryRun: Described = schemaOf(document.paths["/orders"]!["post"]!.responses["200"]!)!;

const partnerRows = new Map<string, Endpoint>(
  endpoints.filter(({ server }) => server === "partner").map((row) => [row.operation_id, row]),
);

/** Every operation of the partner API, in the order of the contract. */
export const operations: Operation[] = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.values(methods).flatMap((described) => {
    const row = partnerRows.get(described.operationId);
    return row === undefined ? [] : [operationOf(path, row, described)];
  }),
);

function operationOf(path: string, row: Endpoint, described: DescribedOperation): Operation {
  const { parameters = [], requestBody, responses } = described;
  const ids = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => document.components.parameters[name!]!);
  const body = requestBody && schemaOf(requestBody);
  const inBody = Object.keys((body?.$ref === undefined ? body : schemas[nameIn(body.$ref)])?.properties ?? {});
  // A client has a method of its own for a dry run, because its answer is another one. A field of the body is in the
  // query for clients that send no body with DELETE; ours do, because addresses are logged.
  const query = parameters.filter((one) => one.in === "query" && one.name !== "dry_run" && !inBody.includes(one.name));
  // A change is also answered with 204, and a dry run with 200.
  const [status] = Object.keys(responses)
    .filter((one) => one.startsWith("2") && one !== "204")
    .sort()
    .reverse();
  const answer = status === undefined ? undefined : schemaOf(responses[status]!);
  const items = row.operation_id.startsWith("list") ? itemsOf(answer!) : undefined;
  return {
    id: row.operation_id,
    method: row.method,
    path,
    summary: row.summary,
    description: row.description,
    ids,
    query,
    ...(body && { body: { schema: body, required: requestBody!.required } }),
    ...(answer && { answer }),
    idempotent: row.idempotent === true,
    ...(items !== undefined && { items }),
  };
}

function itemsOf({ type, properties = {} }: Described): string {
  if (type === "array") return "";
  const [name, ...others] = Object.keys(properties).filter((key) => properties[key]!.type === "array");
  if (name === undefined || others.length > 0) throw new Error("The answer of a list must have one array.");
  return name;
}

function schemaOf({ content }: Content): Described | undefined {
  return content && Object.values(content)[0]?.schema;
}

export const isPaged = ({ query }: Operation): boolean => query.some(({ name }) => name === "cursor");

/** `listOrders` is `list_orders`. */
export const snakeCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
export const pascalCase = (name: string): string =>
  name.replace(/(?:^|_)([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());

/** Lines of at most that many characters, from a text or from words that stay whole. */
export function wrapped(text: string | readonly string[], width: number): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of typeof text === "string" ? text.split(/\s+/) : text) {
    if (line !== "" && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else line = line === "" ? word : `${line} ${word}`;
  }
  return [...lines, line];
}
