import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { type Config, WrongSetting } from "../../config.ts";
import { announce } from "../../db/bus.ts";
import type { Database, Tx } from "../../db/db.ts";
import {
  type KeyRing,
  loadIndexKey,
  loadKeyRing,
  lockKeys,
  rewrapDataKey,
  saveFingerprint,
  saveIndexKey,
} from "../../db/operations/keys.ts";
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

export type RotatedMasterKey = { fingerprint: string; former_fingerprint: string; data_keys: number };

/**
 * Wraps the data keys under a new master key; nothing that they seal changes. Running processes find the new key in
 * the file, or in NEW_MASTER_KEY where they were given it; without it they go on with the ring they have.
 */
export async function rotateMasterKey(
  { config, db }: { config: Config; db: Database },
  now: Date,
): Promise<RotatedMasterKey> {
  if (config.MASTER_KEY !== "") return changeTo(db, config, () => givenKey(config), now);
  const { next } = masterKeyFiles(config);
  // The key is safe on disk before the database needs it. Cut off between the commit and the rename, both files are
  // there and a start takes the one that fits (`masterKeys`).
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

/** Under the lock of the keys, renames the next file if the database needs it by now. */
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
      throw new AdminRefusal("The data keys are wrapped under NEW_MASTER_KEY already. Set MASTER_KEY to it.");
    }
    for (const { key_id, wrapped } of keys) {
      await rewrapDataKey(tx, { key_id, wrapped: wrap(master, unwrap(former, wrapped, key_id), key_id) });
    }
    const index_key = await loadIndexKey(tx);
    if (index_key !== undefined) await saveIndexKey(tx, rewrapIndexKey(former, master, index_key));
    await saveFingerprint(tx, master.fingerprint, now);
    await announce(tx, { kind: "keys", account_id: "" });
    return { fingerprint: master.fingerprint, former_fingerprint: fingerprint, data_keys: keys.length };
  });
}

async function lockedRing(tx: Tx): Promise<KeyRing> {
  await lockKeys(tx);
  const ring = await loadKeyRing(tx);
  if (ring === undefined) throw new AdminRefusal("This database has no keys yet: the first start makes them.");
  return ring;
}

function givenKey(config: Config): MasterKey {
  if (config.NEW_MASTER_KEY === "") {
    throw new WrongSetting("NEW_MASTER_KEY is not set. Make one with `openssl rand -hex 32` and keep it safe.");
  }
  return decodeMasterKey(config.NEW_MASTER_KEY);
}

/** One that lies there from a rotation that was cut off before its commit was never used. */
function writeNextKey(file: string): MasterKey {
  const text = newMasterKeyText();
  rmSync(file, { force: true });
  writeFileSync(file, `${text}\n`, { mode: 0o600, flush: true, flag: "wx" });
  flushFolder(file);
  return decodeMasterKey(text);
}

/** A new name survives a power cut only once its folder is written too. */
function flushFolder(file: string): void {
  const folder = openSync(dirname(file), "r");
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}
