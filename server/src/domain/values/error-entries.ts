import {
  detailMessage,
  type ErrorCode,
  type ErrorEntry,
  errorDocUrl,
  MOST_ALLOWED,
  MOST_CODES,
  MOST_DETAILS,
  messageOf,
  usualProblems,
} from "@pestle/contract";
import { nearestName } from "./nearest-name.ts";
import type { Problem } from "./refusals.ts";

/** Our own paths are shorter. Only the name of an unknown field can be longer. */
const LONGEST_FIELD = 200;

/**
 * One entry per code, in code order, with its fields (contract, error bodies). An answer names the first problems of each
 * code and the first codes; a caller that repairs them sees the rest. `base_url` is the address of the documentation.
 */
export function errorEntries(problems: readonly Problem[], base_url?: string): ErrorEntry[] {
  const byCode = new Map<ErrorCode, Problem[]>();
  for (const problem of problems) {
    // A body of 1 MiB can have a hundred thousand unknown fields.
    const same = byCode.get(problem.code);
    if (same === undefined) byCode.set(problem.code, [problem]);
    else if (same.length < MOST_DETAILS) same.push(problem);
  }
  const codes = [...byCode.keys()].sort((a, b) => a - b).slice(0, MOST_CODES);
  return codes.map((code) => entryOf(code, byCode.get(code)!, base_url));
}

function entryOf(code: ErrorCode, problems: readonly Problem[], base_url: string | undefined): ErrorEntry {
  const suggested_address = problems.find((problem) => problem.suggested_address !== undefined)?.suggested_address;
  return {
    code,
    message: messageOf(code),
    error_detail: problems.map(detailOf),
    ...(suggested_address && { suggested_address }),
    ...(base_url !== undefined && { doc_url: errorDocUrl(base_url, code) }),
  };
}

function detailOf({ code, field, message, resembles, ...cause }: Problem): ErrorEntry["error_detail"][number] {
  const { problem = usualProblems[code], allowed = [] } = cause;
  const did_you_mean = resembles && nearestName(resembles.sent, resembles.names);
  return {
    field: field.length > LONGEST_FIELD ? `${field.slice(0, LONGEST_FIELD)}…` : field,
    message: message ?? detailMessage(code, cause.problem, cause.expected),
    ...(problem !== undefined && { problem }),
    ...(allowed.length > 0 && allowed.length <= MOST_ALLOWED && { allowed: [...allowed] }),
    ...(did_you_mean !== undefined && { did_you_mean }),
  };
}
