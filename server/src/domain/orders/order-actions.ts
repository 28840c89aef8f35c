import {
  type ActionKey,
  actions,
  type ExceptionId,
  exceptionRow,
  type FieldProblem,
  limitOf,
  type OrderStatus,
} from "@pestle/contract";
import { strictest } from "../catalogue/controlled-drugs.ts";
import type { Verdict } from "../values/address/verdict.ts";
import type { Problem } from "../values/refusals.ts";
import type { ActionDraft } from "./action-request.ts";
import { decideAddressChange } from "./decide-address-change.ts";
import {
  amountWithout,
  type ChangeRules,
  type ChangingOrder,
  giveBack,
  holdFactsOf,
  type Outcome,
} from "./order-change.ts";
import type { PrescriptionFact } from "./order-facts.ts";
import { isCause } from "./order-holds.ts";
import { replacePrescription } from "./replace-prescription.ts";
import { addressSituations, situationsOf } from "./situations.ts";

/** Everything an action's decision depends on. */
export type ActionCase = {
  action: ActionDraft;
  changing: ChangingOrder;
  rules: ChangeRules & { time_zone: string };
  /** The validator's verdict on the new address, or on the order's own (`accept_suggested_address`). */
  verdict: Verdict | null;
  /** The replacement prescription; null if the ID is unknown. */
  prescription: PrescriptionFact | null;
};

type Decided = { problems: Problem[] } | { outcome: Outcome; settles?: "payment" };

/** Decides on a partner's action: returns all problems at once, or the outcome. */
export function decideAction(asked: ActionCase): Decided {
  const { action, changing, rules } = asked;
  const target = targetOf(action, changing, rules);
  if ("problem" in target) return { problems: [target.problem] };
  return decisions[action.event]({ ...asked, target: target.exception_id });
}

/** Why the order does not accept the action in its current state, regardless of its fields. */
export function whereItFails(action: ActionDraft, changing: ChangingOrder, rules: ActionCase["rules"]): Problem[] {
  const target = targetOf(action, changing, rules);
  return "problem" in target ? [target.problem] : [];
}

/** The exception an action applies to; null if the status alone allows it. */
function targetOf(
  { event, exception_id }: ActionDraft,
  { standing, order, prescriptions }: ChangingOrder,
  { formulary }: Pick<ActionCase["rules"], "formulary">,
): { exception_id: ExceptionId | null } | { problem: Problem } {
  // A schedule can rise after the order was stored.
  const schedules = [...prescriptions, ...order.items.map(({ sku }) => formulary.by_sku.get(sku))];
  const drug_schedule = strictest([order.drug_schedule, ...schedules.flatMap((one) => one?.drug_schedule ?? [])]);
  const limit = (id: ExceptionId | null) => limitOf(event, id, situationsOf({ ...order, drug_schedule }, id));
  const refusal = (row: ReturnType<typeof limit>): { problem: Problem } | undefined => {
    if (row === undefined) return undefined;
    const { code, field } = row;
    return { problem: code === 42200 ? { code, field, problem: "conflict" } : { code, field } };
  };
  const barred = refusal(limit(null));
  if (barred !== undefined) return barred;
  const asked = exception_id === null ? standing.open : standing.open.filter((id) => id === exception_id);
  const offered = asked.find((id) => exceptionRow(id).actions.includes(event) && limit(id) === undefined);
  if (offered !== undefined) return { exception_id: offered };
  const limited = refusal(asked.map(limit).find((row) => row !== undefined));
  if (limited !== undefined) return limited;
  const allowed: readonly OrderStatus[] = actions[event].order_statuses;
  if (exception_id === null && allowed.includes(order.order_status)) return { exception_id: null };
  return { problem: { code: 42463, field: exception_id === null ? "event" : "exception_id" } };
}

type Targeted = ActionCase & { target: ExceptionId | null };
const ends = ({ target }: Targeted): Decided => ({ outcome: { ends: [target!] } });
const confirms = ({ target }: Targeted): Decided => ({ outcome: { confirms: [target!] } });
const refused = (code: Problem["code"], field: string, problem?: FieldProblem): Decided => ({
  problems: [problem === undefined ? { code, field } : { code, field, problem }],
});

const decisions: Record<ActionKey, (asked: Targeted) => Decided> = {
  release: ends,
  cancel: ({ changing }) => ({ outcome: cancelOutcome(changing) }),
  update_email: ({ action, changing, target }) => ({
    outcome: { ends: [target!], after: { record: { ...changing.record, email: action.email } } },
  }),
  update_address: (asked) => addressOutcome(asked, asked.action.address!),
  accept_suggested_address: (asked) => {
    const { address } = asked.changing.order;
    // The validator can know less than it did when the exception was raised.
    if (address === null || addressSituations(asked.verdict).length > 0) return refused(42463, "event");
    return addressOutcome(asked, { address, accept_suggested: true, ignore_warnings: false });
  },
  confirm_address: confirms,
  confirm_not_duplicate: confirms,
  verify: (asked) => {
    if (asked.target !== 71) return asked.action.dob === null ? confirms(asked) : refused(42200, "dob", "not_allowed");
    if (asked.action.dob === asked.changing.record.dob) return confirms(asked);
    return refused(42200, "dob", asked.action.dob === null ? "missing" : "not_allowed");
  },
  replace_prescription: (asked) => replacePrescription(asked, asked.target!, "partner"),
  remove_item: removeItem,
  retry_payment: ({ changing, target }) => {
    const { order } = changing;
    // The partner's account always pays. A card is authorized after the commit.
    if (order.payer === "partner") {
      return { outcome: { ends: [target!], after: { order: { ...order, payment_status: "authorized" } } } };
    }
    return { outcome: { after: { order: { ...order, payment_status: "pending" } } }, settles: "payment" };
  },
  hold: () => ({ outcome: { raises: [64] } }),
  refund: ({ changing, action }) => refundOutcome(changing, action.reason_id!, refundable(changing)),
  partial_refund: ({ changing, action }) => refundOutcome(changing, action.reason_id!, action.amount_cents!),
};

/** Not filled or shipped: units and stock are returned, and nothing is due. */
export function cancelOutcome(changing: ChangingOrder): Outcome {
  const { order } = changing;
  const item_ids = order.items.map(({ item_id }) => item_id);
  const { prescriptions, units, stock } = giveBack(changing, item_ids);
  return {
    event: "cancel",
    after: { order: { ...order, payment_status: "voided" }, prescriptions },
    items: item_ids.map((item_id) => ({ item_id, pending: false, reserved: false, ...toShelf(changing, item_id) })),
    units,
    stock,
    payments: [
      {
        kind: "void",
        amount_cents: order.amount_cents,
        reason_id: null,
        // Also for a declined card, because the decline can come from the capture.
        state: order.payer === "partner" ? "done" : "asked",
      },
    ],
  };
}

/** If the item was filled, its packages go back to the shelf. */
function toShelf({ details }: Pick<ChangingOrder, "details">, item_id: number) {
  const { lot } = details.find((one) => one.item_id === item_id)!;
  return lot === null ? {} : { lot: null, lot_expires_on: null };
}

function addressOutcome({ changing, rules, verdict }: Targeted, read: NonNullable<ActionDraft["address"]>): Decided {
  const { problems, address, ends } = decideAddressChange({ read, verdict: verdict! }, changing, rules, "address.");
  if (problems.length > 0) return { problems };
  return { outcome: { otherwise: "update_address", ends, after: { order: { ...changing.order, address } } } };
}

function removeItem({ action, changing, rules, target }: Targeted): Decided {
  const { order, details, holds } = changing;
  const item_id = action.item_id!;
  const item = holdFactsOf(changing, rules).facts.items.find((one) => one.item_id === item_id);
  const by_hand = holds.some(({ id, basis }) => id === target && basis === null);
  if (item === undefined || !(by_hand || isCause(target!, item))) {
    return refused(42200, "item_id", "not_found");
  }
  const { prescriptions, units, stock } = giveBack(changing, [item_id]);
  const items = order.items.filter((one) => one.item_id !== item_id);
  const wanted = new Set(items.map(({ prescription_id }) => prescription_id));
  return {
    outcome: {
      otherwise: "remove_item",
      ends: [target!],
      after: {
        order: { ...order, items, amount_cents: amountWithout(changing, item_id) },
        details: details.filter((one) => one.item_id !== item_id),
        prescriptions: prescriptions.filter(({ prescription_id }) => wanted.has(prescription_id)),
      },
      items: [{ item_id, removed_at: rules.now, pending: false, reserved: false, ...toShelf(changing, item_id) }],
      units,
      stock,
    },
  };
}

const refundable = ({ order }: Pick<ChangingOrder, "order">) => order.captured_cents - order.refunded_cents;

/** At most the captured amount that is not refunded yet. */
export function refundOutcome(changing: ChangingOrder, reason_id: number, amount_cents: number): Decided {
  const { order } = changing;
  if (amount_cents === 0 || amount_cents > refundable(changing)) return refused(42463, "event");
  const refunded_cents = order.refunded_cents + amount_cents;
  const payment_status = refunded_cents === order.captured_cents ? "refunded" : order.payment_status;
  return {
    outcome: {
      event: "refund",
      after: { order: { ...order, refunded_cents, payment_status } },
      payments: [{ kind: "refund", amount_cents, reason_id, state: order.payer === "partner" ? "done" : "asked" }],
    },
  };
}
