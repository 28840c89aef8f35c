import { randomBytes } from "node:crypto";
import type { Database, Db, Queryable } from "../db/db.ts";
import {
  type IndexKeyRow,
  insertDataKey,
  insertIndexKey,
  isKeyGone,
  listIndexKeys,
  loadKeyRing,
  lockKeys,
  reserveSeals,
  saveFingerprint,
} from "../db/operations/keys.ts";
import { decrypt, encrypt } from "./aes.ts";
import { type BlindIndexes, blindIndexesOf } from "./blind-index.ts";
import { fittingMasterKey, type MasterKey } from "./master-key.ts";

/** Encrypts values that a copy of the database must not reveal: AES-256-GCM, prefixed with the key id. */
export type Vault = BlindIndexes & {
  /** `place` is the value's table, column and row. A sealed value moved elsewhere does not decrypt. */
  seal(plain: Buffer, place: string): Buffer;
  open(sealed: Buffer, place: string): Buffer;
  /** Reads the key ring again, after a rotation in another process. */
  reload(db: Queryable): Promise<void>;
  readonly active_key_id: number;
  readonly fingerprint: string;
};

const KEY_ID_BYTES = 4;
const FIRST_LAYER = 1;

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
  db: Database & Partial<Pick<Db, "requireIndexKey">>,
  candidates: (make: boolean) => readonly MasterKey[],
  now: Date,
): Promise<Vault> {
  // Keys are wrapped before the transaction, because a key service is a network away.
  const before = await loadKeyRing(db);
  const known = candidates(before === undefined);
  const master = before === undefined ? known[0] : fittingMasterKey(known, before.fingerprint);
  if (master !== undefined && (before === undefined || (await listIndexKeys(db)).length === 0)) {
    const first = await wrap(master, newDataKey(), 1);
    const index = await wrapIndexKey(master, newDataKey(), FIRST_LAYER);
    await db.transaction(async (tx) => {
      await lockKeys(tx);
      if ((await loadKeyRing(tx)) === undefined) {
        await saveFingerprint(tx, master.fingerprint, now);
        await insertDataKey(tx, { key_id: 1, wrapped: first, created_at: now });
        await insertIndexKey(tx, FIRST_LAYER, index, now);
      } else if (before !== undefined && (await listIndexKeys(tx)).length === 0) {
        await insertIndexKey(tx, FIRST_LAYER, index, now);
      }
    });
  }

  let fingerprint = "";
  let ring = new Map<number, Buffer>();
  let active_key_id = 0;
  let indexes: BlindIndexes | undefined;
  const reload = async (source: Queryable) => {
    const stored = await loadKeyRing(source);
    const master = fittingMasterKey(candidates(false), stored?.fingerprint ?? "");
    const unwrapped = new Map<number, Buffer>();
    for (const { key_id, wrapped } of stored?.keys ?? []) {
      // A key keeps its id for life, so what was unwrapped once needs no second call to a key service.
      unwrapped.set(key_id, ring.get(key_id) ?? (await unwrap(master, wrapped, key_id)));
    }
    // A process never changes to another index key: what it computed before would go with it. Its connections see to it.
    if (indexes === undefined) {
      const layers = await listIndexKeys(source);
      db.requireIndexKey?.(layers.at(-1)!.index_key_id);
      indexes = blindIndexesOf(await unwrapIndexKeys(master, layers));
    }
    ring = unwrapped;
    fingerprint = master.fingerprint;
    active_key_id = Math.max(...ring.keys());
  };
  await reload(db);
  const { blindIndex, layeredIndex, indexVersions } = indexes!;

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
    blindIndex,
    layeredIndex,
    indexVersions,
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
export const wrap = (master: MasterKey, key: Buffer, key_id: number) => master.wrap(key, `data_key ${key_id}`);
export const unwrap = (master: MasterKey, wrapped: Buffer, key_id: number) =>
  master.unwrap(wrapped, `data_key ${key_id}`);

/** The first index key was wrapped like a data key with the id 0. Data key ids begin at 1. */
const indexKeyName = (layer: number) => (layer === FIRST_LAYER ? "data_key 0" : `index_key ${layer}`);
export const wrapIndexKey = (master: MasterKey, key: Buffer, layer: number) => master.wrap(key, indexKeyName(layer));

/** The index keys, oldest first. */
async function unwrapIndexKeys(
  master: MasterKey,
  rows: readonly Pick<IndexKeyRow, "layer" | "wrapped">[],
): Promise<Buffer[]> {
  const keys: Buffer[] = [];
  for (const { layer, wrapped } of rows) keys.push(await master.unwrap(wrapped, indexKeyName(layer)));
  return keys;
}

export async function rewrapIndexKey(
  former: MasterKey,
  master: MasterKey,
  row: Pick<IndexKeyRow, "layer" | "wrapped">,
): Promise<Pick<IndexKeyRow, "layer" | "wrapped">> {
  const [key] = await unwrapIndexKeys(former, [row]);
  return { layer: row.layer, wrapped: await wrapIndexKey(master, key!, row.layer) };
}
