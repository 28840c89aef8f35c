// Bundles `pestle`, and the partner's command line, into a few files each: Node reads and links some 600 modules otherwise,
// which takes longer than most commands.
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const server = join(root, "server");
const folder = join(server, "dist/program");

await bundle(server, "dist/cli/main.js", [{ name: "own-address", setup: keepAddresses }]);
await bundle(join(root, "cli"), "dist/main.js", []);

// The help reads this list, because loading every command takes ten times as long.
const { loadCommands } = await import(pathToFileURL(join(server, "dist/cli/commands.js")).href);
const listed = (await loadCommands()).map(({ run, ...row }) => row);
writeFileSync(join(folder, "commands.json"), JSON.stringify(listed));

async function bundle(workspace, entry, plugins) {
  const { dependencies } = JSON.parse(readFileSync(join(workspace, "package.json"), "utf8"));
  const outdir = join(workspace, "dist/program");
  rmSync(outdir, { recursive: true, force: true });
  await build({
    entryPoints: [join(workspace, entry)],
    outdir,
    bundle: true,
    // A command loads only the chunks that it needs.
    splitting: true,
    chunkNames: "chunk-[hash]",
    format: "esm",
    platform: "node",
    target: "node20",
    logLevel: "warning",
    // Packages from npm stay packages, so that they are installed, listed and updated as before.
    external: Object.keys(dependencies)
      .filter((name) => !name.startsWith("@pestle/"))
      .flatMap((name) => [name, `${name}/*`]),
    plugins,
  });
}

/** A module finds its data relative to its own address, which is no longer that of the file it ends up in. */
function keepAddresses({ onLoad }) {
  onLoad({ filter: /\/server\/dist\/.*\.js$/ }, ({ path }) => {
    const own = `new URL(${JSON.stringify(relative(folder, path))}, import.meta.url).href`;
    return { contents: readFileSync(path, "utf8").replaceAll("import.meta.url", own), loader: "js" };
  });
}
