import { compactAsciiJson, DISABLE_AFTER_S, type DisableReason } from "@pestle/contract";
import { announce } from "../../db/bus.ts";
import { insertAccountEvent } from "../../db/webhooks/account-events.ts";
import { saveAttempts } from "../../db/webhooks/deliveries.ts";
import { disableEndpoint } from "../../db/webhooks/due-endpoints.ts";
import type { Deps } from "../../deps.ts";
import { endpointDisabledBody } from "../../domain/webhooks/endpoint-disabled.ts";
import { randomEventId } from "../../random.ts";
import { transact } from "../write.ts";
import { sealBody } from "./event-body.ts";
import type { EndedWebhook } from "./send-webhook.ts";
import { tellDisabled } from "./tell-disabled.ts";

type KeepDeps = Pick<Deps, "db" | "queue" | "vault" | "mail" | "log" | "metrics" | "now">;

/** Saves attempt results, and disables endpoints that are gone or have only failed for too long. */
export async function keepAttempts(deps: KeepDeps, sent: readonly EndedWebhook[]): Promise<void> {
  const failing = await saveAttempts(
    deps.queue,
    sent.map(({ ended }) => ended),
  );
  for (const { ended, url, gone } of sent) {
    if (gone) await disable(deps, { ...ended, url }, "gone", ended.at);
  }
  for (const endpoint of failing) {
    const failing_s = (endpoint.failed_at.getTime() - endpoint.failing_since.getTime()) / 1000;
    if (failing_s >= DISABLE_AFTER_S) await disable(deps, endpoint, "failing", endpoint.failed_at);
  }
}

/** Announces it in the feed and to the account's other endpoints. Pending deliveries wait until it is enabled. */
async function disable(
  deps: KeepDeps,
  { account_id, endpoint_id, url }: { account_id: string; endpoint_id: string; url?: string },
  reason: DisableReason,
  account_now: Date,
): Promise<void> {
  const disabled = await transact(deps, async (tx) => {
    if (!(await disableEndpoint(tx, { account_id, endpoint_id, reason, account_now, url }))) return false;
    const event_id = randomEventId();
    const body = compactAsciiJson(endpointDisabledBody(event_id, endpoint_id, reason, account_now));
    await insertAccountEvent(tx, {
      account_id,
      event_id,
      event_type: "ENDPOINT_DISABLED",
      body_sealed: sealBody(deps.vault, { account_id, event_id }, body),
      created_at: account_now,
      only_endpoint_id: null,
    });
    await announce(tx, { kind: "webhook_endpoint", account_id, id: endpoint_id });
    return true;
  });
  if (!disabled) return;
  deps.log.warn({ account_id, endpoint_id, reason }, "a webhook endpoint was disabled");
  void tellDisabled(deps, { account_id, endpoint_id }, reason);
}
