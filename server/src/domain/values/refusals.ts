import {
  type ClientProblem,
  type ErrorCode,
  type ErrorEntry,
  type FieldProblem,
  type FormProblem,
  type JsonType,
  QUOTA_RETRY_AFTER_S,
  type QuotaName,
} from "@pestle/contract";

/**
 * The only errors thrown on purpose. `http/errors.ts` turns each into its body. Any other error is a bug: it is logged
 * with the request ID and answered with 500.
 */

/** One problem of a request. The message comes from the error table and never repeats the submitted data. */
export type Problem = { code: ErrorCode; field: string; message?: string } & Cause &
  Pick<ErrorEntry, "suggested_address">;

/** What is wrong with the field. Without `problem`, the code has its usual one. */
export type Cause = {
  problem?: FieldProblem;
  /** For `wrong_type`: the type to send. */
  expected?: JsonType;
  /** The values that the field accepts. */
  allowed?: readonly (string | number)[];
  /** A misspelled name or value, and our own names. An answer contains only one of ours. */
  resembles?: { sent: string; names: readonly string[] };
};

/** 400 or 422: all problems of the request at once. */
export class RequestProblems extends Error {
  readonly problems: readonly Problem[];
  constructor(problems: readonly Problem[]) {
    super(`request refused: ${problems.map((problem) => problem.code).join(", ")}`);
    this.problems = problems;
  }
}

/** 401 on a bearer-protected path. */
export class Unauthorized extends Error {
  readonly error: "invalid_token" | "insufficient_scope" | "address_not_allowed" | "missing_token";
  constructor(error: Unauthorized["error"]) {
    super(error);
    this.error = error;
  }
}

/** 409: the same request is in progress, or was a moment ago. */
export class Conflict extends Error {
  readonly order_number: string | undefined;
  constructor(order_number?: string) {
    super("conflict");
    this.order_number = order_number;
  }
}

/** An error that its status fully describes: not found, not acceptable, too many requests, unavailable. */
export class StatusRefusal extends Error {
  readonly status: 404 | 406 | 429 | 503;
  readonly retry_after_s: number | undefined;
  constructor(status: StatusRefusal["status"], retry_after_s?: number) {
    super(`refused with ${status}`);
    this.status = status;
    this.retry_after_s = retry_after_s;
  }
}

/** 503: the database is out of reach. */
export class OutOfReach extends StatusRefusal {
  /** `nothing`: the statement or the transaction saved nothing. `unknown`: it may have been carried out. */
  readonly saved: "nothing" | "unknown";
  constructor(saved: OutOfReach["saved"]) {
    super(503, OUT_OF_REACH_RETRY_AFTER_S);
    this.saved = saved;
  }
}
const OUT_OF_REACH_RETRY_AFTER_S = 1;

/** 429: the account stores as much as it may. */
export class QuotaRefusal extends StatusRefusal {
  readonly quota: QuotaName;
  constructor(quota: QuotaName) {
    super(429, QUOTA_RETRY_AFTER_S);
    this.quota = quota;
  }
}

/** RFC 6749 section 5.2, for the token servers. */
export class OAuthRefusal extends Error {
  readonly error:
    | "invalid_request"
    | "invalid_client"
    | "unsupported_grant_type"
    | "invalid_scope"
    | "too_many_requests";
  readonly retry_after_s: number | undefined;
  /** A cause that the caller may know, because it proved who it is or because it says nothing about our data. */
  readonly problem: ClientProblem | FormProblem | undefined;
  constructor(error: OAuthRefusal["error"], retry_after_s?: number, problem?: ClientProblem | FormProblem) {
    super(error);
    this.error = error;
    this.retry_after_s = retry_after_s;
    this.problem = problem;
  }
}

/** A request that the token server cannot read, or not serve as it is. */
export const refusedForm = (problem: FormProblem, error: OAuthRefusal["error"] = "invalid_request") =>
  new OAuthRefusal(error, undefined, problem);

export const refusedClient = (problem: ClientProblem) => new OAuthRefusal("invalid_client", undefined, problem);

export function refuse(code: ErrorCode, field: string, more: Omit<Problem, "code" | "field"> = {}): never {
  throw new RequestProblems([{ code, field, ...more }]);
}

/** Throws the collected problems, if there are any. */
export function refuseAll(problems: readonly Problem[]): void {
  if (problems.length > 0) throw new RequestProblems(problems);
}

/**
 * An error as it can be logged: the stack, and for a database error its code, never its message or detail, which can
 * contain row values.
 */
export function faultOf(error: unknown) {
  const { name, message, stack, code, severity } = error as Error & { code?: string; severity?: string };
  if (severity !== undefined) return { name, code, stack: stack?.split("\n").slice(1).join("\n") };
  return { name, message, code, stack };
}
