import { compactAsciiJson } from "@pestle/contract";
import { bytes } from "../../db/values.ts";
import { eventPlace } from "../../db/webhooks/new-event.ts";
import { readPatientId } from "../../domain/sandbox/simulated-patient.ts";
import type { MadeEvent } from "../../domain/webhooks/made-event.ts";
import type { Vault } from "../../vault/vault.ts";

type Event = { account_id: string; event_id: string };

/** The body of an event as its row stores it. */
export const sealBody = (vault: Vault, { account_id, event_id }: Event, body: string): Buffer =>
  vault.seal(Buffer.from(body), eventPlace(account_id, event_id));

/** An event as its row stores it. */
export const sealEvent = (vault: Vault, account_id: string, { event_id, event_type, body }: MadeEvent) => ({
  event_id,
  event_type,
  body_sealed: bytes(sealBody(vault, { account_id, event_id }, compactAsciiJson(body))),
});

/** The partner's id of the patient that an event is about. Only its body names it. A sample names none. */
export function patientIn(body: unknown): string | null {
  const { patient_id, test } = (body ?? {}) as { patient_id?: unknown; test?: unknown };
  return test === true ? null : (readPatientId(patient_id) ?? null);
}

/** An event of an earlier version can still have its body in clear. */
export function openBody(vault: Vault, event: Event & { body: string | null; body_sealed: Buffer | null }): string {
  if (event.body_sealed === null) return event.body ?? "";
  return vault.open(event.body_sealed, eventPlace(event.account_id, event.event_id)).toString("utf8");
}

/** The same for an event that may have come without its body. */
export const patientOfEvent = (
  vault: Vault,
  event: Event & { body: string | null; body_sealed: Buffer | null },
): string | null =>
  event.body === null && event.body_sealed === null ? null : patientIn(JSON.parse(openBody(vault, event)));
