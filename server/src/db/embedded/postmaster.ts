import { spawn } from "node:child_process";
import { once } from "node:events";
import { open } from "node:fs/promises";
import type { Binaries } from "./binaries.ts";
import { type Layout, PORT } from "./layout.ts";
import { spawnSettings, tellingLine } from "./process.ts";

/** A postgres that we started: its log output, and its exit code if it ended. */
export type Postmaster = { ended(): { code: number | null } | undefined; tellingLine(): Promise<string> };

const LOG_TAIL_BYTES = 65_536;

/** Starts postgres in its own session: it outlives us, and the next process adopts it. */
export async function spawnPostmaster(layout: Layout, binaries: Binaries): Promise<Postmaster> {
  const log_handle = await open(layout.log_file, "a", 0o600);
  try {
    const { size } = await log_handle.stat();
    const options = { ...spawnSettings(layout.account), detached: true };
    const child = spawn(binaries.postgres, settings(layout), {
      ...options,
      stdio: ["ignore", log_handle.fd, log_handle.fd],
    });
    child.unref();
    let end: { code: number | null } | undefined;
    child.on("exit", (code) => {
      end = { code };
    });
    await once(child, "spawn");
    return { ended: () => end, tellingLine: async () => tellingLine(await readFrom(layout.log_file, size)) };
  } finally {
    await log_handle.close();
  }
}

/**
 * Statement errors can quote parameter values, so the log omits them and all details. It only covers the server itself.
 */
function settings({ cluster, socket_dir }: Layout): string[] {
  const list = {
    listen_addresses: "",
    unix_socket_directories: `"${socket_dir.replaceAll('"', '""')}"`,
    unix_socket_permissions: "0700",
    timezone: "UTC",
    log_timezone: "UTC",
    max_connections: "200",
    log_min_messages: "log",
    log_error_verbosity: "terse",
    log_checkpoints: "off",
  };
  return [
    "-D",
    cluster,
    "-p",
    String(PORT),
    ...Object.entries(list).flatMap(([name, value]) => ["-c", `${name}=${value}`]),
  ];
}

async function readFrom(file: string, start: number): Promise<string> {
  const handle = await open(file, "r");
  try {
    const { size } = await handle.stat();
    const from = Math.max(start, size - LOG_TAIL_BYTES, 0);
    const { buffer, bytesRead } = await handle.read({ buffer: Buffer.alloc(Math.max(size - from, 0)), position: from });
    return buffer.toString("utf8", 0, bytesRead);
  } finally {
    await handle.close();
  }
}
