import { type CertifyReport, faultOfReport } from "@pestle/contract";
import { PestleError } from "./errors.ts";

/** The report was changed after it was signed, or no key that you trust signed it. */
export class ReportRefused extends PestleError {
  override name = "ReportRefused";
}

/**
 * Verifies a report of `pestle certify`, offline, and returns it. `public_keys` are the keys (PEM) that you trust: those at
 * `/audit-keys.json` for a report of the pharmacy. Throws `ReportRefused` otherwise.
 */
export function verifyCertifyReport(report: CertifyReport, public_keys: string | readonly string[]): CertifyReport {
  let fault: string | undefined;
  try {
    fault = faultOfReport(report, typeof public_keys === "string" ? [public_keys] : public_keys);
  } catch (cause) {
    throw new ReportRefused("The report or a key cannot be read.", { cause });
  }
  if (fault !== undefined) throw new ReportRefused(fault);
  return report;
}
