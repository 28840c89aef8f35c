import { createHash } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Db, openDb } from "../../../src/db/db.ts";
import { backUp } from "../../../src/usecases/operations/back-up.ts";
import { restore, verifyBackup } from "../../../src/usecases/operations/restore.ts";
import { decodeMasterKey } from "../../../src/vault/master-key.ts";
import { dumpSchema } from "../../support/sql/dump-schema.ts";
import { createTestDatabase, startTestApp, TEST_MASTER_KEY, type TestApp } from "../../support/test-app.ts";
import { backupLines } from "../../support/tools/backup-contents.ts";

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
  // Rows that do not compress, so that the file has several chunks.
  await app.deps.db.raw(
    `insert into routing_rule (account_id, kind, value, created_at)
    select (select min(account_id) from account), 'practice', md5(n::text) || md5((-n)::text), now()
    from generate_series(1, 6000) n`,
  );
  taken = await backUp(app.owner, file, master, new Date());
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
  await backUp(app.owner, later, master, new Date());
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
  for (let n = 0; n < 3; n++) await backUp(app.owner, busy, master, new Date());
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

const CHUNK_BYTES = 64 * 1024 + 16;
const clearBytes = (bytes: Buffer) => bytes.indexOf(10) + 1;
/** The n-th encrypted chunk of the file. */
const chunkAt = (bytes: Buffer, n: number) => {
  const from = clearBytes(bytes) + n * CHUNK_BYTES;
  return [from, Math.min(from + CHUNK_BYTES, bytes.length)] as const;
};
const flipped = (bytes: Buffer, at: number) => {
  const copy = Buffer.from(bytes);
  copy[at] = copy[at]! ^ 1;
  return copy;
};
const header = (bytes: Buffer, change: (envelope: Record<string, unknown>) => Record<string, unknown>) => {
  const end = clearBytes(bytes);
  const envelope = change(JSON.parse(bytes.subarray(0, end).toString("utf8")) as Record<string, unknown>);
  return Buffer.concat([Buffer.from(`${JSON.stringify(envelope)}\n`), bytes.subarray(end)]);
};

test.each([
  ["cut short", (bytes: Buffer) => bytes.subarray(0, bytes.length - 200)],
  ["cut at the end of a chunk", (bytes: Buffer) => bytes.subarray(0, chunkAt(bytes, 0)[1])],
  ["cut after its first line", (bytes: Buffer) => bytes.subarray(0, clearBytes(bytes))],
  ["cut within its first line", (bytes: Buffer) => bytes.subarray(0, 40)],
  ["with a flipped bit in its first chunk", (bytes: Buffer) => flipped(bytes, chunkAt(bytes, 0)[0])],
  ["with a flipped bit in its last tag", (bytes: Buffer) => flipped(bytes, bytes.length - 1)],
  [
    "with two chunks in another order",
    (bytes: Buffer) => {
      const [first, second] = [chunkAt(bytes, 0), chunkAt(bytes, 1)];
      const parts = [bytes.subarray(...second), bytes.subarray(...first), bytes.subarray(second[1])];
      return Buffer.concat([bytes.subarray(0, first[0]), ...parts]);
    },
  ],
  [
    "without its first chunk",
    (bytes: Buffer) => Buffer.concat([bytes.subarray(0, clearBytes(bytes)), bytes.subarray(chunkAt(bytes, 0)[1])]),
  ],
  ["with its last chunk twice", (bytes: Buffer) => Buffer.concat([bytes, bytes.subarray(-40)])],
  ["with another date", (bytes: Buffer) => header(bytes, (said) => ({ ...said, created_at: "2020-01-01T00:00:00Z" }))],
  [
    "with another wrapped key",
    (bytes: Buffer) =>
      header(bytes, (said) => ({
        ...said,
        wrapped_key: String(said["wrapped_key"]).replace(/^./, (first) => (first === "A" ? "B" : "A")),
      })),
  ],
  ["of noise", () => Buffer.from("this is no back-up")],
  ["without bytes", () => Buffer.alloc(0)],
])("a file %s is rejected before the database changes", async (_what, damage) => {
  const damaged = join(folder, "damaged.backup");
  const whole = readFileSync(file);
  expect(whole.length).toBeGreaterThan(clearBytes(whole) + 2 * CHUNK_BYTES);
  writeFileSync(damaged, damage(whole));
  await expect(verifyBackup(damaged, master)).rejects.toThrow(/truncated or altered|not a Pestle backup/);
});

test.each([
  ["with a row less", (lines: string[]) => lines.toSpliced(5, 1)],
  ["with a row changed", (lines: string[]) => lines.with(5, lines[5]!.replace(/\d/, "9x"))],
  ["without its trailer", (lines: string[]) => lines.slice(0, -2).concat("")],
  ["with something after its end", (lines: string[]) => [...lines, lines[5]!, ""]],
])("a file of 0.1.0, which is not encrypted, %s is rejected", async (_what, change) => {
  const damaged = join(folder, "damaged-clear.backup");
  writeFileSync(damaged, clearFile(change(await backupLines(file, TEST_MASTER_KEY))));
  await expect(verifyBackup(damaged, master)).rejects.toThrow(/truncated or altered/);
});

test("the file shows nothing but its date, the key's fingerprint and the wrapped key", async () => {
  const bytes = readFileSync(file);
  const clear = JSON.parse(bytes.subarray(0, clearBytes(bytes)).toString("utf8")) as object;
  expect(Object.keys(clear)).toEqual(["format", "version", "created_at", "master_key_fingerprint", "wrapped_key"]);
  const lines = await backupLines(file, TEST_MASTER_KEY);
  expect(JSON.parse(lines[0]!)).toMatchObject({ format: "pestle-backup", schema_version: expect.any(Number) });
  const rest = bytes.subarray(clearBytes(bytes));
  for (const word of ["pestle", "account", "Larkspur"]) expect(rest.includes(word)).toBe(false);
  // Two files of the same rows share no chunk, because each has its own key.
  const second = join(folder, "second.backup");
  await backUp(app.owner, second, master, new Date());
  const other = readFileSync(second);
  expect(other.subarray(clearBytes(other), clearBytes(other) + 64)).not.toEqual(rest.subarray(0, 64));
});

test("a file that changes between the check and the restore leaves the database empty", async () => {
  const swapped = join(folder, "swapped.backup");
  writeFileSync(swapped, readFileSync(file));
  const verified = await verifyBackup(swapped, master);
  // Still authentic chunk by chunk, up to the one that was cut off: the restore notices it after the first rows.
  writeFileSync(swapped, readFileSync(file).subarray(0, -200));
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
  const lines = await backupLines(file, TEST_MASTER_KEY);
  const changed = lines.with(0, JSON.stringify({ ...JSON.parse(lines[0]!), schema_version: 9999 }));
  writeFileSync(newer, clearFile(resigned(changed)));
  await expect(verifyBackup(newer, master)).rejects.toThrow("which this build does not know");
  await expect(restore(app.owner, await verifyBackup(file, master))).rejects.toThrow("goes into an empty database");
});

test("an unwritable file is reported as such, and no part of it remains", async () => {
  const told = /^The file cannot be written \((ENOENT|EISDIR)\)\. Give a file in an existing, writable folder/;
  for (const place of [join(folder, "nowhere", "a.backup"), folder]) {
    await expect(backUp(app.owner, place, master, new Date())).rejects.toThrow(told);
  }
  expect(readdirSync(join(folder, "..")).filter((name) => name.startsWith(`${basename(folder)}.`))).toEqual([]);
});

const clearFile = (lines: string[]) => gzipSync(lines.join("\n"));

/** Altered, with a matching trailer: as an older or newer build would have written it. */
function resigned(lines: string[]): string[] {
  const body = lines.slice(0, -2).map((line) => `${line}\n`);
  const trailer = { ...JSON.parse(lines.at(-2)!), sha256: createHash("sha256").update(body.join("")).digest("hex") };
  return [...lines.slice(0, -2), JSON.stringify(trailer), ""];
}
