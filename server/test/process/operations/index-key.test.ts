import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { expect, test, vi } from "vitest";
import { createTestDatabase, TEST_MASTER_KEY } from "../../support/test-app.ts";
import { runCli, startCli, stopCli } from "../../support/tools/run-cli.ts";
import { until } from "../../support/tools/until.ts";

vi.setConfig({ testTimeout: 120_000 });

test("a process that lost its connections during a rotation of the index key ends, and starts again with the new key", async () => {
  const DATA_DIR = mkdtempSync(join(tmpdir(), "pestle-index-"));
  const database = await createTestDatabase();
  const ports = { PORT: "0", AUTH_PORT: "0", SANDBOX_AUTH_PORT: "0" };
  const env = {
    DATABASE_URL: database.url,
    MASTER_KEY: TEST_MASTER_KEY,
    DATA_DIR,
    ...ports,
    LOG_LEVEL: "silent",
    SANDBOX_PROCESS: "shared",
  };
  const client = new pg.Client({ connectionString: database.url, application_name: "psql" });
  await client.connect();
  const connections = async () =>
    (await client.query("select pid from pg_stat_activity where application_name = 'pestle' and datname = $1", [name]))
      .rows;
  const name = (await client.query("select current_database()::text as name")).rows[0].name as string;

  const service = await startCli(env);
  let printed = "";
  service.stderr?.on("data", (text: string) => {
    printed += text;
  });
  // As if the network between the process and its database were cut, and the process did not notice yet.
  service.kill("SIGSTOP");
  for (const { pid } of await connections()) await client.query("select pg_terminate_backend($1)", [pid]);
  await until(async () => (await connections()).length === 0, "the connections are gone");
  expect(await runCli(["keys", "rotate", "--index"], env)).toMatchObject({ code: 0, stderr: "" });
  const { rows } = await client.query("select subject, role from audit_entry where action = 'command_run'");
  expect(rows).toEqual([{ subject: "keys rotate", role: "command line" }]);

  const ended = once(service, "close");
  service.kill("SIGCONT");
  expect((await ended)[0]).toBe(1);
  expect(printed).toContain("pestle: The index key changed while this process was disconnected. Restart it.\n");
  expect(await stopCli(await startCli(env))).toBe(0);

  await client.end();
  await database.drop();
  rmSync(DATA_DIR, { recursive: true, force: true });
});
