import type { ExceptionId, TimelineEntry } from "@pestle/contract";
import type { ActionLine, HistoryLine, ViewLine, WebhookLine } from "../../db/fulfillment/order-page.ts";
import type { ExchangeRow } from "../../db/operations/provider-exchanges.ts";
import { type PatientMessageLine, shownPatientMessage } from "../../db/patients/patient-messages.ts";
import type { OrderNote } from "./claim-order.ts";

type Happened = {
  history: readonly HistoryLine[];
  notes: readonly OrderNote[];
  actions: readonly ActionLine[];
  views: readonly ViewLine[];
  webhooks: readonly WebhookLine[];
  exchanges: readonly ExchangeRow[];
  patient_messages: readonly PatientMessageLine[];
};

/** Everything that happened to an order, newest first. A change shows its own note. */
export function timelineOf(
  { history, notes, actions, views, webhooks, exchanges, patient_messages }: Happened,
  names: ReadonlyMap<string, string>,
): TimelineEntry[] {
  const nameOf = (person_id: string | null) => (person_id === null ? null : (names.get(person_id) ?? person_id));
  const reasons = new Map(notes.map(({ note_id, reason }) => [note_id, reason]));
  const told = new Set(history.flatMap(({ note_id }) => note_id ?? []));
  const entries: TimelineEntry[] = [
    ...history.map(({ at, actor, person_id, note_id, event, from, to, stage, exception_id }) => ({
      kind: "history" as const,
      ...{ at: at.toISOString(), who: nameOf(person_id), role: actor },
      ...{ event, from, to, stage, exception_id },
      reason: note_id === null ? null : (reasons.get(note_id) ?? null),
    })),
    ...notes
      // An override of the safety engine also gets its own entry, with its signature.
      .filter(({ note_id, overridden }) => !told.has(note_id) || overridden.length > 0)
      .map(({ at, person_id, role, reason, overridden, code, license_number, signature_holds }) => ({
        kind: "note" as const,
        ...{ at: at.toISOString(), who: nameOf(person_id), role, reason, code, license_number, signature_holds },
        overridden: overridden as ExceptionId[],
      })),
    ...actions.map(({ at, event, exception_id }) => ({
      kind: "action" as const,
      ...{ at: at.toISOString(), who: null, role: "partner", event, exception_id },
    })),
    ...webhooks.map(({ at, event_type, url, attempt, status, error, delivery_status }) => ({
      kind: "webhook" as const,
      ...{ at: at.toISOString(), who: null, role: "system", event_type, attempt, status, error },
      // Show only the origin: the path may contain one of the partner's secrets.
      url: url === null ? "" : new URL(url).origin,
      outcome: delivery_status,
    })),
    ...exchanges.map(({ at, exchange_id: _, ...exchange }) => ({
      kind: "provider" as const,
      ...{ at: at.toISOString(), who: null, role: "system", ...exchange },
    })),
    ...patient_messages.map((message) => ({
      kind: "patient_message" as const,
      ...{ who: null, role: "system", ...shownPatientMessage(message) },
    })),
    ...views.map(({ at, person_id, role, action }) => ({
      kind: "view" as const,
      ...{ at: at.toISOString(), who: nameOf(person_id), role, action },
    })),
  ];
  // The sort is stable, so entries of the same instant keep the order in which they were written.
  return entries.sort((a, b) => (a.at < b.at ? 1 : a.at > b.at ? -1 : 0));
}
