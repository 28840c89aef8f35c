import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { performance } from "node:perf_hooks";
import { afterAll, describe, expect, test } from "vitest";
import { insist } from "../../../../chaos/ask.ts";
import { issue, move, positionOf, read, tokenOf } from "../../../../chaos/client.ts";
import { newDataFolder } from "../../../../chaos/data-folder.ts";
import { isRunning, postmasterPid } from "../../../../chaos/postmaster.ts";
import {
  killServer,
  removeDataDir,
  type ServerOptions,
  type Spawned,
  spawnServer,
  startServer,
  stopServer,
  TESTED,
} from "../../../../chaos/server-process.ts";
import { until } from "../../../../chaos/until.ts";
import type { Demo } from "../../../src/seed/demo-file.ts";

const TIMEOUT_MS = 240_000;
/** The promise is ten seconds; the rest is for a busy machine. */
const STOPPED_WITHIN_MS = 30_000;
const ANSWER_DEADLINE_MS = 60_000;

const data_dirs = new Set<string>();
const servers = new Set<Spawned>();
const sockets = new Set<Socket>();

afterAll(async () => {
  for (const socket of sockets) socket.destroy();
  for (const server of servers) await killServer(server);
  for (const data_dir of data_dirs) await removeDataDir(data_dir);
});

async function newDataDir(): Promise<string> {
  const data_dir = await newDataFolder("shutdown", TESTED);
  data_dirs.add(data_dir);
  return data_dir;
}

async function start(data_dir: string) {
  // The longer way: both processes must end, and the request in flight is forwarded.
  const server = await startServer({ data_dir, from: TESTED, env: { SANDBOX_PROCESS: "separate" } });
  servers.add(server);
  return server;
}

const newToken = async (demo: Demo) => tokenOf(await insist(() => issue(demo, demo.partners[0]!), ANSWER_DEADLINE_MS));

/** A connection on which a clock move has arrived without its body; the server confirms with 100 Continue. */
async function beginMove(demo: Demo, token: string, key: string) {
  const body = JSON.stringify({ simulation_type: "clock", simulation: { advance_seconds: 1000 } });
  const { hostname, port } = new URL(demo.base_url);
  const socket = connect(Number(port), hostname);
  sockets.add(socket);
  let heard = "";
  let closed = false;
  socket.setEncoding("utf8");
  socket.on("data", (chunk) => {
    heard += chunk;
  });
  socket.on("error", () => {});
  socket.on("close", () => {
    closed = true;
  });
  const lines = [
    "POST /simulate HTTP/1.1",
    "host: localhost",
    "accept: application/json",
    "content-type: application/json",
    `authorization: Bearer ${token}`,
    `idempotency-key: ${key}`,
    `content-length: ${body.length}`,
    "expect: 100-continue",
  ];
  socket.write(`${lines.join("\r\n")}\r\n\r\n`);
  await until("the server waits for the body", () => heard.includes("100 Continue"));
  return { finish: () => socket.write(body), heard: () => heard, closed: () => closed };
}

async function refusesConnections(address: string): Promise<boolean> {
  const { hostname, port } = new URL(address);
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname);
    socket.on("connect", () => {
      socket.destroy();
      resolve(false);
    });
    socket.on("error", () => resolve(true));
  });
}

// Concurrent, because most of each test waits for a process to start or exit.
describe.concurrent("SIGTERM", () => {
  test("requests in flight get answers, new ones are refused, the database stops, and nothing is lost", {
    timeout: TIMEOUT_MS,
  }, async () => {
    const data_dir = await newDataDir();
    const first = await start(data_dir);
    const token = await newToken(first.demo);
    const postmaster = postmasterPid(data_dir)!;
    const sent_at_ms = Date.now();
    const inFlight = await beginMove(first.demo, token, "in-flight");

    const told_ms = performance.now();
    first.child.kill("SIGTERM");
    const { base_url, auth_url, sandbox_auth_url } = first.demo;
    for (const address of [base_url, auth_url, sandbox_auth_url]) {
      await until("new connections are refused", () => refusesConnections(address));
    }
    expect(first.ended()).toBeUndefined();
    inFlight.finish();
    await until("the connection is closed", inFlight.closed);
    const answer = inFlight.heard().slice(inFlight.heard().indexOf("HTTP/1.1 202"));
    expect(answer).toMatch(/^HTTP\/1\.1 202 /);
    expect(answer.toLowerCase()).toContain("\r\nconnection: close\r\n");
    expect(positionOf(answer.slice(answer.indexOf("{")), sent_at_ms)).toBe(1);

    expect(await until("the server has ended", first.ended)).toEqual({ code: 0, signal: null });
    expect(performance.now() - told_ms).toBeLessThan(STOPPED_WITHIN_MS);
    expect(first.errors()).toBe("");
    expect(isRunning(postmaster)).toBe(false);

    const second = await start(data_dir);
    expect(second.demo.partners).toEqual(first.demo.partners);
    expect((await read(second.demo, token))?.status).toBe(200);
    const again = await move(second.demo, token, "in-flight");
    expect(again?.headers.get("idempotent-replayed")).toBe("true");
    expect(answer.endsWith(again!.text)).toBe(true);
  });

  test("a client that never finishes its request delays the exit by at most ten seconds", {
    timeout: TIMEOUT_MS,
  }, async () => {
    const data_dir = await newDataDir();
    const server = await start(data_dir);
    const stuck = await beginMove(server.demo, await newToken(server.demo), "stuck");
    const told_ms = performance.now();
    expect(await stopServer(server)).toEqual({ code: 0, signal: null });
    expect(performance.now() - told_ms).toBeLessThan(STOPPED_WITHIN_MS);
    expect(postmasterPid(data_dir)).toBeUndefined();
    expect(stuck.heard()).not.toContain("202");
  });
});

describe.concurrent("a start that fails", () => {
  /** Runs it until it exits: the exit code and the lines of standard error. */
  async function failingStart(options: Partial<ServerOptions>) {
    const env = { SANDBOX_PROCESS: "separate", ...options.env };
    const server = spawnServer({ data_dir: await newDataDir(), from: TESTED, ...options, env });
    servers.add(server);
    const { code } = await until("it has ended", server.ended, { deadline_ms: 120_000 });
    return { code, lines: server.errors().trim().split("\n") };
  }

  const wrong: [env: Record<string, string>, named: string][] = [
    [{ PORT: "abc" }, "PORT"],
    [{ HOST: "0.0.0.0" }, "HOST"],
    [{ DATABASE_URL: "postgresql://localhost/x" }, "MASTER_KEY"],
    [{ TLS_CERT_FILE: "/nowhere/cert.pem" }, "TLS_CERT_FILE"],
    [{ DATABASE_URL: "postgresql://pestle@127.0.0.1:1/pestle", MASTER_KEY: "7".repeat(64) }, "DATABASE_URL"],
    [{ DATA_DIR: "/dev/null" }, "set DATA_DIR to a writable folder"],
  ];
  test("names the wrong setting in one line, and exits with an error", { timeout: TIMEOUT_MS }, async () => {
    for (const [env, named] of wrong) {
      const { code, lines } = await failingStart({ env });
      expect(lines, named).toHaveLength(1);
      expect(lines[0]).toContain(named);
      expect(code, named).toBeGreaterThan(0);
    }
  });

  test("names the port in use, and leaves no database running", { timeout: TIMEOUT_MS }, async () => {
    const holder = createServer().listen(0, "127.0.0.1");
    await until("the port is held", () => holder.listening);
    const taken = String((holder.address() as AddressInfo).port);
    try {
      for (const setting of ["PORT", "SANDBOX_AUTH_PORT"]) {
        const data_dir = await newDataDir();
        const { code, lines } = await failingStart({ data_dir, env: { [setting]: taken } });
        expect(lines).toHaveLength(1);
        expect(lines[0]).toContain(`${setting} ${taken}`);
        expect(code).toBeGreaterThan(0);
        expect(postmasterPid(data_dir)).toBeUndefined();
      }
    } finally {
      holder.close();
    }
  });
});
