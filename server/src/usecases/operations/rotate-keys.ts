import type { Config } from "../../config.ts";
import { announce } from "../../db/bus.ts";
import type { Database } from "../../db/db.ts";
import {
  deleteDataKeysBefore,
  insertDataKey,
  isKeyInUse,
  type KeyRing,
  listIndexKeys,
  listKeyUses,
  loadKeyRing,
  lockKeys,
} from "../../db/operations/keys.ts";
import {
  countSealed,
  lockRowsSealedBefore,
  type SealedColumn,
  saveSealed,
  sealedColumns,
} from "../../db/operations/sealed-columns.ts";
import { fittingMasterKey, type MasterKey } from "../../vault/master-key.ts";
import { newDataKey, RENEW_AFTER_SEALS, type Vault, wrap } from "../../vault/vault.ts";
import { AdminRefusal } from "../accounts/admin-refusal.ts";

export type RotateDeps = { db: Database; vault: Vault; masterKeys: () => readonly MasterKey[] };
type AddDeps = Pick<RotateDeps, "db" | "masterKeys">;
export type RotatedKeys = { key_id: number; resealed: number; dropped_key_ids: number[] };

const BATCH = 500;

/**
 * Replaces the data key of all sealed values while processes run:
 * 1. It stores the new key and notifies all processes, which then seal with it. A process that missed the notice
 *    reloads the key ring when it meets a value sealed with the new key (`withKeysOfNow`).
 * 2. It reseals values of older keys in batches. A process that missed the notice may add more; the next round finds
 *    them.
 * 3. It deletes keys that no value references and notifies again. The foreign key from each value to its data key
 *    decides the last race: a concurrent write with an old key either blocks the deletion or fails.
 * After an interruption, run it again. Two rotations at once share the work.
 */
export async function rotateDataKey(
  deps: RotateDeps,
  now: Date,
  onProgress: (resealed: number) => void = () => {},
): Promise<RotatedKeys> {
  await addDataKey(deps, now);
  let resealed = 0;
  for (;;) {
    for (const where of sealedColumns) {
      for (;;) {
        const count = await resealSome(deps, where);
        if (count === 0) break;
        resealed += count;
        onProgress(resealed);
      }
    }
    const dropped_key_ids = await dropUnusedKeys(deps);
    if (dropped_key_ids !== undefined) return { key_id: deps.vault.active_key_id, resealed, dropped_key_ids };
  }
}

export type KeysInUse = {
  fingerprint: string;
  /** `rotations`: how many earlier keys are still the inner layers of what cannot be computed again. */
  index_key: { index_key_id: string; created_at: string; rotations: number };
  data_keys: {
    key_id: number;
    active: boolean;
    created_at: string;
    /** How often the key was used, at most. */
    seals: number;
    sealed_values: number;
  }[];
};

export async function describeKeys(db: Database): Promise<KeysInUse> {
  return db.transaction(async (tx) => {
    const ring = await loadKeyRing(tx);
    if (ring === undefined) throw new AdminRefusal("This database has no keys yet. The first start creates them.");
    const counts = await countSealed(tx);
    const data_keys = (await listKeyUses(tx)).map(({ key_id, created_at, seals }, index) => ({
      key_id,
      active: index === ring.keys.length - 1,
      created_at: created_at.toISOString(),
      seals,
      sealed_values: counts.get(key_id) ?? 0,
    }));
    const index_keys = await listIndexKeys(tx);
    const { index_key_id, created_at } = index_keys.at(-1)!;
    const index_key = { index_key_id, created_at: created_at.toISOString(), rotations: index_keys.length - 1 };
    return { fingerprint: ring.fingerprint, index_key, data_keys };
  }, "repeatable read");
}

/** Wraps the key before the transaction, because a key service is a network away. Returns the new key's id. */
async function addDataKey({ db, masterKeys }: AddDeps, now: Date): Promise<number> {
  for (;;) {
    const ring = await loadKeyRing(db);
    const master = fittingMasterKey(masterKeys(), ring?.fingerprint ?? "");
    const key_id = nextId(ring);
    const wrapped = await wrap(master, newDataKey(), key_id);
    const added = await db.transaction(async (tx) => {
      await lockKeys(tx);
      const current = await loadKeyRing(tx);
      if (nextId(current) !== key_id || current?.fingerprint !== ring?.fingerprint) return false;
      await insertDataKey(tx, { key_id, wrapped, created_at: now });
      await announce(tx, { kind: "keys", account_id: "" });
      return true;
    });
    if (added) return key_id;
  }
}

const nextId = (ring: KeyRing | undefined) => 1 + (ring?.keys.at(-1)?.key_id ?? 0);
const DAY_MS = 24 * 3600 * 1000;

/**
 * Adds a data key when the newest one is too old or has sealed enough values. Values that older keys seal stay as they
 * are; `pestle keys rotate` re-encrypts them. Returns the new key's id, or null.
 */
export async function renewDataKey(
  deps: AddDeps & { config: Pick<Config, "DATA_KEY_DAYS"> },
  now: Date,
): Promise<number | null> {
  const newest = (await listKeyUses(deps.db)).at(-1);
  if (newest === undefined) return null;
  const old = now.getTime() - newest.created_at.getTime() >= deps.config.DATA_KEY_DAYS * DAY_MS;
  return old || newest.seals >= RENEW_AFTER_SEALS ? addDataKey(deps, now) : null;
}

/** Reads the key ring under the lock, so that no newer key appears before the batch is saved. */
async function resealSome({ db, vault }: RotateDeps, where: SealedColumn): Promise<number> {
  return db.transaction(async (tx) => {
    await lockKeys(tx);
    await vault.reload(tx);
    const rows = await lockRowsSealedBefore(tx, where, vault.active_key_id, BATCH);
    const again = rows.map(({ key, sealed }) => ({ key, sealed: sealAgain(vault, sealed, where.place(key)) }));
    if (again.length > 0) await saveSealed(tx, where, again);
    return again.length;
  });
}

function sealAgain(vault: Vault, sealed: Buffer, place: string): Buffer {
  let plain: Buffer;
  try {
    plain = vault.open(sealed, place);
  } catch (cause) {
    throw new AdminRefusal(`The value at ${place} is damaged and cannot be decrypted. No key was deleted.`, { cause });
  }
  return vault.seal(plain, place);
}

/** The ids of the deleted keys; undefined if a value still uses one of them. */
async function dropUnusedKeys({ db, vault }: RotateDeps): Promise<number[] | undefined> {
  try {
    return await db.transaction(async (tx) => {
      await lockKeys(tx);
      await vault.reload(tx);
      const older = ((await loadKeyRing(tx))?.keys ?? []).filter(({ key_id }) => key_id < vault.active_key_id);
      await deleteDataKeysBefore(tx, vault.active_key_id);
      await announce(tx, { kind: "keys", account_id: "" });
      return older.map(({ key_id }) => key_id);
    });
  } catch (error) {
    if (isKeyInUse(error)) return undefined;
    throw error;
  }
}
