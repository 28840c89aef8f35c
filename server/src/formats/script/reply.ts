import type { Envelope, IntakeRefusal } from "../../domain/intake/incoming-message.ts";
import { intakeRefusals } from "../../domain/intake/intake-refusals.ts";
import { element, type Markup, mark } from "./markup.ts";
import { partiesOfReply, shapes, versionToWrite, writeMessage } from "./shape.ts";
import type { ScriptVersion } from "./version.ts";

/** A reply to the sender. */
export type ScriptReply =
  /** `010`: accepted; `000`: pending. */
  | { kind: "status"; code: "010" | "000" }
  | { kind: "error"; refusal: IntakeRefusal }
  /** Replaces Status if the sender asked for a return receipt. */
  | { kind: "verify" }
  | { kind: "cancel_approved"; note: string | null }
  | { kind: "cancel_denied"; reason_codes: readonly string[]; note: string | null };

/**
 * The reply to a message, in the sender's version. The envelope is null if the message could not be read at all.
 */
export function writeReply(
  envelope: Envelope | null,
  reply: ScriptReply,
  given: { message_id: string; sent_time: string },
): string {
  const version = versionToWrite(envelope?.version ?? null);
  return writeMessage(version, { ...partiesOfReply(envelope), ...given }, writeReplyBody(reply, version));
}

/** The standard's maximum length of a note, description or denial reason. */
const NOTE_LENGTH = 70;
const MOST_CODES = 10;

export function writeReplyBody(reply: ScriptReply, version: ScriptVersion): Markup {
  switch (reply.kind) {
    case "status":
      return mark("Status", [element("Code", reply.code)]);
    case "error":
      return writeError(reply.refusal);
    case "verify":
      return mark("Verify", [element("VerifyStatus", [element("Code", "010")])]);
    case "cancel_approved":
      return mark("CancelRxResponse", [element("Response", [mark("Approved", [note("Note", reply.note)])])]);
    case "cancel_denied": {
      const codes = reply.reason_codes.map((code) => element(shapes[version].denial_code, code));
      const denied = mark("Denied", [...codes, note("DenialReason", reply.note)]);
      return mark("CancelRxResponse", [element("Response", [denied])]);
    }
  }
}

function writeError({ code, description_code, also = [] }: IntakeRefusal): Markup {
  const codes = [description_code, ...also].slice(0, MOST_CODES);
  return mark("Error", [
    element("Code", code),
    ...codes.map((each) => element("DescriptionCode", each)),
    element("Description", intakeRefusals[description_code][1]),
  ]);
}

function note(name: string, text: string | null): Markup | null {
  return element(name, text === null ? null : Array.from(text).slice(0, NOTE_LENGTH).join(""));
}
