import type { ErrorCode as KnownErrorCode, Order, ErrorEntry as RecordEntry } from "./generated/records.ts";

type ErrorDetail = RecordEntry["error_detail"][number];
/** A code that this version knows, or a newer one. */
export type ErrorCode = KnownErrorCode | (number & {});
/** One problem of a refused request, with the fields that it concerns. */
export type ErrorEntry = Omit<RecordEntry, "code"> & { code: ErrorCode };
/** One wrong field of a refused request. */
export type FieldError = ErrorDetail & Pick<ErrorEntry, "code" | "doc_url">;

/** What to do about a failure. Later versions may add kinds. */
export type FailureKind =
  | "refused"
  | "unauthorized"
  | "not_found"
  | "conflict"
  | "rate_limited"
  | "unavailable"
  | "webhook_refused"
  | "proof_refused"
  | "other";

export type ErrorFacts = {
  status?: number | undefined;
  request_id?: string | undefined;
  doc_url?: string | undefined;
  error?: string | undefined;
  errors?: readonly ErrorEntry[] | undefined;
  order_number?: string | undefined;
  retry_after_s?: number | undefined;
  cause?: unknown;
};

/** The base class of all errors. Messages come from the service and never contain request data. */
export class PestleError extends Error {
  override name = "PestleError";
  /** Says which class it is, also where two copies of this package meet and `instanceof` fails. */
  readonly kind: FailureKind = "other";
  /** The HTTP status; undefined without a response. */
  readonly status: number | undefined;
  /** Quote it when you report a problem. */
  readonly request_id: string | undefined;
  /** Where the documentation explains the error, or the first one of several. */
  readonly doc_url: string | undefined;
  /** The OAuth error, such as `invalid_token`, if any. */
  readonly error: string | undefined;
  /** Every problem of a refused request, one entry per code. */
  readonly errors: readonly ErrorEntry[];
  /** The earlier order that a 409 is about, if known. */
  readonly order_number: string | undefined;
  readonly retry_after_s: number | undefined;

  constructor(message: string, facts: ErrorFacts = {}) {
    super(message, facts.cause === undefined ? undefined : { cause: facts.cause });
    this.status = facts.status;
    this.request_id = facts.request_id;
    this.errors = facts.errors ?? [];
    this.doc_url = facts.doc_url ?? this.errors[0]?.doc_url;
    this.error = facts.error;
    this.order_number = facts.order_number;
    this.retry_after_s = facts.retry_after_s;
  }

  /** Every wrong field, with its `code`, `problem` and `did_you_mean`. */
  get fields(): FieldError[] {
    return this.errors.flatMap(({ code, doc_url, error_detail }) =>
      error_detail.map((detail) => ({ ...detail, code, ...(doc_url !== undefined && { doc_url }) })),
    );
  }
}

/** 400 or 422: change the request; `errors` says where. */
export class RequestRefused extends PestleError {
  override name = "RequestRefused";
  override readonly kind = "refused";
}
/** Either server refused the credentials or the access token; `error` says why. */
export class Unauthorized extends PestleError {
  override name = "Unauthorized";
  override readonly kind = "unauthorized";
}
/** 404: no such record in the account. */
export class NotFound extends PestleError {
  override name = "NotFound";
  override readonly kind = "not_found";
}
/** 409: another request for the same order came first. `order` is the order it created, if found. */
export class Conflict extends PestleError {
  override name = "Conflict";
  override readonly kind = "conflict";
  readonly order: Order | undefined;

  constructor(message: string, facts: ErrorFacts & { order?: Order | undefined } = {}) {
    super(message, facts);
    this.order = facts.order;
  }
}
/** 429, after the retries; `retry_after_s` says how long to wait. */
export class RateLimited extends PestleError {
  override name = "RateLimited";
  override readonly kind = "rate_limited";
}
/** 503, a failed connection or an exceeded deadline, after the retries. */
export class Unavailable extends PestleError {
  override name = "Unavailable";
  override readonly kind = "unavailable";
}

/** A webhook that the pharmacy did not send, or that is too old. Respond with 401 and do nothing else. */
export class WebhookRefused extends PestleError {
  override name = "WebhookRefused";
  override readonly kind = "webhook_refused";
}

/** Any error of a call. `kind` discriminates: a `switch` over it knows the fields of each. */
export type PestleFailure =
  | RequestRefused
  | Unauthorized
  | NotFound
  | Conflict
  | RateLimited
  | Unavailable
  | WebhookRefused
  | (PestleError & { readonly kind: "other" | "proof_refused" });

/** Whether a caught value is an error of this package. */
export const isPestleError = (error: unknown): error is PestleFailure =>
  error instanceof Error && typeof (error as Partial<PestleError>).kind === "string" && "request_id" in error;

const classOf: { readonly [status: number]: typeof PestleError } = {
  400: RequestRefused,
  401: Unauthorized,
  404: NotFound,
  409: Conflict,
  422: RequestRefused,
  429: RateLimited,
  503: Unavailable,
};

/** The error for a response. Proxies respond too, so it assumes nothing about the body. */
export function errorOf(status: number, headers: Headers, text: string, now: Date): PestleError {
  const body = readObject(text);
  const facts: ErrorFacts = {
    status,
    // Some proxies drop the header.
    request_id: headers.get("x-request-id") ?? textOf(body["request_id"]),
    retry_after_s: retryAfter(headers.get("retry-after"), now),
  };
  if (Array.isArray(body["errors"])) {
    const errors = body["errors"] as ErrorEntry[];
    const told = errors.map(({ code, message }) => `${code} ${message}`).join(", ");
    return new (classOf[status] ?? PestleError)(told || `The service answered ${status}.`, { ...facts, errors });
  }
  const { error } = body;
  if (typeof error === "string") {
    // The token server refuses credentials with 400 or 401; callers treat both the same.
    const Refusal = status === 400 ? Unauthorized : (classOf[status] ?? PestleError);
    return new Refusal(`${error}: ${textOr(body["error_description"], String(status))}`, {
      ...facts,
      error,
      doc_url: textOf(body["doc_url"]),
    });
  }
  const { message, order_number, doc_url } = (error ?? {}) as Record<string, unknown>;
  return new (classOf[status] ?? PestleError)(textOr(message, `The service answered ${status}.`), {
    ...facts,
    order_number: textOf(order_number),
    doc_url: textOf(doc_url),
  });
}

const textOf = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);
const textOr = (value: unknown, otherwise: string): string => textOf(value) ?? otherwise;

function readObject(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

/** Seconds, or a date, which some proxies send (RFC 9110, 10.2.3). */
function retryAfter(value: string | null, now: Date): number | undefined {
  if (value === null) return undefined;
  if (/^\d{1,9}$/.test(value)) return Number(value);
  const at_ms = Date.parse(value);
  return Number.isNaN(at_ms) ? undefined : Math.max(0, Math.ceil((at_ms - now.getTime()) / 1000));
}
