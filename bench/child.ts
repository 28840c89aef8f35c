import { type ChildProcess, fork } from "node:child_process";
import { fileURLToPath } from "node:url";

export type ChildFile = "./load.ts" | "./bare-route.ts" | "./sink.ts" | "./undici-loop.ts" | "./safety/safety-child.ts";
export type Child = { pid: number; ask(message: unknown): Promise<Record<string, unknown>>; end(): void };

/** Runs another file of this folder in its own process, which answers each message with one message. */
export function startChild(file: ChildFile, options: readonly string[] = []): Child {
  const child: ChildProcess = fork(fileURLToPath(new URL(file, import.meta.url)), {
    execArgv: [...options, "--import", "tsx"],
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
  return {
    pid: child.pid ?? 0,
    ask: (message) =>
      new Promise((resolve, reject) => {
        const ended = () => reject(new Error(`${file} ended`));
        child.once("exit", ended);
        child.once("message", (answer: Record<string, unknown>) => {
          child.off("exit", ended);
          if (answer["failed"] === undefined) resolve(answer);
          else reject(new Error(String(answer["failed"])));
        });
        child.send(message as object);
      }),
    end: () => void child.kill(),
  };
}
