import { timingSafeEqual } from "node:crypto";
import type { FastifyRequest } from "fastify";

/** Whether the caller sent this token, which a setting holds. */
export function sentToken(request: FastifyRequest, token: string): boolean {
  const given = Buffer.from(request.headers.authorization ?? "");
  const wanted = Buffer.from(`Bearer ${token}`);
  return given.length === wanted.length && timingSafeEqual(given, wanted);
}
