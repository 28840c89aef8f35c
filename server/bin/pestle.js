#!/usr/bin/env node
import { statSync } from "node:fs";

/** When a file was written; 0 if it does not exist. */
const written = (path) => statSync(new URL(path, import.meta.url), { throwIfNoEntry: false })?.mtimeMs ?? 0;
const bundle = "../dist/program/main.js";
const compiled = "../dist/cli/main.js";
// Only a checkout has these. After `tsc -b` alone, the bundle is older than the compiled files.
const compilations = [
  "../dist/.tsbuildinfo",
  "../../contract/dist/.tsbuildinfo",
  "../../sdk/dist/.tsbuildinfo",
  "../../cli/dist/.tsbuildinfo",
];
const program = written(bundle) >= Math.max(...compilations.map(written)) ? bundle : compiled;
if (written(program) === 0) {
  console.error("pestle: not built yet. Run `npm run build` in the checkout first.");
  process.exit(1);
}
// As from Node 21 on. Without it, the database driver looks for another sign of its platform, and loads all of fetch.
globalThis.navigator ??= { userAgent: `Node.js/${process.versions.node.split(".")[0]}` };
await import(program);
