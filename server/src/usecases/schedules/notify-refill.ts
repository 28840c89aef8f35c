import { listDispenses } from "../../db/schedules/due-schedules.ts";
import { insertEvent } from "../../db/webhooks/new-event.ts";
import type { Deps } from "../../deps.ts";
import { medicationRequest } from "../../domain/intake/medication-request.ts";
import { isoShipment } from "../../domain/orders/order-answer.ts";
import { decideDue, notified } from "../../domain/schedules/schedule.ts";
import { nextFillProblems } from "../../domain/schedules/schedule-problems.ts";
import { madeEvent } from "../../domain/webhooks/made-event.ts";
import { randomEventId } from "../../random.ts";
import { readCatalogue } from "../catalogue/read-catalogue.ts";
import { readPrescription } from "../intake/written.ts";
import { tryPrepared } from "../orders/place-order.ts";
import { type Orderer, prepareOrder } from "../orders/prepare-order.ts";
import { fillRules } from "../orders/read-orders.ts";
import { sealEvent } from "../webhooks/event-body.ts";
import { transact } from "../write.ts";
import { keepSchedule, type OpenedSchedule, orderBody, takeSchedule } from "./schedule-rows.ts";

/**
 * Checks the next fill ahead of its day, stores what is wrong with it, and sends REFILL_UPCOMING. Returns the schedule after
 * it, or null if another process was first.
 */
export async function notifyRefill(
  deps: Deps,
  found: OpenedSchedule,
  orderer: Orderer,
): Promise<OpenedSchedule | null> {
  const { account_id, schedule_id, request } = found;
  const now = deps.now();
  const prepared = await prepareOrder(deps, orderer, orderBody(found), randomEventId, now, request.address);
  const { formulary } = await readCatalogue(deps, account_id);
  return transact(deps, async (tx) => {
    const opened = await takeSchedule(deps, tx, found);
    const step = decideDue(opened.schedule, opened.facts);
    if (step === null || !("notify" in step)) return null;
    const { prescription_id, workflow, clock_offset_s } = opened.row;
    const prescription = (await readPrescription({ ...deps, db: tx }, account_id, prescription_id))!;
    const rules = fillRules(deps, formulary, clock_offset_s);
    const { problems: problems_now } = await tryPrepared(deps, tx, prepared, now);
    const problems = nextFillProblems(problems_now, prescription, workflow, rules, step.notify);
    const told = await keepSchedule(deps, tx, opened, notified(opened.schedule, problems));
    const fills = await listDispenses(tx, account_id, prescription_id);
    const dispenses = fills.map(({ shipment, ...one }) => ({ ...one, shipment: shipment && isoShipment(shipment) }));
    const fields = {
      patient_id: opened.patient_id,
      schedule_id,
      fill_on: step.notify,
      medication_requests: [medicationRequest(prescription, workflow, rules, dispenses)],
      problems,
    };
    const event = sealEvent(deps.vault, account_id, madeEvent("REFILL_UPCOMING", fields, opened.now, randomEventId()));
    await insertEvent(tx, { account_id, order_number: null, ...event, created_at: opened.now });
    return told;
  });
}
