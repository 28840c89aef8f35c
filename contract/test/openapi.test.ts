import { describe, expect, test } from "vitest";
import { bearerErrors, endpoints, errorCodes, oauthErrors, openapi, statusMessages } from "../src/index.ts";

type Json = { [key: string]: unknown };

const document = openapi({
  version: "1.2.3",
  base_url: "https://api.pharmacy.test",
  auth_url: "https://auth.pharmacy.test",
  sandbox_auth_url: "https://sandbox-auth.pharmacy.test",
  operator_name: "Harbor",
});
const text = JSON.stringify(document);
const operations = [document.paths, document.webhooks].flatMap((group) =>
  Object.values(group as Record<string, Json>).flatMap((item) =>
    Object.entries(item)
      .filter(([method]) => ["get", "post", "put", "patch", "delete"].includes(method))
      .map(([, operation]) => operation as Json),
  ),
);
const references = [...text.matchAll(/"\$ref":"#\/components\/(\w+)\/([^"]+)"/g)].map(
  ([, kind, name]) => `${kind}/${name}`,
);

describe("the OpenAPI document", () => {
  test("describes every endpoint and no others", () => {
    const described = Object.entries(document.paths as Record<string, Json>).flatMap(([path, item]) =>
      Object.keys(item)
        .filter((key) => key !== "servers")
        .map((method) => `${method.toUpperCase()} ${path}`),
    );
    expect(described.sort()).toEqual(endpoints.map(({ method, path }) => `${method} ${path}`).sort());
  });

  test("every reference resolves, and every component is referenced", () => {
    const { securitySchemes, ...components } = document.components;
    const defined = Object.entries(components).flatMap(([kind, entries]) =>
      Object.keys(entries as Json).map((name) => `${kind}/${name}`),
    );
    expect([...new Set(references)].sort()).toEqual(defined.sort());
    for (const name of Object.keys(securitySchemes)) expect(text).toContain(`{"${name}":[`);
  });

  test("contains no internal schema names of the package", () => {
    expect(text).not.toContain('"$id"');
  });

  test("every operation has a unique id, summary, description, defined tag, security and a 4xx answer", () => {
    const tags = document.tags.map(({ name }) => name as string);
    expect(new Set(operations.map(({ operationId }) => operationId)).size).toBe(operations.length);
    for (const operation of operations) {
      const id = operation.operationId as string;
      expect(operation.summary, id).toBeTruthy();
      expect(operation.description, id).toMatch(/\.$/);
      for (const tag of operation.tags as string[]) expect(tags, id).toContain(tag);
      expect(operation.security, id).toBeInstanceOf(Array);
      expect(
        Object.keys(operation.responses as Json).some((status) => status.startsWith("4")),
        id,
      ).toBe(true);
    }
  });

  test("every tag is used", () => {
    const used = new Set(operations.flatMap(({ tags }) => tags as string[]));
    for (const { name } of document.tags) expect(used).toContain(name);
  });

  test("lists every error code with its catalogue row, and no other code", () => {
    const schema = (document.components.schemas as Record<string, Json>).ErrorCode!;
    expect(schema.enum).toEqual(errorCodes);
    expect((schema["x-error-codes"] as { code: number }[]).map(({ code }) => code)).toEqual(errorCodes);
  });

  test("token operations are on the token servers, all others on the partner API", () => {
    for (const { path, server } of endpoints) {
      const servers = (document.paths as Record<string, { servers?: { url: string }[] }>)[path]?.servers;
      expect(servers?.map(({ url }) => url)).toEqual(
        server === "token" ? ["https://auth.pharmacy.test", "https://sandbox-auth.pharmacy.test"] : undefined,
      );
    }
  });

  test("webhooks carry the operator's headers", () => {
    expect(text).toContain('"X-Harbor-Signature"');
    expect(text).not.toContain("X-Service-");
  });
});

describe("the endpoints", () => {
  test("each has a unique id and a unique address", () => {
    expect(new Set(endpoints.map(({ operation_id }) => operation_id)).size).toBe(endpoints.length);
    expect(new Set(endpoints.map(({ method, path, server }) => `${server} ${method} ${path}`)).size).toBe(
      endpoints.length,
    );
  });

  test("every POST of the partner API accepts an idempotency key, and no other operation does", () => {
    for (const endpoint of endpoints) {
      const takesKey = "idempotent" in endpoint && endpoint.idempotent;
      expect(takesKey, endpoint.operation_id).toBe(endpoint.server === "partner" && endpoint.method === "POST");
    }
  });

  test("the descriptions of OAuth errors use only characters that RFC 6749 allows", () => {
    for (const [, description] of [...Object.values(oauthErrors), ...Object.values(bearerErrors)]) {
      expect(description).toMatch(/^[\x20-\x21\x23-\x5b\x5d-\x7e]+$/);
    }
  });

  test("a conflict has the documented message", () => {
    expect(statusMessages[409]).toBe(
      "This request conflicts with another recent request. Check that it is not a duplicate, then send it again.",
    );
  });
});
