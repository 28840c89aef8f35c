import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { loadCommands } from "../../../src/cli/commands.ts";
import { openReceiver } from "../../support/receiver.ts";
import { startTestApp } from "../../support/test-app.ts";
import { type DocBlock, docBlocks, docPages, ROOT, readDoc } from "../../support/tools/doc-blocks.ts";
import { guideScenes } from "../../support/tools/guide-scenes.ts";
import { type CliServer, runGuide, startCliServer } from "../../support/tools/run-guide.ts";

const commands = await loadCommands();

/** Pages whose blocks have their own test. */
const RUN_ELSEWHERE: Record<string, string> = {
  "README.md": "scripts/quick-start.ts",
  "docs/guides/quick-start.md": "scripts/quick-start.ts",
  "sdk/README.md": "sdk/test/readme.test.ts",
};
/** The languages of blocks, and how each is tested. */
const LANGUAGES: Record<string, "typed" | "parsed" | "shown" | "included" | "settings" | "drawn"> = {
  sh: "typed",
  js: "typed",
  python: "typed",
  json: "parsed",
  text: "shown",
  xml: "shown",
  csv: "shown",
  // Tested by docs-deploy.test.ts.
  sql: "typed",
  // Settings; config.test.ts reads them.
  ini: "settings",
  mermaid: "drawn",
};
/**
 * Complete files that a page shows, which have their own tests; `npm run docs -- --check` keeps page and file equal.
 */
const isIncluded = ({ says }: DocBlock) => says["from"] !== undefined;
/** Some commands need what no test has. Each says why, and there are few. */
const MOST_NOT_RUN = 12;

const all = docPages.flatMap(docBlocks);
const typedBlocks = all.filter(
  (block) => LANGUAGES[block.language] === "typed" && block.language !== "sql" && !isIncluded(block),
);
const guides = docPages.filter(
  (page) => !(page in RUN_ELSEWHERE) && typedBlocks.some((block) => block.page === page && !block.says["no-run"]),
);
const canRun = ["bash", "curl", "jq", "python3"].every((program) => spawnSync(program, ["--version"]).status === 0);

describe("every block of the documentation", () => {
  test("has a language that is tested", () => {
    const unknown = all.filter(
      (block) => !(block.page in RUN_ELSEWHERE) && LANGUAGES[block.language] === undefined && !isIncluded(block),
    );
    expect(unknown.map(({ page, line, language }) => `${page}:${line} ${language}`)).toEqual([]);
  });

  test("of JSON is well-formed", () => {
    for (const { page, line, language, text } of all) {
      if (language === "json") expect(() => JSON.parse(text), `${page}:${line}`).not.toThrow();
    }
  });

  test("is run, or says why it cannot be run", () => {
    const notRun = typedBlocks.filter(({ says }) => says["no-run"] !== undefined);
    for (const { page, line, says } of notRun) expect(says["no-run"]!.length, `${page}:${line}`).toBeGreaterThan(15);
    expect(notRun.length).toBeLessThanOrEqual(MOST_NOT_RUN);
    for (const [page, file] of Object.entries(RUN_ELSEWHERE)) {
      if (docPages.includes(page) && page !== "README.md") expect(existsSync(join(ROOT, file)), file).toBe(true);
    }
  });
});

test("every command in the text exists", () => {
  const names = new Set(commands.map(({ name }) => name));
  const groups = new Set(commands.map(({ name }) => name.split(" ")[0]!));
  const missing = docPages.flatMap((page) =>
    [...readDoc(page).matchAll(/`(?:npx )?pestle ([a-z]+)(?: ([a-z-]+))?/g)]
      .filter(
        ([, first = "", second = ""]) =>
          !names.has(first) && !names.has(`${first} ${second}`) && !(groups.has(first) && second === ""),
      )
      .map(([text]) => `${page}: ${text}`),
  );
  expect(missing).toEqual([]);
});

describe.skipIf(!canRun)("the examples of a guide do what the guide says, typed in their order:", () => {
  let cli: CliServer;
  beforeAll(async () => {
    cli = await startCliServer();
  });
  afterAll(() => cli?.stop());

  test.concurrent.each(guides)("%s", { timeout: 300_000 }, async (page) => {
    const app = await startTestApp({ unlimited: true });
    const receiver = await openReceiver();
    try {
      const names = (await guideScenes[page]?.(app)) ?? {};
      expect(await runGuide(app, cli, docBlocks(page), { names, receiver })).toEqual([]);
    } finally {
      await receiver.close();
      await app.stop();
    }
  });
});
