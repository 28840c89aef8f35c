import {
  type AuditProof,
  type AuditRoot,
  canonicalJson,
  type HashedEntry,
  LEAF,
  NODE,
  rootBytes,
} from "./audit-entry.ts";
import {
  type Bytes,
  bytesOfBase64,
  bytesOfHex,
  type CryptoSteps,
  digest,
  hexOf,
  isSigned,
  joined,
  utf8,
} from "./crypto-steps.ts";

/** What a verifier trusts: public keys in PEM, or roots that came another way. */
export type ProofTrust = { readonly public_keys?: readonly string[]; readonly roots?: readonly AuditRoot[] };

/** Why a proof is not valid; undefined if it is. */
export function* faultOfProof(proof: AuditProof, trusted: ProofTrust): CryptoSteps<string | undefined> {
  const { root, entries } = proof;
  let trustworthy = (trusted.roots ?? []).some(
    ({ log_id, size, root: hash }) => log_id === root.log_id && size === root.size && hash === root.root,
  );
  for (const public_key of trusted.public_keys ?? []) {
    const key = publicKeyBytes(public_key);
    trustworthy ||= yield* rootIsSignedWith(root, key);
  }
  if (!trustworthy) return "No trusted key signed the root, and it is not one of the trusted roots.";
  if (entries.length === 0) return "The proof has no entries.";
  for (const { position, entry, path } of entries) {
    const named = `Entry ${entry.audit_id}`;
    if (entry.account_id !== proof.account_id || entry.subject !== proof.order_number)
      return `${named} is not about order ${proof.order_number} of account ${proof.account_id}.`;
    const hashes = path.map(bytesOfHex);
    if (!hashes.every((hash): hash is Bytes => hash?.length === 32))
      return `${named} has a path that is not made of hashes.`;
    const reached = yield* rootFromPath(yield* leafDigest(entry), position, root.size, hashes);
    if (reached === undefined || hexOf(reached) !== root.root)
      return `${named} is not in the log that the root describes.`;
  }
  return undefined;
}

/** The root that a leaf and its path lead to (RFC 9162, 2.1.3.2). Undefined if the path cannot fit the tree. */
export function* rootFromPath(
  leaf: Uint8Array,
  position: number,
  size: number,
  path: readonly Uint8Array[],
): CryptoSteps<Uint8Array | undefined> {
  if (!Number.isSafeInteger(position) || !Number.isSafeInteger(size) || position < 0 || position >= size)
    return undefined;
  let [place, last] = [position, size - 1];
  let hash = leaf;
  for (const beside of path) {
    if (last === 0) return undefined;
    if (place % 2 === 1 || place === last) {
      hash = yield* digest("SHA-256", joined(NODE, beside, hash));
      while (place % 2 === 0 && place !== 0) [place, last] = [place / 2, Math.floor(last / 2)];
    } else {
      hash = yield* digest("SHA-256", joined(NODE, hash, beside));
    }
    [place, last] = [Math.floor(place / 2), Math.floor(last / 2)];
  }
  return last === 0 ? hash : undefined;
}

const leafDigest = (entry: HashedEntry) => digest("SHA-256", joined(LEAF, utf8(canonicalJson(entry))));

/** How every Ed25519 key in DER (SPKI) begins. The key itself is the 32 bytes after it. */
const ED25519_START = "302a300506032b6570032100";

function* rootIsSignedWith(root: AuditRoot, public_key: Bytes): CryptoSteps<boolean> {
  if (public_key.length !== 44 || !hexOf(public_key).startsWith(ED25519_START)) return false;
  const key_id = hexOf(yield* digest("SHA-256", public_key)).slice(0, 16);
  if (key_id !== root.key_id) return false;
  return yield* isSigned({ public_key, signature: bytesOfBase64(root.signature), data: rootBytes(root) });
}

export function publicKeyBytes(pem: string): Bytes {
  const [, text] = /-----BEGIN PUBLIC KEY-----([\sA-Za-z0-9+/=]+)-----END PUBLIC KEY-----/.exec(pem) ?? [];
  if (text === undefined) throw new TypeError("A public key must be in PEM: -----BEGIN PUBLIC KEY-----.");
  return bytesOfBase64(text.replaceAll(/\s/g, ""));
}
