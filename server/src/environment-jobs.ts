import type { EnvironmentDeps } from "./deps.ts";
import { formatOf, prescriberFormat } from "./formats/formats.ts";
import { type Loop, startLoop } from "./jobs/loop.ts";
import { countUsage } from "./usecases/accounts/quotas.ts";
import { settlePostage } from "./usecases/fulfillment/parcels/settle-postage.ts";
import { voidUnusedLabels } from "./usecases/fulfillment/parcels/void-labels.ts";
import { trackShipments } from "./usecases/fulfillment/track-shipments.ts";
import { fillDue } from "./usecases/intake/order-due-prescriptions.ts";
import { processWaiting } from "./usecases/intake/process-waiting.ts";
import { tellExpiries } from "./usecases/intake/tell-expiries.ts";
import { fillBackOrders } from "./usecases/orders/fill-back-orders.ts";
import { checkPayments } from "./usecases/orders/payments/check-payments.ts";
import { recheckDue } from "./usecases/orders/recheck-orders.ts";
import { settleUnpaid } from "./usecases/orders/settle-payment.ts";
import { addMissingNames } from "./usecases/patients/add-missing-names.ts";
import { damagedPatients } from "./usecases/patients/damaged-patients.ts";
import { patientMessageQueue } from "./usecases/patients/queue-patient-messages.ts";
import { sendPatientMessages } from "./usecases/patients/send-patient-messages.ts";
import { queueFillNotices } from "./usecases/prescribers/queue-fill-notices.ts";
import { sendToPrescribers } from "./usecases/prescribers/send-to-prescribers.ts";
import { checkPeople } from "./usecases/safety/check-people.ts";
import { moveStoppedClocks } from "./usecases/sandbox/simulate-clock.ts";
import { fillSchedules } from "./usecases/schedules/fill-schedules.ts";
import { closeMonths } from "./usecases/statements/close-months.ts";

const COUNT_USAGE_EVERY_MS = 60_000;
const WAITING_EVERY_MS = 5_000;
/** Automatic Processing turns a prescription into an order within about a second. */
const FILL_EVERY_MS = 1_000;
/** Refill schedules count in days. */
const SCHEDULES_EVERY_MS = 60_000;
const UNPAID_EVERY_MS = 15_000;
const CHECK_PAYMENTS_EVERY_MS = 15_000;
/** Back orders receive new stock within about a second. */
const BACK_ORDERS_EVERY_MS = 1_000;
/** Another partner's order of the same person is checked within about a second. */
const PEOPLE_EVERY_MS = 1_000;
/** Only patients from before these indexes need it. */
const NAMES_EVERY_MS = 5_000;
const TRACK_EVERY_MS = 5_000;
const VOID_LABELS_EVERY_MS = 15_000;
const SETTLE_POSTAGE_EVERY_MS = 15_000;
const RECHECK_EVERY_MS = 60_000;
const CLOSE_MONTHS_EVERY_MS = 60_000;
/** Prescriptions expire at midnight, but an account of the sandbox has its own clock. */
const EXPIRIES_EVERY_MS = 60_000;
const PRESCRIBERS_EVERY_MS = 1_000;
const FILL_NOTICES_EVERY_MS = 10_000;
/** Patients learn of a shipped order within about these two times. */
const QUEUE_MESSAGES_EVERY_MS = 10_000;
const SEND_MESSAGES_EVERY_MS = 5_000;

/** Each environment has its own loops, so that a long round in the sandbox delays none in production. */
export function environmentJobs(deps: EnvironmentDeps): Loop[] {
  const without_keys = damagedPatients();
  const without_names = damagedPatients();
  return [
    startLoop(deps, "process-waiting", WAITING_EVERY_MS, async (own) => void (await processWaiting(own, formatOf))),
    startLoop(deps, "fill-due", FILL_EVERY_MS, async (own) => void (await fillDue(own))),
    startLoop(deps, "tell-expiries", EXPIRIES_EVERY_MS, (own) => tellExpiries(own)),
    startLoop(deps, "fill-schedules", SCHEDULES_EVERY_MS, (own) => fillSchedules(own)),
    startLoop(deps, "move-clocks", SCHEDULES_EVERY_MS, (own) => moveStoppedClocks(own)),
    startLoop(deps, "fill-back-orders", BACK_ORDERS_EVERY_MS, (own) => fillBackOrders(own)),
    startLoop(deps, "recheck-due", RECHECK_EVERY_MS, (own) => recheckDue(own)),
    startLoop(deps, "check-people", PEOPLE_EVERY_MS, (own) => checkPeople(own, without_keys)),
    startLoop(deps, "add-missing-names", NAMES_EVERY_MS, (own) => addMissingNames(own, without_names)),
    startLoop(deps, "track-shipments", TRACK_EVERY_MS, (own) => trackShipments(own)),
    startLoop(deps, "void-labels", VOID_LABELS_EVERY_MS, (own) => voidUnusedLabels(own)),
    startLoop(deps, "settle-postage", SETTLE_POSTAGE_EVERY_MS, (own) => settlePostage(own)),
    startLoop(deps, "settle-unpaid", UNPAID_EVERY_MS, (own) => settleUnpaid(own)),
    startLoop(deps, "check-payments", CHECK_PAYMENTS_EVERY_MS, (own) => checkPayments(own)),
    startLoop(deps, "close-months", CLOSE_MONTHS_EVERY_MS, (own) => closeMonths(own)),
    startLoop(deps, "send-to-prescribers", PRESCRIBERS_EVERY_MS, (own) => sendToPrescribers(own, prescriberFormat)),
    startLoop(deps, "queue-fill-notices", FILL_NOTICES_EVERY_MS, (own) => queueFillNotices(own)),
    startLoop(deps, "queue-patient-messages", QUEUE_MESSAGES_EVERY_MS, patientMessageQueue(deps)),
    startLoop(deps, "send-patient-messages", SEND_MESSAGES_EVERY_MS, (own) => sendPatientMessages(own)),
    startLoop(deps, "count-usage", COUNT_USAGE_EVERY_MS, (own) => countUsage(own, own.serves)),
  ];
}
