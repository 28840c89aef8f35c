import {
  type ContinuityEntry,
  type ExceptionId,
  exceptionRow,
  messageOf,
  type OrderStatus,
  type Workflow,
} from "@pestle/contract";
import { refillsLeft } from "../intake/prescription.ts";
import { dateIn, startOfDay } from "../values/calendar.ts";
import { type FillRules, fillability } from "./fillability.ts";
import { isLicensed } from "./order-checks.ts";
import type { PrescriptionFact } from "./order-facts.ts";
import { writtenProduct } from "./resolve-items.ts";

/** The last fill of a medication, and what the next one depends on. */
export type Supply = {
  patient_id: string;
  sku: string;
  supply_ends_at: Date;
  /** Where the last fill went. */
  ship_state: string | null;
  /** The prescription of the next fill. */
  prescription: PrescriptionFact;
  open_order: { order_number: string; order_status: OrderStatus; exception_ids: readonly ExceptionId[] } | null;
  /** The schedule of that prescription. */
  schedule: ContinuityEntry["schedule"];
};

type Reasons = ContinuityEntry["next_fill"]["not_fillable"];

/** Decides when the patient runs out, and whether the next fill would be accepted then. */
export function continuityEntry(supply: Supply, workflow: Workflow, rules: FillRules): ContinuityEntry {
  const { patient_id, sku, prescription, schedule, open_order } = supply;
  const { prescription_id, drug_name } = prescription;
  const { time_zone, today } = rules;
  const runs_out_on = dateIn(time_zone, supply.supply_ends_at);
  const due_on = schedule?.status === "active" ? schedule.fill_on : runs_out_on;
  const on = due_on > today ? due_on : today;
  const not_fillable = open_order
    ? open_order.exception_ids.map(exceptionReason)
    : nextFillReasons(supply, workflow, on > today ? { ...rules, now: startOfDay(time_zone, on), today: on } : rules);
  return {
    patient_id,
    prescription_id,
    drug_name,
    sku,
    refills_left: refillsLeft(prescription),
    runs_out_on,
    days_left: daysBetween(today, runs_out_on),
    next_fill: { on, fillable: not_fillable.length === 0, not_fillable },
    schedule,
    open_order: open_order && { order_number: open_order.order_number, order_status: open_order.order_status },
  };
}

function nextFillReasons({ prescription, ship_state }: Supply, workflow: Workflow, rules: FillRules): Reasons {
  const { not_fillable } = fillability(prescription, workflow, rules);
  return [...stateReasons(prescription, ship_state, workflow, rules), ...not_fillable].sort((a, b) => a.code - b.code);
}

/** An order of Automatic Processing is held where an order over the API is refused. */
function stateReasons(
  prescription: PrescriptionFact,
  state: string | null,
  workflow: Workflow,
  rules: FillRules,
): Reasons {
  if (state === null) return [];
  const blocked = writtenProduct(prescription, rules.formulary)?.blocked_states.includes(state) ?? false;
  const unlicensed = !isLicensed(rules, state);
  if (blocked || (unlicensed && workflow === "automatic")) return [exceptionReason(67)];
  return unlicensed ? [{ code: 42231, message: messageOf(42231) }] : [];
}

const exceptionReason = (id: ExceptionId) => ({ code: id, message: exceptionRow(id).name });

const DAY_MS = 24 * 3600 * 1000;
const daysBetween = (from: string, to: string) => Math.round((Date.parse(to) - Date.parse(from)) / DAY_MS);
