import { type CertifyReport, reportFault } from "@pestle/contract/partner";
import { workSteps, workStepsNow } from "./crypto/work-steps.ts";
import { PestleError } from "./errors.ts";

/** The report was changed after it was signed, or no key that you trust signed it. */
export class ReportRefused extends PestleError {
  override name = "ReportRefused";
  override readonly kind = "proof_refused";
}

type PublicKeys = string | readonly string[];
const listOf = (keys: PublicKeys) => (typeof keys === "string" ? [keys] : keys);

/**
 * Verifies a report of `pestle certify`, offline, and returns it. `public_keys` are the keys (PEM) that you trust: those at
 * `/audit-keys.json` for a report of the pharmacy. Throws `ReportRefused` otherwise. In a browser or an edge runtime, call
 * `verifyCertifyReportAsync`.
 */
export function verifyCertifyReport(report: CertifyReport, public_keys: PublicKeys): CertifyReport {
  try {
    return unless(report, workStepsNow(reportFault(report, listOf(public_keys))));
  } catch (cause) {
    throw refusalOf(cause);
  }
}

/** `verifyCertifyReport` with WebCrypto: for every runtime. */
export async function verifyCertifyReportAsync(report: CertifyReport, public_keys: PublicKeys): Promise<CertifyReport> {
  try {
    return unless(report, await workSteps(reportFault(report, listOf(public_keys))));
  } catch (cause) {
    throw refusalOf(cause);
  }
}

function unless(report: CertifyReport, fault: string | undefined): CertifyReport {
  if (fault !== undefined) throw new ReportRefused(fault);
  return report;
}

const refusalOf = (cause: unknown): ReportRefused =>
  cause instanceof ReportRefused ? cause : new ReportRefused("The report or a key cannot be read.", { cause });
