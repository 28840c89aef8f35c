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
  ...["kills", "intake", "restarts", "network", "webhooks", "rolling", "versions"],
  ...[
    "soak",
    "races",
    "lifecycle",
    "safety",
    "sdk",
    "year",
    "day",
    "money",
    "failover",
    "distribute",
    "recovery",
    "mutations",
    "contract",
    "neighbors",
    "hostile",
  ],
  ...["report", "seeded"],
];
const BENCHES = ["operations", "fresh", "processes", "sizing", "safety", "web", "screens", "compare"];

test.concurrent.each([
  ["chaos/main.ts", CAMPAIGNS, ["--count N", "--kills N", "--seed N", "(default 100000)", "(default random)"]],
  ["bench/main.ts", BENCHES, ["--rounds N", "--seconds N", "--sizes N,N", "--service A,B", "(default .)", "--json"]],
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
  ["chaos/main.ts", ["sdk", "--kills=1"], "Unknown option --kills. Valid for sdk: --count, --seed, --tally, --help."],
  ["bench/main.ts", ["tokens"], `Unknown bench "tokens". Valid: ${BENCHES.join(", ")}.`],
  ["bench/main.ts", ["safety", "--round", "1"], "Unknown option --round. Valid for safety: --rounds, --json, --help."],
  ["bench/main.ts", ["fresh", "--rounds", "few"], "--rounds is a whole number from 1."],
  ["bench/main.ts", ["operations", "--sizes", "1000,5"], "--sizes is a list of whole numbers from 1000."],
  ["bench/main.ts", ["operations", "--only", "token,tokens"], '--only has no "tokens". Valid: post-order, '],
  ["bench/main.ts", ["compare"], "compare needs A and B."],
  ["bench/main.ts", ["compare", "a", "b", "c"], 'Name one bench at a time. Unexpected: "c".'],
])(
  "%s %j is rejected with the valid choices",
  async (script, args, message) => {
    const { code, stdout, stderr } = await run(script, ...args);
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toContain(message);
  },
  120_000,
);
