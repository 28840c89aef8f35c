import cluster from "node:cluster";
import { Agent } from "node:http";
import type { Metrics } from "../metrics/metrics.ts";
import { mergedMetrics } from "../sandbox-process/merged-metrics.ts";
import type { FromWorker, SandboxPlace, ToWorker } from "./messages.ts";

export type WorkerSeat = {
  /** From 1 on. The first worker does the work that is not a request. */
  number: number;
  /** The sandbox's process of the first worker, for the others. */
  sandbox(): SandboxPlace;
  agent: Agent;
  tell(message: FromWorker): void;
  /** Calls it when the supervisor stops the workers. */
  onStop(stop: () => void): void;
  /** The metrics of all workers, with a label for each. */
  withAll(metrics: Metrics): Metrics;
};

const MOST_IDLE_SOCKETS = 32;

/** In a worker: what the supervisor says, and what it wants to know. Resolves when the supervisor has given it a number. */
export function joinSupervisor(): Promise<WorkerSeat> {
  // A signal to the whole group, such as Ctrl-C, stops the supervisor, which then stops the workers.
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => {});
  const tell = (message: FromWorker) => void process.send?.(message);
  const waiting = new Map<number, (texts: Record<number, string>) => void>();
  let sandbox: SandboxPlace = { socket_path: undefined, auth_url: "" };
  let own: Metrics | undefined;
  let questions = 0;
  let stopped = false;
  let stop = () => {
    stopped = true;
  };
  const others = () =>
    new Promise<Record<number, string>>((resolve) => {
      const question = ++questions;
      waiting.set(question, resolve);
      tell({ kind: "metrics_wanted", question });
    });
  return new Promise((resolve) => {
    process.on("message", (message: ToWorker) => {
      switch (message.kind) {
        case "begin":
          sandbox = message.sandbox;
          resolve(seat(message.number));
          break;
        case "sandbox":
          sandbox = message.sandbox;
          break;
        case "metrics_wanted":
          own?.text().then((text) => tell({ kind: "metrics", question: message.question, text }));
          break;
        case "metrics":
          waiting.get(message.question)?.(message.texts);
          waiting.delete(message.question);
          break;
        case "stop":
          stop();
          break;
      }
    });
    tell({ kind: "joined" });
  });

  function seat(number: number): WorkerSeat {
    return {
      number,
      sandbox: () => sandbox,
      agent: new Agent({ keepAlive: true, maxFreeSockets: MOST_IDLE_SOCKETS }),
      tell,
      onStop(call) {
        stop = call;
        if (stopped) call();
      },
      withAll(metrics) {
        own = metrics;
        return {
          ...metrics,
          async text() {
            const [text, texts] = await Promise.all([metrics.text(), others()]);
            const all = Object.entries({ ...texts, [number]: text });
            return all.reduce((sum, [worker, text]) => mergedMetrics(sum, text, `worker="${worker}"`), "");
          },
        };
      },
    };
  }
}

export const isWorker = () => cluster.isWorker;
