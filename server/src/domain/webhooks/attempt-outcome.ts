import type { deliveryStatuses } from "@pestle/contract";
import { type AttemptError, attemptErrorOf } from "./attempt-errors.ts";
import { nextAttemptAt, retryAfterSeconds } from "./retry.ts";

export type DeliveryStatus = (typeof deliveryStatuses)[number];

/** What came back from an endpoint, or what kept it from coming. */
export type EndpointAnswer = {
  /** Once the headers are there the status decides, however the body ends. */
  status: number | null;
  /** The name that the network or the guard gives the trouble; null where an answer came. */
  trouble: string | null;
  retry_after: string | undefined;
  content_type: string | undefined;
  /** The beginning of the body. */
  body: Buffer;
  duration_ms: number;
};

export type AttemptOutcome = {
  delivery_status: DeliveryStatus;
  status: number | null;
  error: AttemptError | null;
  /** On the account's clock; null when there is no next attempt. */
  due_at: Date | null;
  /** The endpoint wants no more events, ever. */
  gone: boolean;
};

const GONE = 410;

/** What an attempt made of a delivery that was tried `tried` times in this round, this attempt among them. */
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
