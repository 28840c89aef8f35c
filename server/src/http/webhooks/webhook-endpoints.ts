import { findEndpoint, listEndpoints } from "../../db/webhooks/endpoints.ts";
import { isUuid } from "../../domain/values/identifiers.ts";
import { StatusRefusal } from "../../domain/values/refusals.ts";
import { endpointAnswer } from "../../domain/webhooks/webhook-endpoint.ts";
import * as write from "../../usecases/webhooks/endpoints-for-partner.ts";
import { readStatistics } from "../../usecases/webhooks/read-statistics.ts";
import { json } from "../answer.ts";
import type { ReadHandler, WriteHandler } from "../partner-api.ts";

export const createWebhookEndpoint: WriteHandler = (deps, call, body) => write.createWebhookEndpoint(deps, call, body);

export const listWebhookEndpoints: ReadHandler = async ({ db }, { grant: { account_id } }) => {
  const rows = await listEndpoints(db, account_id);
  return json(200, { webhook_endpoints: rows.map((row) => endpointAnswer(account_id, row)) });
};

export const getWebhookEndpoint: ReadHandler = async ({ db }, { grant: { account_id }, params }) => {
  const row = await findEndpoint(db, account_id, endpointId(params));
  if (row === undefined) throw new StatusRefusal(404);
  return json(200, endpointAnswer(account_id, row));
};

export const updateWebhookEndpoint: WriteHandler = (deps, call, body) =>
  write.updateWebhookEndpoint(deps, call, endpointId(call.params), body);

export const removeWebhookEndpoint: WriteHandler = (deps, call) =>
  write.removeWebhookEndpoint(deps, call, endpointId(call.params));

export const testWebhookEndpoint: WriteHandler = (deps, call, body) =>
  write.testWebhookEndpoint(deps, call, endpointId(call.params), body);

export const redeliverFailedWebhooks: WriteHandler = (deps, call, body) =>
  write.redeliverFailedWebhooks(deps, call, endpointId(call.params), body);

export const getWebhookStatistics: ReadHandler = async (deps, { grant, params }) => {
  const statistics = await readStatistics(deps, grant.account_id, endpointId(params));
  if (statistics === undefined) throw new StatusRefusal(404);
  return json(200, statistics);
};

/** Rejects malformed ids before querying. */
function endpointId({ id }: Parameters<ReadHandler>[1]["params"]): string {
  if (!isUuid(id)) throw new StatusRefusal(404);
  return id;
}
