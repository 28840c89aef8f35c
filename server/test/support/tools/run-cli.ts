import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { programs, TESTED } from "../../../../chaos/server-process.ts";

const ROOT = fileURLToPath(new URL("../../../..", import.meta.url));

export type Ran = { code: number | null; stdout: string; stderr: string; json: () => never };

/** `pestle` in its own process, with these settings and nothing else from our environment. */
export async function runCli(args: readonly string[], env: Record<string, string>, stdin = ""): Promise<Ran> {
  const child = spawnCli(args, env);
  const texts = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const) {
    child[name]?.setEncoding("utf8").on("data", (text: string) => {
      texts[name] += text;
    });
  }
  child.stdin?.end(stdin);
  const [code] = (await once(child, "close")) as [number | null];
  return { code, ...texts, json: () => JSON.parse(texts.stdout) as never };
}

/** `pestle start`; returns once it is ready. If it exits before, the error has its output. */
export async function startCli(env: Record<string, string>, ...args: string[]): Promise<ChildProcess> {
  const child = spawnCli(["start", ...args], env);
  let printed = "";
  await new Promise<void>((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding("utf8").on("data", (text: string) => {
        printed += text;
        if (/is ready\./.test(printed)) resolve();
      });
    }
    child.once("exit", () => reject(new Error(`it ended: ${printed}`)));
  });
  return child;
}

/** A command that runs until it is stopped, with its output so far, line by line. */
export function followCli(args: readonly string[], env: Record<string, string>) {
  const child = spawnCli(args, env);
  const texts = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const) {
    child[name]?.setEncoding("utf8").on("data", (text: string) => {
      texts[name] += text;
    });
  }
  const ended = once(child, "close");
  return {
    lines: () => texts.stdout.split("\n").slice(0, -1),
    stderr: () => texts.stderr,
    /** Resolves when it exits without a stop. */
    ended: async () => (await ended)[0] as number | null,
    async stop(): Promise<number | null> {
      child.kill("SIGTERM");
      return (await ended)[0] as number | null;
    },
  };
}

export async function stopCli(child: ChildProcess): Promise<number | null> {
  const ended = once(child, "exit");
  child.kill("SIGTERM");
  return (await ended)[0] as number | null;
}

function spawnCli(args: readonly string[], env: Record<string, string>): ChildProcess {
  return spawn(process.execPath, [...programs[TESTED], ...args], {
    cwd: ROOT,
    env: { PATH: process.env["PATH"] ?? "", NO_COLOR: "1", ...env },
  });
}
