import { afterAll, beforeAll, expect, test } from "vitest";
import { announce } from "../../../src/db/bus.ts";
import { CHANNEL } from "../../../src/db/db.ts";
import { loadReplicaView, writeMark } from "../../../src/db/replica.ts";
import { readCatalogue } from "../../../src/usecases/catalogue/read-catalogue.ts";
import { startTestApp, type TestApp } from "../../support/test-app.ts";
import { SOON_MS, until } from "../../support/tools/until.ts";
import { watchRows } from "../../support/tools/watch-rows.ts";

let app: TestApp;
let account_id: string;
beforeAll(async () => {
  app = await startTestApp({ unlimited: true });
  ({ account_id } = app.demo.partners[0]!);
  await until(() => app.deps.bus.fresh(), "the bus is up");
});
afterAll(() => app.stop());

/** The number of statements of a call. */
async function statementsOf(call: () => Promise<unknown>): Promise<number> {
  let count = 0;
  // The token is read with production's connections, the rest with those of the account's environment.
  const stops = Object.values(app.environments).map(({ tenants }) => watchRows(tenants, () => count++));
  await call();
  for (const stop of stops) stop();
  return count;
}
const read = () => app.call("/shipping_methods");
const changeCatalogue = (name: string) =>
  app.deps.db.transaction(async (tx) => {
    await tx.raw("update shipping_method set name = $2 where account_id = $1 and id = 1", [account_id, name]);
    await announce(tx, { kind: "catalogue", account_id });
  });

test("a repeated authenticated read costs no statement", async () => {
  await read();
  // A job of the service may run a statement at the same moment, but not each time.
  const counts = [await statementsOf(read), await statementsOf(read), await statementsOf(read)];
  expect(Math.min(...counts)).toBe(0);
});

test("the next reader sees a catalogue change within a second", async () => {
  await read();
  await changeCatalogue("Changed Mail");
  const seen = async () => (await (await read()).text()).includes("Changed Mail");
  expect(await until(seen, "the new name is served")).toBeLessThan(SOON_MS);
});

test("the process that made a change shows it in its next answer", async () => {
  for (let number = 0; number < 20; number++) {
    await read();
    await changeCatalogue(`Mail ${number}`);
    expect(await (await read()).text()).toContain(`"Mail ${number}"`);
  }
});

test("a read that began before a change is not cached after it", async () => {
  app.deps.copies.catalogues.clear();
  const { row } = app.deps.db;
  // The change commits and its notification arrives while the old row is still in transit.
  app.deps.db.row = async (statement, params) => {
    const old = await row(statement, params);
    app.deps.db.row = row;
    const { version } = app.deps.copies;
    await changeCatalogue("Newest Mail");
    await until(() => app.deps.copies.version > version, "the change was told");
    return old;
  };
  await readCatalogue(app.deps, account_id);
  expect((await readCatalogue(app.deps, account_id)).shipping_methods[0]?.name).toBe("Newest Mail");
});

test.each(["no JSON", "", "null", "17"])(
  "an unknown message on the channel (%j) drops the cached copies, and does nothing else",
  async (said) => {
    await read();
    await app.deps.db.raw("select pg_notify($1, $2)", [CHANNEL, said]);
    await until(() => app.deps.copies.catalogues.size === 0, "the copies are dropped");
    expect((await read()).status).toBe(200);
  },
);

test("when the listening connection is cut, cached copies are dropped and not used until it is back", async () => {
  await read();
  expect(app.deps.copies.grants.size).toBeGreaterThan(0);
  const { version } = app.deps.copies;
  await app.deps.db.raw(
    "select pg_terminate_backend(pid) from pg_stat_activity where query like 'listen%' or query = 'select 1'",
  );
  await until(() => app.deps.copies.version > version, "the gap was noticed");
  // Meanwhile reads continue, from the database.
  expect((await read()).status).toBe(200);
  await until(() => app.deps.bus.fresh(), "the bus is back");
});

test("a listener that receives nothing for a second is not trusted", async () => {
  const { fresh } = app.deps.bus;
  await read();
  app.deps.bus.fresh = () => false;
  expect(await statementsOf(read)).toBeGreaterThan(0);
  app.deps.bus.fresh = fresh;
});

test("the mark that replicas show is written anew when it is old, and when the primary's clock was set back", async () => {
  const { db } = app.deps;
  const markedAt = async () => (await loadReplicaView(db))!.marked_ms;
  await writeMark(db);
  const first = await markedAt();
  await db.raw("update replica_mark set at = at - interval '1 minute'");
  await writeMark(db);
  expect(await markedAt()).toBeGreaterThanOrEqual(first);
  await db.raw("update replica_mark set at = at + interval '1 hour'");
  const from_the_future = await markedAt();
  await writeMark(db);
  expect(await markedAt()).toBeLessThan(from_the_future);
});
