import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const bundles = new Map<string, Promise<string>>();

/**
 * A program of the campaigns in one file, made once. A process that is killed hundreds of times starts from it in a third of
 * the time that it takes from its sources. The file is inside the project, so that the packages are found.
 */
export function bundled(program: string): Promise<string> {
  const known = bundles.get(program);
  if (known !== undefined) return known;
  const made = bundle(program);
  bundles.set(program, made);
  return made;
}

async function bundle(program: string): Promise<string> {
  const name = program.replace(/^.*\//, "").replace(/\.ts$/, "");
  const outfile = join(ROOT, "node_modules/.cache", `${name}-${process.pid}.mjs`);
  await build({
    entryPoints: [program],
    outfile,
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node20",
    conditions: ["source"],
    logLevel: "warning",
    plugins: [
      {
        name: "own-address",
        setup({ onLoad, onResolve }) {
          // Packages stay packages; the project's own are part of the program.
          onResolve({ filter: /^[^./]/ }, ({ path, kind }) =>
            path.startsWith("@pestle/") || kind === "entry-point" ? undefined : { path, external: true },
          );
          // A module finds its data relative to its own address.
          onLoad({ filter: /\/(server|contract|chaos|sdk)\/.*\.ts$/ }, ({ path }) => ({
            contents: readFileSync(path, "utf8").replaceAll(
              "import.meta.url",
              JSON.stringify(pathToFileURL(path).href),
            ),
            loader: "ts",
          }));
        },
      },
    ],
  });
  return outfile;
}
