import {
  type ErrorEntry,
  VERIFY_KEY,
  type WebAnswer,
  type WebBody,
  type WebQueryName,
  type WebRouteKey,
} from "@pestle/contract";
import { say } from "../ui/words/say.tsx";
import type { FileRoute, JsonRoute, Known, Method, Read, RouteOf } from "./api-path.ts";
import { isPresent } from "./presence.ts";
import { isGateway, noteAnswer, noteSilence } from "./service-reach.ts";
import { csrfToken, signedInAgain } from "./sign-in/session.ts";
import { confirmedIdentity } from "./sign-in/step-up.ts";

/** An error response from the server, or a failed connection (`status` 0). */
export class ApiError extends Error {
  readonly status: number;
  /** Machine-readable error key that a screen can handle, such as `stale`. */
  readonly key: string | null;
  /** Users quote this when they contact support. */
  readonly request_id: string | null;
  readonly problems: readonly Problem[];
  constructor(status: number, message: string, more: Partial<Pick<ApiError, "key" | "request_id" | "problems">> = {}) {
    super(message);
    this.status = status;
    this.key = more.key ?? null;
    this.request_id = more.request_id ?? null;
    this.problems = more.problems ?? [];
  }
}

/** A validation error on one field of the request. */
export type Problem = { code: number; field: string; message: string };

/** A downloaded file, with the file name from `Content-Disposition`. */
export type ApiFile = { name: string; blob: Blob };

/** `keepalive`: the browser finishes the request even if the user closes the tab. */
type Asked = { method?: Method; body?: unknown; signal?: AbortSignal; keepalive?: boolean };

/** A body without required fields may be left out. */
type Sent<Route extends WebRouteKey> =
  Record<never, never> extends WebBody<Route> ? { body?: WebBody<Route> } : { body: WebBody<Route> };

/**
 * Sends a request under `/web`; the contract's row for the path and method types the body and the answer. If the session
 * has expired, it waits for the user to sign in again and retries, so the caller does not notice.
 */
export function api<const Address extends string>(
  path: Known<JsonRoute<"GET", Address>, Address>,
  asked?: { signal?: AbortSignal },
): Promise<Read<Address>>;
export function api<const Address extends string, const M extends Exclude<Method, "GET">>(
  path: Known<JsonRoute<M, Address>, Address>,
  asked: { method: M; signal?: AbortSignal; keepalive?: boolean } & Sent<JsonRoute<M, Address>>,
): Promise<WebAnswer<JsonRoute<M, Address>>>;
export function api(path: string, asked?: Asked): Promise<unknown> {
  return ask(path, asked);
}

/** For functions that check the path in their own signature: the caller names the type of the answer. */
export async function ask<T>(path: string, asked: Asked = {}): Promise<T> {
  const response = await answer(path, "application/json", asked);
  return response.status === 204 ? (undefined as T) : ((await response.json()) as T);
}

/** Downloads a file. A plain link could not wait for sign-in or show an error. */
export async function apiFile<const Address extends string>(
  path: Known<FileRoute<Address>, Address>,
): Promise<ApiFile> {
  const response = await answer(path, "*/*", {});
  const [, name] = /filename="([^"]+)"/.exec(response.headers.get("content-disposition") ?? "") ?? [];
  return { name: name ?? "file", blob: await unbroken(response.blob()) };
}
async function answer(path: string, accept: string, asked: Asked): Promise<Response> {
  const { method = "GET", body, signal, keepalive = false } = asked;
  for (;;) {
    const token = csrfToken();
    const has_body = method !== "GET" && method !== "DELETE";
    const response = await send(path, {
      method,
      headers: {
        accept,
        ...(has_body && { "content-type": "application/json" }),
        ...(token !== null && { "x-csrf-token": token }),
        ...(isPresent() && { "x-pestle-present": "1" }),
      },
      ...(has_body && { body: JSON.stringify(body ?? {}) }),
      ...(signal && { signal }),
      keepalive,
    });
    if (response.ok) return response;
    if (response.status === 401 && (await signedInAgain(signal))) continue;
    const error = await errorOf(response);
    if (error.key !== VERIFY_KEY || !(await confirmedIdentity())) throw error;
  }
}

/** Builds a path with query parameters. Empty values are left out. */
export function addressOf<const Path extends string>(
  path: Known<RouteOf<"GET", Path>, Path>,
  filters: { readonly [Name in WebQueryName<RouteOf<"GET", Path>>]?: string | undefined },
): `${Path}?${string}` {
  const given = Object.entries<string | undefined>(filters).filter(
    (pair): pair is [string, string] => (pair[1] ?? "") !== "",
  );
  // Without a filter the address is the path alone, which names the same route.
  return (given.length === 0 ? path : `${path}?${new URLSearchParams(given)}`) as `${Path}?${string}`;
}

export async function send(path: string, init: RequestInit): Promise<Response> {
  const response = await unbroken(fetch(`/web${path}`, { credentials: "same-origin", ...init }));
  if (isGateway(response.status)) noteSilence();
  else noteAnswer();
  return response;
}
async function unbroken<T>(coming: Promise<T>): Promise<T> {
  try {
    return await coming;
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    noteSilence();
    throw new ApiError(0, say("Could not reach the server. Check your connection and try again."));
  }
}

/** The body of an answer to one route, for sign-in, which handles a 401 itself. */
export const bodyOf = async <const Key extends WebRouteKey>(_: Key, response: Response): Promise<WebAnswer<Key>> =>
  (await response.json()) as WebAnswer<Key>;

/** Parses both error bodies in the contract: a single message, or a list of field errors. */
export async function errorOf(response: Response): Promise<ApiError> {
  const request_id = response.headers.get("x-request-id");
  const body = (await response.json().catch(() => ({}))) as {
    error?: { message?: string; key?: string };
    errors?: ErrorEntry[];
  };
  const problems = (body.errors ?? []).flatMap(({ code, error_detail }) =>
    error_detail.map(({ field, message, did_you_mean }) => ({
      code,
      field,
      message:
        did_you_mean === undefined
          ? message
          : say("{message} Did you mean {suggestion}?", { message, suggestion: did_you_mean }),
    })),
  );
  const wait_s = response.headers.get("retry-after");
  const message =
    response.status === 429 && wait_s !== null
      ? say("Too many attempts. Try again in {minutes} min.", { minutes: Math.ceil(Number(wait_s) / 60) })
      : (body.error?.message ?? body.errors?.map((one) => one.message).join(" ") ?? OTHER);
  return new ApiError(response.status, message || OTHER, { key: body.error?.key ?? null, request_id, problems });
}

const OTHER = say("Something went wrong. Try again.");

/** The validation message for a field, shown next to its input. */
export const problemOf = (error: unknown, field: string): string | null =>
  (error instanceof ApiError && error.problems.find((one) => one.field === field)?.message) || null;
