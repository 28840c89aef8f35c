import type { OpenApiDocument } from "./openapi-document.ts";

/**
 * The OpenAPI document as this page renders it. Without `servers`, "Try it out" sends requests to the page's own
 * origin, the only one its content security policy allows. The token servers are other origins, so users paste a token
 * instead of entering credentials.
 */
export function shownDocument({ servers: _, ...document }: OpenApiDocument): OpenApiDocument {
  const schemes = Object.entries(document.components?.securitySchemes ?? {})
    .filter(([, { type }]) => type === "oauth2")
    .map(([name, { description }]) => [
      name,
      { type: "http", scheme: "bearer", description: `${description ?? ""} Paste an \`access_token\`.`.trim() },
    ]);
  return {
    ...document,
    // Swagger UI shows webhooks in their own section and would render their tag as an empty group.
    tags: document.tags?.filter(({ name }) => usedTags(document).has(name)) ?? [],
    components: { ...document.components, securitySchemes: Object.fromEntries(schemes) },
  };
}

/** Paths with their own `servers` are on the token servers, which this page cannot reach. */
export function canTry(document: OpenApiDocument, path: string): boolean {
  const item = document.paths?.[path];
  return item !== undefined && !item.servers;
}

function usedTags(document: OpenApiDocument): Set<string> {
  const operations = Object.values(document.paths ?? {}).flatMap(Object.values) as { tags?: string[] }[];
  return new Set(operations.flatMap(({ tags }) => tags ?? []));
}
