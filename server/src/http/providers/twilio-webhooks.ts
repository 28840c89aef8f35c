import { providers } from "@pestle/contract";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { EnvironmentDeps } from "../../deps.ts";
import { isTypeInUtf8 } from "../../domain/values/http-headers.ts";
import { refuse, Unauthorized } from "../../domain/values/refusals.ts";
import { takePatientText, takeTwilioReport } from "../../usecases/providers/twilio-reports.ts";
import { admitted } from "../admitted.ts";
import { answer, rendered, send } from "../answer.ts";
import { readBody } from "../body.ts";

const LARGEST_BYTES = 256 * 1024;
const XML = { "content-type": "text/xml; charset=utf-8" };

/** What Twilio tells: the state of our text messages, and what patients reply. Only Twilio can call these. */
export function addTwilioWebhooks(app: FastifyInstance, deps: EnvironmentDeps): void {
  const sms = deps.sms.production;
  if (sms?.provider !== "twilio") return;
  const route = (url: string, take: (form: URLSearchParams, query: URLSearchParams) => Promise<string>) =>
    app.route({
      method: "POST",
      url,
      handler: async (request: FastifyRequest, reply: FastifyReply) => {
        const form = await signedForm(deps, sms, request);
        const text = await admitted(deps, "twilio", () =>
          take(form, new URL(request.url, "http://local").searchParams),
        );
        return send(request, reply, answer(200, rendered(text), XML));
      },
    });
  const told = (form: URLSearchParams, name: string) => form.get(name) ?? "";

  route(providers.twilio.report_path, async (form, query) => {
    const [account_id, message_id] = [told(query, "account_id"), told(query, "message_id")];
    const [status, provider_id] = [told(form, "MessageStatus"), told(form, "MessageSid")];
    const error_code = form.get("ErrorCode");
    const known = await takeTwilioReport(deps, { account_id, message_id }, { status, provider_id, error_code });
    if (!known) deps.log.info({ status: status.slice(0, 20) }, "a report of Twilio changed no message");
    return twiml(null);
  });

  route(providers.twilio.webhook_path, async (form) => {
    const message = { from: told(form, "From"), text: told(form, "Body"), provider_id: told(form, "MessageSid") };
    return twiml(await takePatientText(deps, message));
  });
}

/** The form, if Twilio signed it. The signature covers the address that Twilio called, which is the public one. */
async function signedForm(
  deps: EnvironmentDeps,
  sms: NonNullable<EnvironmentDeps["sms"]["production"]>,
  request: FastifyRequest,
): Promise<URLSearchParams> {
  const bytes = await readBody(request.raw, LARGEST_BYTES);
  if (!isTypeInUtf8(request.headers["content-type"], "application/x-www-form-urlencoded"))
    refuse(40002, "Content-Type");
  if (bytes === "too large") return refuse(40004, "body");
  const form = new URLSearchParams(bytes.toString("utf8"));
  const signature = request.headers["x-twilio-signature"];
  const url = `${deps.addresses.base_url}${request.url}`;
  if (typeof signature !== "string" || !sms.signed({ url, form, signature })) throw new Unauthorized("invalid_token");
  return form;
}

const twiml = (text: string | null) =>
  `<?xml version="1.0" encoding="UTF-8"?><Response>${text === null ? "" : `<Message>${escaped(text)}</Message>`}</Response>`;
const escaped = (text: string) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
