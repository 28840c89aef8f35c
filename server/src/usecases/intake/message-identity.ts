import { createHash } from "node:crypto";
import type { ReadMessage } from "../../domain/intake/incoming-message.ts";
import type { IntakeFormat } from "../../domain/intake/intake-format.ts";

/** Who hands it in: the operator's account, and the credential it came with. */
export type IntakeCaller = { account_id: string; credential_id: string };

/**
 * The same bytes in another format, or for another receiver, are another message and get an answer of their own. A
 * SCRIPT message names its receiver itself; beside a FHIR message the address of the request may.
 */
export function hashOfSent(format: IntakeFormat["format"], read: ReadMessage, body: Buffer): Buffer {
  const to = (read.ok ? read.message.envelope : read.envelope)?.to ?? "";
  const beside = format === "fhir" ? `${format} ${to}\n` : "";
  return createHash("sha256").update(beside).update(body).digest();
}

/** What a message is known again by. Who names itself in no way is its credential, what has no id its bytes. */
export function messageIdentity(read: ReadMessage, { credential_id }: IntakeCaller, body_hash: Buffer) {
  const envelope = read.ok ? read.message.envelope : read.envelope;
  return {
    sender: envelope?.from ?? `credential ${credential_id}`,
    sender_message_id: envelope?.message_id ?? `sha256 ${body_hash.toString("hex")}`,
  };
}
