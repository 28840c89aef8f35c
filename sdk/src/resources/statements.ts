import type { Call, CallOptions } from "../client.ts";
import type { Statement, StatementLine } from "../generated/records.ts";
import { type Listing, listing } from "../listing.ts";
import type { AnswerOf } from "../operations.ts";
import type { PageOptions } from "./orders.ts";

export type Statements = {
  /** The months in which the account was charged or refunded, newest first. */
  list(options?: PageOptions): Listing<Statement, AnswerOf<"listStatements">>;
  /** A month (`2026-11`) with its totals and the first page of its lines. */
  get(month: string, options?: PageOptions): Promise<AnswerOf<"getStatement">>;
  /** All lines of a month, oldest first. */
  lines(month: string, options?: PageOptions): Listing<StatementLine, AnswerOf<"getStatement">>;
};

export function statementsOf(call: Call): Statements {
  const page = (month: string, query: { limit?: number; cursor?: string | undefined }, options: CallOptions) =>
    call("getStatement", { path: { month }, query }, options);
  const sized = (limit: number | undefined) => (limit === undefined ? {} : { limit });
  return {
    list: ({ limit, ...options } = {}) =>
      listing(
        (cursor) => call("listStatements", { query: { limit, cursor } }, options),
        ({ statements }) => statements,
      ),
    get: (month, { limit, ...options } = {}) => page(month, sized(limit), options),
    lines: (month, { limit, ...options } = {}) =>
      listing(
        (cursor) => page(month, { ...sized(limit), cursor }, options),
        ({ lines }) => lines,
      ),
  };
}
