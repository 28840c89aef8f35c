import { pc } from "@pestle/cli/output";
import {
  type CertifiedCheck,
  type CertifyFinding,
  type CertifyReport,
  certifyFindings,
  findingText,
  type ReceiverCheck,
  receiverChecks,
} from "@pestle/contract";

const WIDTH = 12;

/** A report for people: a line for each check, and the advice below those that failed. */
export function reportText({ checks, effects_checked, passed }: CertifyReport): string {
  const width = Math.max(...checks.map(({ name }) => name.length));
  const lines = checks.flatMap((check) => linesOf(check, width));
  const count = checks.filter(({ result }) => result === "passed").length;
  return [
    ...lines,
    "",
    ...(effects_checked ? [] : ["Only the answers were checked. Give --state to check the effects too."]),
    `${count} of ${checks.length} checks passed: ${passed ? pc.green("certified") : pc.red("not certified")}.`,
  ].join("\n");
}

function linesOf({ name, result, finding }: CertifiedCheck, width: number): string[] {
  const row = receiverChecks[name as ReceiverCheck];
  const mark = { passed: pc.green, failed: pc.red, not_checked: pc.dim }[result];
  const first = `${mark(result.replace("_", " ").padEnd(WIDTH))}${name.padEnd(width)}  ${row.sends}`;
  if (finding === null) return [first];
  const found =
    finding.code in certifyFindings ? findingText(finding.code as CertifyFinding, finding.status) : finding.code;
  return [first, `${" ".repeat(WIDTH)}${found}`, `${" ".repeat(WIDTH)}${row.advice}`];
}
