import { createHash, createPublicKey, sign, verify } from "node:crypto";
import { type AuditRoot, canonicalJson, type HashedEntry, LEAF, NODE, rootBytes } from "./audit-entry.ts";

/**
 * How audit entries become a Merkle tree (RFC 6962, 2.1), and how its root is signed. `proof-steps.ts` verifies a proof
 * with the same bytes.
 */

export const leafHash = (entry: HashedEntry): Buffer =>
  createHash("sha256").update(LEAF).update(canonicalJson(entry), "utf8").digest();
export const nodeHash = (left: Uint8Array, right: Uint8Array): Buffer =>
  createHash("sha256").update(NODE).update(left).update(right).digest();
/** The root of a log without entries. */
export const emptyRoot = (): Buffer => createHash("sha256").digest();

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
