import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startApp } from "../../server/src/app.ts";
import { readConfig } from "../../server/src/config.ts";
import { openDb } from "../../server/src/db/db.ts";
import { seedDemo } from "../../server/src/seed/demo.ts";
import type { Host } from "./year-world.ts";

/** The whole service with its jobs in this process, so that the campaign can break its rules. */
export async function openYearHost(own: {
  database_url: string;
  master_key: string;
}): Promise<Host & { close(): Promise<void> }> {
  const data_dir = mkdtempSync(join(tmpdir(), "pestle-year-"));
  const config = readConfig({
    DATABASE_URL: own.database_url,
    MASTER_KEY: own.master_key,
    DATA_DIR: data_dir,
    PORT: "0",
    AUTH_PORT: "0",
    SANDBOX_AUTH_PORT: "0",
    SANDBOX_PROCESS: "shared",
    // The partners of the year read the feed and have no endpoints.
    WEBHOOK_CONCURRENCY: "0",
    LOG_LEVEL: "silent",
  });
  const app = await startApp(config, { prepare: seedDemo });
  // No process delivers, so none has to hear that an event is due.
  app.deps.deliveries.wake = () => {};
  const owner = openDb({ connection: { connectionString: own.database_url }, pool_size: 1, named_statements: true });
  return {
    deps: app.deps,
    addresses: app.addresses,
    raw: owner.raw,
    async close() {
      await app.stop(100);
      await owner.close();
      rmSync(data_dir, { recursive: true, force: true });
    },
  };
}
