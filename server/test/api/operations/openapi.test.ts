import { endpoints, errorCodes, eventTypeNames, type openapi } from "@pestle/contract";
import { createConfig, lintFromString } from "@redocly/openapi-core";
import spectral from "@stoplight/spectral-core";
import { oas } from "@stoplight/spectral-rulesets";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { pointer, readOpenapi } from "../../../../chaos/contract/openapi-document.ts";
import { openIntake } from "../../support/intake.ts";
import { startTestApp, type TestApp } from "../../support/test-app.ts";

let app: TestApp;
let text: string;
type Operation = { operationId: string; responses: Record<string, unknown> };
let document: ReturnType<typeof openapi> & { paths: Record<string, Record<string, Operation>> };
beforeAll(async () => {
  app = await startTestApp();
  const response = await fetch(`${app.addresses.base_url}/openapi.json`);
  expect(response.headers.get("content-type")).toBe("application/json; charset=utf-8");
  text = await response.text();
  document = JSON.parse(text);
});
afterAll(() => app.stop());

describe("the served OpenAPI document", () => {
  test("is 3.1 and has the addresses of the serving service", () => {
    expect(document.openapi).toMatch(/^3\.1\./);
    expect(text).toContain(app.addresses.base_url);
    expect(text).toContain(app.addresses.sandbox_auth_url);
  });

  test("has every operation of the contract's table, and no other", () => {
    const found = Object.values(document.paths).flatMap((methods) =>
      Object.values(methods).map(({ operationId }) => operationId),
    );
    const wanted = endpoints.map(({ operation_id }) => operation_id);
    expect(found.filter((id) => id !== undefined).sort()).toEqual([...wanted].sort());
  });

  test("has the same error codes and events as the tables, in both directions", () => {
    const { components, webhooks } = document as unknown as {
      components: { schemas: { ErrorCode: { enum: number[] } } };
      webhooks: Record<string, unknown>;
    };
    expect([...components.schemas.ErrorCode.enum].sort()).toEqual([...errorCodes].sort());
    expect(Object.keys(webhooks).sort()).toEqual([...eventTypeNames].sort());
  });

  test("every request, answer, error and event has an example, and each matches its schema", () => {
    const { operations, misfits, resolved, document: read } = readOpenapi(text);
    const hooks = Object.keys(read.webhooks).map((name) => pointer("webhooks", name, "post", "requestBody"));
    const places = [
      ...hooks,
      ...operations.flatMap(({ path, method, body }) =>
        body === undefined ? [] : [pointer("paths", path, method.toLowerCase(), "requestBody")],
      ),
      ...operations.flatMap(({ responses }) => Object.values(responses).map((response) => response.pointer)),
    ];
    let examples = 0;
    const faults = [...new Set(places)].flatMap((place) =>
      Object.entries(contentAt(read, place)).flatMap(([type, { example, examples: several }]) => {
        const values = several ? Object.values(several).map((one) => resolved(one).value) : [example];
        examples += values.length;
        return values.flatMap((value) =>
          misfits(`${place}${pointer("content", type, "schema")}`, value).map((misfit) => `${place} ${misfit}`),
        );
      }),
    );
    expect(faults).toEqual([]);
    expect(examples).toBeGreaterThan(350);
  });

  test("describes every schema, field, parameter, header and answer", () => {
    const silent: string[] = [];
    const tell = (described: object, at: string) => {
      const { anyOf = [] } = described as { anyOf?: object[] };
      const told = [described, ...anyOf].some((one) => "description" in one || "$ref" in one);
      if (!told) silent.push(at);
    };
    const walk = (value: unknown, at: string): void => {
      if (typeof value !== "object" || value === null) return;
      for (const [key, entry] of Object.entries(value)) {
        const place = `${at}/${key}`;
        if (["example", "examples", "default"].includes(key)) continue;
        const group = ["properties", "parameters", "headers", "responses", "schemas", "webhooks"].includes(key);
        if (!group) walk(entry, place);
        // A property name is not a keyword.
        else {
          for (const [name, one] of Object.entries<{ post?: object }>(entry)) {
            tell(one.post ?? one, `${place}/${name}`);
            walk(one, `${place}/${name}`);
          }
        }
      }
    };
    walk(document, "");
    expect(silent).toEqual([]);
  });

  test("the example messages are prescriptions that the pharmacy accepts", async () => {
    const intake = await openIntake(app);
    const { operations } = readOpenapi(text);
    for (const { path, body } of operations.filter((operation) => operation.path.startsWith("/intake/"))) {
      const message = typeof body!.example === "string" ? body!.example : JSON.stringify(body!.example);
      const receiver = path.endsWith("fhir") ? `?ncpdp_id=${app.demo.partners[0]!.ncpdp_id}` : "";
      const answer = await intake.send(message, { path: `${path}${receiver}`, type: body!.content_type });
      expect(answer.text).toMatch(/<Code>010<|"code":"received"/);
    }
  });

  test.each(["openapi.json", "openapi-3.0.json"])("passes Redocly's recommended rules as %s", async (name) => {
    const config = await createConfig({ extends: ["recommended"] });
    const problems = await lintFromString({ source: await served(name), absoluteRef: name, config });
    expect(
      problems.map(
        ({ ruleId, severity, message, location }) => `${severity} ${ruleId}: ${message} ${location[0]?.pointer}`,
      ),
    ).toEqual([]);
  });

  test.each(["openapi.json", "openapi-3.0.json"])("passes Spectral's rules as %s", async (name) => {
    const linter = new spectral.Spectral();
    linter.setRuleset({ extends: [[oas as never, "recommended"]] });
    const problems = await linter.run(await served(name));
    expect(problems.map(({ code, message, path }) => `${code}: ${message} ${path.join(".")}`)).toEqual([]);
  });
});

describe("the OpenAPI 3.0 variant", () => {
  test("has the same operations and events, and no keyword that 3.0 lacks", async () => {
    const older = await served("openapi-3.0.json");
    const { openapi: version, paths, ...rest } = JSON.parse(older) as typeof document;
    expect(version).toBe("3.0.3");
    const idsOf = (all: typeof paths) =>
      Object.values(all).flatMap((methods) => Object.values(methods).map(({ operationId }) => operationId));
    expect(idsOf(paths)).toEqual(idsOf(document.paths));
    const { "x-webhooks": webhooks } = rest as unknown as { "x-webhooks": object };
    expect(Object.keys(webhooks).sort()).toEqual([...eventTypeNames].sort());
    expect(older).not.toMatch(/"type":\["|"type":"null"|"webhooks":|"identifier":"|"exclusiveMinimum":\d/);
  });
});

describe("the served Postman collection", () => {
  type Item = {
    name: string;
    item?: Item[];
    event?: { script: { exec: string[] } }[];
    request?: {
      method: string;
      auth?: { type: string };
      header: { key: string; value: string }[];
      url: { raw: string };
      body?: { raw?: string; urlencoded?: { key: string; value: string }[] };
    };
  };

  test("has every operation once", async () => {
    const { item: folders } = JSON.parse(await served("postman.json")) as { item: Item[] };
    const asked = folders.flatMap(({ item = [] }) =>
      item.map(({ request }) => `${request!.method} ${request!.url.raw}`),
    );
    const wanted = endpoints.map(
      ({ method, path, server }) =>
        `${method} {{${server === "token" ? "auth_url" : "base_url"}}}${path.replace(/\{(\w+)\}/g, ":$1")}`,
    );
    expect(asked.sort()).toEqual(wanted.sort());
  });

  test("leads from a token to an order: each request keeps what the next one needs", async () => {
    const { client_id, client_secret } = app.demo.partners[0]!;
    const { item: folders, variable } = JSON.parse(await served("postman.json")) as {
      item: Item[];
      variable: { key: string; value: string }[];
    };
    const known = new Map(variable.map(({ key, value }) => [key, value]));
    known.set("client_id", client_id).set("client_secret", client_secret).set("$guid", crypto.randomUUID());
    const filled = (given: string) => given.replace(/\{\{([$\w]+)\}\}/g, (_, name: string) => known.get(name) ?? "");
    const statuses: number[] = [];
    for (const [folder, at] of [
      [0, 0],
      [1, 0],
      [2, 0],
    ] as const) {
      const { request, event } = folders[folder]!.item![at]!;
      const { header, url, body, method, auth } = request!;
      const authorization =
        auth?.type === "basic" ? `Basic ${btoa(`${client_id}:${client_secret}`)}` : filled("Bearer {{token}}");
      const response = await fetch(filled(url.raw), {
        method,
        headers: { ...Object.fromEntries(header.map(({ key, value }) => [key, filled(value)])), authorization },
        body: body?.urlencoded
          ? new URLSearchParams(body.urlencoded.map(({ key, value }): [string, string] => [key, filled(value)]))
          : filled(body?.raw ?? ""),
      });
      statuses.push(response.status);
      const answer = (await response.json()) as Record<string, unknown>;
      // The scripts have one form: if (answer.MEMBER) pm.collectionVariables.set("NAME", …).
      for (const line of event![0]!.script.exec.slice(1)) {
        const [, member, name] = /^if \(answer\.(\w+)\) pm\.collectionVariables\.set\("(\w+)"/.exec(line)!;
        if (answer[member!] !== undefined) known.set(name!, String(answer[member!]));
      }
    }
    expect(statuses).toEqual([200, 202, 201]);
    expect(known.get("order_number")).toMatch(/^[0-9A-HJKMNP-TV-Z]{10}$/);
  });
});

/**
 * The linters keep the event loop so busy that the service closes a connection that `fetch` is about to use again, so
 * each request has its own.
 */
const served = async (name: string) =>
  (await fetch(`${app.addresses.base_url}/${name}`, { headers: { connection: "close" } })).text();

type Media = { example?: unknown; examples?: Record<string, { value: unknown }> };

/** The content of a request or an answer, if it has any. */
function contentAt(document: object, place: string): Record<string, Media> {
  const names = place.slice(1).split("/");
  const found = names.reduce<unknown>(
    (value, name) => (value as Record<string, unknown>)[name.replaceAll("~1", "/").replaceAll("~0", "~")],
    document,
  );
  return (found as { content?: Record<string, Media> }).content ?? {};
}
