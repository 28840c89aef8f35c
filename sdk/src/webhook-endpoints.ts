import type {
  CreatedWebhookEndpoint,
  FailedRedeliveryRequest,
  WebhookEndpoint,
  WebhookEndpointInput,
  WebhookEndpointUpdate,
  WebhookStatistics,
  WebhookTestRequest,
} from "@pestle/contract";
import type { Call, CallOptions, WriteOptions } from "./client.ts";
import type { WebhookEvent } from "./events.ts";
import type { AnswerOf } from "./operations.ts";

export type WebhookEndpoints = {
  /** The answer has the `signing_secret`, this once. */
  create(endpoint: WebhookEndpointInput, options?: WriteOptions): Promise<CreatedWebhookEndpoint>;
  list(options?: CallOptions): Promise<WebhookEndpoint[]>;
  get(id: string, options?: CallOptions): Promise<WebhookEndpoint>;
  /** What is left out stays; `status: "active"` enables it again. */
  update(id: string, changes: WebhookEndpointUpdate, options?: CallOptions): Promise<WebhookEndpoint>;
  /** From the next attempt on it signs with the newest live secret of that credential: the middle of a rotation. */
  switchSigning(id: string, client_id: string, options?: CallOptions): Promise<WebhookEndpoint>;
  remove(id: string, options?: CallOptions): Promise<void>;
  /** Sends a sample to this endpoint alone. */
  test(id: string, sample?: WebhookTestRequest, options?: WriteOptions): Promise<WebhookEvent>;
  /** Sends again what was given up; ask again while the answer says `more`. */
  redeliverFailed(
    id: string,
    which: FailedRedeliveryRequest,
    options?: WriteOptions,
  ): Promise<AnswerOf<"redeliverFailedWebhooks">>;
  statistics(id: string, options?: CallOptions): Promise<WebhookStatistics>;
};

export function webhookEndpointsOf(call: Call): WebhookEndpoints {
  const update = (id: string, body: WebhookEndpointUpdate, options?: CallOptions) =>
    call("updateWebhookEndpoint", { path: { id }, body }, options);
  return {
    update,
    create: (body, options) => call("createWebhookEndpoint", { body }, options),
    list: async (options) => (await call("listWebhookEndpoints", {}, options)).webhook_endpoints,
    get: (id, options) => call("getWebhookEndpoint", { path: { id } }, options),
    switchSigning: (id, signing_credential_id, options) => update(id, { signing_credential_id }, options),
    remove: (id, options) => call("removeWebhookEndpoint", { path: { id } }, options),
    test: (id, body = {}, options) =>
      call("testWebhookEndpoint", { path: { id }, body }, options) as Promise<WebhookEvent>,
    redeliverFailed: (id, body, options) => call("redeliverFailedWebhooks", { path: { id }, body }, options),
    statistics: (id, options) => call("getWebhookStatistics", { path: { id } }, options),
  };
}
