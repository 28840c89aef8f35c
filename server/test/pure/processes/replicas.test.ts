import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { connectionsTo, withLoginOf } from "../../../src/db/connection.ts";
import { fromPrimary, sql, statementOf, UNLOGGED } from "../../../src/db/db.ts";
import { isReplicaFault } from "../../../src/db/replica.ts";
import { OutOfReach } from "../../../src/domain/values/refusals.ts";
import { inBatches } from "../../../src/replicas/in-batches.ts";
import { recentParties } from "../../../src/replicas/recent-parties.ts";

const SSL = { mode: "", root_certificate_file: "" };

test("each host of READ_DATABASE_URL is a replica, with the role that its work needs", () => {
  const url = "postgresql://service:a%2Cb@db1:5433,db2/pestle?sslmode=disable&target_session_attrs=any";
  const named = connectionsTo(url, SSL);
  expect(named.map(({ name }) => name)).toEqual(["db1:5433", "db2"]);
  expect(named[1]!.connection.connectionString).toBe("postgresql://service:a%2Cb@db2/pestle");
  expect(withLoginOf(url, "postgresql://jobs:secret@pooler:6432/pestle")).toBe(
    url.replace("service:a%2Cb", "jobs:secret"),
  );
  expect(withLoginOf("postgresql:///pestle?host=/run/replica", "postgresql://jobs@/pestle?host=/run")).toBe(
    "postgresql://jobs@/pestle?host=/run/replica",
  );
  expect(connectionsTo("postgresql://u@/pestle?host=/run/a,/run/b&port=5433", SSL).map(({ name }) => name)).toEqual([
    "/run/a:5433",
    "/run/b:5433",
  ]);
});

describe("a replica may answer a statement", () => {
  test.each([
    "select o.updated_at from orders o where o.account_id = $1",
    "\nwith recent as (select 1 from webhook_event) select count(*) from recent",
  ])("that only reads: %s", (text) => {
    expect(statementOf(text).only_reads).toBe(true);
  });

  test.each([
    "insert into audit_entry (at) values ($1)",
    "with gone as (delete from session returning 1) select count(*) from gone",
    "select 1 from orders o where o.account_id = $1 for update",
    "select 1 from patient p for key share",
    "select pg_advisory_xact_lock($1)",
    "select pg_notify($1, $2)",
    "select nextval('order_number')",
    "select method, path from request_log where account_id = $1",
  ])("but not one with an effect, or on a table that is not replicated: %s", (text) => {
    expect(statementOf(text).only_reads).toBe(false);
  });

  test("but not one whose rows outlive the request", () => {
    expect(fromPrimary(sql<[], { id: number }>`select id from brand`).only_reads).toBe(false);
  });

  test("if its table is logged", () => {
    const schema = readFileSync(new URL("../../../migrations/schema.txt", import.meta.url), "utf8");
    expect([...schema.matchAll(/^unlogged table (\w+)/gm)].map(([, name]) => name).sort()).toEqual(UNLOGGED);
  });
});

test("the primary answers instead if the replica is the reason why a statement failed", () => {
  for (const code of ["40001", "25006", "57P01", "0A000"]) expect(isReplicaFault({ code })).toBe(true);
  expect(isReplicaFault(new OutOfReach("nothing"))).toBe(true);
  for (const code of ["22012", "42501", "57014"]) expect(isReplicaFault({ code })).toBe(false);
  expect(isReplicaFault(new TypeError("a bug"))).toBe(false);
});

test("a party counts as recent for at least the time, and at most twice as long", () => {
  let now_ms = 0;
  const parties = recentParties(60, () => now_ms);
  const at = (ms: number) => {
    now_ms = ms;
    return parties;
  };
  at(50).add("first");
  at(70).add("second");
  expect([at(110).has("first"), at(110).has("third")]).toEqual([true, false]);
  expect([at(135).has("first"), at(135).has("second")]).toEqual([false, true]);
  expect(at(200).has("second")).toBe(false);
  at(210).add("third");
  expect(at(1_000).has("third")).toBe(false);
});

test("callers share one run, and none gets the result of a run that began before it asked", async () => {
  const runs: number[][] = [];
  const ends: (() => void)[] = [];
  const ask = inBatches(3, async (items: number[]) => {
    runs.push(items);
    await new Promise<void>((resolve) => ends.push(resolve));
    if (items.includes(9)) throw new Error("failed");
    return runs.length;
  });
  const answers = [1, 2, 3, 4].map((item) => ask(item));
  expect(runs).toEqual([[1]]);
  ends[0]!();
  expect(await answers[0]).toBe(1);
  await new Promise(setImmediate);
  const failed = expect(ask(9)).rejects.toThrow("failed");
  expect(runs).toEqual([[1], [2, 3, 4]]);
  ends[1]!();
  expect(await Promise.all(answers.slice(1))).toEqual([2, 2, 2]);
  await new Promise(setImmediate);
  ends[2]!();
  await failed;
  expect(runs).toEqual([[1], [2, 3, 4], [9]]);
});
