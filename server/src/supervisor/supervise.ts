import cluster, { type Worker } from "node:cluster";
import { createInterface } from "node:readline";
import type { Logger } from "pino";
import type { Config } from "../config.ts";
import { pauseBeforeStart } from "../sandbox-process/messages.ts";
import type { FromWorker, SandboxPlace, ToWorker } from "./messages.ts";

/** A worker that lived this long has recovered from the fault that ended the one before. */
const LONG_LIFE_MS = 60_000;
const METRICS_LIMIT_MS = 2_000;
/** Beyond the time to drain: finishing requests, deliveries and the last writes. */
const STOPPED_WITHIN_MS = 15_000;

type Place = { number: number; worker: Worker; ready: boolean; began_ms: number };

/**
 * Runs the workers of `pestle start --workers`, and starts one again whenever it ends. They share the ports, because the
 * connections arrive here. Resolves with an exit code when all have stopped.
 */
export function supervise(config: Config, log: Logger): Promise<number> {
  cluster.setupPrimary({ stdio: ["ignore", "pipe", "inherit", "ipc"] });
  const places = new Map<number, Place>();
  const short_lives = new Map<number, number>();
  const pauses = new Set<NodeJS.Timeout>();
  const questions = metricsDesk(() => [...places.values()]);
  let sandbox: SandboxPlace = { socket_path: undefined, auth_url: "" };
  let complete = false;
  let stopping = false;
  let tellEnd: (code: number) => void = () => {};
  const end = new Promise<number>((resolve) => {
    tellEnd = resolve;
  });

  function start(number: number): void {
    const worker = cluster.fork();
    const place: Place = { number, worker, ready: false, began_ms: performance.now() };
    places.set(number, place);
    // Lines of several writers on one pipe could break each other.
    createInterface({ input: worker.process.stdout! }).on("line", (line) => process.stdout.write(`${line}\n`));
    worker.on("message", (message: FromWorker) => {
      switch (message.kind) {
        case "joined":
          send(worker, { kind: "begin", number, sandbox });
          if (stopping) send(worker, { kind: "stop" });
          break;
        case "ready":
          place.ready = true;
          if (!complete) startOthers();
          break;
        case "sandbox":
          sandbox = message.sandbox;
          for (const other of places.values()) if (other !== place) send(other.worker, { kind: "sandbox", sandbox });
          break;
        case "metrics_wanted":
          questions.ask(place, message.question);
          break;
        case "metrics":
          questions.answer(place, message.question, message.text);
          break;
      }
    });
    worker.on("exit", (code, signal) => ended(place, code, signal));
  }

  /** The first one has migrated and seeded the database. */
  function startOthers(): void {
    complete = true;
    for (let number = 2; number <= config.WORKERS; number++) start(number);
  }

  function ended(place: Place, code: number | null, signal: string | null): void {
    const { number, began_ms } = place;
    if (places.get(number) === place) places.delete(number);
    if (stopping) {
      if (places.size === 0) tellEnd(code ?? 1);
      return;
    }
    // A start that cannot succeed: the worker has said why.
    if (!complete) {
      tellEnd(code === null || code === 0 ? 1 : code);
      return;
    }
    const short = performance.now() - began_ms < LONG_LIFE_MS ? (short_lives.get(number) ?? 0) + 1 : 0;
    short_lives.set(number, short);
    const pause_ms = pauseBeforeStart(short);
    log.error({ worker: number, code, signal, pause_ms }, "a worker ended and will start again");
    const pause = setTimeout(() => {
      pauses.delete(pause);
      start(number);
    }, pause_ms);
    pauses.add(pause);
  }

  function stop(): void {
    if (stopping) process.exit(130);
    stopping = true;
    for (const pause of pauses) clearTimeout(pause);
    if (places.size === 0) tellEnd(0);
    for (const { worker } of places.values()) send(worker, { kind: "stop" });
    setTimeout(
      () => {
        for (const { worker } of places.values()) worker.process.kill("SIGKILL");
      },
      config.DRAIN_SECONDS * 1000 + STOPPED_WITHIN_MS,
    ).unref();
  }
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, stop);

  start(1);
  return end;
}

/** Collects the metrics of all workers for the one that was asked. */
function metricsDesk(places: () => Place[]) {
  const open = new Map<number, (from: Place, text: string) => void>();
  let last = 0;
  return {
    ask(asker: Place, question: number): void {
      const own = ++last;
      const waiting = new Set(places().filter((place) => place !== asker && place.ready));
      const texts: Record<number, string> = {};
      const tell = () => {
        clearTimeout(limit);
        open.delete(own);
        send(asker.worker, { kind: "metrics", question, texts });
      };
      const limit = setTimeout(tell, METRICS_LIMIT_MS);
      open.set(own, (from, text) => {
        texts[from.number] = text;
        if (waiting.delete(from) && waiting.size === 0) tell();
      });
      for (const { worker } of waiting) send(worker, { kind: "metrics_wanted", question: own });
      if (waiting.size === 0) tell();
    },
    answer: (from: Place, question: number, text: string) => open.get(question)?.(from, text),
  };
}

/** A worker that ends at this moment receives nothing, and its exit says so. */
function send(worker: Worker, message: ToWorker): void {
  if (worker.isConnected()) worker.send(message, () => {});
}
