import {
  ENDPOINT_TEXT_MOST_CHARACTERS,
  type Environment,
  endpointStatuses,
  eventTypeNames,
  isEventType,
  MOST_WEBHOOK_ENDPOINTS,
  type WebhookEndpoint,
  type WebhookEndpointUpdate,
} from "@pestle/contract";
import type { Problem } from "../values/refusals.ts";
import { type SentFields, unknownFields } from "../values/unknown-fields.ts";
import { checkWebhookUrl, urlProblems } from "./webhook-url.ts";

/** What can be wrong with an endpoint that is sent, or with what is asked of it; the sentences that are answered. */
export const endpointFaults = {
  events: "Send a list of event types; an empty one stands for every event that is not opt-in.",
  event_unknown: "Use an event type of the documentation.",
  event_twice: "Name each event type once.",
  secret: `The secret has 1 to ${ENDPOINT_TEXT_MOST_CHARACTERS} characters.`,
  signing_credential: "Use the client_id of a credential of this account that was not revoked.",
  description: `The description is null or has at most ${ENDPOINT_TEXT_MOST_CHARACTERS} characters.`,
  status: `Use one of ${endpointStatuses.join(" and ")}.`,
  too_many: `An account has at most ${MOST_WEBHOOK_ENDPOINTS} endpoints: remove one first.`,
  disabled: "The endpoint is disabled: set its status to active first.",
  endpoint_unknown: "Use the id of an endpoint of this account.",
  since: "Send a time with its zone, or a date.",
  missed: "Send true or false.",
} as const;
type EndpointFault = keyof typeof endpointFaults;

export const endpointProblem = (field: string, fault: EndpointFault): Problem => ({
  code: 42200,
  field,
  message: endpointFaults[fault],
});

/** An endpoint as it is kept, without its secrets. */
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

type Field = keyof WebhookEndpointUpdate;
/** What `POST` needs, and what each of the two requests may have. */
const fieldsOf = {
  create: { needed: ["url", "secret"], known: ["url", "events", "secret", "signing_credential_id", "description"] },
  update: { needed: [], known: ["url", "events", "secret", "signing_credential_id", "description", "status"] },
} as const satisfies Record<string, { needed: readonly Field[]; known: readonly Field[] }>;

/** Everything that is wrong with the fields of an endpoint, whoever else has a say. */
export function endpointFieldProblems(
  sent: SentFields,
  request: keyof typeof fieldsOf,
  environment: Environment,
): Problem[] {
  const { needed, known } = fieldsOf[request];
  const looked_at = known.filter((field) => Object.hasOwn(sent, field) || (needed as readonly Field[]).includes(field));
  return [...unknownFields(sent, known), ...looked_at.flatMap((field) => checks[field](sent[field], environment))];
}

const checks: Record<Field, (value: unknown, environment: Environment) => Problem[]> = {
  url: (value, environment) => {
    const problem = isText(value, Number.POSITIVE_INFINITY) ? checkWebhookUrl(value, environment) : "malformed";
    return problem === null ? [] : [{ code: 42200, field: "url", message: urlProblems[problem] }];
  },
  events: (value) => {
    // A longer list names one twice, and a list of a hundred thousand is not answered name by name.
    if (!Array.isArray(value) || value.length > eventTypeNames.length) return [endpointProblem("events", "events")];
    return value.flatMap((name, index) => {
      if (typeof name !== "string" || !isEventType(name)) return [endpointProblem(`events[${index}]`, "event_unknown")];
      return value.indexOf(name) < index ? [endpointProblem(`events[${index}]`, "event_twice")] : [];
    });
  },
  secret: (value) =>
    isText(value, ENDPOINT_TEXT_MOST_CHARACTERS) && value !== "" ? [] : [endpointProblem("secret", "secret")],
  // Whose it is and whether it lives is known to the database alone.
  signing_credential_id: (value) =>
    typeof value === "string" ? [] : [endpointProblem("signing_credential_id", "signing_credential")],
  description: (value) =>
    value === null || (isText(value, ENDPOINT_TEXT_MOST_CHARACTERS) && !value.includes("\0"))
      ? []
      : [endpointProblem("description", "description")],
  status: (value) =>
    (endpointStatuses as readonly unknown[]).includes(value) ? [] : [endpointProblem("status", "status")],
};

/** Half of a surrogate pair has no bytes: it would be kept, and signed, as something else. */
const isText = (value: unknown, most_characters: number): value is string =>
  typeof value === "string" && !/\p{Surrogate}/u.test(value) && [...value].length <= most_characters;

/** An endpoint after what was sent; `switched` is the signing secret, where that was asked for. */
export function changedEndpoint(
  before: EndpointState,
  sent: WebhookEndpointUpdate,
  switched: Pick<EndpointState, "signing_credential_id" | "signing_credential_secret_id"> | null,
  account_now: Date,
): EndpointState {
  const { url = before.url, events = before.events, description = before.description, status = before.status } = sent;
  return {
    ...before,
    url,
    events: [...events],
    description,
    ...switched,
    // What failed elsewhere does not count against where it is now.
    ...(url !== before.url && { failing_since: null }),
    ...statusChange(before, status, account_now),
  };
}

/** An endpoint that is enabled begins anew: what it failed before does not count against it. */
function statusChange(before: EndpointState, status: EndpointState["status"], account_now: Date) {
  if (status === before.status) return {};
  if (status === "active") return { status, disabled_reason: null, disabled_at: null, failing_since: null };
  return { status, disabled_reason: "partner" as const, disabled_at: account_now };
}

/** The credential in a client id, if it is one of this account. */
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
