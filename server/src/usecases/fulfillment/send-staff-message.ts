import type { DashboardMessages, Message, QuestionExceptionId, Situation } from "@pestle/contract";
import type { Database } from "../../db/db.ts";
import { listNames } from "../../db/fulfillment/order-page.ts";
import type { Deps } from "../../deps.ts";
import { mayBeAnswered, messageProblems } from "../../domain/orders/decide-message.ts";
import { isOpen } from "../../domain/orders/order.ts";
import { refuseAll } from "../../domain/values/refusals.ts";
import { writeAudit } from "../operations/write-audit.ts";
import { type LoadedOrder, loadChangingOrder } from "../orders/load-order.ts";
import { openThread, saveMessage } from "../orders/message-rows.ts";
import { readThread } from "../orders/read-messages.ts";
import { changeOrder } from "../orders/save-change.ts";
import { situationsToRaise } from "../orders/suggest-address.ts";
import { write } from "../write.ts";
import { actorOf, requireFree, type Work } from "./steps.ts";
import { WorkRefusal } from "./work-refusal.ts";

export type StaffMessage = {
  text: string;
  in_reply_to: string | null;
  /** Makes it a question: the order is on hold with this exception until the partner answers. */
  exception_id: QuestionExceptionId | null;
};

/** A staff member writes to the partner about an order. A question also holds the order, in the same transaction. */
export const sendStaffMessage = (deps: Deps, work: Work, said: StaffMessage): Promise<Message> =>
  write(deps, {
    prepare: () => prepareStaffMessage(deps, work, said),
    attempt: (tx, situations) => writeStaffMessage(deps, tx, work, said, situations),
  });

type Situations = (loaded: LoadedOrder) => Situation[];

/** Asks the address validator if the question needs it. Never inside a transaction. */
export const prepareStaffMessage = async (
  deps: Deps,
  order: Pick<Work, "account_id" | "order_number">,
  { exception_id }: Pick<StaffMessage, "exception_id">,
): Promise<Situations> => (exception_id === null ? () => [] : situationsToRaise(deps, order, exception_id));

export async function writeStaffMessage(
  deps: Deps,
  db: Database,
  work: Work,
  { text, in_reply_to, exception_id }: StaffMessage,
  situations: Situations,
): Promise<Message> {
  const { account_id, order_number, by, request_id } = work;
  const opened = await openThread(deps, db, work, in_reply_to);
  const problems = messageProblems(opened.thread, "pharmacy", in_reply_to);
  if (problems.some(({ code }) => code === 42283)) throw new WorkRefusal("too_many_messages");
  refuseAll(problems);
  const created_at = exception_id === null ? opened.now : await hold(deps, db, work, exception_id, situations);
  const author = { author: "pharmacy" as const, person_id: by.person_id };
  const message = await saveMessage(deps, db, opened, { ...author, text, in_reply_to, exception_id, created_at });
  if (request_id !== undefined) {
    const entry = { account_id, action: "message_sent" as const, subject: order_number };
    await writeAudit({ db, now: deps.now }, by, entry, request_id);
  }
  return message;
}

/** Holds the order for the answer. Returns the time of the hold, by which the answer finds it again. */
async function hold(
  deps: Deps,
  db: Database,
  work: Work,
  exception_id: QuestionExceptionId,
  situations: Situations,
): Promise<Date> {
  const loaded = await loadChangingOrder(deps, db, work.account_id, work.order_number, "elsewhere");
  requireFree(deps, loaded, work);
  if (!isOpen(loaded.standing)) throw new WorkRefusal("not_now");
  if (loaded.standing.open.includes(exception_id)) throw new WorkRefusal("open_already");
  if (!mayBeAnswered(exception_id, loaded)) throw new WorkRefusal("answer_ends_nothing");
  await changeOrder(
    deps,
    db,
    loaded,
    { raises: [exception_id], situations: situations(loaded) },
    { actor: actorOf(work.by), columns: { claimed_by: null, claimed_until: null } },
  );
  return loaded.rules.now;
}

/** The thread for the dashboard, with the names of the staff members. */
export async function showThread(deps: Deps, account_id: string, order_number: string): Promise<DashboardMessages> {
  const thread = await readThread(deps, account_id, order_number);
  const ids = thread.flatMap(({ person_id, message }) =>
    message.author === "pharmacy" && person_id !== null ? [person_id] : [],
  );
  const names = new Map(
    (await listNames(deps.db, [...new Set(ids)])).map(({ person_id, name }) => [person_id, name] as const),
  );
  const writer = (person_id: string | null) => (person_id === null ? null : (names.get(person_id) ?? person_id));
  return {
    messages: thread.map(({ message, person_id }) => ({
      ...message,
      written_by: message.author === "pharmacy" ? writer(person_id) : null,
    })),
  };
}
