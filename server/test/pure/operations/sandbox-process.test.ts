import { Agent, createServer, get } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { readConfig } from "../../../src/config.ts";
import { dropIdle, forwardedAnswer, forwardedRequest } from "../../../src/http/forward.ts";
import { mergedMetrics } from "../../../src/sandbox-process/merged-metrics.ts";
import { pauseBeforeStart } from "../../../src/sandbox-process/messages.ts";
import { isApart } from "../../../src/sandbox-process/start-sandbox.ts";

test("the sandbox has its own process unless the demo or the operator says otherwise", () => {
  const apart = (demo: boolean, SANDBOX_PROCESS?: string) =>
    isApart(readConfig(SANDBOX_PROCESS === undefined ? {} : { SANDBOX_PROCESS }), demo);
  expect([apart(false), apart(true)]).toEqual([true, false]);
  expect([apart(true, "separate"), apart(false, "shared")]).toEqual([true, false]);
});

test("a process that ends again and again starts ever less often", () => {
  expect([0, 1, 2, 5, 6, 1_000].map(pauseBeforeStart)).toEqual([250, 500, 1_000, 8_000, 10_000, 10_000]);
});

test("a caller cannot name the request, its own address or anything that no handler reads", () => {
  const sent = {
    accept: "application/json",
    authorization: "Bearer one",
    "idempotency-key": "key",
    "x-request-id": "mine",
    "x-forwarded-for": "203.0.113.9",
    forwarded: "for=203.0.113.9",
    "x-refused": "40001",
    connection: "x-forwarded-for",
    "transfer-encoding": "chunked",
    "content-length": "3",
    host: "elsewhere.example",
  };
  expect(forwardedRequest(sent, { id: "ours", address: "192.0.2.7", length: 12 })).toEqual({
    host: "sandbox",
    "x-request-id": "ours",
    "x-forwarded-for": "192.0.2.7",
    accept: "application/json",
    authorization: "Bearer one",
    "idempotency-key": "key",
    "content-length": 12,
  });
  expect(forwardedRequest({}, { id: "ours", address: "::1", length: undefined })).not.toHaveProperty("content-length");
});

test("an answer keeps its headers, except those between the two processes", () => {
  const answered = { etag: 'W/"1"', "retry-after": "1", "x-refused": "40001", connection: "close", date: "today" };
  expect(forwardedAnswer(answered)).toEqual({ etag: 'W/"1"', "retry-after": "1" });
});

test("after a connection that broke in silence, no request gets one of the others that were idle", async () => {
  const server = createServer((_, response) => void response.end("{}"));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const agent = new Agent({ keepAlive: true });
  const idle = () => Object.values(agent.freeSockets).flat();
  const { port } = server.address() as AddressInfo;
  const answered = () =>
    new Promise<void>((resolve, reject) => {
      const asked = get({ host: "127.0.0.1", port, agent }, (answer) => answer.resume().on("end", resolve));
      asked.on("error", reject);
    });
  await Promise.all([answered(), answered(), answered()]);
  await expect.poll(() => idle().length).toBe(3);
  const before = idle();
  dropIdle(agent);
  await answered();
  await expect.poll(() => idle().length).toBe(1);
  expect(before).not.toContain(idle()[0]);
  agent.destroy();
  await new Promise((resolve) => server.close(resolve));
});

test("the metrics of both processes name each metric once, and a label tells them apart", () => {
  const own = '# HELP a The first.\n# TYPE a counter\na 1\na{kind="x y"} 2\n\n# TYPE b gauge\nb 3\n';
  const theirs = '# HELP a The first.\n# TYPE a counter\na 4\na{kind="x y"} 5\n# TYPE c gauge\nc{} 6 1700000000\n';
  expect(mergedMetrics(own, theirs, 'process="sandbox"')).toBe(
    '# HELP a The first.\n# TYPE a counter\na 1\na{kind="x y"} 2\na{process="sandbox"} 4\n' +
      'a{process="sandbox",kind="x y"} 5\n# TYPE b gauge\nb 3\n# TYPE c gauge\nc{process="sandbox"} 6 1700000000\n',
  );
});
