import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { expect, test } from "vitest";

const root = fileURLToPath(new URL("..", import.meta.url));

/** A program's bundle, built with the bundler that the web pages use. */
async function bundled(program: string): Promise<string> {
  const vite = dirname(createRequire(import.meta.url).resolve("vite/package.json"));
  const { build } = await import(pathToFileURL(join(vite, "dist/node/index.js")).href);
  const entry = join(root, "program.mjs");
  const output = await build({
    root,
    configFile: false,
    logLevel: "silent",
    resolve: { conditions: ["source", "node"] },
    ssr: { noExternal: true, resolve: { conditions: ["source", "node"] } },
    build: { ssr: true, write: false, minify: false, rollupOptions: { input: entry } },
    plugins: [
      {
        name: "program",
        enforce: "pre",
        resolveId: (id: string) => (id === entry ? entry : undefined),
        load: (id: string) => (id === entry ? program : undefined),
      },
    ],
  });
  return (output as { output: { code: string }[] }).output.map(({ code }) => code).join("\n");
}

test.each([
  'import { verify } from "@pestle/sdk/webhooks"; console.log(verify)',
  'import { webhooks } from "@pestle/sdk"; console.log(webhooks.verify)',
  'import { verifyWebhook } from "@pestle/sdk"; console.log(verifyWebhook)',
])("%s contains neither the client nor the contract's tables", async (program) => {
  const code = await bundled(program);
  expect(code).toContain("timingSafeEqual");
  for (const left_out of ["idempotency-key", "listShippingMethods", "openInbox", "addContentTypeParser"]) {
    expect(code).not.toContain(left_out);
  }
});

test("the README links to nothing outside the package, which npm's page could not show", () => {
  const readme = readFileSync(join(root, "README.md"), "utf8");
  const links = [...readme.matchAll(/\]\(([^)]+)\)/g)].map(([, target]) => target!);
  expect(links.length).toBeGreaterThan(2);
  expect(links.filter((target) => !/^(#|https:)/.test(target))).toEqual([]);
});

test("a program that calls the API contains the client", async () => {
  const code = await bundled('import { createPestle } from "@pestle/sdk"; console.log(createPestle)');
  for (const part of ["idempotency-key", "listShippingMethods"]) expect(code).toContain(part);
});

test("every entry of the package has source, types and code under the same name", () => {
  const { exports: entries } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
    exports: Record<string, Record<"source" | "types" | "default", string>>;
  };
  expect(Object.keys(entries)).toEqual([".", "./webhooks"]);
  for (const { source, types, default: code } of Object.values(entries)) {
    expect(existsSync(join(root, source))).toBe(true);
    const name = source.replace("./src/", "").replace(/\.ts$/, "");
    expect([types, code]).toEqual([`./dist/${name}.d.ts`, `./dist/${name}.js`]);
  }
});
