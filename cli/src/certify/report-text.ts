import {
  type CertifiedCheck,
  type CertifyFinding,
  type CertifyReport,
  certifyFindings,
  findingText,
  type OrderCheck,
  type OrderFinding,
  orderChecks,
  orderFindings,
  type ReceiverCheck,
  receiverChecks,
} from "@pestle/contract";
import { pc } from "../output.ts";
import type { Call } from "./orders/day.ts";
import { scenesOfCheck } from "./orders/judge-day.ts";

const WIDTH = 12;
const INDENT = " ".repeat(WIDTH);
const MOST_CALLS = 8;

/** A report for people: a line for each check, and the advice below those that failed. */
export function reportText({ checks, effects_checked, passed }: CertifyReport): string {
  const textsOf = (name: string, finding: CertifiedCheck["finding"]) => {
    const { sends, advice } = receiverChecks[name as ReceiverCheck];
    const found =
      finding !== null && finding.code in certifyFindings
        ? findingText(finding.code as CertifyFinding, finding.status)
        : (finding?.code ?? "");
    return { first: sends, below: [found, advice] };
  };
  return [
    ...linesOf(checks, textsOf),
    ...(effects_checked ? [] : ["Only the answers were checked. Give --state to check the effects too."]),
    verdict(checks, passed),
  ].join("\n");
}

/** The same for a day of orders, with what the system did in the scenes that failed. */
export function orderReportText({ checks, passed }: CertifyReport, calls: readonly Call[]): string {
  const textsOf = (name: string, finding: CertifiedCheck["finding"]) => {
    const { happens, advice, required } = orderChecks[name as OrderCheck];
    const found = finding === null ? "" : orderFindings[finding.code as OrderFinding];
    const optional = required ? [] : ["This check is not required. It only lowers the score."];
    return { first: happens, below: [found, advice, ...optional, ...callsOf(name as OrderCheck, calls)] };
  };
  return [...linesOf(checks, textsOf), verdict(checks, passed)].join("\n");
}

type TextsOf = (name: string, finding: CertifiedCheck["finding"]) => { first: string; below: readonly string[] };

function linesOf(checks: readonly CertifiedCheck[], textsOf: TextsOf): string[] {
  const width = Math.max(...checks.map(({ name }) => name.length));
  const lines = checks.flatMap(({ name, result, finding }) => {
    const mark = { passed: pc.green, failed: pc.red, not_checked: pc.dim }[result];
    const { first, below } = textsOf(name, finding);
    const line = `${mark(result.replace("_", " ").padEnd(WIDTH))}${name.padEnd(width)}  ${first}`;
    return finding === null ? [line] : [line, ...below.map((text) => INDENT + text)];
  });
  return [...lines, ""];
}

function verdict(checks: readonly CertifiedCheck[], passed: boolean): string {
  const count = checks.filter(({ result }) => result === "passed").length;
  return `${count} of ${checks.length} checks passed: ${passed ? pc.green("certified") : pc.red("not certified")}.`;
}

/** The requests of a check's scenes, with the time since the first. */
function callsOf(name: OrderCheck, calls: readonly Call[]): string[] {
  const scenes = scenesOfCheck(name);
  const own = calls.filter(({ scene }) => scene !== null && scenes.includes(scene));
  const [first] = own;
  if (first === undefined) return [];
  const lines = own.slice(0, MOST_CALLS).map(({ at_ms, method, path, key, status }) => {
    const after = `+${Math.round(at_ms - first.at_ms)} ms`.padStart(9);
    return pc.dim(`${after}  ${method} ${path} ${key === null ? "" : `key ${key} `}→ ${status ?? "no answer"}`);
  });
  return own.length > MOST_CALLS ? [...lines, pc.dim(`and ${own.length - MOST_CALLS} more`)] : lines;
}
