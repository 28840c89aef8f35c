import type { PlannedDelivery } from "./plan-checks.ts";
import type { CertifyFinding, ReceiverCheck } from "./receiver-checks.ts";
import type { ReceiverState } from "./receiver-state.ts";

/** The receiver's answer. `trouble`: there was none in time, or the connection failed. */
export type ReceiverAnswer = { status: number; trouble: null } | { status: null; trouble: "timeout" | "connection" };
type Exchange = { delivery: PlannedDelivery; answer: ReceiverAnswer };

/** What a check saw. `state` is null if the receiver shows none, and "unreadable" if it has another shape. */
export type Seen = { steps: readonly (readonly Exchange[])[]; state: ReceiverState | "unreadable" | null };
export type Found = { code: CertifyFinding; status: number | null };
type Judge = (seen: Seen) => Found | null;

/** Without a state these cannot be judged. */
export const needsState: ReadonlySet<ReceiverCheck> = new Set(["stores_before_answer"]);

/** The first thing that is wrong; null if the check passed, undefined if it could not be judged. */
export function judgeCheck(name: ReceiverCheck, seen: Seen): Found | null | undefined {
  if (seen.state === null && needsState.has(name)) return undefined;
  const unanswered = exchanges(seen).every(({ answer }) => answer.status === null);
  return name === "no_redirect" && unanswered ? undefined : judges[name](seen);
}

const firstOf =
  (...rules: readonly Judge[]): Judge =>
  (seen) => {
    for (const rule of rules) {
      const found = rule(seen);
      if (found !== null) return found;
    }
    return null;
  };

const isGood = ({ status }: ReceiverAnswer) => status !== null && status >= 200 && status <= 299;
const isRefusal = ({ status }: ReceiverAnswer) => status !== null && status >= 400 && status <= 499;

function notTaken({ status, trouble }: ReceiverAnswer): Found {
  if (status !== null) return { code: status >= 300 && status <= 399 ? "redirect" : "not_accepted", status };
  return { code: trouble === "timeout" ? "no_answer" : "not_connected", status };
}
function notRefused(answer: ReceiverAnswer): Found {
  const { status } = answer;
  if (status === null) return { code: "no_refusal", status };
  return { code: isGood(answer) ? "accepted" : "not_refused", status };
}

const exchanges = ({ steps }: Seen) => steps.flat();
const idsOf = (seen: Seen) => [...new Set(exchanges(seen).map(({ delivery }) => delivery.event_id))];

const allTaken: Judge = (seen) => {
  const bad = exchanges(seen).find(({ answer }) => !isGood(answer));
  return bad === undefined ? null : notTaken(bad.answer);
};
const oneTaken: Judge = (seen) => {
  const all = exchanges(seen);
  return all.some(({ answer }) => isGood(answer)) ? null : notTaken(all[0]!.answer);
};
const allRefused: Judge = (seen) => {
  const bad = exchanges(seen).find(({ answer }) => !isRefusal(answer));
  return bad === undefined ? null : notRefused(bad.answer);
};

/** Judges the receiver's state, if it shows one. */
const byState =
  (rule: (state: ReceiverState, seen: Seen) => CertifyFinding | null): Judge =>
  (seen) => {
    const { state } = seen;
    if (state === null) return null;
    const code = state === "unreadable" ? "state_unreadable" : rule(state, seen);
    return code === null ? null : { code, status: null };
  };

const timesIn = ({ events }: ReceiverState, event_id: string) => events.filter((one) => one === event_id).length;
const eachOnce = byState((state, seen) => {
  const times = idsOf(seen).map((event_id) => timesIn(state, event_id));
  if (times.includes(0)) return "not_stored";
  return times.some((count) => count > 1) ? "repeated_effect" : null;
});
const noEffect = byState((state, seen) =>
  idsOf(seen).some((event_id) => timesIn(state, event_id) > 0) ? "forged_effect" : null,
);

/** The order that the deliveries are about, as the receiver knows it. Undefined if it does not follow orders. */
function orderIn({ orders }: ReceiverState, seen: Seen) {
  if (orders === undefined) return undefined;
  const { order_number } = JSON.parse(exchanges(seen)[0]!.delivery.body) as { order_number: string };
  return Object.hasOwn(orders, order_number) ? orders[order_number]! : { sequence: 0, missing: null };
}
const newestStays = byState((state, seen) => {
  const order = orderIn(state, seen);
  return order === undefined || order.sequence === 3 ? null : "older_won";
});
const gapIsNamed = byState((state, seen) => {
  const order = orderIn(state, seen);
  return order === undefined || [2, 3].every((sequence) => order.missing?.includes(sequence)) ? null : "gap_missed";
});

const accepts = firstOf(allTaken, eachOnce);
const refuses = firstOf(allRefused, noEffect);

/** The oversized delivery may also be cut off. Only the correct one after it must be taken. */
const survivesOversized: Judge = (seen) => {
  const [oversized, after] = exchanges(seen) as [Exchange, Exchange];
  if (isGood(oversized.answer)) return notRefused(oversized.answer);
  const { status } = oversized.answer;
  if (status !== null && !isRefusal(oversized.answer)) return { code: "not_refused", status };
  return isGood(after.answer) ? null : notTaken(after.answer);
};

const judges: Record<ReceiverCheck, Judge> = {
  no_redirect: (seen) => {
    const found = allTaken(seen);
    return found?.code === "redirect" ? found : null;
  },
  accepts_event: allTaken,
  stores_before_answer: accepts,
  accepts_raw_body: accepts,
  accepts_large: accepts,
  accepts_slow_body: accepts,
  // The receiver may ignore a type that it does not know.
  accepts_new_type: allTaken,
  accepts_new_field: accepts,
  accepts_delayed: accepts,
  refuses_wrong_key: refuses,
  refuses_wrong_url: refuses,
  refuses_wrong_secret: refuses,
  refuses_altered_body: refuses,
  refuses_added_spaces: refuses,
  refuses_missing_headers: refuses,
  refuses_cut_signature: refuses,
  refuses_old: refuses,
  refuses_future: refuses,
  once_repeated: accepts,
  once_concurrent: firstOf(oneTaken, eachOnce),
  keeps_newest: firstOf(accepts, newestStays),
  notices_gap: firstOf(accepts, gapIsNamed),
  survives_oversized: survivesOversized,
  survives_crowd: accepts,
};
