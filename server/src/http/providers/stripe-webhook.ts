import { providers } from "@pestle/contract";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { EnvironmentDeps } from "../../deps.ts";
import { refuse, StatusRefusal, Unauthorized } from "../../domain/values/refusals.ts";
import { receiveStripeEvent } from "../../usecases/providers/receive-stripe-event.ts";
import { admitted } from "../admitted.ts";
import { json, send } from "../answer.ts";
import { readBody } from "../body.ts";

const LARGEST_BYTES = 256 * 1024;

/** Stripe's events. Stripe repeats an event that gets no 200. */
export function addStripeWebhook(app: FastifyInstance, deps: EnvironmentDeps): void {
  app.route({
    method: "POST",
    url: providers.stripe.webhook_path,
    handler: async (request: FastifyRequest, reply: FastifyReply) => {
      if (deps.payments.production.records === undefined) throw new StatusRefusal(404);
      const body = await readBody(request.raw, LARGEST_BYTES);
      if (body === "too large") return refuse(40004, "body");
      const signature = request.headers["stripe-signature"];
      const signed = typeof signature === "string" ? signature : undefined;
      const received = await admitted(deps, "stripe", () => receiveStripeEvent(deps, body, signed));
      if (received === "not_signed") throw new Unauthorized("invalid_token");
      deps.metrics.countProviderEvent("stripe", received);
      return send(request, reply, json(200, { received: true }));
    },
  });
}
