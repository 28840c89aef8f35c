import { providers } from "@pestle/contract";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { EnvironmentDeps } from "../../deps.ts";
import { refuse, StatusRefusal, Unauthorized } from "../../domain/values/refusals.ts";
import { receiveEasyPostEvent } from "../../usecases/providers/receive-easypost-event.ts";
import { admitted } from "../admitted.ts";
import { json, send } from "../answer.ts";
import { readBody } from "../body.ts";

const LARGEST_BYTES = 256 * 1024;

/** EasyPost's events. EasyPost repeats an event that gets no 200. */
export function addEasyPostWebhook(app: FastifyInstance, deps: EnvironmentDeps): void {
  app.route({
    method: "POST",
    url: providers.easypost.webhook_path,
    handler: async (request: FastifyRequest, reply: FastifyReply) => {
      const body = await readBody(request.raw, LARGEST_BYTES);
      if (body === "too large") return refuse(40004, "body");
      const signature = request.headers["x-hmac-signature"];
      const signed = typeof signature === "string" ? signature : undefined;
      const received = await admitted(deps, "easypost", () => receiveEasyPostEvent(deps, body, signed));
      if (received === "not_in_use") throw new StatusRefusal(404);
      if (received === "not_signed") throw new Unauthorized("invalid_token");
      deps.metrics.countProviderEvent("easypost", received);
      return send(request, reply, json(200, { received: true }));
    },
  });
}
