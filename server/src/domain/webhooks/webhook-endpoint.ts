import {
  type Environment,
  endpointFaults,
  type FieldProblem,
  type WebhookEndpoint,
  WebhookEndpointInput,
  WebhookEndpointUpdate,
} from "@pestle/contract";
import { readBody } from "../values/read-body.ts";
import type { Problem } from "../values/refusals.ts";
import type { SentFields } from "../values/unknown-fields.ts";
import { checkWebhookUrl, type LoopbackPorts, urlProblems } from "./webhook-url.ts";

type EndpointFault = keyof typeof endpointFaults;

/** Faults that only the account's records show. The others are in the value itself. */
const faultProblems: { readonly [Fault in EndpointFault]?: FieldProblem } = {
  too_many: "conflict",
  disabled: "conflict",
  signing_credential: "not_found",
  endpoint_unknown: "not_found",
};

export const endpointProblem = (field: string, fault: EndpointFault): Problem => ({
  code: 42200,
  field,
  problem: faultProblems[fault] ?? "not_allowed",
  message: endpointFaults[fault],
});

/** A stored endpoint, without its secrets. */
export type EndpointState = {
  url: string;
  events: string[];
  description: string | null;
  status: WebhookEndpoint["status"];
  disabled_reason: WebhookEndpoint["disabled_reason"];
  disabled_at: Date | null;
  failing_since: Date | null;
  signing_credential_id: string;
  signing_credential_secret_id: number;
};

const bodies = { create: WebhookEndpointInput, update: WebhookEndpointUpdate };

/** Returns all problems of an endpoint's fields that need no database. */
export function endpointFieldProblems(
  sent: SentFields,
  request: keyof typeof bodies,
  environment: Environment,
  loopback_ports: LoopbackPorts,
): Problem[] {
  const uri = (url: string, field: string): { value: string | null; problems: Problem[] } => {
    const problem = checkWebhookUrl(url, environment, loopback_ports);
    if (problem === null) return { value: url, problems: [] };
    return { value: null, problems: [{ code: 42200, field, problem: "not_allowed", message: urlProblems[problem] }] };
  };
  // Only the database knows the owner and state of the signing credential.
  return readBody<WebhookEndpointUpdate>(bodies[request], sent, "", { uri }).problems;
}

/** An endpoint after an update. `switched` is the new signing secret, if requested. */
export function changedEndpoint(
  before: EndpointState,
  sent: WebhookEndpointUpdate,
  switched: Pick<EndpointState, "signing_credential_id" | "signing_credential_secret_id"> | null,
  account_now: Date,
): EndpointState {
  const { description = before.description } = sent;
  // Null means omitted, except in the description, which it clears.
  const [url, events, status] = [sent.url ?? before.url, sent.events ?? before.events, sent.status ?? before.status];
  return {
    ...before,
    url,
    events: [...events],
    description,
    ...switched,
    // Failures at the old URL do not count against the new one.
    ...(url !== before.url && { failing_since: null }),
    ...statusChange(before, status, account_now),
  };
}

/** An enabled endpoint starts fresh: earlier failures do not count. */
function statusChange(before: EndpointState, status: EndpointState["status"], account_now: Date) {
  if (status === before.status) return {};
  if (status === "active") return { status, disabled_reason: null, disabled_at: null, failing_since: null };
  return { status, disabled_reason: "partner" as const, disabled_at: account_now };
}

/** The credential in a client ID, if it belongs to this account. */
export function ownCredential(account_id: string, client_id: string): string | null {
  const credential_id = client_id.slice(account_id.length + 1);
  return client_id === `${account_id}-${credential_id}` && /^[a-z0-9]{8}$/.test(credential_id) ? credential_id : null;
}

/** As partners see it. */
export function endpointAnswer(
  account_id: string,
  row: EndpointState & { endpoint_id: string; created_at: Date; updated_at: Date },
): WebhookEndpoint {
  return {
    id: row.endpoint_id,
    url: row.url,
    events: row.events as WebhookEndpoint["events"],
    status: row.status,
    signing_credential_id: `${account_id}-${row.signing_credential_id}`,
    description: row.description,
    disabled_reason: row.disabled_reason,
    disabled_at: row.disabled_at?.toISOString() ?? null,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}
