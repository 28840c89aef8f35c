import { existsSync } from "node:fs";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { Ajv2020 } from "ajv/dist/2020.js";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { programs, TESTED } from "../../../../chaos/server-process.ts";
import { writeDemo } from "../../../src/seed/demo-file.ts";
import { newOrder, placed } from "../../support/orders.ts";
import { startTestApp, type TestApp } from "../../support/test-app.ts";
import { ROOT } from "../../support/tools/doc-blocks.ts";
import { refusalOf, runCommand } from "../../support/tools/run-command.ts";

let app: TestApp;
let env: Record<string, string>;
let reader: Client;
let writer: Client;
beforeAll(async () => {
  app = await startTestApp({ unlimited: true });
  writeDemo(app.config.DATA_DIR, app.demo);
  env = { DATA_DIR: app.config.DATA_DIR, PATH: process.env["PATH"]! };
  [reader, writer] = await Promise.all([connected(), connected("--allow-writes")]);
});
afterAll(async () => {
  await Promise.all([reader?.close(), writer?.close()]);
  await app.stop();
});

/** The official client, which starts `pestle mcp` as an editor does. */
async function connected(...options: string[]): Promise<Client> {
  const client = new Client({ name: "test", version: "1.0.0" });
  const args = [...programs[TESTED], "mcp", ...options];
  await client.connect(new StdioClientTransport({ command: process.execPath, args, env, cwd: ROOT }));
  return client;
}

type Told = { isError?: boolean; content: { type: string; text: string }[] };
async function told(client: Client, name: string, given: Record<string, unknown>) {
  const { isError = false, content } = (await client.callTool({ name, arguments: given })) as unknown as Told;
  return { isError, text: content[0]!.text };
}
const asked = async (client: Client, name: string, given: Record<string, unknown>) => {
  const { isError, text } = await told(client, name, given);
  expect(isError, text).toBe(false);
  return JSON.parse(text);
};

const READ = ["search_docs", "read_doc", "explain_error", "list_orders", "get_order", "try_order"];
const WRITE = ["create_order", "act_on_order", "simulate"];

describe("pestle mcp", () => {
  test("offers tools that read, and those that write only if allowed; each has a valid schema", async () => {
    const { tools } = await reader.listTools();
    expect(tools.map(({ name }) => name)).toEqual(READ);
    const { tools: all } = await writer.listTools();
    expect(all.map(({ name }) => name)).toEqual([...READ, ...WRITE]);
    const ajv = new Ajv2020({ strict: false });
    for (const { name, description, inputSchema, annotations } of all) {
      expect(ajv.validateSchema(inputSchema), name).toBe(true);
      expect(inputSchema).toMatchObject({ type: "object", additionalProperties: false });
      expect(description!.length, name).toBeGreaterThan(15);
      expect(annotations?.readOnlyHint, name).toBe(READ.includes(name));
    }
    await expect(reader.callTool({ name: "simulate", arguments: {} })).rejects.toThrow(/simulate/);
  });

  test("shows the account's orders, and checks one without placing it", async () => {
    const { body } = await newOrder(app);
    const tried = await asked(reader, "try_order", { order: body });
    expect(tried).toMatchObject({ would_create: true, errors: [] });
    const { order_number } = await placed(app, body);
    expect((await asked(reader, "list_orders", { limit: 1 })).orders).toMatchObject([{ order_number }]);
    expect(await asked(reader, "get_order", { order_number })).toMatchObject({ order_status: "Processing" });
    const missing = await told(reader, "get_order", { order_number: "0000000000" });
    expect([missing.isError, JSON.parse(missing.text).error]).toEqual([true, "not_found"]);
    expect((await told(reader, "list_orders", { limit: 1000 })).isError).toBe(true);
  });

  test("simulates, orders and acts in the sandbox if allowed", async () => {
    const { patient_id, prescription_id } = await asked(writer, "simulate", {
      simulation_type: "prescription",
      simulation: { drug_name: "atorvastatin", patient: { email: null } },
    });
    const order = { shipping: { method_id: 1 }, patient: { patient_id }, items: [{ prescription_id }] };
    const { order_number, exceptions } = await asked(writer, "create_order", { order });
    expect(exceptions).toMatchObject([{ id: 65 }]);
    const action = { event: "update_email", email: "sim@patients.example" };
    const acted = await asked(writer, "act_on_order", { order_number, action });
    expect(acted.order).toMatchObject({ order_number, order_status: "Processing" });
  });

  test.skipIf(!existsSync(join(ROOT, "server/dist/web/docs/llms.txt")))(
    "finds and reads the documentation of the service, by section too",
    async () => {
      const { hits } = await asked(reader, "search_docs", { query: "idempotecny" });
      expect(hits[0].href).toBe("/docs/guides/idempotency");
      expect((await told(reader, "read_doc", { path: hits[0].href })).text).toMatch(/^# Idempotency/);
      expect((await told(reader, "explain_error", { code: 42242 })).text).toMatch(/^### 42242 /);
      expect((await told(reader, "explain_error", { code: 74 })).text).toMatch(/^### 74 Allergy Detected/);
      for (const path of ["/v1/orders", "/docs/../metrics", "/docs/nope"]) {
        expect((await told(reader, "read_doc", { path })).isError, path).toBe(true);
      }
    },
  );

  test("never serves production unless it is named, and never writes there", async () => {
    const start = (options: Record<string, unknown>) => refusalOf(runCommand(env, "mcp", options));
    const partner = app.demo.partners.find(({ environment }) => environment === "production")!.name;
    expect(await start({ partner })).toMatch(
      /^1 The account of the demo, .+ is a production account, with real patients\./,
    );
    expect(await start({ partner, environment: "production", allowWrites: true })).toMatch(
      /^2 --allow-writes works in/,
    );
    expect(await start({ environment: "sandbox", partner })).toMatch(
      /^2 The account of the demo, .+ production account/,
    );
  });
});
