import type { OperationId } from "@pestle/contract";
import type { Scene } from "./contract-scene.ts";
import type { OpenapiDocument, Operation } from "./openapi-document.ts";

type Loose = Record<string, unknown>;
type Copy = {
  paths: Record<string, Record<string, Loose & { parameters?: { name?: string; in?: string }[]; responses: Loose }>>;
  webhooks?: unknown;
  components: { examples?: unknown; headers: Record<string, { schema: Loose }>; securitySchemes: Loose };
};

/** So many parameters of a query are varied: each one more doubles the requests. */
const FEW_PARAMETERS = 4;

/** Networks' messages are in formats of others, which Specmatic cannot make from our schemas. */
export const isForSpecmatic = ({ path }: Operation) => !path.startsWith("/intake");

/**
 * The document as Specmatic can use it: without what it does not know (messages of other formats, hosts of single
 * paths, two ways to authenticate) and what no schema can say (a cursor is none but a given one; `dry_run` makes a
 * success of every refusal). Its examples are put away, because requests need records that are there.
 */
export function documentForSpecmatic(text: string, every_query: boolean): string {
  const copy = JSON.parse(text) as Copy;
  copy.webhooks = undefined;
  copy.components.examples = undefined;
  // Its own strings for this pattern do not fit it, and it says so many hundred times.
  delete copy.components.headers["ETag"]!.schema["pattern"];
  copy.components.securitySchemes = { sandbox: copy.components.securitySchemes["sandbox"] };
  for (const [path, item] of Object.entries(copy.paths)) {
    if (path.startsWith("/intake")) delete copy.paths[path];
    delete item["servers"];
    for (const operation of Object.values(item)) {
      const [first] = operation["security"] as Record<string, string[]>[];
      operation["security"] = first?.["production"] === undefined ? [] : [{ sandbox: first["production"] }];
      if (operation["operationId"] === ("createOrder" satisfies OperationId)) delete operation.responses["200"];
      const varied = (operation.parameters ?? []).filter(
        ({ name, in: place }) => place === "query" && name !== "cursor",
      );
      const kept = every_query ? varied : varied.slice(-FEW_PARAMETERS);
      operation.parameters = operation.parameters?.filter(
        (parameter) => parameter.in !== "query" || (kept.includes(parameter) && parameter.name !== "dry_run"),
      ) as never;
    }
  }
  return JSON.stringify(withoutExamples(copy));
}

function withoutExamples(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutExamples);
  if (typeof value !== "object" || value === null) return value;
  const isMedia = "schema" in value && ("example" in value || "examples" in value);
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => !(isMedia && (key === "example" || key === "examples")))
      .map(([key, entry]) => [key, withoutExamples(entry)]),
  );
}

/** A request that should succeed and an answer it could get, in Specmatic's own form. */
export async function exampleForSpecmatic({ resolved }: OpenapiDocument, scene: Scene, operation: Operation) {
  const { body, method, operation_id } = operation;
  const example = body?.example ?? Object.values(body?.examples ?? {})[0]?.value;
  const live = await scene.ready(operation_id as OperationId, example, true);
  const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => live.path[name]!);
  const [status, answer] = Object.entries(operation.responses).findLast(([one]) => one.startsWith("2"))!;
  const [type, media] = Object.entries(answer.content ?? {})[0] ?? [];
  const shown = media && (media.example ?? resolved(Object.values(media.examples ?? {})[0])?.value);
  const sent = body && {
    headers: { "Content-Type": body.content_type },
    [body.content_type.endsWith("json") ? "body" : "form-fields"]: live.body,
  };
  return {
    "http-request": { method, path, ...sent },
    "http-response": { status: Number(status), ...(type && { headers: { "Content-Type": type }, body: shown }) },
  };
}
