import { existsSync, readdirSync, readFileSync } from "node:fs";
import { extname } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { etagMatches } from "../domain/values/http-headers.ts";
import { StatusRefusal } from "../domain/values/refusals.ts";
import { NOT_CACHED, rendered } from "./answer.ts";

const TYPES: Record<string, string> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".json": "application/json; charset=utf-8",
  ".txt": "text/plain; charset=utf-8",
  ".md": "text/markdown; charset=utf-8",
  ".woff2": "font/woff2",
};

// No other host, nothing inline.
const CONTENT_SECURITY_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; font-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

/** `zipped` and `etag` are computed when first needed: a process serves few of the pages. */
type Asset = { bytes: Buffer; zipped?: Buffer; etag?: string; type: string; immutable: boolean };

/** Serves the built web pages. Reads them once at start, because they are few and small. */
export function addAssets(
  app: FastifyInstance,
  folder = fileURLToPath(new URL("../../dist/web/", import.meta.url)),
): void {
  const assets = existsSync(folder) ? readAssets(folder) : new Map<string, Asset>();
  const show = (request: FastifyRequest, reply: FastifyReply, name: string) => {
    const asset = assets.get(name);
    if (asset === undefined) throw new StatusRefusal(404);
    reply.header("content-security-policy", CONTENT_SECURITY_POLICY);
    reply.header("referrer-policy", "no-referrer");
    reply.header("cache-control", cachingOf(name, asset));
    asset.etag ??= rendered(asset.bytes.toString("latin1")).etag;
    reply.header("etag", asset.etag).header("vary", "accept-encoding").type(asset.type);
    if (etagMatches(request.headers["if-none-match"], asset.etag)) return reply.code(304).send();
    if (!/\bgzip\b/.test(String(request.headers["accept-encoding"] ?? ""))) return reply.send(asset.bytes);
    asset.zipped ??= gzipSync(asset.bytes);
    return reply.header("content-encoding", "gzip").send(asset.zipped);
  };
  app.get("/", (request, reply) => show(request, reply, "index.html"));
  // Where assistants look for it.
  app.get("/llms.txt", (request, reply) => show(request, reply, "docs/llms.txt"));
  for (const url of ["/docs", "/docs/"]) app.get(url, (request, reply) => show(request, reply, "docs/index.html"));
  const pageAt = (rest: string) => {
    const name = `docs/${rest.replace(/\/$/, "")}`;
    return [`${name}.html`, `${name}/index.html`, name].find((one) => assets.has(one));
  };
  app.get("/docs/*", { config: { exists: (rest) => pageAt(rest) !== undefined } }, (request, reply) => {
    const page = pageAt((request.params as { "*": string })["*"]);
    if (page !== undefined) return show(request, reply, page);
    // A browser gets a 404 page with a search; a program gets the usual 404.
    if (!/\btext\/html\b/.test(request.headers.accept ?? "")) throw new StatusRefusal(404);
    return show(request, reply.code(404), "docs/404.html");
  });
  // Each is a single-page app. It routes by its address and shows its own "not found".
  for (const name of ["dashboard", "portal"]) {
    for (const url of [`/${name}`, `/${name}/*`]) {
      app.get(url, (request, reply) => show(request, reply, `${name}/index.html`));
    }
  }
  app.get("/assets/*", { config: { exists: (rest) => assets.has(`assets/${rest}`) } }, (request, reply) =>
    show(request, reply, `assets/${(request.params as { "*": string })["*"]}`),
  );
}

/** The dashboard and the portal leave no page behind in a shared browser. */
function cachingOf(name: string, { immutable }: Asset): string {
  if (immutable) return "public, max-age=31536000, immutable";
  return /^(dashboard|portal)\//.test(name) ? "no-store" : NOT_CACHED;
}

function readAssets(folder: string): Map<string, Asset> {
  const names = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && extname(entry.name) in TYPES)
    .map((entry) => `${entry.parentPath}/${entry.name}`.slice(folder.length).replace(/^\//, ""));
  return new Map(
    names.map((name) => {
      const bytes = readFileSync(`${folder}/${name}`);
      const type = TYPES[extname(name)]!;
      // The file name carries a hash of the content, so the content never changes.
      const immutable = name.startsWith("assets/");
      return [name, { bytes, type, immutable }];
    }),
  );
}
