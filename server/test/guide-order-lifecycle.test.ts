import { execFile, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestApp, type TestApp } from "./support/test-app.ts";

const GUIDE = new URL("../../docs/guides/order-lifecycle.md", import.meta.url);
const NEEDED = ["bash", "curl", "jq"];

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.stop());

/** The examples in their order: what is typed, and what is shown of the answer beneath. */
function examples(text: string): { typed: string; shown: unknown }[] {
  const blocks = [...text.matchAll(/^```(sh|json)\n(.*?)^```$/gms)].map(([, kind, body]) => ({ kind, body: body! }));
  return blocks.flatMap(({ kind, body }, index) => {
    const next = blocks[index + 1];
    return kind === "sh" ? [{ typed: body, shown: next?.kind === "json" ? JSON.parse(next.body) : null }] : [];
  });
}

const canRun = NEEDED.every((program) => spawnSync(program, ["--version"]).status === 0);

test.skipIf(!canRun)("every example of the guide does what the guide says", async () => {
  const all = examples(readFileSync(GUIDE, "utf8"));
  expect(all.length).toBeGreaterThan(10);
  const script = all
    .map(({ typed }) => `${typed}\nprintf '\\n%s\\n' END`)
    .join("\n")
    .replaceAll("http://127.0.0.1:8080", app.addresses.base_url);
  // The one command that needs a checkout is played: it would print a token.
  const { stdout } = await promisify(execFile)("bash", ["-euc", `npx() { echo "$TEST_TOKEN"; }\n${script}`], {
    env: { PATH: process.env["PATH"], TEST_TOKEN: await app.token() },
  });
  const answers = stdout.split("\nEND\n");
  for (const [index, { typed, shown }] of all.entries()) {
    if (shown !== null) expect(JSON.parse(answers[index]!), typed).toMatchObject(shown as object);
  }
});
