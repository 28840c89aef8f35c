import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Tx } from "../../../src/db/db.ts";
import { anySealed, countSealed, sealedColumns } from "../../../src/db/operations/sealed-columns.ts";
import { createCredential } from "../../../src/usecases/accounts/manage-credentials.ts";
import { describeKeys, rotateDataKey } from "../../../src/usecases/operations/rotate-keys.ts";
import { rotateMasterKey } from "../../../src/usecases/operations/rotate-master-key.ts";
import { decodeMasterKey, masterKeys } from "../../../src/vault/master-key.ts";
import { openVault, withKeysOfNow } from "../../../src/vault/vault.ts";
import { startTestApp, TEST_MASTER_KEY, type TestApp } from "../../support/test-app.ts";
import { askTokenServer } from "../../support/token-request.ts";

const NEW_MASTER_KEY = "9".repeat(64);
const masters = () => [decodeMasterKey(TEST_MASTER_KEY)];
let app: TestApp;
beforeEach(async () => {
  app = await startTestApp();
});
afterEach(() => app.stop());

/** As `pestle keys rotate` does it: with its own vault, like another process. */
const rotate = async (target: TestApp = app) => {
  const vault = await openVault(target.deps.db, masters, new Date());
  return rotateDataKey({ db: target.deps.db, vault, masterKeys: masters }, new Date());
};
const grant = { grant_type: "client_credentials", scope: "partners" };
const tokenStatus = async (partner: number, target = app) => {
  const { environment } = target.demo.partners[partner]!;
  const url = environment === "sandbox" ? target.addresses.sandbox_auth_url : target.addresses.auth_url;
  return (await askTokenServer(url, grant, { credentials: target.demo.partners[partner]! })).status;
};

describe("a new data key", () => {
  test("encrypts every encrypted value again, removes the older keys, and the running service decrypts all of it", async () => {
    const before = await describeKeys(app.deps.db);
    const sealed = before.data_keys[0]!.sealed_values;
    expect(sealed).toBeGreaterThan(3);
    expect(await rotate()).toEqual({ key_id: 2, resealed: sealed, dropped_key_ids: [1] });
    expect(await countSealed(app.deps.db)).toEqual(new Map([[2, sealed]]));
    expect((await describeKeys(app.deps.db)).data_keys).toMatchObject([
      { key_id: 2, active: true, sealed_values: sealed },
    ]);
    for (const partner of [0, 1, 2]) expect(await tokenStatus(partner)).toBe(200);
  });

  test("keeps every promise during concurrent rotations and new credentials", async () => {
    const { account_id } = app.demo.partners[2]!;
    const made: { client_id: string; client_secret: string }[] = [];
    const add = (tx: Tx) => createCredential(app.deps, tx, { account_id, name: "n", scopes: ["partners"] }, new Date());
    const create = async () => {
      for (let n = 0; n < 15; n++) made.push(await withKeysOfNow(app.deps, () => app.deps.db.transaction(add)));
    };
    await Promise.all([rotate(), create(), rotate(), create()]);
    const counts = await countSealed(app.deps.db);
    const keys = (await describeKeys(app.deps.db)).data_keys.map(({ key_id }) => key_id);
    // Every value has its key.
    expect([...counts.keys()].filter((key_id) => !keys.includes(key_id))).toEqual([]);
    for (const credentials of made) {
      expect((await askTokenServer(app.addresses.auth_url, grant, { credentials })).status).toBe(200);
    }
    // The next rotation leaves a single key, regardless of the race's outcome.
    await rotate();
    expect((await describeKeys(app.deps.db)).data_keys).toHaveLength(1);
  });

  test("is finished by the next run after an interruption", async () => {
    const { db } = app.deps;
    const vault = await openVault(db, masters, new Date());
    // Interrupted after the first batch: the progress callback runs inside the loop.
    const cut = rotateDataKey({ db, vault, masterKeys: masters }, new Date(), () => {
      throw new Error("cut off");
    });
    await expect(cut).rejects.toThrow("cut off");
    expect((await describeKeys(db)).data_keys).toHaveLength(2);
    expect(await tokenStatus(1)).toBe(200);
    await rotate();
    expect((await describeKeys(db)).data_keys).toHaveLength(1);
    expect(await tokenStatus(2)).toBe(200);
  });

  test("stops at a damaged value, names its location and deletes nothing", async () => {
    const { db } = app.deps;
    const where = sealedColumns[0]!;
    const row = (await anySealed(db, where))!;
    const last = row.sealed.length - 1;
    await db.raw(
      `update ${where.table} set ${where.column} = set_byte(${where.column}, ${last}, get_byte(${where.column}, ${last}) # 1)
      where ${where.key.map((name, index) => `${name} = $${index + 1}`).join(" and ")}`,
      where.key.map((name) => row.key[name]),
    );
    await expect(rotate()).rejects.toThrow(`The value at ${where.place(row.key)} is damaged`);
    expect((await describeKeys(db)).data_keys.map(({ key_id }) => key_id)).toContain(1);
  });
});

describe("a new master key", () => {
  test("wraps the data keys, makes the old key useless, and leaves encrypted values unchanged", async () => {
    const { db } = app.deps;
    const sealed = await anySealed(db, sealedColumns[0]!);
    const config = { ...app.config, NEW_MASTER_KEY };
    const rotated = await rotateMasterKey({ config, db }, new Date());
    expect(rotated).toEqual({
      fingerprint: decodeMasterKey(NEW_MASTER_KEY).fingerprint,
      former_fingerprint: decodeMasterKey(TEST_MASTER_KEY).fingerprint,
      data_keys: 1,
    });
    expect(await anySealed(db, sealedColumns[0]!)).toEqual(sealed);
    await expect(openVault(db, masters, new Date())).rejects.toThrow("is not the key of this database");
    const vault = await openVault(db, () => [decodeMasterKey(NEW_MASTER_KEY)], new Date());
    expect(vault.open(sealed!.sealed, sealedColumns[0]!.place(sealed!.key))).toHaveLength(64);
    await expect(
      rotateMasterKey({ config: { ...config, MASTER_KEY: NEW_MASTER_KEY }, db }, new Date()),
    ).rejects.toThrow("already wrapped under NEW_MASTER_KEY");
    // The running service has the data keys and continues.
    expect(await tokenStatus(2)).toBe(200);
  });

  test("is not created in place of a lost one", async () => {
    const DATA_DIR = mkdtempSync(join(tmpdir(), "pestle-keys-"));
    const config = { ...app.config, MASTER_KEY: "", DATA_DIR };
    const opening = openVault(app.deps.db, (make) => masterKeys(config, make), new Date());
    await expect(opening).rejects.toThrow("DATA_DIR/master.key is missing");
    expect(readdirSync(DATA_DIR)).toEqual([]);
    rmSync(DATA_DIR, { recursive: true });
  });

  test("must be given", async () => {
    await expect(rotateMasterKey({ config: app.config, db: app.deps.db }, new Date())).rejects.toThrow(
      "NEW_MASTER_KEY is not set.",
    );
  });
});
