import { createCipheriv, createDecipheriv, createHmac, randomBytes } from "node:crypto";
import type { Database, Queryable } from "../db/db.ts";
import {
  insertDataKey,
  insertIndexKey,
  isKeyGone,
  loadIndexKey,
  loadKeyRing,
  lockKeys,
  saveFingerprint,
} from "../db/operations/keys.ts";
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

const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const KEY_ID_BYTES = 4;
const BLIND_INDEX_BYTES = 16;
/** The index key is wrapped like a data key with this id. Data key ids begin at 1. */
const INDEX_KEY_ID = 0;

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
  await db.transaction(async (tx) => {
    await lockKeys(tx);
    const stored = await loadKeyRing(tx);
    const known = candidates(stored === undefined);
    const [first] = known;
    if (stored === undefined && first !== undefined) {
      await saveFingerprint(tx, first.fingerprint, now);
      await insertDataKey(tx, { key_id: 1, wrapped: wrap(first, newDataKey(), 1), created_at: now });
    }
    const master = stored === undefined ? first : fittingMasterKey(known, stored.fingerprint);
    if (master !== undefined && (await loadIndexKey(tx)) === undefined) {
      await insertIndexKey(tx, wrap(master, newDataKey(), INDEX_KEY_ID), now);
    }
  });

  let fingerprint = "";
  let ring = new Map<number, Buffer>();
  let active_key_id = 0;
  let index_key: Buffer = Buffer.alloc(0);
  const reload = async (source: Queryable) => {
    const stored = await loadKeyRing(source);
    const master = fittingMasterKey(candidates(false), stored?.fingerprint ?? "");
    ring = new Map(stored?.keys.map(({ key_id, wrapped }) => [key_id, unwrap(master, wrapped, key_id)]));
    fingerprint = master.fingerprint;
    active_key_id = Math.max(...ring.keys());
    // The index key never changes; only its wrapping does.
    if (index_key.length === 0) index_key = unwrap(master, (await loadIndexKey(source))!, INDEX_KEY_ID);
  };
  await reload(db);

  return {
    seal(plain, place) {
      const key = ring.get(active_key_id);
      if (key === undefined) throw new Error("the vault has no key");
      const key_id = Buffer.alloc(KEY_ID_BYTES);
      key_id.writeUInt32BE(active_key_id);
      return Buffer.concat([key_id, encrypt(key, plain, place)]);
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
export const rewrapIndexKey = (former: MasterKey, master: MasterKey, wrapped: Buffer) =>
  wrap(master, unwrap(former, wrapped, INDEX_KEY_ID), INDEX_KEY_ID);
export const wrap = (master: MasterKey, key: Buffer, key_id: number) => wrapNamed(master, key, `data_key ${key_id}`);
export const unwrap = (master: MasterKey, wrapped: Buffer, key_id: number) =>
  unwrapNamed(master, wrapped, `data_key ${key_id}`);
/** A wrapped key opens only under its own name. */
export const wrapNamed = (master: MasterKey, key: Buffer, name: string) => encrypt(master.bytes, key, name);
export const unwrapNamed = (master: MasterKey, wrapped: Buffer, name: string) => decrypt(master.bytes, wrapped, name);

function encrypt(key: Buffer, plain: Buffer, place: string): Buffer {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv("aes-256-gcm", key, nonce);
  cipher.setAAD(Buffer.from(place));
  return Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
}

function decrypt(key: Buffer, sealed: Buffer, place: string): Buffer {
  const decipher = createDecipheriv("aes-256-gcm", key, sealed.subarray(0, NONCE_BYTES));
  decipher.setAAD(Buffer.from(place));
  decipher.setAuthTag(sealed.subarray(-TAG_BYTES));
  return Buffer.concat([decipher.update(sealed.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()]);
}
