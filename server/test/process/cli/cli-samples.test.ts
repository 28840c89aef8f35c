import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { findOrInstall } from "../../../../scripts/debian-package.ts";
import { writeDemo } from "../../../src/seed/demo-file.ts";
import { startTestApp, type TestApp } from "../../support/test-app.ts";
import { freePort } from "../../support/tools/free-port.ts";
import { followCli } from "../../support/tools/run-cli.ts";
import { runCommand } from "../../support/tools/run-command.ts";
import { until } from "../../support/tools/until.ts";

/* `npm run quick-start` follows the same path in TypeScript and Python, from packed packages, and measures it. */

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

/** A command of the project, with its output so far. */
function started(command: string, cwd: string): { child: ChildProcess; output: () => string } {
  let output = "";
  // Its own group, because the shell starts the program as a child.
  const child = spawn("sh", ["-c", command], { cwd, detached: true });
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
  }
  return { child, output: () => output };
}

test("a new project in PHP orders, and its receiver verifies the webhooks", async () => {
  if (findOrInstall(["/usr/bin/php"], "php-cli") === undefined) return expect(process.env["CI"]).not.toBe("true");
  const port = await freePort();
  const { folder: project, commands } = await create("php", port);
  const [receive = "", listen = "", order = ""] = commands;
  const receiver = started(receive, project);
  const listening = followCli(listen.split(" ").slice(1), env);
  try {
    await until(() => /started/.test(receiver.output()), "the receiver listens");
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
    await until(() => receiver.output().includes(verified), receiver.output());
  } finally {
    await listening.stop();
    process.kill(-receiver.child.pid!, "SIGTERM");
  }
});

test("a project keeps its secrets to itself, and never replaces files", async () => {
  const { folder: project } = await create("py", 3000);
  expect(statSync(join(project, ".env")).mode & 0o077).toBe(0);
  expect(readFileSync(join(project, ".gitignore"), "utf8")).toContain(".env\n");
  await expect(create("py", 3000)).rejects.toThrow("is not empty");
  await expect(create("cobol", 3000)).rejects.toThrow("The language must be one of typescript, python, php.");
});
