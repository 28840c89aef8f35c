import { createHmac, randomBytes } from "node:crypto";
import type { Database, Queryable } from "../db/db.ts";
import {
  insertDataKey,
  insertIndexKey,
  isKeyGone,
  loadIndexKey,
  loadKeyRing,
  lockKeys,
  reserveSeals,
  saveFingerprint,
} from "../db/operations/keys.ts";
import { decrypt, encrypt } from "./aes.ts";
import { fittingMasterKey, type MasterKey } from "./master-key.ts";

/** Encrypts values that a copy of the database must not reveal: AES-256-GCM, prefixed with the key id. */
export type Vault = {
  /** `place` is the value's table, column and row. A sealed value moved elsewhere does not decrypt. */
  seal(plain: Buffer, place: string): Buffer;
  open(sealed: Buffer, place: string): Buffer;
  /** A keyed hash for searching: the same text in the same place gives the same bytes. */
  blindIndex(text: string, place: string): Buffer;
  /** Reads the key ring again, after a rotation in another process. */
  reload(db: Queryable): Promise<void>;
  readonly active_key_id: number;
  readonly fingerprint: string;
};

const KEY_ID_BYTES = 4;
const BLIND_INDEX_BYTES = 16;
/** The index key is wrapped like a data key with this id. Data key ids begin at 1. */
const INDEX_KEY_ID = 0;

/**
 * With random nonces, a key may seal 2^32 values (NIST SP 800-38D). A key is renewed at half of that. Each process counts
 * its seals ahead, in blocks.
 */
export const RENEW_AFTER_SEALS = 2 ** 31;
const SEALS_AT_ONCE = 2 ** 16;

/** The value's key is not in the key ring: another process rotated keys, or the value is damaged. */
class UnknownKey extends Error {}

/**
 * Opens the key ring, creates the first key of an empty database, and refuses a wrong master key. Calls `candidates` on
 * every reload, because a rotation can also change the master key. Creates a master key only for an empty database: next
 * to existing data it would look like the key that was lost.
 */
export async function openVault(
  db: Database,
  candidates: (make: boolean) => readonly MasterKey[],
  now: Date,
): Promise<Vault> {
  // Keys are wrapped before the transaction, because a key service is a network away.
  const before = await loadKeyRing(db);
  const known = candidates(before === undefined);
  const master = before === undefined ? known[0] : fittingMasterKey(known, before.fingerprint);
  if (master !== undefined && (before === undefined || (await loadIndexKey(db)) === undefined)) {
    const first = await wrap(master, newDataKey(), 1);
    const index = await wrap(master, newDataKey(), INDEX_KEY_ID);
    await db.transaction(async (tx) => {
      await lockKeys(tx);
      if ((await loadKeyRing(tx)) === undefined) {
        await saveFingerprint(tx, master.fingerprint, now);
        await insertDataKey(tx, { key_id: 1, wrapped: first, created_at: now });
        await insertIndexKey(tx, index, now);
      } else if (before !== undefined && (await loadIndexKey(tx)) === undefined) {
        await insertIndexKey(tx, index, now);
      }
    });
  }

  let fingerprint = "";
  let ring = new Map<number, Buffer>();
  let active_key_id = 0;
  let index_key: Buffer = Buffer.alloc(0);
  const reload = async (source: Queryable) => {
    const stored = await loadKeyRing(source);
    const master = fittingMasterKey(candidates(false), stored?.fingerprint ?? "");
    const unwrapped = new Map<number, Buffer>();
    for (const { key_id, wrapped } of stored?.keys ?? []) {
      // A key keeps its id for life, so what was unwrapped once needs no second call to a key service.
      unwrapped.set(key_id, ring.get(key_id) ?? (await unwrap(master, wrapped, key_id)));
    }
    // The index key never changes; only its wrapping does.
    if (index_key.length === 0) index_key = await unwrap(master, (await loadIndexKey(source))!, INDEX_KEY_ID);
    ring = unwrapped;
    fingerprint = master.fingerprint;
    active_key_id = Math.max(...ring.keys());
  };
  await reload(db);

  // A block counts as used from the start; the next one is reserved when half of it is left. If the database does not
  // answer, the seals beyond the block are counted with the next reservation.
  let counted = { key_id: 0, left: 0 };
  let reserving = false;
  const countSeal = () => {
    if (counted.key_id !== active_key_id) counted = { key_id: active_key_id, left: 0 };
    const block = counted;
    block.left -= 1;
    if (reserving || block.left > SEALS_AT_ONCE / 2) return;
    reserving = true;
    reserveSeals(db, block.key_id, SEALS_AT_ONCE)
      .then(
        () => {
          block.left += SEALS_AT_ONCE;
        },
        () => {},
      )
      .finally(() => {
        reserving = false;
      });
  };

  return {
    seal(plain, place) {
      const key = ring.get(active_key_id);
      if (key === undefined) throw new Error("the vault has no key");
      countSeal();
      const sealed = encrypt(key, plain, place, KEY_ID_BYTES);
      sealed.writeUInt32BE(active_key_id);
      return sealed;
    },
    open(sealed, place) {
      const key = ring.get(sealedKeyId(sealed));
      if (key === undefined) throw new UnknownKey(`the vault has no key ${sealedKeyId(sealed)}`);
      return decrypt(key, sealed.subarray(KEY_ID_BYTES), place);
    },
    blindIndex: (text, place) =>
      createHmac("sha256", index_key).update(`${place}\n${text}`).digest().subarray(0, BLIND_INDEX_BYTES),
    reload,
    get active_key_id() {
      return active_key_id;
    },
    get fingerprint() {
      return fingerprint;
    },
  };
}

/**
 * For work that encrypts or decrypts. If a key is missing here, or was deleted from the database in the meantime (which
 * then refuses values sealed with it), reloads the key ring and retries once.
 */
export async function withKeysOfNow<Result>(
  { db, vault }: { db: Queryable; vault: Vault },
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof UnknownKey) && !isKeyGone(error)) throw error;
    await vault.reload(db);
    return work();
  }
}

export const newDataKey = () => randomBytes(32);
const sealedKeyId = (sealed: Buffer) => sealed.readUInt32BE(0);
export const rewrapIndexKey = async (former: MasterKey, master: MasterKey, wrapped: Buffer) =>
  wrap(master, await unwrap(former, wrapped, INDEX_KEY_ID), INDEX_KEY_ID);
export const wrap = (master: MasterKey, key: Buffer, key_id: number) => master.wrap(key, `data_key ${key_id}`);
export const unwrap = (master: MasterKey, wrapped: Buffer, key_id: number) =>
  master.unwrap(wrapped, `data_key ${key_id}`);
