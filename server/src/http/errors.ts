import {
  bearerErrors,
  clientProblems,
  type ErrorCode,
  errorDocUrl,
  formProblems,
  oauthErrors,
  QUOTA_MESSAGE,
  type StatusErrorCode,
  statusMessages,
  statusOf,
} from "@pestle/contract";
import type { FastifyError } from "fastify";
import { errorEntries } from "../domain/values/error-entries.ts";
import {
  Conflict,
  OAuthRefusal,
  type Problem,
  QuotaRefusal,
  RequestProblems,
  StatusRefusal,
  Unauthorized,
} from "../domain/values/refusals.ts";
import { type Answer, json } from "./answer.ts";

const NEVER_KEPT = { "cache-control": "no-store", pragma: "no-cache" };

/**
 * Turns an error into the contract's body, except for the id of its request, which `send` adds. `base_url` is the address
 * of the documentation. `undefined`: an unexpected fault, which the listener logs and answers with 500.
 */
export function errorAnswer(error: unknown, base_url: string): Answer | undefined {
  if (error instanceof RequestProblems) return problemsAnswer(error.problems, base_url);
  if (error instanceof QuotaRefusal) {
    const { quota, retry_after_s } = error;
    const headers = { "retry-after": String(retry_after_s) };
    return statusBody(429, base_url, { message: QUOTA_MESSAGE, quota }, headers);
  }
  if (error instanceof StatusRefusal) return statusAnswer(error.status, base_url, error.retry_after_s);
  if (error instanceof Unauthorized) return bearerAnswer(error, base_url);
  if (error instanceof OAuthRefusal) return oauthAnswer(error, base_url);
  if (error instanceof Conflict) {
    const { order_number } = error;
    return statusBody(409, base_url, { message: statusMessages[409], ...(order_number && { order_number }) });
  }
  return frameworkAnswer(error, base_url);
}

/** `more`: what the body tells beside the error. */
export function statusAnswer(
  status: 404 | 406 | 429 | 500 | 503,
  base_url: string,
  retry_after_s?: number,
  more?: Record<string, unknown>,
): Answer {
  const headers = retry_after_s === undefined ? undefined : { "retry-after": String(retry_after_s) };
  return statusBody(status, base_url, { message: statusMessages[status] }, headers, more);
}

/** The path exists, but not with this method (contract, 11.24). */
export const methodAnswer = (allow: string, base_url: string): Answer =>
  statusBody(405, base_url, { message: statusMessages[405] }, { allow });

const statusBody = (
  status: StatusErrorCode,
  base_url: string,
  shown: { message: string; quota?: string; order_number?: string },
  headers?: Record<string, string>,
  more?: Record<string, unknown>,
): Answer =>
  json(status, { ...more, error: { error_code: status, ...shown, doc_url: errorDocUrl(base_url, status) } }, headers);

/**
 * The same for a token server. An unreadable request is RFC 6749's `invalid_request`, and no cache may store an error
 * (contract, 3). The HTTPS error has the same body on all listeners.
 */
export function tokenServerErrorAnswer(error: unknown, base_url: string): Answer | undefined {
  const https = error instanceof RequestProblems && error.problems.some(({ code }) => code === 40010);
  const refused = errorAnswer(error, base_url);
  if (refused?.status === 400 && !https && !(error instanceof OAuthRefusal)) {
    return oauthAnswer(new OAuthRefusal("invalid_request"), base_url);
  }
  return refused && unkept(refused);
}

export const unkept = (refused: Answer): Answer => ({ ...refused, headers: { ...NEVER_KEPT, ...refused.headers } });

/** Errors that Fastify itself raises before a handler runs. */
function frameworkAnswer(error: unknown, base_url: string): Answer | undefined {
  const { code = "" } = error as Partial<FastifyError>;
  if (/^FST_ERR_(BAD_URL|MAX_PARAM_LENGTH|NOT_FOUND|ROUTE)/.test(code)) return statusAnswer(404, base_url);
  if (/^FST_ERR_CTP_/.test(code)) return problemsAnswer([{ code: 40002, field: "Content-Type" }], base_url);
  return undefined;
}

/** Unreadable input comes before broken rules. */
function problemsAnswer(problems: readonly Problem[], base_url: string): Answer {
  const entries = errorEntries(problems, base_url);
  const status = entries.some(({ code }) => statusOf(code as ErrorCode) === 400) ? 400 : 422;
  return json(status, { errors: entries.filter(({ code }) => statusOf(code as ErrorCode) === status) });
}

function bearerAnswer({ error }: Unauthorized, base_url: string): Answer {
  // RFC 6750, 3.1: the challenge to a request without a token carries no error code.
  const challenge = error === "missing_token" ? "" : `, error="${error}"`;
  const name = error === "missing_token" ? "invalid_token" : error;
  const [status, error_description] = bearerErrors[name];
  return json(
    status,
    { error: name, error_description, doc_url: errorDocUrl(base_url, name) },
    { "www-authenticate": `Bearer realm="partners"${challenge}` },
  );
}

function oauthAnswer({ error, retry_after_s, problem }: OAuthRefusal, base_url: string): Answer {
  const [status, usual] = oauthErrors[error];
  const error_description = problem === undefined ? usual : { ...clientProblems, ...formProblems }[problem];
  return json(
    status,
    { error, error_description, doc_url: errorDocUrl(base_url, error) },
    {
      ...NEVER_KEPT,
      // Only on 401, because two widespread clients hide the body of a 400 that carries it.
      ...(status === 401 ? { "www-authenticate": 'Basic realm="token"' } : {}),
      ...(retry_after_s === undefined ? {} : { "retry-after": String(retry_after_s) }),
    },
  );
}
