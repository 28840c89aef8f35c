import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { type Config, WrongSetting } from "../../config.ts";
import { announce } from "../../db/bus.ts";
import type { Database, Tx } from "../../db/db.ts";
import {
  type KeyRing,
  listIndexKeys,
  loadKeyRing,
  lockKeys,
  rewrapDataKey,
  saveFingerprint,
  saveIndexKey,
} from "../../db/operations/keys.ts";
import { serviceKey } from "../../vault/key-service.ts";
import {
  decodeMasterKey,
  fittingMasterKey,
  keptMasterKeys,
  type MasterKey,
  masterKeyFiles,
  newMasterKeyText,
  readKeyFile,
} from "../../vault/master-key.ts";
import { rewrapIndexKey, unwrap, wrap } from "../../vault/vault.ts";
import { AdminRefusal } from "../accounts/admin-refusal.ts";

const NO_KEYS = "This database has no keys yet. The first start creates them.";

export type RotatedMasterKey = { fingerprint: string; former_fingerprint: string; data_keys: number };

/**
 * Wraps the data keys under a new master key; sealed values stay as they are. Running processes find the new key in the
 * file or in their NEW_MASTER_KEY. A process without it keeps using the key ring in memory.
 */
export async function rotateMasterKey(
  { config, db }: { config: Config; db: Database },
  now: Date,
): Promise<RotatedMasterKey> {
  if (config.KMS_URL !== "") return moveToService(db, config, now);
  if (config.MASTER_KEY !== "") return changeTo(db, config, () => givenKey(config), now);
  const { next } = masterKeyFiles(config);
  // Write the key to disk before the database needs it. After a crash between commit and rename, both files exist, and
  // the next start uses the one that fits (`masterKeys`).
  const rotated = await changeTo(
    db,
    config,
    (fingerprint) => {
      takeUpNextKey(config, fingerprint);
      return writeNextKey(next);
    },
    now,
  );
  await db.transaction(async (tx) => takeUpNextKey(config, (await lockedRing(tx)).fingerprint));
  return rotated;
}

/** Renames the next key file if the database already uses it. Call it under the key lock. */
function takeUpNextKey(config: Config, fingerprint: string): void {
  const { current, next } = masterKeyFiles(config);
  if (readKeyFile(next)?.fingerprint !== fingerprint) return;
  renameSync(next, current);
  flushFolder(current);
}

function changeTo(
  db: Database,
  config: Config,
  newKey: (fingerprint: string) => MasterKey,
  now: Date,
): Promise<RotatedMasterKey> {
  return db.transaction(async (tx) => {
    const { fingerprint, keys } = await lockedRing(tx);
    const former = fittingMasterKey(keptMasterKeys(config), fingerprint);
    const master = newKey(fingerprint);
    if (master.fingerprint === fingerprint) {
      throw new AdminRefusal("The data keys are already wrapped under NEW_MASTER_KEY. Set MASTER_KEY to that key.");
    }
    for (const { key_id, wrapped } of keys) {
      const key = await unwrap(former, wrapped, key_id);
      await rewrapDataKey(tx, { key_id, wrapped: await wrap(master, key, key_id) });
    }
    for (const key of await listIndexKeys(tx)) await saveIndexKey(tx, await rewrapIndexKey(former, master, key));
    await saveFingerprint(tx, master.fingerprint, now);
    await announce(tx, { kind: "keys", account_id: "" });
    return { fingerprint: master.fingerprint, former_fingerprint: fingerprint, data_keys: keys.length };
  });
}

/**
 * Wraps the data keys by the key service: those of a file or a setting move to it, and those that are there get the newest
 * version of its key. The service is called before the transaction; if the keys changed meanwhile, all of it runs again.
 */
async function moveToService(db: Database, config: Config, now: Date): Promise<RotatedMasterKey> {
  const master = serviceKey(config);
  for (;;) {
    const ring = await loadKeyRing(db);
    if (ring === undefined) throw new AdminRefusal(NO_KEYS);
    const former = fittingMasterKey(keptMasterKeys(config), ring.fingerprint);
    const keys: KeyRing["keys"] = [];
    for (const { key_id, wrapped } of ring.keys) {
      keys.push({ key_id, wrapped: await wrap(master, await unwrap(former, wrapped, key_id), key_id) });
    }
    const index_keys = await listIndexKeys(db);
    const index_again: Awaited<ReturnType<typeof rewrapIndexKey>>[] = [];
    for (const key of index_keys) index_again.push(await rewrapIndexKey(former, master, key));
    const saved = await db.transaction(async (tx) => {
      const current = await lockedRing(tx);
      if (!isDeepStrictEqual(current, ring) || !isDeepStrictEqual(await listIndexKeys(tx), index_keys)) return false;
      for (const key of keys) await rewrapDataKey(tx, key);
      for (const key of index_again) await saveIndexKey(tx, key);
      await saveFingerprint(tx, master.fingerprint, now);
      await announce(tx, { kind: "keys", account_id: "" });
      return true;
    });
    if (saved) {
      return { fingerprint: master.fingerprint, former_fingerprint: ring.fingerprint, data_keys: keys.length };
    }
  }
}

async function lockedRing(tx: Tx): Promise<KeyRing> {
  await lockKeys(tx);
  const ring = await loadKeyRing(tx);
  if (ring === undefined) throw new AdminRefusal(NO_KEYS);
  return ring;
}

function givenKey(config: Config): MasterKey {
  if (config.NEW_MASTER_KEY === "") {
    throw new WrongSetting("NEW_MASTER_KEY is not set. Create a key with `openssl rand -hex 32` and keep it safe.");
  }
  return decodeMasterKey(config.NEW_MASTER_KEY);
}

/** Replaces a file left by a rotation that never committed; its key was never used. */
function writeNextKey(file: string): MasterKey {
  const text = newMasterKeyText();
  rmSync(file, { force: true });
  writeFileSync(file, `${text}\n`, { mode: 0o600, flush: true, flag: "wx" });
  flushFolder(file);
  return decodeMasterKey(text);
}

/** A new or renamed file survives a power failure only after its folder is synced too. */
function flushFolder(file: string): void {
  const folder = openSync(dirname(file), "r");
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}
