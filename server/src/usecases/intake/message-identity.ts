import { createHash } from "node:crypto";
import type { ReadMessage } from "../../domain/intake/incoming-message.ts";
import type { IntakeFormat } from "../../domain/intake/intake-format.ts";

/** The caller that submits a message: the operator's account and its credential. */
export type IntakeCaller = { account_id: string; credential_id: string };

/**
 * The same bytes in another format or for another receiver are a different message with its own answer. A SCRIPT
 * message names its receiver itself; for FHIR, the request's URL may name it.
 */
export function hashOfSent(format: IntakeFormat["format"], read: ReadMessage, body: Buffer): Buffer {
  const to = (read.ok ? read.message.envelope : read.envelope)?.to ?? "";
  const beside = format === "fhir" ? `${format} ${to}\n` : "";
  return createHash("sha256").update(beside).update(body).digest();
}

/** Identifies a repeated message. Without a named sender the credential counts, and without an id the body's hash. */
export function messageIdentity(read: ReadMessage, { credential_id }: IntakeCaller, body_hash: Buffer) {
  const envelope = read.ok ? read.message.envelope : read.envelope;
  return {
    sender: envelope?.from ?? `credential ${credential_id}`,
    sender_message_id: envelope?.message_id ?? `sha256 ${body_hash.toString("hex")}`,
  };
}
