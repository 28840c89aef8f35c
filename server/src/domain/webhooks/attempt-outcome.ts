import type { deliveryStatuses } from "@pestle/contract";
import { type AttemptError, attemptErrorOf } from "./attempt-errors.ts";
import { nextAttemptAt, retryAfterSeconds } from "./retry.ts";

export type DeliveryStatus = (typeof deliveryStatuses)[number];

/** An endpoint's response, or why there was none. */
export type EndpointAnswer = {
  /** The status decides once the headers arrive, even if the body fails. */
  status: number | null;
  /** The error name from the network or the address guard; null if there was a response. */
  trouble: string | null;
  retry_after: string | undefined;
  content_type: string | undefined;
  /** The first bytes of the body. */
  body: Buffer;
  duration_ms: number;
};

export type AttemptOutcome = {
  delivery_status: DeliveryStatus;
  status: number | null;
  error: AttemptError | null;
  /** On the account's clock; null without a next attempt. */
  due_at: Date | null;
  /** The endpoint wants no further events. */
  gone: boolean;
};

const GONE = 410;

/** The result of an attempt. `tried` counts the attempts of this round, including this one. */
export function attemptOutcome(
  answer: Pick<EndpointAnswer, "status" | "trouble" | "retry_after">,
  given: { tried: number; now: Date; account_now: Date; chance: number },
): AttemptOutcome {
  const { status } = answer;
  if (status !== null && status >= 200 && status <= 299) {
    return { delivery_status: "delivered", status, error: null, due_at: null, gone: false };
  }
  const due_at = nextAttemptAt({
    tried: given.tried,
    now: given.account_now,
    chance: given.chance,
    retry_after_s: retryAfterSeconds(answer.retry_after, given.now),
  });
  return {
    delivery_status: due_at === null ? "failed" : "pending",
    status,
    error: status === null ? attemptErrorOf(answer.trouble ?? "") : errorOfStatus(status),
    due_at,
    gone: status === GONE,
  };
}

function errorOfStatus(status: number): AttemptError {
  if (status === GONE) return "gone";
  return status >= 300 && status <= 399 ? "redirect" : "status";
}
