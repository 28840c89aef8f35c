import { redactBody } from "../domain/operations/redact-body.ts";
import type { JsonObject } from "./body.ts";

/** A larger body is not parsed again only to be shown. */
const LARGEST_SHOWN_BYTES = 64 * 1024;

/** The redacted body of a rejected request. A forwarded one was not parsed in this process. */
export function rejectedBody(sent: Buffer | JsonObject | undefined): string | null {
  if (!Buffer.isBuffer(sent)) return redactBody(sent);
  if (sent.length === 0 || sent.length > LARGEST_SHOWN_BYTES) return null;
  try {
    return redactBody(JSON.parse(sent.toString("utf8")));
  } catch {
    return null;
  }
}
