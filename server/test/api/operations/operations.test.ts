import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { request as httpsRequest } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect, type TLSSocket } from "node:tls";
import pino from "pino";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startApp } from "../../../src/app.ts";
import type { Addresses } from "../../../src/deps.ts";
import { startTestApp, type TestApp } from "../../support/test-app.ts";
import { selfSigned } from "../../support/tools/self-signed.ts";
import { until } from "../../support/tools/until.ts";

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.stop());

describe("health", () => {
  test("/healthz answers while the process lives, /readyz while the database is reachable", async () => {
    await until(async () => (await app.call("/readyz", { token: null })).status === 200, "ready");
    expect((await app.call("/healthz", { token: null })).status).toBe(200);
    const { fresh } = app.deps.bus;
    app.deps.bus.fresh = () => false;
    const response = await app.call("/readyz", { token: null });
    app.deps.bus.fresh = fresh;
    expect([response.status, response.headers.get("retry-after")]).toEqual([503, "1"]);
  });

  test("the token servers have /healthz too", async () => {
    for (const url of [app.addresses.auth_url, app.addresses.sandbox_auth_url]) {
      expect((await fetch(`${url}/healthz`)).status).toBe(200);
    }
  });
});

describe("metrics", () => {
  test("are Prometheus text with request durations by route, and contain no patient data or secrets", async () => {
    await app.call("/brands");
    const response = await fetch(`${app.addresses.base_url}/metrics`);
    expect(response.headers.get("content-type")).toMatch(/^text\/plain; version=0\.0\.4/);
    const text = await response.text();
    expect(text).toMatch(
      /pestle_http_request_duration_seconds_count\{listener="partner",environment="sandbox",method="GET",route="\/brands",status="200"\} \d/,
    );
    expect(text).toMatch(/^pestle_ready [01]$/m);
    expect(text).not.toContain(app.demo.partners[0]!.client_secret);
  });

  test("require METRICS_TOKEN if it is set, and are 404 without it", async () => {
    const own = await startTestApp({ env: { METRICS_TOKEN: "let-prometheus-in" } });
    const ask = async (authorization?: string) =>
      (
        await fetch(`${own.addresses.base_url}/metrics`, {
          headers: authorization === undefined ? {} : { authorization },
        })
      ).status;
    expect([await ask(), await ask("Bearer wrong"), await ask("Bearer let-prometheus-in")]).toEqual([404, 404, 200]);
    await own.stop();
  });

  test("always require the token behind a proxy, because every caller could look local", async () => {
    const statuses = async (env: Record<string, string>) => {
      const own = await startTestApp({ env: { TRUST_PROXY: "127.0.0.1", ...env } });
      const ask = async (headers: Record<string, string>) =>
        (await fetch(`${own.addresses.base_url}/metrics`, { headers: { "x-forwarded-proto": "https", ...headers } }))
          .status;
      const authorization = "Bearer let-prometheus-in";
      const found = [
        await ask({}),
        await ask({ "x-forwarded-for": "203.0.113.9" }),
        await ask({ "x-forwarded-for": "127.0.0.1" }),
        await ask({ "x-forwarded-for": "203.0.113.9", authorization }),
        // Prometheus asks the process itself, past the proxy.
        await ask({ "x-forwarded-proto": "http", authorization }),
      ];
      await own.stop();
      return found;
    };
    expect(await statuses({})).toEqual([404, 404, 404, 404, 400]);
    expect(await statuses({ METRICS_TOKEN: "let-prometheus-in" })).toEqual([404, 404, 404, 200, 200]);
  });
});

test("a request writes one log line with its id, duration and account, and no secret, token or query value", async () => {
  const token = await app.token();
  const response = await app.call("/products?sku%5B%5D=zolpidem-5");
  const request_id = response.headers.get("x-request-id");
  await until(() => app.lines().some((line) => line["request_id"] === request_id), "the line is there");
  const { partners } = app.demo;
  expect(app.lines().filter((line) => line["request_id"] === request_id)).toEqual([
    expect.objectContaining({
      listener: "partner",
      method: "GET",
      route: "/products",
      status: 200,
      duration_ms: expect.any(Number),
      account_id: partners[0]!.account_id,
      credential_id: partners[0]!.client_id.slice(13),
    }),
  ]);
  const text = JSON.stringify(app.lines());
  for (const secret of [token, partners[0]!.client_secret, "zolpidem-5"]) expect(text).not.toContain(secret);
});

describe("TLS", () => {
  const folder = mkdtempSync(join(tmpdir(), "pestle-tls-"));
  const { key, cert } = selfSigned(folder, "localhost", "127.0.0.1");
  const files = { TLS_CERT_FILE: cert, TLS_KEY_FILE: key };
  let own: TestApp;
  beforeAll(async () => {
    own = await startTestApp({ env: files });
  });
  afterAll(async () => {
    await own.stop();
    rmSync(folder, { recursive: true });
  });

  test("with the two files all three listeners use TLS", async () => {
    for (const url of Object.values(own.addresses)) {
      expect(url).toMatch(/^https:/);
      const status = await new Promise((resolve, reject) =>
        httpsRequest(`${url}/healthz`, { ca: readFileSync(files.TLS_CERT_FILE) }, (response) => {
          response.resume();
          resolve(response.statusCode);
        })
          .on("error", reject)
          .end(),
      );
      expect(status).toBe(200);
    }
  });

  test("rejects anything older than TLS 1.2", async () => {
    const { port } = new URL(own.addresses.base_url);
    const shake = (maxVersion: "TLSv1.1" | "TLSv1.2") =>
      new Promise<string>((resolve) => {
        const socket: TLSSocket = connect({
          host: "127.0.0.1",
          port: Number(port),
          ca: readFileSync(files.TLS_CERT_FILE),
          minVersion: "TLSv1",
          maxVersion,
          ciphers: "DEFAULT@SECLEVEL=0",
        });
        socket.on("secureConnect", () => {
          resolve(String(socket.getProtocol()));
          socket.destroy();
        });
        socket.on("error", () => resolve("refused"));
      });
    expect(await shake("TLSv1.2")).toBe("TLSv1.2");
    expect(await shake("TLSv1.1")).toBe("refused");
  });

  test("an unreadable file stops the start with one line that names the setting", async () => {
    await expect(startTestApp({ env: { ...files, TLS_KEY_FILE: join(folder, "none.pem") } })).rejects.toThrow(
      /^TLS_KEY_FILE cannot be read/,
    );
  });
});

test("/readyz answers 503 until the start has printed its greeting", async () => {
  const early: number[] = [];
  const opened = async ({ base_url }: Addresses) => {
    early.push((await fetch(`${base_url}/healthz`)).status, (await fetch(`${base_url}/readyz`)).status);
  };
  const second = await startApp({ ...app.config, PORT: 0 }, { log: pino({ level: "silent" }), opened });
  expect(early).toEqual([200, 503]);
  await until(async () => (await fetch(`${second.addresses.base_url}/readyz`)).status === 200, "ready");
  await second.stop();
});

test("a start that fails because a port is in use logs no other error", async () => {
  const lines: string[] = [];
  const log = pino({ level: "warn" }, { write: (line: string) => void lines.push(line) });
  const PORT = Number(new URL(app.addresses.base_url).port);
  await expect(startApp({ ...app.config, PORT }, { log })).rejects.toThrow("EADDRINUSE");
  expect(lines).toEqual([]);
});

test("the service recovers automatically when its connections are cut: 503 with Retry-After at worst, never 500", async () => {
  const own = await startTestApp();
  const token = await own.token();
  const statuses = new Set<number>();
  for (let round = 0; round < 5; round++) {
    await own.deps.db
      .raw(
        "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()",
      )
      .catch(() => {});
    const answers = await Promise.all(Array.from({ length: 6 }, () => own.call("/products", { token })));
    for (const response of answers) {
      statuses.add(response.status);
      if (response.status === 503) expect(response.headers.get("retry-after")).toBe("1");
    }
    await until(async () => (await own.call("/readyz", { token: null })).status === 200, "ready again");
    own.advance(5_000);
  }
  expect([...statuses].filter((status) => status !== 200 && status !== 503)).toEqual([]);
  expect((await own.call("/brands", { token })).status).toBe(200);
  await own.stop();
});
