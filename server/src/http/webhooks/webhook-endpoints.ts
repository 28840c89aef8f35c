import { findEndpoint, listEndpoints } from "../../db/webhooks/endpoints.ts";
import { isUuid } from "../../domain/values/identifiers.ts";
import { StatusRefusal } from "../../domain/values/refusals.ts";
import { endpointAnswer } from "../../domain/webhooks/webhook-endpoint.ts";
import { readStatistics } from "../../usecases/webhooks/read-statistics.ts";
import { redeliverFailed } from "../../usecases/webhooks/redeliver-webhooks.ts";
import { registerEndpoint } from "../../usecases/webhooks/register-endpoint.ts";
import { removeEndpoint } from "../../usecases/webhooks/remove-endpoint.ts";
import { testEndpoint } from "../../usecases/webhooks/test-endpoint.ts";
import { updateEndpoint } from "../../usecases/webhooks/update-endpoint.ts";
import { json } from "../answer.ts";
import type { ReadHandler, WriteHandler } from "../partner-api.ts";

export const createWebhookEndpoint: WriteHandler =
  (deps, { grant, now }, body) =>
  async (tx) =>
    finished(201, await registerEndpoint(deps, tx, grant, body, now));

export const listWebhookEndpoints: ReadHandler = async ({ db }, { grant: { account_id } }) => {
  const rows = await listEndpoints(db, account_id);
  return json(200, { webhook_endpoints: rows.map((row) => endpointAnswer(account_id, row)) });
};

export const getWebhookEndpoint: ReadHandler = async ({ db }, { grant: { account_id }, params }) => {
  const row = await findEndpoint(db, account_id, endpointId(params));
  if (row === undefined) throw new StatusRefusal(404);
  return json(200, endpointAnswer(account_id, row));
};

export const updateWebhookEndpoint: WriteHandler = (deps, { grant, params, now }, body) => {
  const endpoint_id = endpointId(params);
  return async (tx) => finished(200, await updateEndpoint(deps, tx, grant, endpoint_id, body, now));
};

export const removeWebhookEndpoint: WriteHandler = (_deps, { grant, params }) => {
  const endpoint_id = endpointId(params);
  return async (tx) => {
    await removeEndpoint(tx, grant.account_id, endpoint_id);
    return { status: 204, body: "" };
  };
};

export const testWebhookEndpoint: WriteHandler = (_deps, { grant, params, now }, body) => {
  const endpoint_id = endpointId(params);
  return async (tx) => finished(202, await testEndpoint(tx, grant.account_id, endpoint_id, body, now));
};

export const redeliverFailedWebhooks: WriteHandler = (deps, { grant, params, now }, body) => {
  const endpoint_id = endpointId(params);
  return async (tx) => finished(202, await redeliverFailed(deps, tx, grant.account_id, endpoint_id, body, now));
};

export const getWebhookStatistics: ReadHandler = async (deps, { grant, params }) => {
  const statistics = await readStatistics(deps, grant.account_id, endpointId(params));
  if (statistics === undefined) throw new StatusRefusal(404);
  return json(200, statistics);
};

const finished = (status: number, value: unknown) => ({ status, body: JSON.stringify(value) });

/** An id that none can have is not looked for. */
function endpointId({ id }: Parameters<ReadHandler>[1]["params"]): string {
  if (!isUuid(id)) throw new StatusRefusal(404);
  return id;
}
