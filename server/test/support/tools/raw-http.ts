import { connect } from "node:net";
import { isDeepStrictEqual } from "node:util";
import {
  bearerErrors,
  detailMessage,
  ERRORS_PAGE,
  type ErrorCode,
  type ErrorEntry,
  fieldProblemNames,
  formatTexts,
  formProblems,
  type JsonType,
  messageOf,
  oauthErrors,
  statusMessages,
  statusOf,
  typeTexts,
} from "@pestle/contract";
import { rendered } from "../../../src/http/answer.ts";

/** The answers byte for byte, without a client library between the test and the wire. */
export type RawAnswer = {
  status: number;
  /** By lower-case name; a header that was sent twice has two values. */
  headers: Map<string, string[]>;
  body: Buffer;
};
export type Exchange = {
  answers: RawAnswer[];
  /** Statuses of the interim 1xx answers. */
  interim: number[];
  /** Bytes after the last complete answer. */
  rest: Buffer;
  /** Whether the server closed the connection before the client did. */
  closed: boolean;
};

export type ExchangeOptions = {
  /** How many answers to wait for, or `"closed"` to wait until the server closes the connection. */
  until?: number | "closed";
  /** Answers to HEAD have a length and no body. */
  head?: boolean;
  /** The client half-closes the connection and keeps reading. */
  half_close?: boolean;
  /** The limit for an exchange: a hang is a failure, not a slow test. */
  deadline_ms?: number;
};

const DEADLINE_MS = 60_000;

/** Sends bytes over its own connection and reads the answers until the deadline. */
export function exchange(
  url: string,
  bytes: string | Buffer | readonly (string | Buffer)[],
  { until = 1, head = false, half_close = false, deadline_ms = DEADLINE_MS }: ExchangeOptions = {},
): Promise<Exchange> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port) });
    let received: Buffer = Buffer.alloc(0);
    const read = (closed: boolean) => ({ ...readAnswers(received, head), closed });
    const timer = setTimeout(() => {
      socket.destroy();
      reject(new Error(`no end within ${deadline_ms} ms; received: ${received.toString("latin1").slice(0, 300)}`));
    }, deadline_ms);
    const finish = (closed: boolean) => {
      clearTimeout(timer);
      socket.destroy();
      resolve(read(closed));
    };
    socket.on("data", (chunk) => {
      received = Buffer.concat([received, chunk]);
      if (until !== "closed" && read(false).answers.length >= until) finish(false);
    });
    socket.on("end", () => finish(true));
    // A server that answers and closes while the client still writes causes a reset; bytes that arrived before it
    // count.
    socket.on("error", () => finish(true));
    for (const part of typeof bytes === "string" || Buffer.isBuffer(bytes) ? [bytes] : bytes) {
      socket.write(typeof part === "string" ? Buffer.from(part, "latin1") : part);
    }
    if (half_close) socket.end();
  });
}

/** A request as bytes, without additions. Strings of the head are Latin-1, those of the body UTF-8. */
export function requestBytes(line: string, headers: readonly string[], body: string | Buffer = ""): Buffer {
  return Buffer.concat([
    Buffer.from(`${[line, ...headers].join("\r\n")}\r\n\r\n`, "latin1"),
    typeof body === "string" ? Buffer.from(body) : body,
  ]);
}

function readAnswers(received: Buffer, head: boolean): Omit<Exchange, "closed"> {
  const answers: RawAnswer[] = [];
  const interim: number[] = [];
  let rest = received;
  for (;;) {
    const end = rest.indexOf("\r\n\r\n");
    if (end < 0) break;
    const [line = "", ...lines] = rest.subarray(0, end).toString("latin1").split("\r\n");
    const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(line)?.[1]);
    if (Number.isNaN(status)) break;
    const headers = new Map<string, string[]>();
    for (const header of lines) {
      const name = header.slice(0, header.indexOf(":")).toLowerCase();
      headers.set(name, [...(headers.get(name) ?? []), header.slice(name.length + 1).trim()]);
    }
    const bodiless = head || status < 200 || status === 204 || status === 304;
    const length = bodiless ? 0 : Number(headers.get("content-length")?.[0] ?? 0);
    if (rest.length < end + 4 + length) break;
    const body = rest.subarray(end + 4, end + 4 + length);
    rest = rest.subarray(end + 4 + length);
    if (status < 200) interim.push(status);
    else answers.push({ status, headers, body });
  }
  return { answers, interim, rest };
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const NOT_CACHED = "max-age=0, private, must-revalidate";

/** A short form of an answer: its status, then its codes or the name of its error. */
export function outcomeOf({ status, body }: RawAnswer): string {
  if (status < 400 || body.length === 0) return String(status);
  const { errors, error } = JSON.parse(body.toString()) as { errors?: { code: number }[]; error?: unknown };
  const names = errors?.map(({ code }) => code) ?? (typeof error === "string" ? [error] : []);
  return [status, ...names].join(" ");
}

/** The promises that an answer breaks; empty if none. Pages promise only an X-Request-Id. */
export function brokenPromises(
  answer: RawAnswer,
  listener: "partner" | "token",
  sent: { head?: boolean } = {},
): string[] {
  const { status, headers, body } = answer;
  const broken: string[] = [];
  const check = (holds: boolean, promise: string) => void (holds || broken.push(`${promise} (${status})`));
  const only = (name: string) => (headers.get(name)?.length === 1 ? headers.get(name)![0]! : "");
  check(UUID.test(only("x-request-id")), "X-Request-Id is a UUID");
  const type = only("content-type");
  if (status === 200 && /^text\/(html|plain)/.test(type)) return broken;

  const etag = only("etag");
  check(/^W\/"[0-9a-f]{32}"$/.test(etag), "ETag is weak and has 32 hexadecimal digits");
  const bodiless = sent.head === true || status === 304;
  if (!bodiless) check(etag === rendered(body.toString()).etag, "ETag is made from the body");
  if (!bodiless) check(only("content-length") === String(body.length), "Content-Length is the body's");
  if (body.length > 0) check(/^application\/json; ?charset=utf-8$/.test(type), "the body is called JSON in UTF-8");

  if (listener === "partner") {
    check(only("cache-control") === NOT_CACHED, "Cache-Control is the partner API's");
    check(/^"credential";q=\d+;w=\d+$/.test(only("ratelimit-policy")), "RateLimit-Policy is there");
    check(/^"credential";r=\d+;t=\d+$/.test(only("ratelimit")), "RateLimit is there");
  } else if (status >= 400) {
    check(only("cache-control") === "no-store", "a token server's error is not stored");
    check(only("pragma") === "no-cache", "a token server's error says Pragma: no-cache");
  }
  const challenge = listener === "partner" ? /^Bearer realm="partners"/ : /^Basic realm="/;
  check(
    status === 401 ? challenge.test(only("www-authenticate")) : !headers.has("www-authenticate"),
    "WWW-Authenticate",
  );
  check(headers.has("allow") === (status === 405), "Allow with 405 only");
  check(headers.has("retry-after") === (status === 429 || status === 503), "Retry-After with 429 and 503 only");
  if (status >= 400 && !bodiless) check(hasShape(answer, listener), `the body is one of the contract's: ${body}`);
  return broken;
}

/** Every message that the catalogue has for a code. */
const isTold = (code: ErrorCode, message: string): boolean => messagesOf(code).includes(message) || isLimit(message);
const messagesOf = (code: ErrorCode): string[] =>
  [undefined, ...fieldProblemNames].flatMap((problem) =>
    [undefined, ...(Object.keys(typeTexts) as JsonType[])].map((expected) => detailMessage(code, problem, expected)),
  );

/** What a row of the contract says that its field accepts. */
const isLimit = (message: string): boolean =>
  Object.values(formatTexts).includes(message) ||
  message === "Use one of the values in `allowed`." ||
  /^Send (a number from \d+( to \d+)?|a list of (at (least|most) \d+|\d+ to \d+) entries|(at most \d+|\d+ to \d+) characters)\.$/.test(
    message,
  );

/** Checks error bodies. Every message comes from the catalogue, so none can repeat the input. */
function hasShape({ status, headers, body }: RawAnswer, listener: "partner" | "token"): boolean {
  const { request_id, ...value } = JSON.parse(body.toString()) as Record<string, unknown>;
  if (request_id !== headers.get("x-request-id")?.[0]) return false;
  /** Without its link, which must lead to the section about this error. */
  const unlinked = (linked: unknown, name: number | string) => {
    const { doc_url, ...rest } = (linked ?? {}) as { doc_url?: unknown };
    return String(doc_url).endsWith(`${ERRORS_PAGE}#${name}`) ? rest : undefined;
  };
  const named = Object.entries<readonly [number, string]>(listener === "partner" ? bearerErrors : oauthErrors).flatMap(
    ([error, [of, usual]]) =>
      [usual, ...(listener === "token" ? Object.values(formProblems) : [])].map((told) => [error, [of, told]] as const),
  );
  const isNamed = ([error, [of, error_description]]: (typeof named)[number]) =>
    of === status && isDeepStrictEqual(unlinked(value, error), { error, error_description });
  if (named.some(isNamed)) return true;
  if (status in statusMessages) {
    const message = statusMessages[status as keyof typeof statusMessages];
    const { error, ...others } = value;
    const wanted = { error_code: status, message };
    return Object.keys(others).length === 0 && isDeepStrictEqual(unlinked(error, status), wanted);
  }
  const entries = value["errors"] as ErrorEntry[];
  if (listener === "token" || !Array.isArray(entries) || Object.keys(value).length !== 1) return false;
  return entries.every((entry, i) => {
    const { code, message, error_detail } = entry;
    return (
      statusOf(code) === status &&
      message === messageOf(code) &&
      unlinked(entry, code) !== undefined &&
      (i === 0 || entries[i - 1]!.code < code) &&
      error_detail.length > 0 &&
      error_detail.every((detail) => typeof detail.field === "string" && isTold(code, detail.message))
    );
  });
}
