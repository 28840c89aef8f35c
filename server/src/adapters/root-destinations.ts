import { createSocket } from "node:dgram";
import { open } from "node:fs/promises";
import { connect as connectPlain, isIP, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { type RootTarget, rootTargets } from "../domain/operations/root-targets.ts";

/** A place outside the database that receives the audit log's signed roots. */
export type RootDestination = {
  name: string;
  /** Throws if not all lines arrived. The caller sends them again, so a line can arrive twice. */
  deliver(lines: readonly string[]): Promise<void>;
};

const TIMEOUT_MS = 10_000;
/** RFC 5424: facility 13 (log audit), severity 5 (notice). */
const PRIORITY = 13 * 8 + 5;

/** `setting`: AUDIT_ROOTS_TO, already checked. */
export const rootDestinations = (setting: string): RootDestination[] =>
  (rootTargets(setting) ?? []).map((target) => ({ name: target.name, deliver: deliveryTo(target) }));

function deliveryTo(target: RootTarget): RootDestination["deliver"] {
  if (target.kind === "file") return (lines) => appendTo(target.path, lines);
  if (target.kind === "webhook") return (lines) => post(target.url, lines);
  const { transport, host, port } = target;
  if (transport === "udp") return (lines) => sendDatagrams(host, port, lines);
  if (transport === "tcp") return (lines) => sendStream(connectPlain({ host, port }), lines);
  return (lines) => sendStream(connectTls({ host, port, ...(isIP(host) === 0 && { servername: host }) }), lines);
}

async function appendTo(path: string, lines: readonly string[]): Promise<void> {
  const file = await open(path, "a", 0o640);
  try {
    await file.appendFile(lines.map((line) => `${line}\n`).join(""));
    await file.sync();
  } finally {
    await file.close();
  }
}

async function post(url: string, lines: readonly string[]): Promise<void> {
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/x-ndjson" },
    body: lines.map((line) => `${line}\n`).join(""),
    redirect: "error",
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  await response.body?.cancel();
  if (!response.ok) throw new Error(`it answered ${response.status}`);
}

/** The root's own time; the receiver adds the one when it arrived. */
const message = (line: string) => {
  const { at } = JSON.parse(line) as { at: string };
  return `<${PRIORITY}>1 ${at} - pestle - audit-root - ${line}`;
};

async function sendDatagrams(host: string, port: number, lines: readonly string[]): Promise<void> {
  const socket = createSocket(host.includes(":") ? "udp6" : "udp4");
  try {
    for (const line of lines) {
      await new Promise<void>((resolve, reject) => {
        socket.once("error", reject);
        socket.send(message(line), port, host, (error) => {
          socket.off("error", reject);
          if (error) reject(error);
          else resolve();
        });
      });
    }
  } finally {
    socket.close();
  }
}

/** Octet counting (RFC 6587, 3.4.1). Syslog has no acknowledgment, so a clean close of the connection is the best sign. */
const sendStream = (socket: Socket, lines: readonly string[]): Promise<void> =>
  new Promise((resolve, reject) => {
    socket.setTimeout(TIMEOUT_MS, () => socket.destroy(new Error(`no answer within ${TIMEOUT_MS / 1000} s`)));
    socket.once("error", reject);
    socket.once("close", (failed) => {
      if (!failed) resolve();
    });
    socket.resume();
    socket.end(
      lines
        .map(message)
        .map((text) => `${Buffer.byteLength(text)} ${text}`)
        .join(""),
    );
  });
