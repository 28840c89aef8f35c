import { createHash } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Db, openDb } from "../../../src/db/db.ts";
import { backUp } from "../../../src/usecases/operations/back-up.ts";
import { restore, verifyBackup } from "../../../src/usecases/operations/restore.ts";
import { decodeMasterKey } from "../../../src/vault/master-key.ts";
import { createTestDatabase, startTestApp, TEST_MASTER_KEY, type TestApp } from "../../support/test-app.ts";
import { dumpSchema } from "../../support/tools/dump-schema.ts";

/** Backup and restore between real databases, next to a service that keeps working. */

const master = [decodeMasterKey(TEST_MASTER_KEY)];
let app: TestApp;
let folder: string;
let file: string;
let taken: Awaited<ReturnType<typeof backUp>>;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "pestle-backup-"));
  file = join(folder, "whole.backup");
  app = await startTestApp();
  await app.call("/simulate", clockMove("before"));
  taken = await backUp(app.owner, file, new Date());
});
afterAll(async () => {
  await app.stop();
  rmSync(folder, { recursive: true, force: true });
});

const clockMove = (key: string) => ({
  method: "POST",
  headers: { "content-type": "application/json", "idempotency-key": key },
  body: JSON.stringify({ simulation_type: "clock", simulation: { advance_seconds: 60 } }),
});

async function withEmptyDatabase<Result>(work: (db: Db, url: string) => Promise<Result>): Promise<Result> {
  const empty = await createTestDatabase("");
  const db = openDb({ connection: { connectionString: empty.url }, pool_size: 2, named_statements: true });
  try {
    return await work(db, empty.url);
  } finally {
    await db.close();
    await empty.drop();
  }
}

const contents = async (db: Db, tables: readonly string[]) =>
  Object.fromEntries(
    await Promise.all(
      tables.map(async (table) => [table, (await db.raw(`select t::text as row from ${table} t order by 1`)).rows]),
    ),
  );

test("a restore equals the original, and a service starts on it with the same tokens and credentials", async () => {
  const token = await app.token();
  const later = join(folder, "later.backup");
  await backUp(app.owner, later, new Date());
  await withEmptyDatabase(async (db, url) => {
    const verified = await verifyBackup(later, master);
    await restore(db, verified);
    // The service writes on its own (leases, last use), so the test compares only what people write.
    const still = ["account", "credential", "partner", "product", "idempotent_answer", "data_key", "schema_migration"];
    const tables = verified.header.tables.filter((name) => still.includes(name));
    expect(tables.length).toBeGreaterThan(4);
    expect(await contents(db, tables)).toEqual(await contents(app.deps.db, tables));
    expect(await dumpSchema(db)).toBe(await dumpSchema(app.deps.db));

    const second = await startTestApp({ url });
    const brands = (base_url: string) =>
      fetch(`${base_url}/brands`, { headers: { accept: "application/json", authorization: `Bearer ${token}` } });
    expect((await brands(second.addresses.base_url)).status).toBe(200);
    const { client_id, client_secret } = app.demo.partners[1]!;
    const body = new URLSearchParams({ grant_type: "client_credentials", scope: "partners", client_id, client_secret });
    const answer = await fetch(`${second.addresses.sandbox_auth_url}/oauth/token`, { method: "POST", body });
    expect(answer.status).toBe(200);
    await second.stop();
  });
});

test("a backup is one snapshot: concurrent writes are in it completely or not at all", async () => {
  const busy = join(folder, "busy.backup");
  let stop = false;
  const writer = (async () => {
    for (let n = 0; !stop; n++) await app.call("/simulate", { ...clockMove(`busy-${n}`), partner: 1 });
  })();
  for (let n = 0; n < 3; n++) await backUp(app.owner, busy, new Date());
  stop = true;
  await writer;
  await withEmptyDatabase(async (db) => {
    await restore(db, await verifyBackup(busy, master));
    // Each clock move of 60 s stores one answer under its key, in the same transaction.
    const { rows } = await db.raw(
      `select a.clock_offset_s / 60 as moves,
        (select count(*) from idempotent_answer k where k.account_id = a.account_id) as kept
      from account a`,
    );
    for (const { moves, kept } of rows) expect(Number(moves)).toBe(Number(kept));
  });
});

test.each([
  ["cut short", (bytes: Buffer) => bytes.subarray(0, bytes.length - 200)],
  ["with a row less", (bytes: Buffer) => rewrite(bytes, (lines) => lines.toSpliced(5, 1))],
  ["with a row changed", (bytes: Buffer) => rewrite(bytes, (lines) => lines.with(5, lines[5]!.replace(/\d/, "9x")))],
  ["without its trailer", (bytes: Buffer) => rewrite(bytes, (lines) => lines.slice(0, -2).concat(""))],
  ["with something after its end", (bytes: Buffer) => rewrite(bytes, (lines) => [...lines, lines[5]!, ""])],
  ["of noise", () => Buffer.from("this is no back-up")],
])("a file %s is rejected before the database changes", async (_what, damage) => {
  const damaged = join(folder, "damaged.backup");
  writeFileSync(damaged, damage(readFileSync(file)));
  await expect(verifyBackup(damaged, master)).rejects.toThrow(/truncated or altered|not a Pestle backup/);
});

test("a file that changes between the check and the restore leaves the database empty", async () => {
  const swapped = join(folder, "swapped.backup");
  writeFileSync(swapped, readFileSync(file));
  const verified = await verifyBackup(swapped, master);
  writeFileSync(
    swapped,
    rewrite(readFileSync(file), (lines) => lines.toSpliced(-3, 1)),
  );
  await withEmptyDatabase(async (db) => {
    await expect(restore(db, verified)).rejects.toThrow(/truncated or altered/);
    expect((await db.raw("select count(*) from account")).rows).toEqual([{ count: 0 }]);
    // It can still be restored into afterwards.
    await restore(db, await verifyBackup(file, master));
    expect((await db.raw("select count(*) from account")).rows).toEqual([{ count: taken.rows["account"] }]);
  });
});

test("another master key, a newer schema and a database with rows are refused, each with its reason", async () => {
  await expect(verifyBackup(file, [decodeMasterKey("8".repeat(64))])).rejects.toThrow("which is not yours");
  const newer = join(folder, "newer.backup");
  const change = (lines: string[]) => lines.with(0, JSON.stringify({ ...JSON.parse(lines[0]!), schema_version: 9999 }));
  writeFileSync(newer, resigned(readFileSync(file), change));
  await expect(verifyBackup(newer, master)).rejects.toThrow("which this build does not know");
  await expect(restore(app.owner, await verifyBackup(file, master))).rejects.toThrow("goes into an empty database");
});

test("an unwritable file is reported as such, and no part of it remains", async () => {
  const told = /^The file cannot be written \((ENOENT|EISDIR)\)\. Give a file in an existing, writable folder/;
  for (const place of [join(folder, "nowhere", "a.backup"), folder]) {
    await expect(backUp(app.owner, place, new Date())).rejects.toThrow(told);
  }
  expect(readdirSync(join(folder, "..")).filter((name) => name.startsWith(`${basename(folder)}.`))).toEqual([]);
});

function rewrite(bytes: Buffer, change: (lines: string[]) => string[]): Buffer {
  return gzipSync(change(gunzipSync(bytes).toString("utf8").split("\n")).join("\n"));
}

/** Altered, with a matching trailer: as an older or newer build would have written it. */
function resigned(bytes: Buffer, change: (lines: string[]) => string[]): Buffer {
  return rewrite(bytes, (lines) => {
    const changed = change(lines);
    const body = changed.slice(0, -2).map((line) => `${line}\n`);
    const trailer = {
      ...JSON.parse(changed.at(-2)!),
      sha256: createHash("sha256").update(body.join("")).digest("hex"),
    };
    return [...changed.slice(0, -2), JSON.stringify(trailer), ""];
  });
}
