import { createHash } from "node:crypto";
import { expect } from "vitest";

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

const weakEtag = (body: string | Buffer) => `W/"${createHash("sha256").update(body).digest("hex").slice(0, 32)}"`;

/** Checks the rules that hold for every answer of a listener. `web`: our own pages' requests. Returns the body's text. */
export async function expectConventions(response: Response, listener: "partner" | "web" | "token"): Promise<string> {
  const text = await response.text();
  expect(response.headers.get("x-request-id")).toMatch(UUID);
  expect(response.headers.get("etag")).toMatch(/^W\/"[0-9a-f]{32}"$/);
  // Every error body has the id of its request.
  if (response.status >= 400 && text !== "") {
    expect(JSON.parse(text).request_id).toBe(response.headers.get("x-request-id"));
  }
  if (response.status !== 304 && text !== "") expect(response.headers.get("etag")).toBe(weakEtag(text));
  if (text !== "") expect(response.headers.get("content-type")).toMatch(/^application\/json; ?charset=utf-8$/);
  if (listener !== "token") {
    const caching = listener === "web" ? "no-store" : "max-age=0, private, must-revalidate";
    expect(response.headers.get("cache-control")).toBe(caching);
    expect(response.headers.get("ratelimit-policy")).toMatch(/^"credential";q=\d+;w=\d+$/);
    expect(response.headers.get("ratelimit")).toMatch(/^"credential";r=\d+;t=\d+$/);
  }
  return text;
}

/** The body of an error without the id of its request, to compare the rest. */
export function withoutId(text: string): string {
  const { request_id: _, ...rest } = JSON.parse(text);
  return JSON.stringify(rest);
}

/** The body of a 400 or 422, as [code, field, field, …] rows. */
export function codesOf(text: string): [number, ...string[]][] {
  const { errors } = JSON.parse(text) as { errors: { code: number; error_detail: { field: string }[] }[] };
  return errors.map(({ code, error_detail }) => [code, ...error_detail.map(({ field }) => field)]);
}
