import type { Deps } from "../../deps.ts";
import type { SentFields } from "../../domain/values/unknown-fields.ts";
import { type FinishedAnswer, type PartnerCall, writeAnswer } from "../write.ts";
import { redeliverEvent, redeliverFailed } from "./redeliver-webhooks.ts";
import { registerEndpoint } from "./register-endpoint.ts";
import { testEndpoint } from "./test-endpoint.ts";
import { removeEndpoint, updateEndpoint } from "./update-endpoint.ts";

/*
 * Webhook changes by a partner's program, each under its Idempotency-Key. `endpoints-in-portal.ts` offers the same
 * changes to people.
 */

export const createWebhookEndpoint = (
  deps: Deps,
  { grant, key, now }: PartnerCall,
  sent: SentFields,
): Promise<FinishedAnswer> =>
  writeAnswer(deps, key, 201, { attempt: (tx) => registerEndpoint(deps, tx, grant, sent, now) });

export const updateWebhookEndpoint = (
  deps: Deps,
  { grant, key, now }: PartnerCall,
  endpoint_id: string,
  sent: SentFields,
): Promise<FinishedAnswer> =>
  writeAnswer(deps, key, 200, { attempt: (tx) => updateEndpoint(deps, tx, grant, endpoint_id, sent, now) });

export const removeWebhookEndpoint = (
  deps: Deps,
  { grant, key }: PartnerCall,
  endpoint_id: string,
): Promise<FinishedAnswer> =>
  writeAnswer(deps, key, 204, { attempt: (tx) => removeEndpoint(tx, grant.account_id, endpoint_id) });

export const testWebhookEndpoint = (
  deps: Deps,
  { grant, key, now }: PartnerCall,
  endpoint_id: string,
  sent: SentFields,
): Promise<FinishedAnswer> =>
  writeAnswer(deps, key, 202, { attempt: (tx) => testEndpoint(deps, tx, grant.account_id, endpoint_id, sent, now) });

export const redeliverFailedWebhooks = (
  deps: Deps,
  { grant, key, now }: PartnerCall,
  endpoint_id: string,
  sent: SentFields,
): Promise<FinishedAnswer> =>
  writeAnswer(deps, key, 202, { attempt: (tx) => redeliverFailed(deps, tx, grant.account_id, endpoint_id, sent, now) });

export const redeliverWebhookEvent = (
  deps: Deps,
  { grant, key, now }: PartnerCall,
  event_id: string,
  sent: SentFields,
): Promise<FinishedAnswer> =>
  writeAnswer(deps, key, 202, { attempt: (tx) => redeliverEvent(deps, tx, grant, event_id, sent, now) });
