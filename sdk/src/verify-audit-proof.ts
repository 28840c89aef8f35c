import { type AuditProof, type AuditRoot, faultOfProof, type HashedEntry } from "@pestle/contract";
import { PestleError } from "./errors.ts";

/** What you trust: the pharmacy's public key in PEM (or several), or roots that reached you another way. */
export type AuditTrust =
  | string
  | readonly string[]
  | { readonly public_keys?: readonly string[]; readonly roots?: readonly AuditRoot[] };

/** The proof does not hold: an entry was changed, or the root is not one that you trust. */
export class ProofRefused extends PestleError {
  override name = "ProofRefused";
}

/**
 * Verifies a proof from `pestle audit prove`, offline. Returns the proven entries and the root that covers them. Throws
 * `ProofRefused` if anything does not fit.
 */
export function verifyAuditProof(
  proof: AuditProof,
  trust: AuditTrust,
): { readonly entries: readonly HashedEntry[]; readonly root: AuditRoot } {
  const trusted =
    typeof trust === "string" ? { public_keys: [trust] } : "length" in trust ? { public_keys: trust } : trust;
  let fault: string | undefined;
  try {
    fault = proof.form === 1 ? faultOfProof(proof, trusted) : "This version of the SDK does not know the proof's form.";
  } catch (cause) {
    throw new ProofRefused("The proof or a key cannot be read.", { cause });
  }
  if (fault !== undefined) throw new ProofRefused(fault);
  return { entries: proof.entries.map(({ entry }) => entry), root: proof.root };
}
