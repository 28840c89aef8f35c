import type { Call } from "../client.ts";
import type { ContinuityEntry } from "../generated/records.ts";
import { type Listing, listing } from "../listing.ts";
import type { AnswerOf } from "../operations.ts";
import type { PageOptions } from "./orders.ts";

/** Who runs out of which medication within the given days (1 to 180, default 30), the earliest first. */
export type Continuity = (
  options?: PageOptions & { within_days?: number },
) => Listing<ContinuityEntry, AnswerOf<"listContinuity">>;

export const continuityOf =
  (call: Call): Continuity =>
  ({ within_days, limit, ...options } = {}) =>
    listing(
      (cursor) => call("listContinuity", { query: { within_days, limit, cursor } }, options),
      ({ continuity }) => continuity,
    );
