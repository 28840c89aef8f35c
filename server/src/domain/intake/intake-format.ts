import type { IntakeReply } from "./decide-intake.ts";
import type { Envelope, ReadMessage, Warning } from "./incoming-message.ts";

/** How to read and answer a format. The processing in between is the same for all formats. */
export type IntakeFormat = {
  format: "script" | "fhir" | "simulation";
  read(body: Uint8Array): ReadMessage;
  reply(reply: IntakeReply, about: ReplyContext): string;
};

export type ReplyContext = {
  /** null if the message could not be read at all. */
  envelope: Envelope | null;
  warnings: readonly Warning[];
  /** The ID of the answer itself. */
  message_id: string;
  sent_time: Date;
  prescription_id: number | null;
  /** The patient, and the prescription that it ended: returned to the caller of a simulation. */
  patient_id?: string | null;
  ended_prescription_id?: number | null;
};
