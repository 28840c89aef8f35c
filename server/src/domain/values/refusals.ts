import type { ErrorCode, ErrorEntry } from "@pestle/contract";

/**
 * The only things that are thrown on purpose. `http/errors.ts` turns each into its body; anything else that reaches
 * it is a fault of ours, logged with the request id and answered with 500.
 */

/** One problem of a request. The sentence comes from the error table; it never repeats what was sent. */
export type Problem = { code: ErrorCode; field: string; message?: string } & Pick<ErrorEntry, "suggested_address">;

/** 400 or 422: everything that is wrong with the request, at once. */
export class RequestProblems extends Error {
  readonly problems: readonly Problem[];
  constructor(problems: readonly Problem[]) {
    super(`request refused: ${problems.map((problem) => problem.code).join(", ")}`);
    this.problems = problems;
  }
}

/** 401 on a bearer-protected address. */
export class Unauthorized extends Error {
  readonly error: "invalid_token" | "insufficient_scope" | "missing_token";
  constructor(error: Unauthorized["error"]) {
    super(error);
    this.error = error;
  }
}

/** 409: the same request is being worked on, or was a moment ago. */
export class Conflict extends Error {
  readonly order_number: string | undefined;
  constructor(order_number?: string) {
    super("conflict");
    this.order_number = order_number;
  }
}

/** A refusal that its status says whole: not found, not acceptable, too many, unavailable. */
export class StatusRefusal extends Error {
  readonly status: 404 | 406 | 429 | 503;
  readonly retry_after_s: number | undefined;
  constructor(status: StatusRefusal["status"], retry_after_s?: number) {
    super(`refused with ${status}`);
    this.status = status;
    this.retry_after_s = retry_after_s;
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
  constructor(error: OAuthRefusal["error"], retry_after_s?: number) {
    super(error);
    this.error = error;
    this.retry_after_s = retry_after_s;
  }
}

export function refuse(code: ErrorCode, field: string, message?: string): never {
  throw new RequestProblems([message === undefined ? { code, field } : { code, field, message }]);
}

/** Every problem of a request that was collected, if there is one. */
export function refuseAll(problems: readonly Problem[]): void {
  if (problems.length > 0) throw new RequestProblems(problems);
}

/** A fault as it may be logged: the stack, and for a database fault its code: never its message or detail, which can carry a row's values. */
export function faultOf(error: unknown) {
  const { name, message, stack, code, severity } = error as Error & { code?: string; severity?: string };
  if (severity !== undefined) return { name, code, stack: stack?.split("\n").slice(1).join("\n") };
  return { name, message, code, stack };
}
