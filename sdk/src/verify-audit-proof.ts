import {
  type AuditProof,
  type AuditRoot,
  type CryptoSteps,
  faultOfProof,
  type HashedEntry,
} from "@pestle/contract/partner";
import { workSteps, workStepsNow } from "./crypto/work-steps.ts";
import { PestleError } from "./errors.ts";

/** What you trust: the pharmacy's public key in PEM (or several), or roots that reached you another way. */
export type AuditTrust =
  | string
  | readonly string[]
  | { readonly public_keys?: readonly string[]; readonly roots?: readonly AuditRoot[] };

/** The proof does not hold: an entry was changed, or the root is not one that you trust. */
export class ProofRefused extends PestleError {
  override name = "ProofRefused";
  override readonly kind = "proof_refused";
}

/** The proven entries, and the root that covers them. */
export type Proven = { readonly entries: readonly HashedEntry[]; readonly root: AuditRoot };

/**
 * Verifies a proof from `pestle audit prove`, offline. Returns the proven entries and the root that covers them. Throws
 * `ProofRefused` if anything does not fit. In a browser or an edge runtime, call `verifyAuditProofAsync`.
 */
export function verifyAuditProof(proof: AuditProof, trust: AuditTrust): Proven {
  try {
    return proven(proof, workStepsNow(faultOf(proof, trust)));
  } catch (cause) {
    throw refusalOf(cause);
  }
}

/** `verifyAuditProof` with WebCrypto: for every runtime. */
export async function verifyAuditProofAsync(proof: AuditProof, trust: AuditTrust): Promise<Proven> {
  try {
    return proven(proof, await workSteps(faultOf(proof, trust)));
  } catch (cause) {
    throw refusalOf(cause);
  }
}

function* faultOf(proof: AuditProof, trust: AuditTrust): CryptoSteps<string | undefined> {
  if (proof.form !== 1) return "This version of the SDK does not know the proof's form.";
  const trusted =
    typeof trust === "string" ? { public_keys: [trust] } : "length" in trust ? { public_keys: trust } : trust;
  return yield* faultOfProof(proof, trusted);
}

function proven(proof: AuditProof, fault: string | undefined): Proven {
  if (fault !== undefined) throw new ProofRefused(fault);
  return { entries: proof.entries.map(({ entry }) => entry), root: proof.root };
}

const refusalOf = (cause: unknown): ProofRefused =>
  cause instanceof ProofRefused ? cause : new ProofRefused("The proof or a key cannot be read.", { cause });
