import { type PortalSchedule, ScheduleActionInput } from "@pestle/contract";
import type { Tx } from "../../db/db.ts";
import type { Deps } from "../../deps.ts";
import { partner, partnerBy, system } from "../../domain/orders/order.ts";
import { decideDue, filled, isPossible, pausedBy, type Schedule } from "../../domain/schedules/schedule.ts";
import { whysOf } from "../../domain/schedules/schedule-problems.ts";
import { readBody } from "../../domain/values/read-body.ts";
import { Conflict, RequestProblems, refuse, refuseAll } from "../../domain/values/refusals.ts";
import type { SentFields } from "../../domain/values/unknown-fields.ts";
import { withKeysOfNow } from "../../vault/vault.ts";
import type { PortalActor } from "../operations/audit-portal.ts";
import { type PlacedOrder, placeOrder, settleNew } from "../orders/place-order.ts";
import { type Orderer, type PreparedOrder, prepareOrder } from "../orders/prepare-order.ts";
import { type FinishedAnswer, type PartnerCall, transact, write, writeAnswer } from "../write.ts";
import {
  findSchedule,
  keepSchedule,
  type OpenedSchedule,
  orderBody,
  portalAnswer,
  scheduleAnswer,
  takeSchedule,
} from "./schedule-rows.ts";

/** A schedule after its order, which one transaction saved together. */
type Filled = { opened: OpenedSchedule; placed: PlacedOrder };

/** POST /refill_schedules/{schedule_id}/fill_now. A refused order changes nothing: the partner receives the reason. */
export const fillNow = (
  deps: Deps,
  call: PartnerCall,
  schedule_id: string,
  sent: SentFields,
): Promise<FinishedAnswer> => {
  const asked = { grant: call.grant, by: call.by, now: call.now, operation: "fillRefillNow" } as const;
  return writeAnswer(deps, call.key, 200, {
    ...fillWrite(deps, { ...call.grant, asked }, schedule_id, sent, call.now, partnerBy(call)),
    answer: ({ opened }: Filled) => scheduleAnswer(opened),
  });
};

/** The same by a person in the portal. The order's own audit entry names them. */
export const fillNowInPortal = async (
  deps: Deps,
  account: Orderer,
  person: PortalActor,
  schedule_id: string,
  sent: SentFields,
): Promise<PortalSchedule> => {
  const { account_id, environment, clock_offset_s } = account;
  const orderer = { account_id, environment, clock_offset_s, person };
  const { opened } = await write(deps, fillWrite(deps, orderer, schedule_id, sent, deps.now(), partner));
  return portalAnswer(opened);
};

function fillWrite(
  deps: Deps,
  orderer: Orderer,
  schedule_id: string,
  sent: SentFields,
  now: Date,
  actor: Parameters<typeof settleFill>[2],
) {
  const key = { account_id: orderer.account_id, schedule_id };
  const { problems } = readBody(ScheduleActionInput, sent);
  return {
    prepare: async () =>
      prepareFill(deps, await withKeysOfNow(deps, () => findSchedule(deps, deps.db, key)), orderer, now),
    attempt: async (tx: Tx, prepared: PreparedOrder, retried: boolean): Promise<Filled> => {
      const opened = await takeSchedule(deps, tx, key);
      refuseAll(problems);
      if (!isPossible(opened.schedule, "fill_now")) refuse(42471, "schedule_id");
      return place(deps, tx, opened, prepared, now, retried);
    },
    settle: (done: Filled) => settleFill(deps, done, actor),
  };
}

/**
 * Orders a fill that is due. A refused order pauses the schedule. Returns the schedule after it, or null if another process
 * was first.
 */
export async function fillDueSchedule(
  deps: Deps,
  found: OpenedSchedule,
  orderer: Orderer,
): Promise<OpenedSchedule | null> {
  const now = deps.now();
  try {
    const done = await write(deps, {
      prepare: () => prepareFill(deps, found, { ...orderer, actor: "system" }, now),
      attempt: async (tx, prepared: PreparedOrder, retried) => {
        const opened = await takeSchedule(deps, tx, found);
        const step = decideDue(opened.schedule, opened.facts);
        if (step === null || !("fill" in step)) return null;
        return place(deps, tx, opened, prepared, now, retried);
      },
      settle: (filled) => (filled === null ? undefined : settleFill(deps, filled, system)),
    });
    return done && withOrder(done.opened);
  } catch (error) {
    // The same fill was ordered within the last minute.
    if (error instanceof Conflict) return null;
    if (!(error instanceof RequestProblems)) throw error;
    const [because] = whysOf(error.problems.map(({ code }) => code));
    return transact(deps, async (tx) => {
      const opened = await takeSchedule(deps, tx, found);
      const step = decideDue(opened.schedule, opened.facts);
      if (step === null || !("fill" in step)) return opened;
      return keepSchedule(deps, tx, opened, pausedBy(opened.schedule, because!));
    });
  }
}

/**
 * Reads the order outside the transaction. Its fingerprint is that of this fill, so that two orders for one fill are a
 * conflict even where both found the schedule unfilled. After an order the same day is another fill: `fill_now` can leave
 * the next day as it was, and the sandbox's clock reaches it within the minute in which a fingerprint counts.
 */
async function prepareFill(deps: Deps, opened: OpenedSchedule, orderer: Orderer, now: Date): Promise<PreparedOrder> {
  const { next_fill_on, last_order_number } = opened.schedule;
  const fill = ["refill", opened.schedule_id, next_fill_on, last_order_number];
  return prepareOrder(deps, orderer, orderBody(opened), () => JSON.stringify(fill), now, opened.request.address);
}

/** The schedule with its new order among the facts. */
const withOrder = (opened: OpenedSchedule): OpenedSchedule => ({
  ...opened,
  facts: { ...opened.facts, last_ordered_on: opened.facts.today, last_canceled: false },
});

async function place(
  deps: Deps,
  tx: Tx,
  opened: OpenedSchedule,
  prepared: PreparedOrder,
  now: Date,
  retried: boolean,
): Promise<Filled> {
  const placed = await placeOrder(deps, tx, prepared, now, retried);
  const schedule = filled(opened.schedule, placed.order, opened.facts);
  return { opened: await keepSchedule(deps, tx, opened, schedule), placed };
}

/** Authorizes the card after the commit. A declined card holds the order, which pauses the schedule. */
function settleFill(deps: Deps, done: Filled, actor: Parameters<typeof settleNew>[3]): Promise<Filled> | undefined {
  const { account_id, schedule_id } = done.opened;
  const settling = settleNew(deps, account_id, done.placed, actor);
  return settling?.then(async (placed) => {
    const [held] = placed.order.exceptions;
    if (held === undefined || done.placed.order.exceptions.length > 0) return { ...done, placed };
    const opened = await transact(deps, async (tx) => {
      const now = await takeSchedule(deps, tx, { account_id, schedule_id });
      const paused: Schedule = pausedBy(now.schedule, { code: held.id, message: held.message });
      return now.schedule.status === "active" ? keepSchedule(deps, tx, now, paused) : now;
    });
    return { opened, placed };
  });
}
