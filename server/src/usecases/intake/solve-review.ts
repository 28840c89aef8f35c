import { actionsOfReviews, type ResolveReviewRequest, type ReviewClosed, type ReviewDeed } from "@pestle/contract";
import type { Tx } from "../../db/db.ts";
import { listDueAccounts, loadDuePrescription, stopOrdering } from "../../db/intake/due-prescriptions.ts";
import { retryMessage } from "../../db/intake/messages.ts";
import { closeReview, lockReview } from "../../db/intake/reviews.ts";
import type { Deps } from "../../deps.ts";
import { automaticOrder } from "../../domain/orders/automatic-order.ts";
import { system } from "../../domain/orders/order.ts";
import { accountNow } from "../../domain/values/account-clock.ts";
import { errorEntries } from "../../domain/values/error-entries.ts";
import { Conflict, RequestProblems } from "../../domain/values/refusals.ts";
import { AdminRefusal } from "../accounts/admin-refusal.ts";
import { readCatalogue } from "../catalogue/read-catalogue.ts";
import type { Worker } from "../fulfillment/steps.ts";
import { workOnOrder } from "../fulfillment/take-step.ts";
import { WorkRefusal } from "../fulfillment/work-refusal.ts";
import { checkedNote } from "../operations/checked-note.ts";
import { type PlacedOrder, placeOrder, settleNew } from "../orders/place-order.ts";
import { type PreparedOrder, prepareOrder } from "../orders/prepare-order.ts";
import { openPatientId } from "../patients/patient-rows.ts";
import { askInTransaction } from "../prescribers/ask-prescriber.ts";
import { write } from "../write.ts";
import { noteClosed } from "./close-review-in-dashboard.ts";
import { type ReviewKey, requireEntry } from "./read-reviews.ts";
import { requireReviewer } from "./require-reviewer.ts";

type Entry = Awaited<ReturnType<typeof requireEntry>>;
/** The person who solves it. */
type Solver = Worker & { email: string };
type Call = { deps: Deps; entry: Entry; given: ResolveReviewRequest; by: Solver; request_id: string };
/** What was done, for the closed entry, and the order that it made. */
type Done = { outcome: string; placed?: PlacedOrder };
type Deed = {
  /** Before the transaction. */
  prepare?: (call: Call) => Promise<PreparedOrder | undefined>;
  save: (call: Call, tx: Tx, prepared: PreparedOrder | undefined) => Promise<Done>;
};

/**
 * Does what solves a review, and closes it in the same transaction. Of two people who solve it at once, the second is refused.
 */
export async function solveReview(
  deps: Deps,
  by: Solver,
  key: ReviewKey,
  given: ResolveReviewRequest,
  request_id: string,
): Promise<ReviewClosed> {
  const entry = await requireEntry(deps, key);
  if (entry.resolved_at !== null) throw new AdminRefusal(CLOSED);
  const offered: readonly string[] = actionsOfReviews[entry.kind];
  if (!offered.includes(given.action)) throw new AdminRefusal("This review is not solved like that.");
  const deed = deeds[given.action];
  const call = { deps, entry, given, by, request_id };
  const { placed } = await explained(
    write<Done, PreparedOrder | undefined>(deps, {
      prepare: async () => deed.prepare?.(call),
      attempt: async (tx, prepared) => {
        const { person_id } = await requireReviewer(tx, by.email);
        const review = await lockReview(tx, key.account_id, key.review_id);
        if (review === undefined || review.resolved_at !== null) throw new AdminRefusal(CLOSED);
        const done = await deed.save(call, tx, prepared);
        const resolved_at = accountNow(deps.now(), review.clock_offset_s);
        await closeReview(tx, { ...key, resolved_at, resolved_by: person_id, outcome: done.outcome });
        await noteClosed(deps, by, key, request_id)(tx);
        return done;
      },
      settle: ({ placed, ...done }) => {
        const settled = placed && settleNew(deps, key.account_id, placed, system);
        return settled?.then((one) => ({ ...done, placed: one }));
      },
    }),
  );
  return { closed: true, ...(placed && { order_number: placed.order.order_number }) };
}

const CLOSED = "This review is already closed.";
const NOT_DUE = "Pestle no longer tries to order this prescription. Look at the patient's orders.";

const noted = (said: string): Deed => ({
  save: async ({ given }) => ({ outcome: `${said}: ${checkedNote(given.note ?? "")}` }),
});

const deeds: Record<ReviewDeed, Deed> = {
  make_order: {
    prepare: async ({ deps, entry: { account_id, prescription_id }, given: { method_id } }) => {
      if (method_id === undefined) throw new AdminRefusal("Choose a shipping method.");
      const [orderer] = await listDueAccounts(deps.db, account_id);
      const due =
        prescription_id === null ? undefined : await loadDuePrescription(deps.db, account_id, prescription_id);
      if (orderer === undefined || due === undefined) throw new AdminRefusal(NOT_DUE);
      const { formulary } = await readCatalogue(deps, account_id);
      const automatic = automaticOrder(due, openPatientId(deps, account_id, due), formulary);
      const body = { ...automatic, shipping: { method_id } };
      return prepareOrder(deps, { ...orderer, actor: "system" }, body, () => JSON.stringify(body), deps.now());
    },
    save: async ({ deps }, tx, prepared) => {
      const placed = await placeOrder(deps, tx, prepared!, deps.now(), true);
      return { outcome: `made order ${placed.order.order_number}`, placed };
    },
  },
  ask_prescriber: {
    save: async ({ deps, entry: { account_id, prescription_id }, given, by, request_id }, tx) => {
      if (prescription_id === null) throw new AdminRefusal(NOT_DUE);
      const { code = "S", reason = null, service_reason = null } = given;
      const asked = { account_id, prescription_id, question: { code, reason, service_reason } };
      await askInTransaction(deps, tx, by, asked, request_id);
      await stopOrdering(tx, account_id, prescription_id);
      return { outcome: "asked the prescriber" };
    },
  },
  stop_ordering: {
    save: async ({ entry: { account_id, prescription_id }, given }, tx) => {
      const outcome = `not ordered: ${checkedNote(given.note ?? "")}`;
      if (prescription_id !== null) await stopOrdering(tx, account_id, prescription_id);
      return { outcome };
    },
  },
  different_people: { save: async () => ({ outcome: "different people" }) },
  same_person: noted("same person"),
  process_again: {
    save: async ({ entry: { account_id, intake_message_id } }, tx) => {
      const found = intake_message_id === null ? 0 : await retryMessage(tx, account_id, intake_message_id);
      if (found === 0) throw new AdminRefusal("The message has been processed. Close the review with an answer.");
      return { outcome: "processed again" };
    },
  },
  cancel_orders: {
    // Each order is its own change, with its own payment. If one is refused, the review stays open.
    prepare: async ({ deps, entry, given, by, request_id }) => {
      const reason = checkedNote(given.note ?? "");
      for (const order_number of (entry.facts["order_numbers"] ?? []) as string[]) {
        const work = { account_id: entry.account_id, order_number, by };
        try {
          await workOnOrder(deps, work, { event: "cancel", reason }, request_id);
        } catch (error) {
          // Shipped or canceled meanwhile.
          if (!(error instanceof WorkRefusal && error.key === "not_now")) throw error;
        }
      }
      return undefined;
    },
    save: async ({ given }) => ({ outcome: `canceled: ${checkedNote(given.note ?? "")}` }),
  },
  answer: { save: async ({ given }) => ({ outcome: checkedNote(given.note ?? "") }) },
};

/** The problems of an order in one sentence, because the form has no fields of an order. */
async function explained<Result>(work: Promise<Result>): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof RequestProblems) {
      const causes = errorEntries(error.problems).flatMap(({ error_detail }) => error_detail);
      const sentences = new Set(causes.map(({ message }) => message));
      throw new AdminRefusal(`The order cannot be made: ${[...sentences].join(" ")}`, { cause: error });
    }
    if (error instanceof Conflict) throw new AdminRefusal(NOT_DUE, { cause: error });
    throw error;
  }
}
