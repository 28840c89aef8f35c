import { type ChildProcess, fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { Addresses } from "../../server/src/deps.ts";
import { bundled } from "./bundled.ts";
import type { Ask, Told } from "./money-messages.ts";

const PROGRAM = fileURLToPath(new URL("money-service.ts", import.meta.url));
const ROOT = fileURLToPath(new URL("../..", import.meta.url));

type Asked = Ask extends infer One ? (One extends Ask ? Omit<One, "id"> : never) : never;
export type MoneyProcess = {
  addresses: Addresses;
  /** Undefined if the process ended before it answered. */
  ask(asked: Asked): Promise<{ result: string } | { error: string } | undefined>;
  kill(): Promise<void>;
};

/** Starts the service in a process of its own. */
export async function startMoneyProcess(env: Record<string, string>): Promise<MoneyProcess> {
  const child = fork(await bundled(PROGRAM), {
    cwd: ROOT,
    execArgv: [],
    env: { PATH: process.env["PATH"], ...env },
    stdio: ["ignore", "ignore", "pipe", "ipc"],
  });
  let errors = "";
  child.stderr?.on("data", (chunk) => {
    errors = `${errors}${chunk}`.slice(-4_000);
  });
  const waiting = new Map<number, (told: Told | undefined) => void>();
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  child.on("message", (told: Told) => {
    waiting.get(told.id)?.(told);
    waiting.delete(told.id);
  });
  void ended.then(() => {
    for (const resolve of waiting.values()) resolve(undefined);
    waiting.clear();
  });
  const ready = await new Promise<Told | undefined>((resolve) => waiting.set(0, resolve));
  if (ready === undefined || !("result" in ready)) throw new Error(`the service did not start: ${errors.trim()}`);
  let last = 0;
  return {
    addresses: JSON.parse(ready.result) as Addresses,
    ask: (asked) =>
      new Promise((resolve) => {
        if (!isRunning(child)) return resolve(undefined);
        const id = ++last;
        waiting.set(id, resolve);
        child.send({ id, ...asked }, (error) => {
          if (error === null) return;
          waiting.delete(id);
          resolve(undefined);
        });
      }),
    async kill() {
      if (isRunning(child)) child.kill("SIGKILL");
      await ended;
    },
  };
}

const isRunning = ({ exitCode, signalCode, connected }: ChildProcess) =>
  exitCode === null && signalCode === null && connected;
