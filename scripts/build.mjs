// Builds only stale parts: TypeScript to dist/ (and to dist/cjs for partners), `pestle` to server/dist/program/, the
// partner's command line to cli/dist/program/, the web pages to web/dist/, and from
// there into the server's package.
// Runs on `npm ci`, before `npm start` and before `npm pack`.
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, readdirSync, rmSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const require = createRequire(import.meta.url);

// An installation without development packages runs the existing build.
if (!existsSync(join(root, "node_modules/typescript"))) {
  if (existsSync(join(root, "server/dist/program/main.js"))) process.exit(0);
  console.error("There is no build, and the compiler is not installed. Run `npm ci` without --omit=dev.");
  process.exit(1);
}

run("node_modules/typescript/bin/tsc", ["-b"]);
const compiled = ["contract", "sdk", "cli", "server"].map((name) =>
  newest(join(root, name, "dist"), /^(cjs|program|web)$/),
);
const commonjs = ["contract", "sdk"].map((name) => newest(join(root, name, "dist/cjs")));
if (Math.max(compiled[0], compiled[1]) > Math.min(...commonjs)) await import("./sdk/build-commonjs.mjs");
const bundled = ["cli", "server"].map((name) => newest(join(root, name, "dist/program")));
if (Math.max(...compiled) > Math.min(...bundled)) await import("./bundle.mjs");
if (newest(join(root, "web"), /^(dist|node_modules|test)$/) > newest(join(root, "web/dist/assets"), /^docs-/)) {
  run(
    join(dirname(require.resolve("vite/package.json")), "bin/vite.js"),
    ["build", "--logLevel", "warn"],
    join(root, "web"),
  );
}
// The documentation depends on the repository's Markdown files and on the contract's tables.
const texts = ["docs", "deploy", "sdk", "scripts/site", "contract/src", "web/dist/site"].map((name) =>
  newest(join(root, name)),
);
if (Math.max(newest(root, /^(?!.*\.md$)/), ...texts) > newest(join(root, "web/dist/docs"), /^api$/)) {
  run("node_modules/tsx/dist/cli.mjs", ["--conditions=source", "scripts/site/build-site.ts"]);
}
// The server's package contains the pages that it serves.
const pages = join(root, "server/dist/web");
if (newest(join(root, "web/dist")) > newest(pages)) {
  rmSync(pages, { recursive: true, force: true });
  cpSync(join(root, "web/dist"), pages, { recursive: true });
}

function run(script, args, cwd = root) {
  const { status } = spawnSync(process.execPath, [resolve(root, script), ...args], { cwd, stdio: "inherit" });
  if (status !== 0) process.exit(status ?? 1);
}

/** The newest modification below a folder, in milliseconds; 0 if there is none. */
function newest(folder, leaveOut = /^$/) {
  if (!existsSync(folder)) return 0;
  return readdirSync(folder, { withFileTypes: true })
    .filter(({ name }) => !leaveOut.test(name))
    .map((entry) => {
      const path = join(folder, entry.name);
      return entry.isDirectory() ? newest(path, leaveOut) : statSync(path).mtimeMs;
    })
    .reduce((a, b) => Math.max(a, b), 0);
}
