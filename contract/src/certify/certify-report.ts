import { createHash, sign, verify } from "node:crypto";
import type { CryptoSteps } from "../audit/crypto-steps.ts";
import { type CertifyFacts, type CertifyReport, keyIdOf, reportBytes, reportFault } from "./report-steps.ts";

/** Both keys in PEM. */
export function signReport(facts: CertifyFacts, keys: { public_key: string; private_key: string }): CertifyReport {
  const { public_key, private_key } = keys;
  const report = { ...facts, key_id: worked(keyIdOf(public_key)), public_key, signature: "" };
  return { ...report, signature: sign(null, reportBytes(report), private_key).toString("base64") };
}

/** Why a report is not valid; undefined if it is. With `trusted`, one of these public keys (PEM) must have signed it. */
export const faultOfReport = (report: CertifyReport, trusted?: readonly string[]): string | undefined =>
  worked(reportFault(report, trusted));

function worked<Result>(steps: CryptoSteps<Result>): Result {
  let next = steps.next();
  while (!next.done) {
    const step = next.value;
    if ("public_key" in step) {
      const key = { key: Buffer.from(step.public_key), format: "der", type: "spki" } as const;
      next = steps.next(verify(null, step.data, key, step.signature));
    } else next = steps.next(new Uint8Array(createHash("sha256").update(step.data).digest()));
  }
  return next.value;
}
