import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { renderSite } from "./render-site.ts";

const root = join(dirname(fileURLToPath(import.meta.url)), "../..");
const dist = join(root, "web/dist");

/** Writes the documentation to web/dist, using the template that Vite builds from web/site/page.html. */
function main(): void {
  const files = renderSite(root, readFileSync(join(dist, "site/page.html"), "utf8"));
  clear();
  for (const [name, content] of files) {
    mkdirSync(dirname(join(dist, name)), { recursive: true });
    writeFileSync(join(dist, name), content);
  }
}

/** Deletes the output of earlier runs, except the API reference in docs/api, which another step builds. */
function clear(): void {
  mkdirSync(join(dist, "docs"), { recursive: true });
  for (const name of readdirSync(join(dist, "docs"))) {
    if (name !== "api") rmSync(join(dist, "docs", name), { recursive: true });
  }
  for (const name of readdirSync(join(dist, "assets")).filter((one) => /^docs-(search|theme)-/.test(one))) {
    rmSync(join(dist, "assets", name));
  }
}

main();
