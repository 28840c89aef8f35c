import type { CreatedWebhookEndpoint } from "@pestle/contract";
import type { Deps } from "../../deps.ts";
import type { SentFields } from "../../domain/values/unknown-fields.ts";
import { partnerEntry } from "../operations/audit-partner.ts";
import { type FinishedAnswer, type PartnerCall, writeAnswer } from "../write.ts";
import { redeliverEvent, redeliverFailed } from "./redeliver-webhooks.ts";
import { registerEndpoint } from "./register-endpoint.ts";
import { testEndpoint } from "./test-endpoint.ts";
import { removeEndpoint, updateEndpoint } from "./update-endpoint.ts";

/*
 * Webhook changes by a partner's program, each under its Idempotency-Key. `endpoints-in-portal.ts` offers the same
 * changes to people.
 */

export const createWebhookEndpoint = (deps: Deps, call: PartnerCall, sent: SentFields): Promise<FinishedAnswer> =>
  writeAnswer(deps, call.key, 201, {
    audit: ({ id }: CreatedWebhookEndpoint) =>
      partnerEntry("createWebhookEndpoint", call, { patients: [], subject: id }),
    attempt: (tx) => registerEndpoint(deps, tx, call.grant, sent, call.now),
  });

export const updateWebhookEndpoint = (
  deps: Deps,
  call: PartnerCall,
  endpoint_id: string,
  sent: SentFields,
): Promise<FinishedAnswer> =>
  writeAnswer(deps, call.key, 200, {
    audit: () => partnerEntry("updateWebhookEndpoint", call, { patients: [], subject: endpoint_id }),
    attempt: (tx) => updateEndpoint(deps, tx, call.grant, endpoint_id, sent, call.now),
  });

export const removeWebhookEndpoint = (deps: Deps, call: PartnerCall, endpoint_id: string): Promise<FinishedAnswer> =>
  writeAnswer(deps, call.key, 204, {
    audit: () => partnerEntry("removeWebhookEndpoint", call, { patients: [], subject: endpoint_id }),
    attempt: (tx) => removeEndpoint(tx, call.grant.account_id, endpoint_id),
  });

export const testWebhookEndpoint = (
  deps: Deps,
  call: PartnerCall,
  endpoint_id: string,
  sent: SentFields,
): Promise<FinishedAnswer> =>
  writeAnswer(deps, call.key, 202, {
    audit: () => partnerEntry("testWebhookEndpoint", call, { patients: [], subject: endpoint_id }),
    attempt: (tx) => testEndpoint(deps, tx, call.grant.account_id, endpoint_id, sent, call.now),
  });

export const redeliverFailedWebhooks = (
  deps: Deps,
  call: PartnerCall,
  endpoint_id: string,
  sent: SentFields,
): Promise<FinishedAnswer> =>
  writeAnswer(deps, call.key, 202, {
    audit: () => partnerEntry("redeliverFailedWebhooks", call, { patients: [], subject: endpoint_id }),
    attempt: (tx) => redeliverFailed(deps, tx, call.grant.account_id, endpoint_id, sent, call.now),
  });

export const redeliverWebhookEvent = (
  deps: Deps,
  call: PartnerCall,
  event_id: string,
  sent: SentFields,
): Promise<FinishedAnswer> =>
  writeAnswer(deps, call.key, 202, {
    audit: () => partnerEntry("redeliverWebhookEvent", call, { patients: [], subject: event_id }),
    attempt: (tx) => redeliverEvent(deps, tx, call.grant, event_id, sent, call.now),
  });
