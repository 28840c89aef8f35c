import { type QuotaName, quotaNames } from "./accounts/quotas.ts";
import { errorCodes, fieldProblemNames, MOST_ALLOWED, statusMessages } from "./errors.ts";
import { array, integer, named, nullable, object, oneOf, type Static, string, union } from "./schema.ts";

/** The last member of every error body. */
export const request_id = string({ format: "uuid", description: "The same as the header `X-Request-Id`." });
/** In every error of an answer. The errors that a record stores do not have it. */
export const doc_url = string({ format: "uri", description: "Where the documentation explains the error." });

export const ErrorCodeSchema = named(
  "ErrorCode",
  oneOf(errorCodes as [(typeof errorCodes)[number], ...typeof errorCodes], "See the error catalogue."),
);

const SuggestedAddress = named(
  "SuggestedAddress",
  object({ street1: string(), street2: nullable(string()), city: string(), state: string(), zip: string() }),
);

export const ErrorEntry = named(
  "Error",
  object(
    {
      code: ErrorCodeSchema,
      message: string("The name of the error."),
      error_detail: array(
        object(
          {
            field: string({ description: "A dotted path into the request.", examples: ["items[0].ndc"] }),
            message: string("How to resolve it."),
            problem: oneOf(fieldProblemNames, "What is wrong with the field. The error catalogue has the list."),
            allowed: array(union([string(), integer()]), {
              maxItems: MOST_ALLOWED,
              description: "The values that the field accepts, if they are few.",
            }),
            did_you_mean: string("The name or value of the API that resembles the one you sent."),
          },
          { optional: ["problem", "allowed", "did_you_mean"] },
        ),
      ),
      suggested_address: SuggestedAddress,
      doc_url,
    },
    { optional: ["suggested_address", "doc_url"] },
  ),
);
export type ErrorEntry = Static<typeof ErrorEntry>;

/** 400 and 422: all problems of the request, one entry per code, in code order. */
export const ErrorsBody = named("Errors", object({ errors: array(ErrorEntry), request_id }));
export type ErrorsBody = Static<typeof ErrorsBody>;

/** 404, 405, 406, 429, 500 and 503. */
export const StatusErrorBody = named(
  "StatusError",
  object({
    error: object(
      {
        error_code: oneOf([404, 405, 406, 429, 500, 503], "Repeats the HTTP status."),
        message: string(),
        quota: oneOf(quotaNames as [QuotaName, ...QuotaName[]], "The quota that a 429 is about, if it is about one."),
        doc_url,
      },
      { optional: ["quota"] },
    ),
    request_id,
  }),
);
export type StatusErrorBody = Static<typeof StatusErrorBody>;

/** 409. */
export const ConflictBody = named(
  "Conflict",
  object({
    error: object(
      {
        error_code: oneOf([409]),
        message: string({ examples: [statusMessages[409]] }),
        order_number: string("The earlier order, if known."),
        doc_url,
      },
      { optional: ["order_number"] },
    ),
    request_id,
  }),
);
export type ConflictBody = Static<typeof ConflictBody>;
