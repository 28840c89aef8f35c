import { endpoints } from "@pestle/contract";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { type Deps, type PerEnvironment, readableWrite } from "../../deps.ts";
import type { IntakeFormat } from "../../domain/intake/intake-format.ts";
import { within } from "../../domain/operations/span.ts";
import { refuse } from "../../domain/values/refusals.ts";
import { fhirFormat, scriptFormat } from "../../formats/formats.ts";
import { traced } from "../../tracing/traced-deps.ts";
import { receivePrescription } from "../../usecases/intake/receive-prescription.ts";
import type { Received } from "../../usecases/intake/take-message.ts";
import { auditRead, partnerEntry } from "../../usecases/operations/audit-partner.ts";
import { admitted } from "../admitted.ts";
import { answer, rendered, send } from "../answer.ts";
import { readBody } from "../body.ts";
import { forwarding } from "../forward.ts";
import { type Door, frontDoor } from "../front-door.ts";
import { readQuery } from "../query.ts";

type IntakeEndpoint = Extract<(typeof endpoints)[number], { server: "intake" }>;
type Intake = {
  /** The accepted content types; the answer uses the first. */
  types: readonly [string, ...string[]];
  format(query: ReadonlyMap<string, string[]>): IntakeFormat;
};

const intakes: Record<IntakeEndpoint["operation_id"], Intake> = {
  receiveScript: { types: ["application/xml", "text/xml"], format: () => scriptFormat },
  receiveFhir: {
    types: ["application/fhir+json", "application/json"],
    format: (query) => fhirFormat(query.get("ncpdp_id")?.[0] ?? null),
  },
};

/** Receives e-prescriptions (contract, 8). A message that reached a reader gets a 200 in its own format. */
export function addIntake(
  app: FastifyInstance,
  per: PerEnvironment,
  door: Door = (scope) => frontDoor(per.production, scope, { accept: false }),
): void {
  for (const endpoint of endpoints) {
    if (endpoint.server !== "intake") continue;
    const { types, format } = intakes[endpoint.operation_id];
    const names = Object.keys("query" in endpoint ? endpoint.query : {});
    for (const url of [endpoint.path, `/v1${endpoint.path}`]) {
      app.route({
        method: endpoint.method,
        url,
        onRequest: door("intake"),
        handler: forwarding(per, { reads_body: true }, async (request: FastifyRequest, reply: FastifyReply) => {
          const query = readQuery(request.url, names);
          const body = await readMessage(request, types);
          const { account_id, credential_id, environment } = request.grant!;
          const deps = per[environment];
          const caller = { account_id, credential_id };
          const received = await readableWrite(deps, account_id, async () =>
            admitted(deps, account_id, () =>
              within(request.span, endpoint.operation_id, (span) =>
                receivePrescription(traced(deps, span), format(query), caller, body),
              ),
            ),
          );
          auditRead(deps, messageEntry(deps, endpoint.operation_id, request, received));
          const headers = { "content-type": `${types[0]}; charset=utf-8` };
          return send(request, reply, answer(200, rendered(received.answer), headers));
        }),
      });
    }
  }
}

/** The entry belongs to the patient's account; the subject names the network's credential. */
function messageEntry(
  deps: Deps,
  operation: IntakeEndpoint["operation_id"],
  request: FastifyRequest,
  received: Received,
) {
  const { account_id, credential_id } = request.grant!;
  const grant = { account_id: received.for_account_id ?? account_id, credential_id };
  const call = { grant, by: { request_id: request.id, address: request.ip }, now: deps.now() };
  const patients = received.patient_id === null ? [] : [received.patient_id];
  return partnerEntry(operation, call, { patients, subject: `client ${account_id}-${credential_id}` });
}

async function readMessage(request: FastifyRequest, types: readonly string[]): Promise<Buffer> {
  const bytes = await readBody(request.raw);
  // Ignores the charset: the readers accept only UTF-8 and report anything else themselves.
  const [type] = (request.headers["content-type"] ?? "").toLowerCase().split(";");
  if (!types.includes(type!.trim())) refuse(40002, "Content-Type");
  if (bytes === "too large") refuse(40004, "body");
  return bytes;
}
