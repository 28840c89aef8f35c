import type { PharmacyMessage } from "./pharmacy-message.ts";

/** How to write to prescribers, and how to read what their network answers at once. */
export type PrescriberFormat = {
  write(message: PharmacyMessage): string;
  readAnswer(body: Uint8Array): NetworkAnswer | null;
};

/** `taken`: a Status or Verify. */
export type NetworkAnswer = { kind: "taken" } | { kind: "error"; code: string; description_code: string | null };
