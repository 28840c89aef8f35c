import { LoggedRequest, requestMethod, STATUS_PATTERN } from "../accounts/request-log.ts";
import { errors } from "../errors.ts";
import { array, nullable, object, string, time } from "../schema.ts";
import { answer, type Endpoint, paged } from "./endpoint.ts";

const [title, field, resolution] = errors[42206];
const refused: LoggedRequest = {
  request_id: "5f0c2b1e-8a4d-4c63-9b7f-2d1e6a90c4b8",
  requested_at: "2026-11-16T15:04:05.120Z",
  method: "POST",
  path: "/orders",
  status: 422,
  duration_ms: 6.42,
  client_id: "k3v9x2m4q7ab-5d8f2h6j",
  errors: [{ code: 42206, title, field, resolution }],
};

export const requestEndpoints = [
  {
    operation_id: "listRequests",
    method: "GET",
    path: "/requests",
    server: "partner",
    tags: ["Requests"],
    auth: "bearer:partners",
    summary: "List your requests",
    description:
      "What your account's programs called, newest first, without bodies, path values and queries. A request is listed about a second after its answer. The list has requests to this API with a valid token, except those that read this list. With a filter, a page can have fewer requests than `limit`, or none, and still have a `next_cursor`: the service looks at a limited number of requests for each page.",
    query: {
      status: string({
        pattern: STATUS_PATTERN,
        description: "A status such as `422`, a class such as `4xx`, or `errors` for 400 and above.",
      }),
      method: requestMethod,
      path: string("A path of this document, such as `/orders/{order_number}`."),
      request_id: string({ format: "uuid", description: "Only this request." }),
      since: time("Requests from this time on: a time or a date."),
      ...paged,
    },
    responses: {
      200: answer(
        "A page of requests.",
        object({ requests: array(LoggedRequest, "Newest first."), next_cursor: nullable(string()) }),
        {
          requests: [refused],
          next_cursor: null,
        },
      ),
    },
    codes: [40003],
  },
  {
    operation_id: "getRequest",
    method: "GET",
    path: "/requests/{request_id}",
    server: "partner",
    tags: ["Requests"],
    auth: "bearer:partners",
    summary: "Read one of your requests",
    description: "The request whose answer had this `X-Request-Id`, and what to do about its errors.",
    responses: { 200: answer("The request.", LoggedRequest, refused) },
    codes: [40003],
    may_be_missing: true,
  },
] as const satisfies readonly Endpoint[];
