import { readBytes } from "@pestle/cli/files";
import type { ReadMessage } from "../../domain/intake/incoming-message.ts";
import { readFhir } from "../../formats/fhir/read.ts";
import { readScript } from "../../formats/script/read.ts";
import { AdminRefusal } from "../../usecases/accounts/admin-refusal.ts";

export type RxFormat = "script" | "fhir";
export type RxMessage = { format: RxFormat; body: Buffer };

/** Reads a message from a file and detects its format. */
export function readRxFile(file: string): RxMessage {
  const body = readBytes(file);
  if (body.length === 0) throw new AdminRefusal("The file is empty.");
  return { format: formatOfBytes(body), body };
}

/** JSON begins with a brace or bracket. Treat anything else as SCRIPT, whose reader explains what is wrong. */
function formatOfBytes(body: Buffer): RxFormat {
  const start = body.subarray(0, 1_000).toString("utf8").trimStart();
  return start.startsWith("{") || start.startsWith("[") ? "fhir" : "script";
}

/** Reads the message like the service does. `ncpdp_id` is the receiver of a FHIR message. */
export const readRxMessage = ({ format, body }: RxMessage, ncpdp_id: string | null = null): ReadMessage =>
  format === "fhir" ? readFhir(body, ncpdp_id) : readScript(body);
