import { createHash, createPublicKey, sign, verify } from "node:crypto";

/**
 * How audit entries become a Merkle tree (RFC 6962, 2.1), how its root is signed, and how a proof is verified. The
 * service, the command line and the SDK share this file, so that they cannot disagree.
 */

/** One audit entry as it is hashed: every column, with the time to the microsecond. */
export type HashedEntry = {
  /** The form of the entry. A later version of Pestle with other columns uses another number. */
  readonly form: 1;
  readonly audit_id: number;
  /** Such as `2026-11-17T01:30:17.123000Z`. */
  readonly at: string;
  readonly person_id: string | null;
  readonly role: string | null;
  readonly credential_id: string | null;
  readonly os_user: string | null;
  readonly address: string | null;
  readonly account_id: string | null;
  readonly action: string;
  readonly subject: string | null;
  readonly request_id: string | null;
  readonly field_groups: readonly string[];
  readonly patient_keys: readonly number[];
  /** Random, so that a neighbor's hash in a proof cannot be guessed. */
  readonly salt: string;
};

/** The state of the log at one moment, signed with Ed25519. */
export type AuditRoot = {
  readonly form: 1;
  readonly log_id: string;
  /** The number of entries. */
  readonly size: number;
  /** The root of the tree over them, in hexadecimal. */
  readonly root: string;
  readonly at: string;
  readonly key_id: string;
  /** Base64, over `rootBytes`. */
  readonly signature: string;
};

/** Shows that entries are in the log that a root describes. */
export type AuditProof = {
  readonly form: 1;
  readonly account_id: string;
  readonly order_number: string;
  readonly root: AuditRoot;
  readonly entries: readonly {
    readonly position: number;
    readonly entry: HashedEntry;
    /** The hashes beside the path from the entry to the root, in hexadecimal, lowest first. */
    readonly path: readonly string[];
  }[];
};

/** RFC 8785 for our values: sorted names, no spaces, integers, UTF-8. */
export const canonicalJson = (value: object): string => JSON.stringify(value, Object.keys(value).sort());

/** The first byte separates leaves from nodes, so that no entry can pass for a node. */
const LEAF = Uint8Array.of(0);
const NODE = Uint8Array.of(1);
export const leafHash = (entry: HashedEntry): Buffer =>
  createHash("sha256").update(LEAF).update(canonicalJson(entry), "utf8").digest();
export const nodeHash = (left: Uint8Array, right: Uint8Array): Buffer =>
  createHash("sha256").update(NODE).update(left).update(right).digest();
/** The root of a log without entries. */
export const emptyRoot = (): Buffer => createHash("sha256").digest();

/** The bytes that a root's signature covers. The first line keeps the signature from meaning anything else. */
const rootBytes = ({ form, log_id, size, root, at, key_id }: Omit<AuditRoot, "signature">): Buffer =>
  Buffer.from(`pestle audit root\n${canonicalJson({ form, log_id, size, root, at, key_id })}`, "utf8");

/** `private_key` in PEM. */
export const signRoot = (root: Omit<AuditRoot, "signature">, private_key: string): AuditRoot => ({
  ...root,
  signature: sign(null, rootBytes(root), private_key).toString("base64"),
});

/** The id of a public key in PEM: the start of its SHA-256. */
export const auditKeyId = (public_key: string): string =>
  createHash("sha256")
    .update(createPublicKey(public_key).export({ type: "spki", format: "der" }))
    .digest("hex")
    .slice(0, 16);

/** Whether this public key (PEM) signed the root. */
export function rootIsSignedBy(root: AuditRoot, public_key: string): boolean {
  const key = createPublicKey(public_key);
  if (key.asymmetricKeyType !== "ed25519" || auditKeyId(public_key) !== root.key_id) return false;
  return verify(null, rootBytes(root), key, Buffer.from(root.signature, "base64"));
}

/** The root that a leaf and its path lead to (RFC 9162, 2.1.3.2). Undefined if the path cannot fit the tree. */
export function rootFromPath(
  leaf: Uint8Array,
  position: number,
  size: number,
  path: readonly Uint8Array[],
): Buffer | undefined {
  if (!Number.isSafeInteger(position) || !Number.isSafeInteger(size) || position < 0 || position >= size)
    return undefined;
  let [place, last] = [position, size - 1];
  let hash: Uint8Array = leaf;
  for (const beside of path) {
    if (last === 0) return undefined;
    if (place % 2 === 1 || place === last) {
      hash = nodeHash(beside, hash);
      while (place % 2 === 0 && place !== 0) [place, last] = [place / 2, Math.floor(last / 2)];
    } else {
      hash = nodeHash(hash, beside);
    }
    [place, last] = [Math.floor(place / 2), Math.floor(last / 2)];
  }
  return last === 0 ? Buffer.from(hash) : undefined;
}

/** Why a proof is not valid; undefined if it is. Trusts the given public keys (PEM), or roots that came another way. */
export function faultOfProof(
  proof: AuditProof,
  trusted: { readonly public_keys?: readonly string[]; readonly roots?: readonly AuditRoot[] },
): string | undefined {
  const { root, entries } = proof;
  const known = (trusted.roots ?? []).some(
    ({ log_id, size, root: hash }) => log_id === root.log_id && size === root.size && hash === root.root,
  );
  const signed = (trusted.public_keys ?? []).some((public_key) => rootIsSignedBy(root, public_key));
  if (!known && !signed) return "No trusted key signed the root, and it is not one of the trusted roots.";
  if (entries.length === 0) return "The proof has no entries.";
  for (const { position, entry, path } of entries) {
    const named = `Entry ${entry.audit_id}`;
    if (entry.account_id !== proof.account_id || entry.subject !== proof.order_number)
      return `${named} is not about order ${proof.order_number} of account ${proof.account_id}.`;
    const hashes = path.map((hash) => Buffer.from(hash, "hex"));
    if (hashes.some(({ length }) => length !== 32)) return `${named} has a path that is not made of hashes.`;
    const reached = rootFromPath(leafHash(entry), position, root.size, hashes);
    if (reached?.toString("hex") !== root.root) return `${named} is not in the log that the root describes.`;
  }
  return undefined;
}
