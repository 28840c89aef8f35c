import { type DisableReason, disableReasons, type WebhookBodyOf } from "@pestle/contract";

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
