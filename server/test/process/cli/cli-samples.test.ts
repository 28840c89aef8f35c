import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, statSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { writeDemo } from "../../../src/seed/demo-file.ts";
import { startTestApp, type TestApp } from "../../support/test-app.ts";
import { freePort } from "../../support/tools/free-port.ts";
import { followCli } from "../../support/tools/run-cli.ts";
import { runCommand } from "../../support/tools/run-command.ts";
import { until } from "../../support/tools/until.ts";

/*
 * A stranger's path: create a sample project, run it, and see a verified webhook. The test's own time limit is shorter than
 * the three minutes that we promise.
 */

const MODULES = fileURLToPath(new URL("../../../../node_modules", import.meta.url));

let app: TestApp;
let folder: string;
let env: Record<string, string>;
beforeAll(async () => {
  app = await startTestApp({ unlimited: true });
  folder = mkdtempSync(join(tmpdir(), "pestle-samples-"));
  writeDemo(app.config.DATA_DIR, app.demo);
  env = { DATA_DIR: app.config.DATA_DIR, HOME: folder };
});
afterAll(async () => {
  await app.stop();
  rmSync(folder, { recursive: true, force: true });
});

type Created = { folder: string; commands: string[] };
const create = async (language: string, port: number): Promise<Created> =>
  (await runCommand<Created>(env, "samples create", { folder: join(folder, language), port: String(port) }, language))
    .data;

/** What `npm run` would start, without the second that npm takes. */
function withoutNpm(command: string, cwd: string): string {
  const [, script] = /^npm run (\w+)$/.exec(command) ?? [];
  if (script === undefined) return command;
  return `PATH="$PWD/node_modules/.bin:$PATH" ${JSON.parse(readFileSync(join(cwd, "package.json"), "utf8")).scripts[script]}`;
}

/** A command of the project, with its output so far. */
function started(command: string, cwd: string): { child: ChildProcess; output: () => string } {
  let output = "";
  // Its own group, because the shell starts the program as a child.
  const child = spawn("sh", ["-c", withoutNpm(command, cwd)], { cwd, detached: true });
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
  }
  return { child, output: () => output };
}

describe.concurrent("a new project", () => {
  test.each([
    ["typescript", "node"],
    ["python", "python3"],
    ["php", "php"],
  ])("in %s orders, and its receiver verifies the webhooks", async (language, program) => {
    if (spawnSync(program, ["--version"]).status !== 0) return expect(process.env["CI"]).toBeUndefined();
    const port = await freePort();
    const { folder: project, commands } = await create(language, port);
    // In place of `npm install`.
    if (language === "typescript") symlinkSync(MODULES, join(project, "node_modules"));
    const [receive = "", listen = "", order = ""] = commands.filter((command) => command !== "npm install");
    const receiver = started(receive, project);
    const listening = followCli(listen.split(" ").slice(1), env);
    try {
      await until(() => /listening at|started/.test(receiver.output()), "the receiver listens");
      await until(() => listening.stderr().includes("Press Ctrl-C"), "events are forwarded");
      const forged = await fetch(`http://127.0.0.1:${port}/hook`, { method: "POST", body: "{}" });
      expect(forged.status).toBe(401);
      const ordering = started(order, project);
      const [code] = await once(ordering.child, "close");
      expect([code, ordering.output()]).toEqual([
        0,
        expect.stringMatching(/ordered \w{10} Processing\nnow \w{10} Delivered/),
      ]);
      const [, order_number] = /ordered (\w{10})/.exec(ordering.output())!;
      const verified = `verified ORDER_UPDATED ${order_number} Delivered`;
      await until(() => receiver.output().includes(verified), `${language}: ${receiver.output()}`);
    } finally {
      await listening.stop();
      process.kill(-receiver.child.pid!, "SIGTERM");
    }
  });
});

test("a project keeps its secrets to itself, and never replaces files", async () => {
  const { folder: project } = await create("py", 3000);
  expect(statSync(join(project, ".env")).mode & 0o077).toBe(0);
  expect(readFileSync(join(project, ".gitignore"), "utf8")).toContain(".env\n");
  await expect(create("py", 3000)).rejects.toThrow("is not empty");
  await expect(create("cobol", 3000)).rejects.toThrow("The language must be one of typescript, python, php.");
});
