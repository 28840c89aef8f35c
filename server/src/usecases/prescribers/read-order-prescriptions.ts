import type { DashboardPrescriberMessage, DashboardPrescription, DashboardSchedule } from "@pestle/contract";
import { listNames } from "../../db/fulfillment/order-page.ts";
import { findOrder } from "../../db/orders/orders.ts";
import {
  listMessagesAbout,
  listOrderPrescriptions,
  type OrderPrescription,
  type ShownMessage,
} from "../../db/prescribers/order-prescriptions.ts";
import { loadRequestFacts, prescriberMessagePlace } from "../../db/prescribers/prescriber-messages.ts";
import type { Deps } from "../../deps.ts";
import { askProblems } from "../../domain/prescribers/change-question.ts";
import type { AskedMessage } from "../../domain/prescribers/compose-message.ts";
import { fillReports } from "../../domain/prescribers/fill-notice.ts";
import { renewalSentences } from "../../domain/prescribers/prescriber-request.ts";
import { intervalOf } from "../../domain/schedules/schedule.ts";
import { StatusRefusal } from "../../domain/values/refusals.ts";
import { type Vault, withKeysOfNow } from "../../vault/vault.ts";
import { noteOf } from "./read-renewal.ts";

/** A page shows the newest few of each prescription. */
const MOST_SHOWN = 20;

/** What surrounds the prescriptions of an order: their refill schedules, and the messages to their prescribers. */
export async function readOrderPrescriptions(
  deps: Pick<Deps, "db" | "vault">,
  account_id: string,
  order_number: string,
): Promise<{ prescriptions: DashboardPrescription[]; patient_keys: number[] }> {
  const rows = await listOrderPrescriptions(deps.db, account_id, order_number);
  if (rows.length === 0 && (await findOrder(deps.db, account_id, order_number)) === undefined) {
    throw new StatusRefusal(404);
  }
  const prescriptions = await Promise.all(rows.map((row) => shownPrescription(deps, account_id, row)));
  return { prescriptions, patient_keys: [...new Set(rows.map(({ patient_key }) => patient_key))] };
}

/** 404 unless the order has an item of this prescription. */
export async function requireInOrder(
  { db }: Pick<Deps, "db">,
  { account_id, order_number, prescription_id }: { account_id: string; order_number: string; prescription_id: number },
): Promise<void> {
  const rows = await listOrderPrescriptions(db, account_id, order_number);
  if (!rows.some((row) => row.prescription_id === prescription_id)) throw new StatusRefusal(404);
}

async function shownPrescription(
  deps: Pick<Deps, "db" | "vault">,
  account_id: string,
  row: OrderPrescription,
): Promise<DashboardPrescription> {
  const { prescription_id, drug_name } = row;
  const facts = (await loadRequestFacts(deps.db, account_id, prescription_id))!;
  const messages = await withKeysOfNow(deps, async () => {
    const found = await listMessagesAbout(deps.db, account_id, prescription_id, MOST_SHOWN);
    return found.map((one) => ({ ...shownMessage(deps.vault, account_id, one), person_id: one.person_id }));
  });
  const people = messages.flatMap(({ person_id }) => person_id ?? []);
  const names = new Map((await listNames(deps.db, [...new Set(people)])).map((one) => [one.person_id, one.name]));
  return {
    prescription_id,
    drug_name,
    schedule: shownSchedule(row),
    messages: messages.map(({ person_id, ...message }) => ({
      ...message,
      asked_by: person_id && (names.get(person_id) ?? person_id),
    })),
    renewal_problems: renewalSentences(facts).map(({ message }) => message),
    question_problems: askProblems(facts),
  };
}

function shownSchedule({
  schedule_id,
  status,
  every_days,
  days_supply,
  next_fill_on,
  next_fill_problems,
  paused_because,
  made_order,
}: OrderPrescription): DashboardSchedule | null {
  if (schedule_id === null) return null;
  return {
    schedule_id,
    status: status!,
    // A schedule has an interval since it was created.
    interval_days: intervalOf(every_days, days_supply)!,
    next_fill_on,
    next_fill_problems: next_fill_problems!,
    paused_because,
    made_order: made_order === true,
  };
}

function shownMessage(
  vault: Vault,
  account_id: string,
  row: ShownMessage,
): Omit<DashboardPrescriberMessage, "asked_by"> {
  const { message_id, asked_sealed, fill } = row;
  const place = prescriberMessagePlace("asked_sealed", account_id, message_id);
  const asked =
    asked_sealed === null ? null : (JSON.parse(vault.open(asked_sealed, place).toString("utf8")) as AskedMessage);
  return {
    message_id,
    kind: row.kind as DashboardPrescriberMessage["kind"],
    code: asked?.kind === "change" ? asked.code : null,
    text: fill === null ? textOf(asked) : (fillReports[fill].note ?? "Dispensed as prescribed."),
    status: row.state,
    created_at: row.created_at.toISOString(),
    sent_at: row.sent_at?.toISOString() ?? null,
    answered_at: row.answered_at?.toISOString() ?? null,
    attempts: row.attempts,
    response: row.response,
    note: noteOf(vault, account_id, row),
    new_prescription_id: row.new_prescription_id,
  };
}

function textOf(asked: AskedMessage | null): string | null {
  if (asked?.kind !== "change") return asked?.note ?? null;
  const { reason, service_reason } = asked;
  return [service_reason, reason].filter((part) => part !== null).join(": ") || null;
}
