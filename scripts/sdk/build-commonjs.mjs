// Writes dist/cjs of the packages that partners install: the same files for programs that use `require`.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
for (const name of ["contract", "sdk"]) {
  const dist = join(root, name, "dist");
  const cjs = join(dist, "cjs");
  rmSync(cjs, { recursive: true, force: true });
  const files = readdirSync(dist, { recursive: true, encoding: "utf8" });
  await build({
    entryPoints: files.filter((file) => file.endsWith(".js")).map((file) => join(dist, file)),
    outbase: dist,
    outdir: cjs,
    // Each module stays a file, so that both entries of a package share its classes.
    bundle: false,
    format: "cjs",
    // Marks the names that a module exports, so that `import` from CommonJS finds them.
    platform: "node",
    target: "node20",
    sourcemap: true,
    logLevel: "warning",
  });
  for (const file of files.filter((one) => one.endsWith(".d.ts"))) {
    const copy = join(cjs, file);
    mkdirSync(dirname(copy), { recursive: true });
    writeFileSync(copy, readFileSync(join(dist, file), "utf8").replace(/^\/\/# sourceMappingURL=.*$/m, ""));
  }
  // The packages are modules. This folder is not.
  writeFileSync(join(cjs, "package.json"), '{ "type": "commonjs", "sideEffects": false }\n');
}
