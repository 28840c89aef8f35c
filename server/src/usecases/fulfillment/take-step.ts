import type { BulkAnswer, BulkRequest, Order, WorkEvent, WorkRequest } from "@pestle/contract";
import { exceptionRow, type Transition, transitions, workEvents } from "@pestle/contract";
import { listAccounts } from "../../db/accounts/accounts.ts";
import type { Deps } from "../../deps.ts";
import { ImpossibleStep } from "../../domain/orders/order.ts";
import { StatusRefusal } from "../../domain/values/refusals.ts";
import { judgeAddress, noteIfUnverified, replaceAddress } from "../orders/change-order-address.ts";
import type { LoadedOrder } from "../orders/load-order.ts";
import { write } from "../write.ts";
import { addNote, assignOrder, claimOrder, releaseClaim } from "./claim-order.ts";
import { inBulk } from "./in-bulk.ts";
import { printOrder } from "./parcels/print-order.ts";
import { refusedStep } from "./reports/note-miss.ts";
import { shipOrder } from "./ship-order.ts";
import {
  actorOf,
  approveReview,
  auditWork,
  cancelWithReason,
  completeFill,
  impossible,
  raiseException,
  refundOrder,
  rejectProduct,
  requireFree,
  resolveException,
  verifyProduct,
  type Work,
} from "./steps.ts";
import { trackByHand } from "./track-shipments.ts";
import { WorkRefusal } from "./work-refusal.ts";

type Asked<Event extends WorkEvent> = Extract<WorkRequest, { event: Event }>;
type Doing<Request> = (deps: Deps, work: Work, asked: Request, bulk: { in_bulk: boolean }) => Promise<unknown>;
type Doings = { [Event in WorkEvent]: Doing<Asked<Event>> };

/** Each step checks the transition table itself. */
const doings: Doings = {
  claim: claimOrder,
  assign: (deps, work, { person_id }) => assignOrder(deps, work, person_id),
  release: releaseClaim,
  approve_review: (deps, work, _asked, bulk) => approveReview(deps, work, bulk),
  complete_fill: (deps, work, { items }) => completeFill(deps, work, items),
  verify_product: (deps, work, { scans }) => verifyProduct(deps, work, scans),
  reject_product: (deps, work, { reason }) => rejectProduct(deps, work, reason),
  print: (deps, work, { entered }) => printOrder(deps, work, entered),
  ship: (deps, work) => shipOrder(deps, work, { printed: true }),
  track: (deps, work, { status, description }) => trackByHand(deps, work, status, description),
  deliver: (deps, work) => trackByHand(deps, work, "delivered", "Delivered, as reported by the carrier."),
  raise_exception: (deps, work, { exception_id, reason }) => raiseException(deps, work, exception_id, reason),
  resolve: (deps, work, { exception_id, reason, code }) => resolveException(deps, work, exception_id, reason, code),
  update_address: (deps, work, { address }) => updateAddress(deps, work, address),
  cancel: (deps, work, { reason }) => cancelWithReason(deps, work, reason),
  refund: (deps, work, { reason_id, amount_cents = null }) => refundOrder(deps, work, { reason_id, amount_cents }),
  note: (deps, work, { reason }) => addNote(deps, work, reason),
};

/** A staff member takes a step on an order. Returns the exceptions that hold it instead, if any. */
export async function workOnOrder(
  deps: Deps,
  work: Work,
  asked: WorkRequest,
  request_id: string,
  bulk = { in_bulk: false },
): Promise<{ held_by: string[] }> {
  const act = doings[asked.event] as Doing<WorkRequest>;
  const { event, revision } = asked;
  const given = { ...work, request_id, event, ...(revision !== undefined && { revision }) };
  const result = await act(deps, given, asked, bulk).catch((error: unknown) =>
    refusedStep(deps, work.by, work, request_id, error),
  );
  const { exceptions } = MAY_HOLD.includes(asked.event) ? (result as Order) : { exceptions: [] };
  return { held_by: exceptions.map(({ name }) => name) };
}

/** Steps instead of which the checks may hold the order. The card may hold it instead of `ship`. */
const MAY_HOLD: readonly WorkEvent[] = workEvents.filter((event) =>
  transitions.some((row: Transition) => row.event === event && row.checked === true),
);

/**
 * The same step for many orders, one after the other; a refused order does not stop the rest. A pharmacist's judgment is
 * never given in bulk: an order with a safety finding is not approved, and an exception that only a pharmacist may
 * override is not resolved.
 */
export async function workInBulk(
  deps: Deps,
  by: Work["by"],
  { orders, ...asked }: BulkRequest,
  request_id: string,
): Promise<BulkAnswer> {
  const { event, exception_id } = asked;
  if (event === "resolve" && exception_id !== undefined && exceptionRow(exception_id).overridden_by === "pharmacist") {
    throw new WorkRefusal("one_by_one");
  }
  return inBulk(deps, orders, request_id, async ({ account_id, order_number, revision }) => {
    const request = { ...asked, ...(revision !== undefined && { revision }) } as WorkRequest;
    const work = { account_id, order_number, by };
    const { held_by } = await workOnOrder(deps, work, request, request_id, { in_bulk: true });
    return held_by.length === 0 ? null : { key: "held", message: `On hold instead: ${held_by.join(", ")}.` };
  });
}

async function updateAddress(deps: Deps, work: Work, address: Asked<"update_address">["address"]): Promise<void> {
  const account = (await listAccounts(deps.db)).find((one) => one.account_id === work.account_id);
  if (account === undefined) throw new StatusRefusal(404);
  const staff = { actor: actorOf(work.by), require: (loaded: LoadedOrder) => requireFree(deps, loaded, work) };
  try {
    await write(deps, {
      prepare: () => judgeAddress(deps, account.environment, address),
      attempt: async (tx, judged) => {
        await replaceAddress(deps, tx, work, judged, { staff });
        await auditWork(deps, tx, work);
      },
      settle: async (_, { verdict }) => void (await noteIfUnverified(deps, work.account_id, work, verdict)),
    });
  } catch (error) {
    throw error instanceof ImpossibleStep ? impossible(error, work.by) : error;
  }
}
