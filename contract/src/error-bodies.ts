import { type QuotaName, quotaNames } from "./accounts/quotas.ts";
import { errorCodes, statusMessages } from "./errors.ts";
import { array, named, nullable, object, oneOf, type Static, string } from "./schema.ts";

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
        object({
          field: string({ description: "A dotted path into the request.", examples: ["items[0].ndc"] }),
          message: string("How to resolve it."),
        }),
      ),
      suggested_address: SuggestedAddress,
    },
    { optional: ["suggested_address"] },
  ),
);
export type ErrorEntry = Static<typeof ErrorEntry>;

/** 400 and 422: all problems of the request, one entry per code, in code order. */
export const ErrorsBody = named("Errors", object({ errors: array(ErrorEntry) }));
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
      },
      { optional: ["quota"] },
    ),
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
      },
      { optional: ["order_number"] },
    ),
  }),
);
export type ConflictBody = Static<typeof ConflictBody>;
