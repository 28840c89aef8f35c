import { providers } from "@pestle/contract";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { EnvironmentDeps } from "../../deps.ts";
import { refuse, StatusRefusal, Unauthorized } from "../../domain/values/refusals.ts";
import { receiveBounce } from "../../usecases/providers/receive-bounce.ts";
import { admitted } from "../admitted.ts";
import { json, send } from "../answer.ts";
import { sentToken } from "../bearer-token.ts";
import { readBody } from "../body.ts";

const LARGEST_BYTES = 256 * 1024;

/** Email that came back to the sender's address, from the operator's mail server. A mail that says nothing new gets 200 too. */
export function addMailBounces(app: FastifyInstance, deps: EnvironmentDeps): void {
  app.route({
    method: "POST",
    url: providers.smtp.webhook_path,
    handler: async (request: FastifyRequest, reply: FastifyReply) => {
      const { MAIL_BOUNCE_TOKEN } = deps.config;
      if (MAIL_BOUNCE_TOKEN === "") throw new StatusRefusal(404);
      if (!sentToken(request, MAIL_BOUNCE_TOKEN)) throw new Unauthorized("invalid_token");
      const body = await readBody(request.raw, LARGEST_BYTES);
      if (body === "too large") return refuse(40004, "body");
      const received = await admitted(deps, "smtp", () => receiveBounce(deps, body));
      deps.metrics.countProviderEvent("smtp", received);
      return send(request, reply, json(200, { received: true }));
    },
  });
}
