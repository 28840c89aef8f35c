import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readConfig } from "../../../src/config.ts";
import { openDb } from "../../../src/db/db.ts";
import { backUp } from "../../../src/usecases/operations/back-up.ts";
import { checkDatabase } from "../../../src/usecases/operations/check-up.ts";
import { restore, verifyBackup } from "../../../src/usecases/operations/restore.ts";
import { renewDataKey } from "../../../src/usecases/operations/rotate-keys.ts";
import { rotateMasterKey } from "../../../src/usecases/operations/rotate-master-key.ts";
import { decodeMasterKey, keptMasterKeys } from "../../../src/vault/master-key.ts";
import { openVault, RENEW_AFTER_SEALS } from "../../../src/vault/vault.ts";
import { openKeyService } from "../../support/key-service.ts";
import { createTestDatabase, startTestApp, TEST_MASTER_KEY, type TestApp } from "../../support/test-app.ts";

const TOKEN = "hvs.only-for-tests";
let app: TestApp;
let service: Awaited<ReturnType<typeof openKeyService>>;

beforeAll(async () => {
  app = await startTestApp();
  service = await openKeyService(TOKEN);
});
afterAll(async () => {
  await app.stop();
  await service.close();
});

const withService = (more: Record<string, string> = {}) =>
  readConfig({
    DATABASE_URL: app.config.DATABASE_URL,
    KMS_URL: service.url,
    KMS_TOKEN: TOKEN,
    DATA_DIR: app.config.DATA_DIR,
    ...more,
  });
const openedBy = (config: ReturnType<typeof readConfig>) =>
  openVault(app.deps.db, () => keptMasterKeys(config), new Date());
const keysFinding = async (config: ReturnType<typeof readConfig>) =>
  (await checkDatabase(config, app.deps.db, () => new Date())).find(({ what }) => what === "keys");
const wrappings = async () =>
  (await app.deps.db.raw("select wrapped from data_key order by key_id")).rows.map(({ wrapped }) => String(wrapped));

test("the data keys move from MASTER_KEY to the key service, and every value still opens", async () => {
  const sealed = app.deps.vault.seal(Buffer.from("a secret"), "a place");
  const both = withService({ MASTER_KEY: TEST_MASTER_KEY });
  // Before the move the old key opens the database, and the doctor says what is left to do.
  expect((await openedBy(both)).open(sealed, "a place").toString()).toBe("a secret");
  expect(await keysFinding(both)).toMatchObject({
    state: "warning",
    says: expect.stringContaining("keys rotate --master"),
  });

  const moved = await rotateMasterKey({ config: both, db: app.deps.db }, new Date());
  expect(moved.former_fingerprint).toBe(decodeMasterKey(TEST_MASTER_KEY).fingerprint);
  expect((await wrappings()).every((text) => text.startsWith("vault:v1:"))).toBe(true);
  const alone = withService();
  expect((await openedBy(alone)).open(sealed, "a place").toString()).toBe("a secret");
  expect(await keysFinding(alone)).toMatchObject({ state: "ok", says: expect.stringContaining("key service") });
  await expect(
    openedBy(readConfig({ DATABASE_URL: app.config.DATABASE_URL, MASTER_KEY: TEST_MASTER_KEY })),
  ).rejects.toThrow("is not the key of this database");

  // A new version of the service's key: the same command wraps the data keys with it.
  service.rotate();
  await rotateMasterKey({ config: alone, db: app.deps.db }, new Date());
  expect((await wrappings()).every((text) => text.startsWith("vault:v2:"))).toBe(true);
  expect((await openedBy(alone)).open(sealed, "a place").toString()).toBe("a secret");
});

test("unwrapped keys stay in memory: sealing, opening and a reload do not call the service", async () => {
  const vault = await openedBy(withService());
  const before = service.asked.length;
  for (let n = 0; n < 100; n++) vault.open(vault.seal(Buffer.from("x"), "p"), "p");
  await vault.reload(app.deps.db);
  expect(service.asked.length).toBe(before);
});

test.each([
  ["refuses", "answered 403: check KMS_TOKEN"],
  ["babbles", "gave an answer that is not JSON"],
  ["silent", "did not answer within 5 s"],
] as const)("a key service that %s stops the start and the doctor with one clear line", async (mode, says) => {
  service.become(mode);
  try {
    await expect(openedBy(withService())).rejects.toThrow(says);
    expect(await keysFinding(withService())).toMatchObject({ state: "failed", says: expect.stringContaining(says) });
  } finally {
    service.become("fine");
  }
});

test("a key that was wrapped under one name does not open under another", async () => {
  const [master] = keptMasterKeys(withService());
  const wrapped = await master!.wrap(Buffer.alloc(32, 1), "data_key 1");
  expect(await master!.unwrap(wrapped, "data_key 1")).toEqual(Buffer.alloc(32, 1));
  await expect(master!.unwrap(wrapped, "data_key 2")).rejects.toThrow("answered 400");
});

test("a backup is wrapped by the key service, and restores only with it", async () => {
  const folder = mkdtempSync(join(tmpdir(), "pestle-kms-"));
  const file = join(folder, "kms.backup");
  const keys = keptMasterKeys(withService());
  await backUp(app.owner, file, keys, new Date());
  await expect(verifyBackup(file, [decodeMasterKey(TEST_MASTER_KEY)])).rejects.toThrow("which is not yours");
  service.become("refuses");
  await expect(verifyBackup(file, keys)).rejects.toThrow("answered 403");
  service.become("fine");
  const empty = await createTestDatabase("");
  const db = openDb({ connection: { connectionString: empty.url }, pool_size: 2, named_statements: true });
  await restore(db, await verifyBackup(file, keys));
  expect((await db.raw("select fingerprint from master_key")).rows).toEqual([{ fingerprint: keys[0]!.fingerprint }]);
  await db.close();
  await empty.drop();
  rmSync(folder, { recursive: true, force: true });
});

test("a data key is renewed by its age and by its use, and values of both keys open", async () => {
  const config = withService();
  const deps = { config, db: app.deps.db, masterKeys: () => keptMasterKeys(config) };
  const vault = await openedBy(config);
  const { active_key_id } = vault;
  const sealed = vault.seal(Buffer.from("old"), "p");
  const now = new Date();
  expect(await renewDataKey(deps, now)).toBeNull();
  const later = new Date(now.getTime() + config.DATA_KEY_DAYS * 24 * 3600 * 1000);
  expect(await renewDataKey(deps, later)).toBe(active_key_id + 1);
  expect(await renewDataKey(deps, later)).toBeNull();
  await app.deps.db.raw("update data_key set seals = $1 where key_id = $2", [RENEW_AFTER_SEALS, active_key_id + 1]);
  expect(await renewDataKey(deps, later)).toBe(active_key_id + 2);
  await vault.reload(app.deps.db);
  expect(vault.active_key_id).toBe(active_key_id + 2);
  expect(vault.open(sealed, "p").toString()).toBe("old");
  expect(vault.open(vault.seal(Buffer.from("new"), "p"), "p").toString()).toBe("new");
});

test("seals are counted before they are made, in blocks", async () => {
  const vault = await openedBy(withService());
  const seals = async () => {
    const { rows } = await app.deps.db.raw("select seals from data_key where key_id = $1", [vault.active_key_id]);
    return Number(rows[0]?.["seals"]);
  };
  const before = await seals();
  vault.seal(Buffer.from("x"), "p");
  await expect.poll(seals, { timeout: 60_000 }).toBeGreaterThanOrEqual(before + 2 ** 16);
  const block = 2 ** 15 + 10;
  const counted = await seals();
  for (let n = 0; n < block; n++) vault.seal(Buffer.alloc(0), "p");
  await expect.poll(seals, { timeout: 60_000 }).toBeGreaterThanOrEqual(counted + 2 ** 16);
});
