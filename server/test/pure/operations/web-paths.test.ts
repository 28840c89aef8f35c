import { readFileSync } from "node:fs";
import fastify from "fastify";
import { expect, test } from "vitest";
import type { PerEnvironment } from "../../../src/deps.ts";
import { addWebApi } from "../../../src/http/web-api.ts";
import { webRoutes } from "../../../src/http/web-routes.ts";

/** The keys of the contract's tables of routes. They are types, so no value lists them: the test reads the sources. */
const tables = ["web-api.ts", "dashboard/dashboard-api.ts", "portal/portal-api.ts"];
const listed = tables.flatMap((name) => {
  const source = readFileSync(new URL(`../../../../contract/src/${name}`, import.meta.url), "utf8");
  return [...source.matchAll(/^ {2}"([A-Z]+ \/[^"]*)":/gm)].map(([, key]) => key!);
});

test("the router serves each route of the contract's tables once, and no other", () => {
  const served: string[] = [];
  const app = fastify({ exposeHeadRoutes: false });
  app.addHook("onRoute", ({ method, url }) => {
    served.push(`${String(method)} ${url.replace(/^\/web/, "").replaceAll(/:(\w+)/g, "{$1}")}`);
  });
  addWebApi(app, {} as PerEnvironment, webRoutes);
  expect(listed.length).toBeGreaterThan(80);
  expect(served.toSorted()).toEqual(listed.toSorted());
});
