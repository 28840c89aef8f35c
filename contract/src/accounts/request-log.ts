import { array, integer, named, nullable, number, object, oneOf, type Static, string, time } from "../schema.ts";

/* The account's own requests, as the API, the portal and the command line show them. */

const methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"] as const;
export const requestMethod = oneOf(methods, "The HTTP method.");
export const requestMethods: readonly string[] = methods;

/** A status, all statuses with the same first digit, or all errors. */
export const STATUS_PATTERN = "^([1-5](xx|[0-9]{2})|errors)$";

/** The statuses that a filter such as `422`, `4xx` or `errors` means; null if it is malformed. */
export function statusRange(text: string): { from: number; to: number } | null {
  if (!new RegExp(STATUS_PATTERN).test(text)) return null;
  if (text === "errors") return { from: 400, to: 599 };
  return { from: Number(text.replace("xx", "00")), to: Number(text.replace("xx", "99")) };
}

export const RequestError = named(
  "RequestError",
  object({
    code: integer("The numbered code, or the status if the answer had none."),
    title: string("The name of the code."),
    field: nullable(string("The field that usually causes it.")),
    resolution: string("What to do."),
  }),
);
export type RequestError = Static<typeof RequestError>;

export const LoggedRequest = named(
  "LoggedRequest",
  object({
    request_id: string({ format: "uuid", description: "The answer's `X-Request-Id`." }),
    requested_at: time("Real time, not the sandbox clock."),
    method: requestMethod,
    path: string({
      description:
        "The path of this document, such as `/orders/{order_number}`, without the values and without the query: they can identify a patient.",
      examples: ["/orders/{order_number}"],
    }),
    status: integer("The HTTP status of the answer."),
    duration_ms: number("How long the service took, in milliseconds."),
    client_id: string("The credential that sent it."),
    errors: array(RequestError, "The errors of the answer, in its order. Empty for a success."),
  }),
);
export type LoggedRequest = Static<typeof LoggedRequest>;
