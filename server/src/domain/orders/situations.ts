import { type DrugSchedule, type ExceptionId, exceptionRow, type KnownOfHold, type Situation } from "@pestle/contract";
import type { Verdict } from "../values/address/verdict.ts";

/** What the limits of an action depend on. */
type LimitedOrder = {
  drug_schedule: DrugSchedule;
  payment_status: string;
  items: readonly { needs_prescription: boolean; prescription_id: number | null }[];
  exceptions: readonly { id: ExceptionId; situations?: readonly KnownOfHold[] }[];
};

/** The situations of an order, and of one of its open exceptions. The offer and the refusal of an action both read them. */
export function situationsOf(order: LimitedOrder, id: ExceptionId | null): ReadonlySet<KnownOfHold> {
  const { drug_schedule, payment_status, items, exceptions } = order;
  const applies: Partial<Record<Situation, boolean>> = {
    pharmacist_decides: id !== null && exceptionRow(id).who_acts === "pharmacist",
    schedule_2: drug_schedule === "2",
    controlled: drug_schedule !== "0",
    last_item: items.length === 1,
    no_prescription_item: !items.some(takesPrescription),
    payment_pending: payment_status === "pending",
  };
  const of_order = (Object.keys(applies) as Situation[]).filter((situation) => applies[situation]);
  return new Set([...of_order, ...(exceptions.find((one) => one.id === id)?.situations ?? [])]);
}

/** It needs a prescription, or it has one although its product needs none. */
export const takesPrescription = (item: LimitedOrder["items"][number]): boolean =>
  item.needs_prescription || item.prescription_id !== null;

/** What the validator knows about the order's address when it raises 77 or 78. */
export const addressSituations = (verdict: Pick<Verdict, "result" | "suggestions"> | null): Situation[] =>
  verdict !== null && (verdict.result === "valid" || verdict.suggestions.length > 0) ? [] : ["no_suggestion"];
