import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const root = fileURLToPath(new URL("../../../../", import.meta.url));

const run = (script: string, ...args: string[]) =>
  new Promise<{ code: number; stdout: string; stderr: string }>((resolve) => {
    const child = execFile(
      process.execPath,
      ["--import=tsx", "--conditions=source", script, ...args],
      { cwd: root, timeout: 60_000 },
      (_, stdout, stderr) => resolve({ code: child.exitCode ?? -1, stdout, stderr }),
    );
  });

const CAMPAIGNS = [
  ...["kills", "intake", "mutations", "races", "lifecycle", "safety", "webhooks", "sdk", "contract", "neighbors"],
  "hostile",
];
const BENCHES = ["intake", "orders", "safety", "token", "webhooks"];

test.concurrent.each([
  ["chaos/main.ts", CAMPAIGNS, ["--count N", "--kills N", "--seed N", "(default 100000)", "(default random)"]],
  ["bench/main.ts", BENCHES, ["--rounds N", "--seconds N", "--sizes N,N", "(default 1000,100000,1000000)"]],
])(
  "%s --help shows every run with its options and defaults",
  async (script, names, parts) => {
    const { code, stdout } = await run(script, "--help");
    expect(code).toBe(0);
    expect([...stdout.matchAll(/^ {2}(\w+) +\S/gm)].map(([, name]) => name)).toEqual(names);
    for (const part of parts) expect(stdout).toContain(part);
  },
  120_000,
);

test.concurrent.each([
  ["chaos/main.ts", ["kill"], `Unknown campaign "kill". Valid: ${CAMPAIGNS.join(", ")}.`],
  ["chaos/main.ts", ["sdk", "--kills=1"], "Unknown option --kills. Valid for sdk: --count, --seed, --help."],
  ["bench/main.ts", ["tokens"], `Unknown bench "tokens". Valid: ${BENCHES.join(", ")}.`],
  ["bench/main.ts", ["token", "--round", "1"], "Unknown option --round. Valid for token: --rounds, --seconds, --help."],
  ["bench/main.ts", ["token", "--rounds", "few"], "--rounds is a whole number from 1."],
  ["bench/main.ts", ["orders", "--sizes", "1000,5"], "--sizes are 0 or from 1000."],
])(
  "%s %j is rejected with the valid choices",
  async (script, args, message) => {
    const { code, stdout, stderr } = await run(script, ...args);
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toContain(message);
  },
  120_000,
);
