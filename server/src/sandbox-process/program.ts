import { rmSync } from "node:fs";
import { dirname } from "node:path";
import { lowerProcessPriority } from "../thread-priority.ts";
import { ALIVE_EVERY_MS, type FromSandbox, type ToSandbox } from "./messages.ts";
import type { ServedSandbox } from "./serve-sandbox.ts";

// The program of the sandbox process. The main process starts it and tells it what to do.

// A signal to the whole group, such as Ctrl-C, stops the main process, which then stops this one.
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => {});
// The main process ended without a word. No process forwards requests now, and its successor needs our port.
process.on("disconnect", () => {
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  process.exit(1);
});

let folder: string | undefined;
let served: Promise<ServedSandbox> | undefined;
process.on("message", (message: ToSandbox) => {
  switch (message.kind) {
    case "begin":
      folder = dirname(message.socket_path);
      served = begin(message);
      break;
    case "opened":
      served?.then((one) => one.open(message.base_url)).catch(() => {});
      break;
    case "wake":
      served?.then((one) => one.wake()).catch(() => {});
      break;
    case "leave":
      served?.then((one) => one.leave()).catch(() => {});
      break;
    case "drain":
      served?.then((one) => one.drain(message.grace_ms)).catch(() => {});
      break;
    case "stop":
      stop();
      break;
  }
});

async function begin(asked: Extract<ToSandbox, { kind: "begin" }>): Promise<ServedSandbox> {
  try {
    const { serveSandbox } = await import("./serve-sandbox.ts");
    const one = await serveSandbox(asked, { onIndexKeyChanged: fail });
    // Not before, because partners wait for its start.
    lowerProcessPriority();
    tell({ kind: "ready", ...one.listening });
    setInterval(() => tell({ kind: "alive" }), ALIVE_EVERY_MS).unref();
    return one;
  } catch (error) {
    return fail(error as Error);
  }
}

function stop(): void {
  (served ?? Promise.reject(new Error("not begun")))
    .then((one) => one.stop())
    .then(
      () => process.exit(0),
      () => process.exit(1),
    );
}

function fail(error: NodeJS.ErrnoException & { port?: number }): never {
  const { message, code, port } = error;
  // The channel is written synchronously on Linux and macOS, so the message leaves before the exit.
  tell({ kind: "failed", message, code, port });
  process.exit(1);
}

function tell(message: FromSandbox): void {
  process.send?.(message);
}
