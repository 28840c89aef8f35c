import { execFileSync } from "node:child_process";
import { endpoints, openapi } from "@pestle/contract";
import { describe, expect, test } from "vitest";
import { createPestle, type PestleOptions } from "../../sdk/src/index.ts";
import type { HttpMethod, OpenApiDocument } from "../src/docs/openapi-document.ts";
import { codeSamples } from "../src/docs/samples/code-samples.ts";
import { type DescribedCall, describedCall } from "../src/docs/samples/described-call.ts";

const addresses = {
  base_url: "https://api.example",
  auth_url: "https://auth.example",
  sandbox_auth_url: "https://sandbox-auth.example",
};
const document = openapi({ version: "1", operator_name: "O'Hara", ...addresses }) as unknown as OpenApiDocument;
const METHODS: HttpMethod[] = ["get", "post", "put", "patch", "delete"];
const calls = Object.entries(document.paths ?? {}).flatMap(([path, item]) =>
  METHODS.filter((method) => item[method]).map((method) => describedCall(document, path, method)!),
);
const codeOf = (call: DescribedCall, language: string) =>
  codeSamples(call).find((sample) => sample.language === language)?.code;

test("every operation has samples, and a webhook has none", () => {
  expect(calls.map(({ operation_id }) => operation_id).sort()).toEqual(
    endpoints.map(({ operation_id }) => operation_id).sort(),
  );
  expect(describedCall(document, "ORDER_EXCEPTION", "post")).toBeUndefined();
});

describe("JavaScript", () => {
  const ofPartner = endpoints.filter(({ server }) => server === "partner");

  test("only the partner API has a sample with the SDK", () => {
    const shown = calls.filter((call) => codeOf(call, "JavaScript") !== undefined).map((call) => call.operation_id);
    expect(shown.sort()).toEqual(ofPartner.map(({ operation_id }) => operation_id).sort());
  });

  test.each(ofPartner.map(({ operation_id }) => operation_id))(
    "%s: the SDK sends the request",
    async (operation_id) => {
      const call = calls.find((one) => one.operation_id === operation_id)!;
      const sent: { method: string; url: string; body: unknown }[] = [];
      const fetch: typeof globalThis.fetch = async (url, init) => {
        if (String(url).startsWith(addresses.sandbox_auth_url)) {
          const token = { access_token: "t", token_type: "Bearer", expires_in: 3600, created_at: 1, scope: "partners" };
          return Response.json(token);
        }
        // An omitted body counts as an empty object.
        const body = init?.body == null || init.body === "{}" ? undefined : JSON.parse(String(init.body));
        sent.push({ method: init!.method!, url: String(url), body });
        return Response.json({});
      };
      const code = codeOf(call, "JavaScript")!
        .replace('import { createPestle } from "@pestle/sdk";', "")
        .replaceAll(/process\.env\.\w+/g, '"x"');
      const run = new Function("createPestle", "console", `return (async () => {${code}})()`);
      const answered = run((options: PestleOptions) => createPestle({ ...options, fetch }), {
        log() {},
      }) as Promise<unknown>;
      // The empty answer is not what a method of a list expects.
      await answered.catch((error: unknown) => expect(error).toBeInstanceOf(TypeError));
      const url = new URL(sent[0]!.url);
      expect({ ...sent[0], url: url.origin + url.pathname.replace(/^\/v1/, "") }).toEqual({
        method: call.method,
        url: call.url,
        body: call.body?.example,
      });
    },
  );
});

/** What a program got: one line of JSON for each sample. */
const linesOf = (program: string, given: string[], input: string): unknown[] =>
  execFileSync(program, given, { input, encoding: "utf8" })
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));

describe("curl", () => {
  test("a shell gives curl the method, the address, the headers and the body of the request", () => {
    // One shell for all samples: a function in the place of curl prints its words.
    const script = `
curl() { printf '%s\\0' "$@"; printf '\\1'; }
uuidgen() { echo a-key; }
PESTLE_TOKEN=a-token
${calls.map((call) => codeOf(call, "curl")).join("\n")}`;
    const told = execFileSync("sh", ["-s"], { input: script, encoding: "utf8" }).split("\u0001").slice(0, -1);
    expect(told.length).toBe(calls.length);
    for (const [index, call] of calls.entries()) {
      const words = told[index]!.split("\0").slice(0, -1);
      const after = (flag: string) => words.filter((_, at) => words[at - 1] === flag);
      expect(words).toContain(call.url);
      expect(after("-X")).toEqual(call.method === "GET" ? [] : [call.method]);
      expect(after("-H").includes("Authorization: Bearer a-token")).toBe(call.bearer);
      expect(after("-H").includes("Idempotency-Key: a-key")).toBe(call.idempotent);
      if (call.body === undefined) expect(words).not.toContain("--data-raw");
      else if (call.body.content_type.endsWith("urlencoded")) {
        const fields = Object.entries(call.body.example as object).map(([name, value]) => `${name}=${value}`);
        expect(after("--data-urlencode")).toEqual(fields);
      } else if (typeof call.body.example === "string") expect(after("--data-raw")).toEqual([call.body.example]);
      else expect(JSON.parse(after("--data-raw")[0]!)).toEqual(call.body.example);
    }
  });
});

describe("Python", () => {
  test("Python gives `requests` the method, the address, the headers and the body of the request", () => {
    const stub = `
import json, os, sys, types
os.environ["PESTLE_TOKEN"] = "a-token"
class Answer:
    text = ""
    def raise_for_status(self): pass
def sender(method):
    def send(url, headers, timeout, **body):
        given = body.get("json", body.get("data"))
        told.append([method, url, headers, given.decode() if isinstance(given, bytes) else given])
        return Answer()
    return send
requests = types.ModuleType("requests")
for method in ["get", "post", "put", "patch", "delete"]: setattr(requests, method, sender(method.upper()))
sys.modules["requests"] = requests
for code in json.loads(sys.stdin.read()):
    told = []
    exec(compile(code, "sample", "exec"), {"print": lambda text: None})
    print(json.dumps(told[0]))
`;
    const codes = calls.map((call) => codeOf(call, "Python"));
    const told = linesOf("python3", ["-c", stub], JSON.stringify(codes)) as [string, string, object, unknown][];
    for (const [index, call] of calls.entries()) {
      const [method, url, headers, body] = told[index]!;
      expect([method, url]).toEqual([call.method, call.url]);
      expect("Authorization" in headers).toBe(call.bearer);
      expect("Idempotency-Key" in headers).toBe(call.idempotent);
      const { example = null, content_type } = call.body ?? {};
      const text = content_type?.endsWith("fhir+json") ? JSON.stringify(example) : example;
      expect(body).toEqual(text);
    }
  });
});
