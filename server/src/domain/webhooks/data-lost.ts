import type { WebhookBodyOf } from "@pestle/contract";
import type { DataLoss } from "../operations/data-loss.ts";

export const dataLostBody = (
  event_id: string,
  { lost_from, lost_until }: DataLoss,
  account_now: Date,
): WebhookBodyOf<"DATA_LOST"> => ({
  event_id,
  event_type: "DATA_LOST",
  timestamp: Math.floor(account_now.getTime() / 1000),
  lost_from: lost_from.toISOString(),
  lost_until: lost_until.toISOString(),
});
