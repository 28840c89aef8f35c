import type { ErrorEntry } from "@pestle/sdk";

/** One line per wrong field of a refused request: where, what is wrong, what to do, and the name that was probably meant. */
export const refusedFields = (errors: readonly ErrorEntry[]): string[] =>
  errors.flatMap(({ code, error_detail }) =>
    error_detail.map(({ field, message, problem, did_you_mean }) => {
      const what = problem === undefined ? message : `${problem}. ${message}`;
      return `${field} (${code}): ${what}${did_you_mean === undefined ? "" : ` Did you mean ${did_you_mean}?`}`;
    }),
  );
