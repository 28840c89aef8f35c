import type { OpenApiDocument } from "./openapi-document.ts";

/**
 * The document as this page shows it and lets it be tried. Without `servers`, requests go where the page came from, the
 * only place its content security policy lets it reach; the token servers are other origins, so a token is pasted, and
 * the credentials for getting one are not asked for.
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
    // Swagger UI draws the webhooks in a section of their own and their tag as an empty one.
    tags: document.tags?.filter(({ name }) => usedTags(document).has(name)) ?? [],
    components: { ...document.components, securitySchemes: Object.fromEntries(schemes) },
  };
}

/** Operations on a path with servers of its own live on the token servers, out of this page's reach. */
export function canTry(document: OpenApiDocument, path: string): boolean {
  const item = document.paths?.[path];
  return item !== undefined && !item.servers;
}

function usedTags(document: OpenApiDocument): Set<string> {
  const operations = Object.values(document.paths ?? {}).flatMap(Object.values) as { tags?: string[] }[];
  return new Set(operations.flatMap(({ tags }) => tags ?? []));
}
