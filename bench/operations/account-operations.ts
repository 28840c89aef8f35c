import type { Stage } from "../stage.ts";
import { bareCeiling, httpOperation, type Operation, partnerHeaders, requestText } from "./operation.ts";

/** Each client id may request 20 tokens a second, so this many exceed what the machine can do. */
const CREDENTIALS = 1_000;

/** A token, and a read that needs no statement once the process knows the token. */
export async function accountOperations(stage: Stage): Promise<Operation[]> {
  const { demo, checkout } = stage;
  const prepared = await checkout.modules["bench/prepare-account.ts"].prepareAccount(stage, CREDENTIALS);
  const { tokenPgbench } = checkout.modules["bench/token-pgbench.ts"];
  const statement = tokenPgbench({ account_id: prepared.account_id, credentials: CREDENTIALS });
  const path = "/shipping_methods";
  const bare = bareCeiling(stage, { method: "GET", path, status: 200, body: prepared.read_body });
  const read_request = requestText("GET", path, partnerHeaders(prepared.access_token));
  const token_requests = prepared.clients.map(({ client_id, client_secret }) =>
    requestText(
      "POST",
      "/oauth/token",
      { "content-type": "application/x-www-form-urlencoded" },
      `grant_type=client_credentials&scope=partners&client_id=${client_id}&client_secret=${client_secret}`,
    ),
  );
  return [
    httpOperation(stage, {
      key: "read",
      name: "authenticated read",
      send: (duration_ms, more) =>
        stage.measure("read", { url: demo.base_url, requests: [read_request], duration_ms, ...more }),
      ceiling: (duration_ms) => bare(read_request, duration_ms),
    }),
    httpOperation(stage, {
      key: "token",
      name: "token",
      send: (duration_ms, more) =>
        stage.measure("token", { url: demo.auth_url, requests: token_requests, duration_ms, ...more }),
      ceiling: async (duration_ms) => stage.pgbench({ ...statement, duration_ms }),
    }),
  ];
}
