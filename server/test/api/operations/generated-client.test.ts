import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import openapiTypescript from "openapi-typescript";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestApp, type TestApp } from "../../support/test-app.ts";

/** Code of a partner who has the document and a generator, and not our SDK. */
const PROGRAM = `
import createClient from "openapi-fetch";
import type { components, paths, webhooks } from "./api.ts";

type Order = components["schemas"]["Order"];
type RxReceived = webhooks["RX_RECEIVED"]["post"]["requestBody"]["content"]["application/json"];
export const patientOf = ({ event_type, patient_id }: RxReceived): string => event_type + patient_id;

export async function placeOrder(baseUrl: string, token: string): Promise<Order> {
  const headers = { authorization: "Bearer " + token, accept: "application/json" };
  const client = createClient<paths>({ baseUrl, headers });
  const arrived = await client.POST("/simulate", {
    body: { simulation_type: "prescription", simulation: { drug_name: "atorvastatin", written_qty: 30 } },
  });
  if (arrived.data === undefined || !("prescription_id" in arrived.data)) throw new Error(JSON.stringify(arrived.error));
  const { patient_id, prescription_id } = arrived.data;
  if (patient_id === null || prescription_id === null) throw new Error("nobody arrived");
  const methods = await client.GET("/shipping_methods", {});
  const made = await client.POST("/orders", {
    params: { header: { "Idempotency-Key": "generated-1" } },
    body: {
      shipping: { method_id: methods.data!.shipping_methods[0]!.id },
      patient: { patient_id },
      items: [{ prescription_id }],
    },
  });
  if (made.error !== undefined) throw new Error(JSON.stringify(made.error));
  const read = await client.GET("/orders/{order_number}", {
    params: { path: { order_number: (made.data as Order).order_number } },
  });
  return read.data!;
}
`;

/** Code that the types must reject, one case per line. */
const MISTAKES = `
import type { components, paths } from "./api.ts";
export const status: components["schemas"]["Order"]["order_status"] = "Sent";
export const path: keyof paths = "/order";
export const body: components["schemas"]["AddressInput"] = { first_name: "Rosa" };
`;

let app: TestApp;
let directory: string;
beforeAll(async () => {
  app = await startTestApp();
  // A folder where only this program finds its imports.
  const cache = join(import.meta.dirname, "../../../../node_modules/.cache");
  mkdirSync(cache, { recursive: true });
  directory = mkdtempSync(join(cache, "generated-"));
  const document = await (await fetch(`${app.addresses.base_url}/openapi.json`)).json();
  writeFileSync(join(directory, "api.ts"), await openapiTypescript(document as never));
});
afterAll(async () => {
  rmSync(directory, { recursive: true, force: true });
  await app.stop();
});

const STRICT = [
  "--ignoreConfig",
  "--strict",
  "--noUncheckedIndexedAccess",
  "--exactOptionalPropertyTypes",
  "--verbatimModuleSyntax",
];
const MODULES = ["--target", "es2023", "--module", "nodenext", "--rewriteRelativeImportExtensions", "--skipLibCheck"];

function compile(name: string, text: string): { status: number | null; output: string } {
  const file = join(directory, `${name}.ts`);
  writeFileSync(file, text);
  const tsc = join(createRequire(import.meta.url).resolve("typescript/package.json"), "../bin/tsc");
  const { status, stdout } = spawnSync(process.execPath, [tsc, ...STRICT, ...MODULES, "--lib", "es2023,dom", file]);
  return { status, output: stdout.toString() };
}

test("a client generated from the document compiles under the strictest settings and places an order", async () => {
  expect(compile("program", PROGRAM)).toEqual({ status: 0, output: "" });
  const { placeOrder } = await import(pathToFileURL(join(directory, "program.js")).href);
  const order = await placeOrder(app.addresses.base_url, await app.token());
  expect(order).toMatchObject({ order_status: "Processing", workflow: "api_driven", exceptions: [] });
});

test("a request that the document does not allow does not compile", () => {
  const { status, output } = compile("mistakes", MISTAKES);
  expect(status).not.toBe(0);
  expect([...output.matchAll(/mistakes\.ts\((\d+),/g)].map(([, line]) => Number(line))).toEqual([3, 4, 5]);
});
