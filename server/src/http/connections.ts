import type { Server, Socket } from "node:net";
import { networkOf } from "../domain/accounts/network.ts";

export type ConnectionLimits = {
  /** In total, and per network (`networkOf`). */
  most: number;
  most_per_network: number;
  /** A connection whose caller reads nothing of its answer for this long is closed. */
  unread_ms: number;
  /** Connections of a trusted proxy carry many callers. */
  exempt: (address: string) => boolean;
};

/** What was flushed of the socket's answers, and since when. */
type Reader = { flushed: number; since_ms: number };

const SWEEP_EVERY_MS = 5_000;

/**
 * Closes connections beyond the limits when they arrive, and connections whose caller does not read. Returns the sweep,
 * which a timer also runs.
 */
export function limitConnections(server: Server, limits: ConnectionLimits): (now_ms: number) => void {
  const counts = new Map<string, number>();
  const readers = new Map<Socket, Reader>();
  server.maxConnections = limits.most;
  server.on("connection", (socket: Socket) => {
    const address = socket.remoteAddress ?? "";
    if (limits.exempt(address)) return;
    const network = networkOf(address);
    const count = (counts.get(network) ?? 0) + 1;
    if (count > limits.most_per_network) {
      socket.destroy();
      return;
    }
    counts.set(network, count);
    socket.once("close", () => {
      const left = counts.get(network)! - 1;
      if (left === 0) counts.delete(network);
      else counts.set(network, left);
    });
  });
  // The encrypted socket is the one that holds back answers.
  const opened = "setSecureContext" in server ? "secureConnection" : "connection";
  server.on(opened, (socket: Socket) => {
    readers.set(socket, { flushed: 0, since_ms: Number.POSITIVE_INFINITY });
    socket.once("close", () => readers.delete(socket));
  });
  const sweep = (now_ms: number) => {
    for (const [socket, reader] of readers) {
      const flushed = socket.bytesWritten - socket.writableLength;
      if (socket.writableLength === 0 || flushed !== reader.flushed || reader.since_ms > now_ms) {
        reader.flushed = flushed;
        reader.since_ms = socket.writableLength === 0 ? Number.POSITIVE_INFINITY : now_ms;
      } else if (now_ms - reader.since_ms >= limits.unread_ms) socket.destroy();
    }
  };
  const timer = setInterval(() => sweep(performance.now()), SWEEP_EVERY_MS).unref();
  server.once("close", () => clearInterval(timer));
  return sweep;
}
