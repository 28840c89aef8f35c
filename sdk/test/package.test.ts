import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { createContext, runInContext } from "node:vm";
import { build } from "esbuild";
import { expect, test } from "vitest";

const root = fileURLToPath(new URL("..", import.meta.url));

/** A program's bundle for a browser, which has none of Node's modules. */
async function bundled(program: string): Promise<{ code: string; bytes: number }> {
  const { outputFiles } = await build({
    stdin: { contents: program, resolveDir: root, loader: "js" },
    bundle: true,
    write: false,
    format: "iife",
    platform: "browser",
    target: "es2022",
    conditions: ["source"],
    minify: true,
    logLevel: "silent",
  });
  const { text, contents } = outputFiles[0]!;
  return { code: text, bytes: contents.length };
}

/** Parts that only some programs need, and a text that shows each in a bundle. */
const parts = { client: "idempotency-key", inbox: "onGap", fastify: "addContentTypeParser", tables: "Partner Hold" };

test.each([
  // The budgets leave room for a tenth more.
  ['import { verifyWebhookAsync } from "@pestle/sdk"; console.log(verifyWebhookAsync)', [], 3_700],
  ['import { verify } from "@pestle/sdk/webhooks"; console.log(verify)', [], 4_900],
  ['import { createReceiver, openInbox } from "@pestle/sdk/webhooks"; createReceiver(openInbox)', ["inbox"], 7_000],
  ['import { createPestle } from "@pestle/sdk"; console.log(createPestle)', ["client"], 25_700],
] as const)("%s: bundles for a browser contain %j and stay within %i bytes", async (program, expected, budget) => {
  const { code, bytes } = await bundled(program);
  const found = Object.entries(parts).filter(([, text]) => code.includes(text));
  expect(found.map(([name]) => name)).toEqual(expected);
  expect(code).not.toMatch(/["']node:(?!crypto["'])/);
  expect(code).not.toMatch(/\bBuffer\b/);
  expect(bytes).toBeLessThan(budget);
});

/** Of a browser or an edge runtime: neither `process` nor `Buffer`. */
const webGlobals = {
  ...{ AbortController, Headers, Request, Response, TextDecoder, TextEncoder, URL, URLSearchParams },
  ...{ atob, btoa, clearTimeout, crypto, setTimeout, structuredClone },
};

test("the globals of a browser are enough to call, to sign and to verify", async () => {
  const { code } = await bundled(`
    import { createPestle, verifyWebhook, verifyWebhookAsync } from "@pestle/sdk";
    import { createFakePharmacy, signForTestAsync } from "@pestle/sdk/testing";
    async function run() {
      const brands = await createPestle(createFakePharmacy().options).brands();
      const secrets = { url: "https://partner.example/hook", webhook_secret: "word" };
      const signed = await signForTestAsync({ event: { event_id: "one" }, client_secret: "secret", ...secrets });
      const received = { ...secrets, ...signed, client_secrets: ["secret"] };
      const { event_id } = await verifyWebhookAsync(received);
      try {
        verifyWebhook(received);
      } catch (error) {
        return [brands.length, event_id, error.message].join(", ");
      }
    }
    globalThis.told = run();`);
  const context = createContext({ ...webGlobals });
  runInContext(code, context);
  expect(await context["told"]).toBe(
    "1, one, This runtime has no synchronous cryptography. Call the function whose name ends in Async.",
  );
});

test("nothing in the package imports a module of Node", () => {
  const files = readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" }).filter((name) =>
    name.endsWith(".ts"),
  );
  expect(files.length).toBeGreaterThan(25);
  const importing = files.filter((name) => /from "node:/.test(readFileSync(join(root, "src", name), "utf8")));
  expect(importing).toEqual([]);
});

test("the README links to nothing outside the package, which npm's page could not show", () => {
  const readme = readFileSync(join(root, "README.md"), "utf8");
  const links = [...readme.matchAll(/\]\(([^)]+)\)/g)].map(([, target]) => target!);
  expect(links.length).toBeGreaterThan(2);
  expect(links.filter((target) => !/^(#|https:)/.test(target))).toEqual([]);
});

test("every entry of the package has source, types and code under the same name, as a module and as CommonJS", () => {
  type Forms = Record<"types" | "default", string>;
  const { exports: entries } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
    exports: Record<string, { source: string; import: Forms; require: Forms }>;
  };
  const { "./package.json": own, ...code } = entries;
  expect(own).toBe("./package.json");
  expect(Object.keys(code)).toEqual([".", "./webhooks", "./express", "./fastify", "./hono", "./next", "./testing"]);
  for (const { source, ...forms } of Object.values(code)) {
    expect(existsSync(join(root, source))).toBe(true);
    const name = source.replace("./src/", "").replace(/\.ts$/, "");
    expect(dirname(name)).toBe(".");
    expect(forms).toEqual({
      import: { types: `./dist/${name}.d.ts`, default: `./dist/${name}.js` },
      require: { types: `./dist/cjs/${name}.d.ts`, default: `./dist/cjs/${name}.js` },
    });
  }
});
