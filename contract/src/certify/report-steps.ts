import { type Bytes, bytesOfBase64, type CryptoSteps, digest, hexOf, isSigned, utf8 } from "../audit/crypto-steps.ts";
import { publicKeyBytes } from "../audit/proof-steps.ts";

/**
 * The signed report of `pestle certify` and of the portal's button. The command line, the service and the SDK share this
 * file, so that they cannot disagree about the signed bytes.
 */

export const certifyResults = ["passed", "failed", "not_checked"] as const;

/** One check of a report. */
export type CertifiedCheck = {
  readonly name: string;
  readonly result: (typeof certifyResults)[number];
  /** What was wrong: a code of the table of findings, and the HTTP status if there was one. Null unless it failed. */
  readonly finding: { readonly code: string; readonly status: number | null } | null;
};

export type CertifyFacts = {
  readonly form: 1;
  /** What was certified: a receiver of webhooks, or an order integration. */
  readonly kind: "receiver" | "orders";
  /** The receiver's URL, or the name of the system that orders. */
  readonly subject: string;
  readonly account_id: string;
  readonly environment: "production" | "sandbox";
  readonly at: string;
  /** `developer`: at the partner's terminal, signed with a key of that machine. `pharmacy`: by the service. */
  readonly run_by: "developer" | "pharmacy";
  /** Whether the effects were checked, not only the answers. Always true for orders. */
  readonly effects_checked: boolean;
  /** True if no required check failed and every check that was possible ran. */
  readonly passed: boolean;
  readonly checks: readonly CertifiedCheck[];
  readonly pestle_version: string;
};

export type CertifyReport = CertifyFacts & {
  /** The start of the SHA-256 of the public key. */
  readonly key_id: string;
  /** In PEM. It proves that the report is unchanged. Compare it with a key that you know to learn who signed. */
  readonly public_key: string;
  /** Ed25519 in base64. */
  readonly signature: string;
};

/** The bytes that the signature covers. The first line keeps the signature from meaning anything else. */
export const reportBytes = ({ signature: _, ...signed }: CertifyReport): Bytes =>
  utf8(`pestle certify report\n${sortedJson(signed)}`);

/** RFC 8785 for our values: names sorted at every level, no spaces, integers, UTF-8. */
const sortedJson = (value: unknown): string =>
  JSON.stringify(value, (_name, inner: unknown) =>
    inner !== null && typeof inner === "object" && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );

/** How the DER of every public key for Ed25519 begins. */
const ED25519 = "302a300506032b6570";

export function* keyIdOf(public_key: string): CryptoSteps<string> {
  return hexOf(yield* digest("SHA-256", publicKeyBytes(public_key))).slice(0, 16);
}

/** Why a report is not valid; undefined if it is. With `trusted`, one of these public keys (PEM) must have signed it. */
export function* reportFault(report: CertifyReport, trusted?: readonly string[]): CryptoSteps<string | undefined> {
  if (report.form !== 1) return "This version does not know the report's form.";
  const public_key = publicKeyBytes(report.public_key);
  if (!hexOf(public_key).startsWith(ED25519) || (yield* keyIdOf(report.public_key)) !== report.key_id) {
    return "The report's key is not the one that it names.";
  }
  let known = trusted === undefined;
  for (const one of trusted ?? []) known = (yield* keyIdOf(one)) === report.key_id || known;
  if (!known) return "No trusted key signed the report.";
  const signature = bytesOfBase64(report.signature);
  if (!(yield* isSigned({ public_key, signature, data: reportBytes(report) }))) {
    return "The report was changed after it was signed.";
  }
  return undefined;
}
