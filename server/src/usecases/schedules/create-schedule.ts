import { DEFAULT_LEAD_DAYS, RefillScheduleInput } from "@pestle/contract";
import type { Tx } from "../../db/db.ts";
import { insertSchedule, loadScheduleFacts } from "../../db/schedules/schedules.ts";
import type { Deps } from "../../deps.ts";
import { orderPosition } from "../../domain/orders/order-answer.ts";
import { writtenProduct } from "../../domain/orders/resolve-items.ts";
import { addressReader, settleAddress } from "../../domain/patients/address-input.ts";
import { dueAt, firstFill, intervalOf, type Schedule } from "../../domain/schedules/schedule.ts";
import { scheduleProblems, withOrderProblems } from "../../domain/schedules/schedule-problems.ts";
import { accountNow } from "../../domain/values/account-clock.ts";
import { dateIn, readInstant } from "../../domain/values/calendar.ts";
import { type Read, readBody } from "../../domain/values/read-body.ts";
import { type Problem, refuseAll } from "../../domain/values/refusals.ts";
import type { SentFields } from "../../domain/values/unknown-fields.ts";
import { randomEventId, randomPatientKey } from "../../random.ts";
import { partnerEntry } from "../operations/audit-partner.ts";
import { tryPrepared } from "../orders/place-order.ts";
import { type PreparedOrder, prepareOrder } from "../orders/prepare-order.ts";
import { patientIndex } from "../patients/patient-rows.ts";
import { type FinishedAnswer, type PartnerCall, writeAnswer } from "../write.ts";
import {
  findSchedule,
  type OpenedSchedule,
  type ScheduleRequest,
  scheduleAnswer,
  sealRequest,
} from "./schedule-rows.ts";

/** POST /refill_schedules. The order of the first fill must pass the checks now, except for its stock. */
export const createSchedule = (deps: Deps, call: PartnerCall, sent: SentFields): Promise<FinishedAnswer> =>
  writeAnswer(deps, call.key, 201, {
    prepare: () => prepareSchedule(deps, call, sent),
    attempt: (tx, prepared) => start(deps, tx, call, prepared),
    answer: scheduleAnswer,
    audit: ({ patient_id, schedule_id }) =>
      partnerEntry("createRefillSchedule", call, { patients: [patient_id], subject: schedule_id }),
  });

type Fields = Omit<Read<RefillScheduleInput>, "consent"> & {
  consent?: { given_at?: Date; method?: RefillScheduleInput["consent"]["method"] };
};
type PreparedSchedule = { fields: Fields; problems: Problem[]; order: PreparedOrder };

async function prepareSchedule(deps: Deps, { grant, now }: PartnerCall, sent: SentFields): Promise<PreparedSchedule> {
  const read = readBody(RefillScheduleInput, sent, "", {
    ...addressReader(deps.zips),
    "date-time": (text: string) => ({ value: readInstant(text, deps.config.TIME_ZONE), problems: [] }),
  });
  const fields = read.fields as unknown as Fields;
  const { patient_id, prescription_id, shipping, address, payment } = fields;
  const body: SentFields = {
    shipping,
    patient: { patient_id },
    items: [{ prescription_id }],
    payment,
    // The reader of orders reads it again, with its flags.
    ...(address !== undefined && { address: sent["address"] }),
  };
  // No order has this fingerprint.
  const order = await prepareOrder(deps, grant, body, randomEventId, now);
  // The shape of the rest was checked above. Only the order knows who needs a card.
  const told = read.problems.some(({ field }) => field === "payment.token");
  const card = told ? [] : order.shape.filter(({ field }) => field === "payment.token");
  return { fields, problems: [...read.problems, ...card], order };
}

async function start(
  deps: Deps,
  tx: Tx,
  { grant, now }: PartnerCall,
  { fields, problems, order }: PreparedSchedule,
): Promise<OpenedSchedule> {
  const { account_id } = grant;
  const { patient_id, prescription_id = null, every_days = null, lead_days = DEFAULT_LEAD_DAYS, consent } = fields;
  const index = patient_id === undefined ? null : patientIndex(deps, account_id, patient_id);
  const known = await loadScheduleFacts(tx, account_id, prescription_id, index);
  const { problems: of_order } = await tryPrepared(deps, tx, { ...order, shape: problems }, now);
  const account_now = accountNow(now, known.clock_offset_s);
  const { drug_schedule, days_supply } = known;
  const own = scheduleProblems({
    prescription: drug_schedule === null ? null : { drug_schedule, days_supply },
    product: writtenProduct(known, order.formulary),
    every_days,
    consent_at: consent?.given_at,
    has_schedule: known.has_schedule,
    now: account_now,
  });
  refuseAll(withOrderProblems(own, of_order, prescription_id !== null));
  const time_zone = deps.config.TIME_ZONE;
  const last_ordered_on = known.last_ordered_at && dateIn(time_zone, known.last_ordered_at);
  const schedule: Schedule = {
    status: "active",
    next_fill_on: firstFill(last_ordered_on, intervalOf(every_days, days_supply)!, dateIn(time_zone, account_now)),
    notified_for: null,
    next_fill_problems: [],
    paused_because: null,
    last_order_number: null,
    last_filled_on: null,
    followed_on: known.own_ordered_at && dateIn(time_zone, known.own_ordered_at),
  };
  const key = { account_id, schedule_id: randomEventId() };
  await insertSchedule(tx, {
    ...key,
    ...schedule,
    schedule_position: orderPosition(account_now, randomPatientKey()),
    patient_key: known.patient_key!,
    prescription_id: prescription_id!,
    every_days,
    lead_days,
    consent_at: consent!.given_at!,
    consent_method: consent!.method!,
    request_sealed: sealRequest(deps, key, requestOf(fields, order)),
    due_at: dueAt(schedule, { lead_days }, time_zone),
    created_at: account_now,
  });
  return findSchedule(deps, tx, key);
}

function requestOf({ shipping, payment }: Fields, { draft, sent_verdict }: PreparedOrder): ScheduleRequest {
  const { method_id, signature_confirmation = false } = shipping!;
  const { address } = draft;
  return {
    shipping: { method_id: method_id!, signature_confirmation },
    address: typeof address === "string" ? null : settleAddress(address, sent_verdict!).address,
    payment: { payer: payment?.payer ?? "partner", token: payment?.token ?? null },
  };
}
