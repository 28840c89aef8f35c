import { attemptOutcome, type EndpointAnswer } from "../webhooks/attempt-outcome.ts";
import type { NetworkAnswer } from "./prescriber-format.ts";

export type SendingOutcome = {
  state: "queued" | "sent" | "failed";
  /** An error of the webhooks' table, or `rejected` with the codes of the network. */
  error: string | null;
  due_at: Date | null;
};

/** The standard's codes of an Error that another attempt can end. All others are final. */
const RETRY_LATER = new Set(["600", "602"]);

/**
 * The result of an attempt: the webhooks' rules, and the network's own answer. A network can accept the HTTP request and
 * refuse the message in it.
 */
export function sendingOutcome(
  answer: Pick<EndpointAnswer, "status" | "trouble" | "retry_after">,
  said: NetworkAnswer | null,
  given: { tried: number; now: Date; account_now: Date; chance: number },
): SendingOutcome {
  const rejected = said?.kind === "error" ? said : null;
  const later = rejected !== null && RETRY_LATER.has(rejected.code);
  const outcome = attemptOutcome(later ? { ...answer, status: UNAVAILABLE } : answer, given);
  if (outcome.delivery_status === "delivered") {
    if (rejected === null) return { state: "sent", error: null, due_at: null };
    return { state: "failed", error: refusalOf(rejected), due_at: null };
  }
  const error = later ? refusalOf(rejected) : outcome.error;
  // A network that is gone wants no further attempt.
  if (outcome.due_at === null || outcome.gone) return { state: "failed", error, due_at: null };
  return { state: "queued", error, due_at: outcome.due_at };
}

const UNAVAILABLE = 503;

/** Only codes: a network's own words can name the patient. */
function refusalOf({ code, description_code }: Extract<NetworkAnswer, { kind: "error" }>): string {
  const codes = [code, description_code ?? ""].map((each) => (/^\d{1,4}$/.test(each) ? each : ""));
  return ["rejected", ...codes].filter((each) => each !== "").join(" ");
}
