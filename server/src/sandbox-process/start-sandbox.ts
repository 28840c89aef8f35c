import { type ChildProcess, fork } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { Agent, get } from "node:http";
import { tmpdir } from "node:os";
import { extname, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { type Logger, symbols } from "pino";
import type { Config } from "../config.ts";
import type { Elsewhere } from "../deps.ts";
import type { Metrics } from "../metrics/metrics.ts";
import {
  ALIVE_EVERY_MS,
  type FromSandbox,
  MOST_SILENT_INTERVALS,
  pauseBeforeStart,
  type ToSandbox,
} from "./messages.ts";

type Sandbox = Elsewhere & {
  /** The URL of its token server, when it first accepts requests. Rejects if it cannot start. */
  readonly opened: Promise<string>;
  /** Tells it the address of the partner API, once this process listens. */
  open(base_url: string): void;
  wake(): void;
  /** Its metrics in Prometheus's format; undefined while it is down. */
  metrics(): Promise<string | undefined>;
  /** Closes its connections one by one, each after its next answer. */
  leave(): void;
  drain(grace_ms: number): void;
  stop(grace_ms: number): Promise<void>;
};

/** The same program language as this file: source or build. */
const PROGRAM = fileURLToPath(new URL(`./program${extname(import.meta.url)}`, import.meta.url));
/** A process that lived this long has recovered from the fault that ended the one before. */
const LONG_LIFE_MS = 60_000;
const MOST_IDLE_SOCKETS = 32;
const METRICS_LIMIT_MS = 2_000;
/** Added to the grace period, for writing the rest. */
const LAST_WORK_MS = 2_000;

/** Whether the sandbox has a process of its own. */
export const isApart = ({ SANDBOX_PROCESS }: Config, demo: boolean): boolean =>
  SANDBOX_PROCESS === "auto" ? !demo : SANDBOX_PROCESS === "separate";

/** Starts the process that serves the sandbox, and starts it again whenever it ends before `stop`. */
export function startSandbox(
  config: Config,
  {
    demo,
    process_id,
    log,
    metrics,
    onPlace = () => {},
  }: {
    demo: boolean;
    process_id: string;
    log: Logger;
    metrics: Metrics;
    /** Called when it listens, and with undefined when it has ended. */
    onPlace?: ((socket_path: string | undefined, auth_url: string) => void) | undefined;
  },
): Sandbox {
  // Only this user can enter the folder, so no one else can connect and pose as the main process.
  const folder = mkdtempSync(join(tmpdir(), "pestle-"));
  const agent = new Agent({ keepAlive: true, maxFreeSockets: MOST_IDLE_SOCKETS });
  let child: ChildProcess | undefined;
  let socket_path: string | undefined;
  let port = config.SANDBOX_AUTH_PORT;
  let starts = 0;
  let short_lives = 0;
  let stopping = false;
  let base_url = config.BASE_URL;
  let pause: NodeJS.Timeout | undefined;
  let tellOpened: (url: string) => void = () => {};
  let tellFailed: (error: Error) => void = () => {};
  let everOpened = false;
  const opened = new Promise<string>((resolve, reject) => {
    tellOpened = resolve;
    tellFailed = reject;
  });
  // The start waits for it later, or has already failed for another reason.
  opened.catch(() => {});

  function start(): void {
    const path = join(folder, `${++starts}.sock`);
    const began_ms = performance.now();
    // Standard output is a pipe, because two writers would break each other's lines.
    const one = fork(PROGRAM, { stdio: ["ignore", "pipe", "inherit", "ipc"] });
    child = one;
    let fault: Error | undefined;
    let silent_intervals = 0;
    let listening: NodeJS.Timeout | undefined;
    createInterface({ input: one.stdout! }).on("line", (line) => streamOf(log).write(`${line}\n`));
    one.on("message", (message: FromSandbox) => {
      silent_intervals = 0;
      if (message.kind === "alive") return;
      if (message.kind === "failed") {
        const { code, port } = message;
        fault = Object.assign(new Error(message.message), { code, port });
        return;
      }
      socket_path = path;
      port = message.port;
      everOpened = true;
      metrics.setSandboxProcess(true);
      listening = setInterval(killIfSilent, ALIVE_EVERY_MS).unref();
      onPlace(path, message.sandbox_auth_url);
      tellOpened(message.sandbox_auth_url);
    });
    one.once("error", (error) => {
      fault = error;
      if (one.pid === undefined) ended(null, null);
    });
    // Its last message may arrive after its end.
    one.once("exit", (code, signal) => {
      if (one.connected) one.once("disconnect", () => ended(code, signal));
      else ended(code, signal);
    });
    const own = { ...config, SANDBOX_AUTH_PORT: port };
    send(one, { kind: "begin", config: own, demo, process_id, socket_path: path, base_url });

    /** Counts intervals instead of comparing times: after a suspended machine resumes, no interval was silent. */
    function killIfSilent(): void {
      if (++silent_intervals <= MOST_SILENT_INTERVALS) return;
      fault = new Error("It did not respond and was killed.");
      one.kill("SIGKILL");
    }

    function ended(code: number | null, signal: NodeJS.Signals | null): void {
      clearInterval(listening);
      socket_path = undefined;
      child = undefined;
      metrics.setSandboxProcess(false);
      onPlace(undefined, config.SANDBOX_AUTH_URL);
      if (stopping) return;
      if (!everOpened) {
        tellFailed(fault ?? new Error("The sandbox process ended before it was ready."));
        return;
      }
      short_lives = performance.now() - began_ms < LONG_LIFE_MS ? short_lives + 1 : 0;
      const pause_ms = pauseBeforeStart(short_lives);
      const why = { code, signal, ...(fault && { fault: fault.message }) };
      log.error({ ...why, pause_ms }, "the sandbox process ended; production is not affected; it will start again");
      metrics.countFault("sandbox_process");
      pause = setTimeout(start, pause_ms);
    }
  }
  start();

  return {
    opened,
    agent,
    socket_path: () => socket_path,
    open(url) {
      base_url = url;
      if (child !== undefined) send(child, { kind: "opened", base_url });
    },
    wake: () => child !== undefined && send(child, { kind: "wake" }),
    metrics: () => textAt(agent, socket_path, "/metrics"),
    leave: () => child !== undefined && send(child, { kind: "leave" }),
    drain(grace_ms) {
      stopping = true;
      if (child !== undefined) send(child, { kind: "drain", grace_ms });
    },
    async stop(grace_ms) {
      stopping = true;
      clearTimeout(pause);
      agent.destroy();
      const last = child;
      if (last !== undefined && last.exitCode === null && last.signalCode === null) {
        const over = new Promise((resolve) => last.once("exit", resolve));
        const cutOff = setTimeout(() => last.kill("SIGKILL"), grace_ms + LAST_WORK_MS);
        send(last, { kind: "stop" });
        await over;
        clearTimeout(cutOff);
      }
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** A process that ends at this moment receives nothing, and its exit says so. */
function send(child: ChildProcess, message: ToSandbox): void {
  if (child.connected) child.send(message, () => {});
}

const streamOf = (log: Logger) =>
  (log as unknown as { [symbols.streamSym]: { write(text: string): void } })[symbols.streamSym];

function textAt(agent: Agent, socketPath: string | undefined, path: string): Promise<string | undefined> {
  if (socketPath === undefined) return Promise.resolve(undefined);
  return new Promise((resolve) => {
    const asked = get({ socketPath, agent, path, timeout: METRICS_LIMIT_MS }, (answer) => {
      let text = "";
      answer.setEncoding("utf8");
      answer.on("data", (chunk: string) => {
        text += chunk;
      });
      answer.on("end", () => resolve(text));
      answer.on("close", () => resolve(undefined));
    });
    asked.on("timeout", () => asked.destroy());
    asked.on("error", () => resolve(undefined));
  });
}
