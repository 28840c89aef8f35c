import { mkdtempSync, rmSync } from "node:fs";
import { request as httpRequest, type IncomingHttpHeaders, type IncomingMessage } from "node:http";
import { request as httpsRequest } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { FastifyInstance } from "fastify";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readConfig } from "../../../src/config.ts";
import { createListener } from "../../../src/http/listener.ts";
import { codesOf } from "../../support/conventions.ts";
import { startTestApp, type TestApp } from "../../support/test-app.ts";
import { selfSigned } from "../../support/tools/self-signed.ts";
import { webPerson } from "../../support/web.ts";

let app: TestApp;
const folder = mkdtempSync(join(tmpdir(), "pestle-edge-"));
const { key, cert } = selfSigned(folder, "localhost", "127.0.0.1");
const tls = { TLS_CERT_FILE: cert, TLS_KEY_FILE: key };
const opened: FastifyInstance[] = [];
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(async () => {
  for (const listener of opened) await listener.close();
  await app.stop();
  rmSync(folder, { recursive: true });
});

/** A real listener with these settings, and a route that shows who it believes the caller is. */
async function listen(env: Record<string, string>, name: "partner" | "auth" = "partner"): Promise<string> {
  const listener = createListener({ ...app.deps, config: readConfig(env) }, name);
  listener.get("/caller", ({ ip, protocol }, reply) => reply.send({ ip, protocol }));
  listener.get("/healthz", (_request, reply) => reply.send({}));
  opened.push(listener);
  await listener.listen({ host: "127.0.0.1", port: 0 });
  return `http${env["TLS_KEY_FILE"] ? "s" : ""}://127.0.0.1:${(listener.server.address() as AddressInfo).port}`;
}

type Told = { status: number | undefined; headers: IncomingHttpHeaders; text: string };

/** Unlike fetch, it sends any Host header. */
function ask(url: string, headers: Record<string, string> = {}): Promise<Told> {
  return new Promise((resolve, reject) => {
    const read = (answer: IncomingMessage) => {
      let text = "";
      answer.setEncoding("utf8").on("data", (part: string) => {
        text += part;
      });
      answer.on("end", () => resolve({ status: answer.statusCode, headers: answer.headers, text }));
    };
    const request = url.startsWith("https:")
      ? httpsRequest(url, { headers, rejectUnauthorized: false }, read)
      : httpRequest(url, { headers }, read);
    request.on("error", reject).end();
  });
}

const https = { "x-forwarded-proto": "https" };

describe("forwarded headers", () => {
  test("count from a trusted proxy: the caller is the last address that is not a proxy", async () => {
    const url = await listen({ TRUST_PROXY: "127.0.0.1, 10.9.0.0/16" });
    const caller = async (forwarded: string) =>
      JSON.parse((await ask(`${url}/caller`, { ...https, "x-forwarded-for": forwarded })).text);
    expect(await caller("198.51.100.1")).toEqual({ ip: "198.51.100.1", protocol: "https" });
    expect(await caller("203.0.113.7, 198.51.100.1")).toMatchObject({ ip: "198.51.100.1" });
    expect(await caller("203.0.113.7, 198.51.100.1, 10.9.3.4")).toMatchObject({ ip: "198.51.100.1" });
    expect(await caller("127.0.0.1, 10.8.0.1, 10.9.3.4")).toMatchObject({ ip: "10.8.0.1" });
  });

  test("from any other peer are ignored, and its plain HTTP is refused with 40010", async () => {
    const url = await listen({ TRUST_PROXY: "10.9.0.0/16" });
    for (const headers of [{}, https, { ...https, "x-forwarded-for": "10.9.0.1", forwarded: "proto=https" }]) {
      const { status, text } = await ask(`${url}/caller`, headers);
      expect([status, codesOf(text)]).toEqual([400, [[40010, "url"]]]);
    }
    const own = await listen({ TRUST_PROXY: "10.9.0.0/16", ...tls });
    const { text } = await ask(`${own}/caller`, { "x-forwarded-for": "10.9.0.1", "x-forwarded-proto": "http" });
    expect(JSON.parse(text)).toEqual({ ip: "127.0.0.1", protocol: "https" });
  });

  test("are ignored without TRUST_PROXY", async () => {
    const { text } = await ask(`${await listen({})}/caller`, { ...https, "x-forwarded-for": "198.51.100.1" });
    expect(JSON.parse(text)).toEqual({ ip: "127.0.0.1", protocol: "http" });
  });
});

describe("the Host header", () => {
  const named = {
    BASE_URL: "https://api.larkspur.example/pharmacy",
    AUTH_URL: "https://auth.larkspur.example:8443",
    SANDBOX_AUTH_URL: "https://[fd00::7]",
    ALLOWED_HOSTS: "Old-API.larkspur.example, fd00::8",
  };

  test("names one of the service's own hosts: its URLs, ALLOWED_HOSTS, loopback", async () => {
    const url = await listen(named);
    const hosts = ["api.larkspur.example", "API.Larkspur.example:443", "auth.larkspur.example", "[fd00::7]"];
    const more = ["old-api.larkspur.example.", "[FD00::8]:99", "localhost:8080", "127.0.0.1", "[::1]"];
    for (const host of [...hosts, ...more]) {
      expect([host, (await ask(`${url}/caller`, { host })).status]).toEqual([host, 200]);
    }
  });

  test("that names another host is refused with 40005, on every listener", async () => {
    const [url, auth_url] = [await listen(named), await listen(named, "auth")];
    const strangers = [
      "elsewhere.example",
      "larkspur.example",
      "x.api.larkspur.example",
      "api.larkspur.example.evil.example",
    ];
    for (const host of [...strangers, "api.larkspur.example@evil.example", "api.larkspur.example:http", "10.0.0.1"]) {
      const { status, text } = await ask(`${url}/caller`, { host });
      expect([host, status, codesOf(text)]).toEqual([host, 400, [[40005, "Host"]]]);
      const token = await ask(`${auth_url}/caller`, { host });
      expect([token.status, JSON.parse(token.text).error]).toEqual([400, "invalid_request"]);
    }
  });

  test("is not checked for health, because load balancers ask by address and over plain HTTP", async () => {
    const url = await listen({ ...named, TRUST_PROXY: "10.9.0.0/16" });
    expect((await ask(`${url}/healthz`, { host: "10.0.0.7:8080" })).status).toBe(200);
    expect((await ask(`${url}/caller`, { host: "10.0.0.7:8080" })).status).toBe(400);
  });
});

describe("headers for browsers", () => {
  const RULES = {
    "x-content-type-options": "nosniff",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": expect.stringContaining("camera=()"),
  };

  test("are on every answer: pages, API, errors and token servers", async () => {
    const { base_url, auth_url, sandbox_auth_url } = app.addresses;
    const paths = ["/", "/dashboard", "/brands", "/nope", "/%zz", "/web/session", "/openapi.json", "/healthz"];
    for (const url of [...paths.map((path) => base_url + path), `${auth_url}/nope`, `${sandbox_auth_url}/healthz`]) {
      const { headers } = await ask(url);
      expect(headers, url).toMatchObject(RULES);
      expect(headers["strict-transport-security"], "plain HTTP").toBeUndefined();
    }
  });

  test("add Strict-Transport-Security over https, with own certificates or a trusted proxy", async () => {
    for (const env of [tls, { TRUST_PROXY: "127.0.0.1" }]) {
      const { headers } = await ask(`${await listen(env as Record<string, string>)}/caller`, https);
      expect(headers["strict-transport-security"]).toBe("max-age=63072000; includeSubDomains");
    }
  });

  test("forbid a browser to store the dashboard, the portal and their answers, errors included", async () => {
    const person = await webPerson(app, "admin");
    const paths = ["/dashboard", "/dashboard/queue", "/portal", "/portal/anything"];
    for (const path of paths)
      expect((await ask(app.addresses.base_url + path)).headers["cache-control"]).toBe("no-store");
    for (const path of ["/session", "/dashboard/people", "/dashboard/orders/x/y", "/dashboard/people/none"]) {
      const { headers, status } = await person.get(path);
      expect([path, status, headers.get("cache-control")]).toEqual([path, expect.any(Number), "no-store"]);
    }
    const anonymous = await ask(`${app.addresses.base_url}/web/dashboard/people`);
    expect([anonymous.status, anonymous.headers["cache-control"]]).toEqual([401, "no-store"]);
  });

  test("leave the partner API's caching as the spec has it", async () => {
    const { headers } = await app.call("/brands");
    expect(headers.get("cache-control")).toBe("max-age=0, private, must-revalidate");
    expect(headers.get("etag")).toMatch(/^W\//);
  });
});
