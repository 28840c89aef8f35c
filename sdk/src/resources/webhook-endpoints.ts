import type { Call, CallOptions, ChangeMethod, WriteOptions } from "../client.ts";
import type {
  CreatedWebhookEndpoint,
  FailedRedeliveryRequest,
  WebhookEndpoint,
  WebhookEndpointInput,
  WebhookEndpointUpdate,
  WebhookStatistics,
  WebhookTestRequest,
} from "../generated/records.ts";
import type { AnswerOf } from "../operations.ts";
import type { WebhookEvent } from "./events.ts";

export type WebhookEndpoints = {
  /** Only this response contains the `signing_secret`. */
  create(endpoint: WebhookEndpointInput, options?: WriteOptions): Promise<CreatedWebhookEndpoint>;
  list(options?: CallOptions): Promise<WebhookEndpoint[]>;
  get(id: string, options?: CallOptions): Promise<WebhookEndpoint>;
  /** Changes only the given fields; `status: "active"` enables the endpoint again. */
  update: ChangeMethod<[id: string, changes: WebhookEndpointUpdate], WebhookEndpoint>;
  /** From the next attempt, signs with the newest active secret of that credential. Use it during a rotation. */
  switchSigning: ChangeMethod<[id: string, client_id: string], WebhookEndpoint>;
  remove(id: string, options?: CallOptions): Promise<void>;
  /** Sends a sample to this endpoint only. */
  test(id: string, sample?: WebhookTestRequest, options?: WriteOptions): Promise<WebhookEvent>;
  /** Redelivers failed events. Call it again while the response says `more`. */
  redeliverFailed(
    id: string,
    which: FailedRedeliveryRequest,
    options?: WriteOptions,
  ): Promise<AnswerOf<"redeliverFailedWebhooks">>;
  statistics(id: string, options?: CallOptions): Promise<WebhookStatistics>;
};

export function webhookEndpointsOf(call: Call): WebhookEndpoints {
  type Options = CallOptions & { minimal?: boolean };
  const update = (id: string, body: WebhookEndpointUpdate, options?: Options) =>
    call("updateWebhookEndpoint", { path: { id }, body }, options);
  return {
    update: update as WebhookEndpoints["update"],
    create: (body, options) => call("createWebhookEndpoint", { body }, options),
    list: async (options) => (await call("listWebhookEndpoints", {}, options)).webhook_endpoints,
    get: (id, options) => call("getWebhookEndpoint", { path: { id } }, options),
    switchSigning: ((id, signing_credential_id, options?: Options) =>
      update(id, { signing_credential_id }, options)) as WebhookEndpoints["switchSigning"],
    remove: (id, options) => call("removeWebhookEndpoint", { path: { id } }, options),
    test: (id, body = {}, options) =>
      call("testWebhookEndpoint", { path: { id }, body }, options) as Promise<WebhookEvent>,
    redeliverFailed: (id, body, options) => call("redeliverFailedWebhooks", { path: { id }, body }, options),
    statistics: (id, options) => call("getWebhookStatistics", { path: { id } }, options),
  };
}
