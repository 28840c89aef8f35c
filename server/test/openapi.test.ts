import { endpoints, errorCodes, eventTypeNames, type openapi } from "@pestle/contract";
import { createConfig, lintFromString } from "@redocly/openapi-core";
import spectral from "@stoplight/spectral-core";
import { oas } from "@stoplight/spectral-rulesets";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startTestApp, type TestApp } from "./support/test-app.ts";

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

describe("the OpenAPI document that is served", () => {
  test("is 3.1 and names the addresses of this very service", () => {
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

  test("holds the same error codes and events as the tables, both ways", () => {
    const { components, webhooks } = document as unknown as {
      components: { schemas: { ErrorCode: { enum: number[] } } };
      webhooks: Record<string, unknown>;
    };
    expect([...components.schemas.ErrorCode.enum].sort()).toEqual([...errorCodes].sort());
    expect(Object.keys(webhooks).sort()).toEqual([...eventTypeNames].sort());
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
