import { type ErrorCode, type ErrorEntry, errors, messageOf } from "@pestle/contract";
import type { Problem } from "./refusals.ts";

/** One entry per code, in code order, with its fields (contract, error bodies). */
export function errorEntries(problems: readonly Problem[]): ErrorEntry[] {
  const byCode = new Map<ErrorCode, Problem[]>();
  for (const problem of problems) {
    // Mutates in place: a body of 1 MiB can have a hundred thousand unknown fields, and copying would take minutes.
    const same = byCode.get(problem.code);
    if (same === undefined) byCode.set(problem.code, [problem]);
    else same.push(problem);
  }
  return [...byCode.keys()].sort((a, b) => a - b).map((code) => entryOf(code, byCode.get(code)!));
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
