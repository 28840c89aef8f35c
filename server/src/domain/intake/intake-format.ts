import type { IntakeReply } from "./decide-intake.ts";
import type { Envelope, ReadMessage, Warning } from "./incoming-message.ts";

/** How a format is read and answered; what happens in between is the same for all. */
export type IntakeFormat = {
  format: "script" | "fhir" | "simulation";
  read(body: Uint8Array): ReadMessage;
  reply(reply: IntakeReply, about: ReplyContext): string;
};

export type ReplyContext = {
  /** null where the message could not be read at all. */
  envelope: Envelope | null;
  warnings: readonly Warning[];
  /** Of the answer itself. */
  message_id: string;
  sent_time: Date;
  prescription_id: number | null;
  /** Whose it is, and the prescription that it ended: told to whoever simulates. */
  patient_id?: string | null;
  ended_prescription_id?: number | null;
};
