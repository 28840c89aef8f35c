import { readdirSync } from "node:fs";
import { type Queryable, statements } from "../../../src/db/db.ts";
import { listQueue } from "../../../src/db/fulfillment/queue.ts";
import { listOrderHeads } from "../../../src/db/orders/order-list.ts";
import { readFeed } from "../../../src/db/webhooks/feed.ts";
import { listNewestEvents } from "../../../src/db/webhooks/portal-webhooks.ts";
import { functionStatements } from "./function-statements.ts";

const FOLDER = new URL("../../../src/db/", import.meta.url);

/** All filters omitted, and all given: the smallest and the largest version of pages that are built on demand. */
const filters = [null, new Date()].map((value) => new Proxy({}, { get: () => value }) as never);

/** Every statement: those of all modules, of the functions that they call, and the pages that are built on first use. */
export async function allStatements(): Promise<string[]> {
  const names = readdirSync(FOLDER, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".ts"));
  for (const name of names) await import(new URL(name, FOLDER).href);
  const rows = [{ looked_at: 0 }];
  const silent = { rows: async () => rows, row: async () => undefined } as unknown as Queryable;
  const start = { feed_position: 0, event_position: 0 };
  for (const filter of filters) {
    await listOrderHeads(silent, "", filter, 0, 1);
    await listQueue(silent, filter, null, 1, new Date());
    await readFeed(silent, "", filter, start, 1);
    await listNewestEvents(silent, "", filter, start, 1);
  }
  return [...statements.values(), ...functionStatements()].map((text) =>
    text
      .replaceAll(/--[^\n]*/g, "")
      .replaceAll(/\s+/g, " ")
      .trim(),
  );
}
