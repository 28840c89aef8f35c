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

  test("passes Redocly's recommended rules", async () => {
    const config = await createConfig({ extends: ["recommended"] });
    const problems = await lintFromString({ source: text, absoluteRef: "openapi.json", config });
    expect(
      problems.map(
        ({ ruleId, severity, message, location }) => `${severity} ${ruleId}: ${message} ${location[0]?.pointer}`,
      ),
    ).toEqual([]);
  });

  test("passes Spectral's rules for OpenAPI", async () => {
    const linter = new spectral.Spectral();
    linter.setRuleset({ extends: [[oas as never, "recommended"]] });
    const problems = await linter.run(text);
    expect(problems.map(({ code, message, path }) => `${code}: ${message} ${path.join(".")}`)).toEqual([]);
  });
});

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
