import { type ErrorCode, type ErrorEntry, errors, messageOf } from "@pestle/contract";
import type { Problem } from "./refusals.ts";

/** An answer names the first problems of each code and the first codes; a caller that repairs them sees the rest. */
export const MOST_DETAILS = 20;
export const MOST_CODES = 20;

/** One entry per code, in code order, with its fields (contract, error bodies). */
export function errorEntries(problems: readonly Problem[]): ErrorEntry[] {
  const byCode = new Map<ErrorCode, Problem[]>();
  for (const problem of problems) {
    // A body of 1 MiB can have a hundred thousand unknown fields.
    const same = byCode.get(problem.code);
    if (same === undefined) byCode.set(problem.code, [problem]);
    else if (same.length < MOST_DETAILS) same.push(problem);
  }
  const codes = [...byCode.keys()].sort((a, b) => a - b).slice(0, MOST_CODES);
  return codes.map((code) => entryOf(code, byCode.get(code)!));
}

function entryOf(code: ErrorCode, problems: readonly Problem[]): ErrorEntry {
  const suggested_address = problems.find((problem) => problem.suggested_address !== undefined)?.suggested_address;
  return {
    code,
    message: messageOf(code),
    error_detail: problems.map(({ field, message }) => ({ field, message: message ?? errors[code][2] })),
    ...(suggested_address && { suggested_address }),
  };
}
