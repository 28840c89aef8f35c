import type { WebhookBodyOf } from "@pestle/contract";

/** Why Pestle disabled an endpoint. The account's other endpoints, the feed and the notice show it. */
export const disableReasons = {
  gone: "The endpoint answered 410 Gone.",
  failing: "Every attempt of the last five days failed.",
} as const;
export type DisableReason = keyof typeof disableReasons;

export const endpointDisabledBody = (
  event_id: string,
  endpoint_id: string,
  reason: DisableReason,
  now: Date,
): WebhookBodyOf<"ENDPOINT_DISABLED"> => ({
  event_id,
  event_type: "ENDPOINT_DISABLED",
  timestamp: Math.floor(now.getTime() / 1000),
  endpoint_id,
  reason: disableReasons[reason],
});
