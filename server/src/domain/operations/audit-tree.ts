import { emptyRoot, nodeHash } from "@pestle/contract";

/**
 * The audit log's Merkle tree. Leaves are stored, and of the nodes above them only every eighth level: the roots of 256
 * leaves, of 65,536, and so on. Every other node follows from at most 255 stored ones a level.
 */
const LEVELS = 8;
export const FAN = 2 ** LEVELS;

/** The root of `2 ** level` leaves, the first of which is at `place * 2 ** level`. */
export type NodePlace = { level: number; place: number };
export type StoredNode = NodePlace & { hash: Buffer };
/** Returns a stored hash; a leaf's at level 0. */
export type GetNode = (level: number, place: number) => Buffer;

export type Tree = {
  readonly size: number;
  /** Appends a leaf. Returns the nodes that are now complete and stored. */
  add(leaf: Buffer): StoredNode[];
  /** RFC 6962, 2.1. */
  root(): Buffer;
};

/** A tree of `size` leaves that can grow. It keeps only the roots of its complete subtrees. */
export function openTree(size: number, get: GetNode): Tree {
  const subtrees: { level: number; hash: Buffer }[] = [];
  let leaves = 0;
  const push = (level: number, hash: Buffer): StoredNode[] => {
    const stored: StoredNode[] = [];
    subtrees.push({ level, hash });
    leaves += 2 ** level;
    for (;;) {
      const [left, right] = subtrees.slice(-2);
      if (left === undefined || right === undefined || left.level !== right.level) return stored;
      const merged = { level: left.level + 1, hash: nodeHash(left.hash, right.hash) };
      subtrees.splice(-2, 2, merged);
      if (merged.level % LEVELS === 0) stored.push({ ...merged, place: leaves / 2 ** merged.level - 1 });
    }
  };
  for (const { level, place } of partsOf(size)) push(level, get(level, place));
  return {
    get size() {
      return leaves;
    },
    add: (leaf) => push(0, leaf),
    root: () =>
      subtrees.length === 0
        ? emptyRoot()
        : subtrees.map(({ hash }) => hash).reduceRight((right, left) => nodeHash(left, right)),
  };
}

/** The stored hashes that together cover the first `size` leaves, from left to right. */
export function partsOf(size: number): NodePlace[] {
  const parts: NodePlace[] = [];
  for (let level = 0, rest = size; rest > 0; level += LEVELS, rest = Math.floor(rest / FAN)) {
    const first = rest - (rest % FAN);
    parts.unshift(...Array.from({ length: rest % FAN }, (_, index) => ({ level, place: first + index })));
  }
  return parts;
}

/** The hashes beside the path from a leaf to the root of the first `size` leaves, lowest first (RFC 6962, 2.1.1). */
export function pathOf(position: number, size: number, get: GetNode): Buffer[] {
  const path: Buffer[] = [];
  let [first, end] = [0, size];
  while (end - first > 1) {
    const middle = first + leftHalf(end - first);
    if (position < middle) {
      path.unshift(hashOf(middle, end, get));
      end = middle;
    } else {
      path.unshift(hashOf(first, middle, get));
      first = middle;
    }
  }
  return path;
}

/** The stored hashes that `pathOf` asks for. */
export function pathParts(position: number, size: number): NodePlace[] {
  const parts: NodePlace[] = [];
  const nothing = Buffer.alloc(32);
  pathOf(position, size, (level, place) => {
    parts.push({ level, place });
    return nothing;
  });
  return parts;
}

function hashOf(first: number, end: number, get: GetNode): Buffer {
  const leaves = end - first;
  const level = Math.log2(leaves);
  if (Number.isInteger(level) && level % LEVELS === 0) return get(level, first / leaves);
  const middle = first + leftHalf(leaves);
  return nodeHash(hashOf(first, middle, get), hashOf(middle, end, get));
}

/** The largest power of two below a number. */
function leftHalf(leaves: number): number {
  let half = 1;
  while (half * 2 < leaves) half *= 2;
  return half;
}
