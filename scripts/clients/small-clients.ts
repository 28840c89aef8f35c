import { readFileSync } from "node:fs";
import { isPaged, type Operation, operations, snakeCase } from "./described-operations.ts";

/** How a language writes an operation. The rest of a client is in its template, which is written by hand. */
type Language = { template: string; path: string; method: (operation: Operation) => string };

const camelCase = (name: string): string => name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
const isListed = (operation: Operation): boolean => operation.items !== undefined && isPaged(operation);
/** A query that only a list of pages needs is not worth an argument. */
const takesQuery = ({ query }: Operation): boolean => query.length > 0;
/** The path as parts of code between texts. */
const partsOf = (path: string): string[] => path.split(/\{(\w+)\}/);

const php: Language = {
  template: "Pestle.php",
  path: "clients/php/Pestle.php",
  method(operation) {
    const { id, method, ids, path, body, answer, idempotent, items, summary } = operation;
    const address = partsOf(path)
      .map((part, index) => (index % 2 === 0 ? `'${part}'` : `self::id($${camelCase(part)})`))
      .filter((part) => part !== "''")
      .join(" . ");
    const taken = [
      ...ids.map(({ name, schema }) => `${schema.type === "integer" ? "int" : "string"} $${camelCase(name)}`),
      ...(body ? [body.required ? "array $body" : "array $body = []"] : []),
      ...(takesQuery(operation) ? ["array $query = []"] : []),
      ...(idempotent ? ["?string $idempotencyKey = null"] : []),
    ];
    const sent = [
      `'${method}'`,
      address,
      ...(takesQuery(operation) ? ["query: $query"] : []),
      ...(body ? ["body: $body"] : []),
      ...(idempotent ? ["key: $idempotencyKey"] : []),
    ];
    const call = `$this->call(${sent.join(", ")})`;
    const [type, work] = isListed(operation)
      ? ["\\Generator", `return $this->each(${address}, '${items}', $query);`]
      : answer === undefined
        ? ["void", `${call};`]
        : ["array", `return ${call}${items ? `['${items}']` : ""};`];
    return `    /** ${summary}. */\n    public function ${id}(${taken.join(", ")}): ${type}\n    {\n        ${work}\n    }\n`;
  },
};

const ruby: Language = {
  template: "pestle.rb",
  path: "clients/ruby/pestle.rb",
  method(operation) {
    const { id, method, ids, path, body, answer, idempotent, items, summary } = operation;
    const address = `"${partsOf(path)
      .map((part, index) => (index % 2 === 0 ? part : `#{id(${part})}`))
      .join("")}"`;
    const taken = [
      ...ids.map(({ name }) => name),
      ...(body ? [body.required ? "body" : "body = {}"] : []),
      ...(takesQuery(operation) ? ["query: {}"] : []),
      ...(idempotent ? ["idempotency_key: nil"] : []),
    ].map((name) => (name === "id" ? "endpoint_id" : name));
    const filled = address.replace("id(id)", "id(endpoint_id)");
    const sent = [
      `"${method}"`,
      filled,
      ...(takesQuery(operation) ? ["query: query"] : []),
      ...(body ? ["body: body"] : []),
      ...(idempotent ? ["idempotency_key: idempotency_key"] : []),
    ];
    const work = isListed(operation)
      ? `each_item(${filled}, "${items}", query)`
      : `call(${sent.join(", ")})${answer && items ? `["${items}"]` : ""}`;
    const given = taken.length === 0 ? "" : `(${taken.join(", ")})`;
    return `  # ${summary}.\n  def ${snakeCase(id)}${given}\n    ${work}\n  end\n`;
  },
};

const go: Language = {
  template: "pestle.go",
  path: "clients/go/pestle.go",
  method(operation) {
    const { id, method, ids, path, body, answer, idempotent, items, summary } = operation;
    const nameOf = (name: string) => (name === "id" ? "endpointID" : camelCase(name).replace(/Id$/, "ID"));
    const address = partsOf(path)
      .map((part, index) => (index % 2 === 0 ? `"${part}"` : `id(${nameOf(part)})`))
      .filter((part) => part !== '""')
      .join("+");
    const taken = [
      "ctx context.Context",
      ...ids.map(({ name, schema }) => `${nameOf(name)} ${schema.type === "integer" ? "int64" : "string"}`),
      ...(body ? ["body any"] : []),
      ...(takesQuery(operation) ? ["query url.Values"] : []),
      ...(idempotent ? ["key string"] : []),
      ...(isListed(operation) ? ["take func(Object) error"] : []),
    ].join(", ");
    const name = `${id[0]!.toUpperCase()}${id.slice(1)}`;
    const head = `// ${name}: ${summary}.\nfunc (c *Client) ${name}(${taken})`;
    if (isListed(operation)) return `${head} error {\n\treturn c.each(ctx, ${address}, "${items}", query, take)\n}\n`;
    const sent = [
      "ctx",
      `"${method}"`,
      address,
      takesQuery(operation) ? "query" : "nil",
      body ? (body.required ? "body" : "orEmpty(body)") : "nil",
      idempotent ? "key" : '""',
    ].join(", ");
    if (answer === undefined) return `${head} error {\n\treturn c.Call(${sent}, nil)\n}\n`;
    const type = items === undefined ? "Object" : items === "" ? "[]Object" : "map[string][]Object";
    const result = items ? `answer["${items}"]` : "answer";
    return `${head} (${items === undefined ? "Object" : "[]Object"}, error) {\n\tvar answer ${type}\n\terr := c.Call(${sent}, &answer)\n\treturn ${result}, err\n}\n`;
  },
};

const java: Language = {
  template: "Pestle.java",
  path: "clients/java/Pestle.java",
  method(operation) {
    const { id, method, ids, path, body, answer, idempotent, items, summary } = operation;
    const nameOf = (name: string) => (name === "id" ? "endpointId" : camelCase(name));
    const address = partsOf(path)
      .map((part, index) => (index % 2 === 0 ? `"${part}"` : `id(${nameOf(part)})`))
      .filter((part) => part !== '""')
      .join(" + ");
    const taken = [
      ...ids.map(({ name, schema }) => `${schema.type === "integer" ? "long" : "String"} ${nameOf(name)}`),
      ...(body ? ["Map<String, ?> body"] : []),
      ...(takesQuery(operation) ? ["Map<String, ?> query"] : []),
      ...(idempotent ? ["String idempotencyKey"] : []),
      ...(isListed(operation) ? ["Consumer<Map<String, Object>> take"] : []),
    ].join(", ");
    const sent = [
      `"${method}"`,
      address,
      takesQuery(operation) ? "query" : "null",
      body ? "body" : "null",
      idempotent ? "idempotencyKey" : "null",
    ].join(", ");
    const call = `call(${sent})`;
    const [type, work] = isListed(operation)
      ? ["void", `each(${address}, "${items}", query, take);`]
      : answer === undefined
        ? ["void", `${call};`]
        : items === undefined
          ? ["Map<String, Object>", `return object(${call});`]
          : ["List<?>", `return (List<?>) ${items === "" ? call : `object(${call}).get("${items}")`};`];
    return `    /** ${summary}. */\n    public ${type} ${id}(${taken}) {\n        ${work}\n    }\n`;
  },
};

/** A small client for each language, on its standard library alone. */
export const smallClients: readonly { path: string; render: () => string }[] = [php, ruby, go, java].map(
  ({ template, path, method }) => ({
    path,
    render: () =>
      readFileSync(new URL(`templates/${template}`, import.meta.url), "utf8").replace(
        /^.*\{\{operations\}\}\n/m,
        () => `${operations.map(method).join("\n")}\n`,
      ),
  }),
);
