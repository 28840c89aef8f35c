import type { ReadMessage } from "../../domain/intake/incoming-message.ts";
import { readFhir } from "../../formats/fhir/read.ts";
import { readScript } from "../../formats/script/read.ts";
import { AdminRefusal } from "../../usecases/accounts/admin-refusal.ts";
import { readBytes } from "../files.ts";

export type RxFormat = "script" | "fhir";
export type RxMessage = { format: RxFormat; body: Buffer };

/** A message from a file; its format is told by how it begins. */
export function readRxFile(file: string): RxMessage {
  const body = readBytes(file);
  if (body.length === 0) throw new AdminRefusal("The file is empty.");
  return { format: formatOfBytes(body), body };
}

/** JSON begins with a brace; whatever else it is, the SCRIPT reader says what is wrong with it. */
function formatOfBytes(body: Buffer): RxFormat {
  const start = body.subarray(0, 1_000).toString("utf8").trimStart();
  return start.startsWith("{") || start.startsWith("[") ? "fhir" : "script";
}

/** What the service's reader makes of it; `ncpdp_id` is the receiver beside a FHIR message. */
export const readRxMessage = ({ format, body }: RxMessage, ncpdp_id: string | null = null): ReadMessage =>
  format === "fhir" ? readFhir(body, ncpdp_id) : readScript(body);
