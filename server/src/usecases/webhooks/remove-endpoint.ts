import { announce } from "../../db/bus.ts";
import type { Tx } from "../../db/db.ts";
import { deleteEndpoint } from "../../db/webhooks/endpoints.ts";
import { StatusRefusal } from "../../domain/values/refusals.ts";

/** Also drops the endpoint's pending deliveries. */
export async function removeEndpoint(tx: Tx, account_id: string, endpoint_id: string): Promise<void> {
  if (!(await deleteEndpoint(tx, account_id, endpoint_id))) throw new StatusRefusal(404);
  await announce(tx, { kind: "webhook_endpoint", account_id, id: endpoint_id });
}
