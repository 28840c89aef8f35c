import { hash } from "node:crypto";
import type { WebFile } from "@pestle/contract";
import type { FastifyReply, FastifyRequest } from "fastify";
import { etagMatches } from "../domain/values/http-headers.ts";
import type { Seen } from "../usecases/operations/audit-partner.ts";

/** A body in its final bytes with its ETag. Render it once, send it many times. */
export type Rendered = { text: string | Buffer; etag: string };
/** `Told` is the type of the value behind the body. The phantom key exists only for the compiler. */
export type Answer<Told = unknown> = {
  status: number;
  body: Rendered;
  headers?: Record<string, string>;
  /** For the audit log: the patients that the answer is about. */
  seen?: Seen;
  readonly "~told"?: Told;
};

export const NOT_CACHED = "max-age=0, private, must-revalidate";
const JSON_TYPE = "application/json; charset=utf-8";

export const rendered = (text: string): Rendered => ({ text, etag: etagOf(hash("sha256", text, "hex")) });

/** A long text is encoded once, instead of once for its ETag, once for its length and once for the socket. */
export function renderedBytes(text: string): Rendered {
  const bytes = Buffer.from(text);
  return { text: bytes, etag: etagOf(hash("sha256", bytes, "hex")) };
}

/** From the hash of the body. */
export const etagOf = (sha256: string) => `W/"${sha256.slice(0, 32)}"`;

/** A file to view or print. Its name does not identify the patient. */
export const file = (bytes: Buffer, type: string, name: string): Answer<WebFile> => ({
  status: 200,
  body: { text: bytes, etag: rendered(bytes.toString("latin1")).etag },
  headers: { "content-type": type, "content-disposition": `inline; filename="${name}"` },
});

/** An answer with a patient's data. */
export const showing = <Told>(made: Answer<Told>, seen: Seen): Answer<Told> => ({ ...made, seen });

export const json = <Told>(status: number, value: Told, headers?: Record<string, string>): Answer<Told> =>
  answer(status, rendered(JSON.stringify(value)), headers);

/** Wraps a body in its final bytes. The caller, or the return type, determines `Told`. */
export const answer = <Told>(status: number, body: Rendered, headers?: Record<string, string>): Answer<Told> =>
  headers === undefined ? { status, body } : { status, body, headers };

/** Every error body ends with the id of its request, so that no route can forget it (contract, 11.25). */
export const withRequestId = (body: Rendered, request_id: string): Rendered =>
  rendered(`${String(body.text).slice(0, -1)},"request_id":"${request_id}"}`);

/**
 * Sends every answer of every listener. ETag, conditional answers and caching live here, so that no route can forget
 * them (spec, Cross-cutting 1 to 3; the request id is set when the request arrives).
 */
export function send(request: FastifyRequest, reply: FastifyReply, made: Answer): FastifyReply {
  const { status, headers } = made;
  const body = status < 400 ? made.body : withRequestId(made.body, request.id);
  reply.header("etag", body.etag);
  reply.header("cache-control", request.url.startsWith("/web/") ? "no-store" : NOT_CACHED);
  const { stranger_headers, closing } = reply.server.house;
  if (request.grant === undefined) reply.headers(stranger_headers);
  if (headers !== undefined) reply.headers(headers);
  // During shutdown, an answer in flight is the last one on its connection.
  if (closing) reply.header("connection", "close");
  // The body was too long to read to its end, so no later request on this connection is readable.
  if (request.raw.isPaused()) reply.header("connection", "close");
  if (status === 200 && isRead(request) && etagMatches(request.headers["if-none-match"], body.etag)) {
    reply.code(304);
    // Fastify derives the Content-Length of a HEAD from this body. It must be the length of the full answer.
    return request.method === "HEAD" ? reply.send(body.text) : reply.send();
  }
  reply.code(status);
  if (body.text === "") return reply.send();
  if (!reply.hasHeader("content-type")) reply.header("content-type", JSON_TYPE);
  return reply.send(body.text);
}

const isRead = (request: FastifyRequest) => request.method === "GET" || request.method === "HEAD";
