import type { LoggedRequest } from "@pestle/contract";
import type { Call, CallOptions } from "../client.ts";
import { type Listing, listing } from "../listing.ts";
import type { AnswerOf, QueryOf } from "../operations.ts";

export type RequestFilter = Omit<QueryOf<"listRequests">, "cursor">;

export type Requests = {
  /** What the account's programs called, newest first. A request is listed about a second after its answer. */
  list(filter?: RequestFilter, options?: CallOptions): Listing<LoggedRequest, AnswerOf<"listRequests">>;
  /** The request whose answer had this `X-Request-Id`, with what to do about its errors. */
  get(request_id: string, options?: CallOptions): Promise<LoggedRequest>;
};

export function requestsOf(call: Call): Requests {
  return {
    list: (filter = {}, options) =>
      listing(
        (cursor) => call("listRequests", { query: { ...filter, cursor } }, options),
        ({ requests }) => requests,
      ),
    get: (request_id, options) => call("getRequest", { path: { request_id } }, options),
  };
}
