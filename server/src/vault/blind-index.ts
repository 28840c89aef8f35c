import { createHmac } from "node:crypto";

/** A keyed hash for searching: the same text in the same place gives the same bytes. */
type BlindIndex = (text: string, place: string) => Buffer;

export type BlindIndexes = {
  /** For a text that is also stored encrypted: a rotation of the index key computes the hash again from there. */
  blindIndex: BlindIndex;
  /**
   * For a text that is stored nowhere in a readable form: hashed under the first key, and that hash under each later key. A
   * rotation adds a layer to the stored hash (`nextLayer`), so the same text is found again.
   */
  layeredIndex: BlindIndex;
  /** `blindIndex` under every key, newest first, for what has left the database. */
  readonly indexVersions: readonly BlindIndex[];
};

const BLIND_INDEX_BYTES = 16;
/** No place has this name, so a layer is never equal to the hash of a text. */
const LAYER = Buffer.from("layer\n");

/** `keys` are those of all layers, oldest first. */
export function blindIndexesOf(keys: readonly Buffer[]): BlindIndexes {
  const versions = keys.map(
    (key): BlindIndex =>
      (text, place) =>
        keyedHash(key, `${place}\n${text}`),
  );
  const [first, newest] = [versions[0], versions.at(-1)];
  if (first === undefined || newest === undefined) throw new Error("the vault has no index key");
  const later = keys.slice(1);
  return {
    blindIndex: newest,
    layeredIndex: (text, place) => later.reduce((hash, key) => nextLayer(key, hash), first(text, place)),
    indexVersions: versions.reverse(),
  };
}

/** A stored layered index under one more key. */
export const nextLayer = (key: Buffer, hash: Buffer): Buffer => keyedHash(key, Buffer.concat([LAYER, hash]));

const keyedHash = (key: Buffer, content: string | Buffer) =>
  createHmac("sha256", key).update(content).digest().subarray(0, BLIND_INDEX_BYTES);
