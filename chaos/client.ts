import type { Demo, DemoPartner } from "../server/src/seed/demo-file.ts";
import { ask, insist, type Reply } from "./ask.ts";

/** The length of a clock move. Any answer, however late, shows the position of its move in the sequence. */
const STEP_S = 1_000;
const RECOVERY_DEADLINE_MS = 120_000;

export type Client = Pick<DemoPartner, "environment" | "client_id" | "client_secret">;

export const issue = (demo: Demo, client: Client, scope = "partners"): Promise<Reply | undefined> =>
  ask(`${tokenServer(demo, client)}/oauth/token`, {
    method: "POST",
    body: new URLSearchParams({
      grant_type: "client_credentials",
      scope,
      client_id: client.client_id,
      client_secret: client.client_secret,
    }),
  });

/** Gets a token of the sandbox partner, which owns its orders, as soon as the service issues one. */
export const partnerToken = (demo: Demo) => tokenFor(demo, demo.partners[0]!, "partners");

/** A token for an e-prescription network that delivers messages. */
export const intakeToken = (demo: Demo) => tokenFor(demo, demo.intake, "intake");

async function tokenFor(demo: Demo, client: Client, scope: string): Promise<string> {
  const reply = await insist(() => issue(demo, client, scope), RECOVERY_DEADLINE_MS);
  if (reply.status !== 200) throw new Error(`the service rejected the demo's credentials with ${reply.status}`);
  return tokenOf(reply);
}

export const deliver = (
  demo: Demo,
  token: string,
  format: "script" | "fhir",
  body: Uint8Array,
): Promise<Reply | undefined> =>
  ask(`${demo.base_url}/intake/${format}`, {
    method: "POST",
    headers: { "content-type": CONTENT_TYPES[format], authorization: `Bearer ${token}` },
    body: new Uint8Array(body),
  });

const CONTENT_TYPES = { script: "application/xml", fhir: "application/fhir+json" };

export const revoke = (demo: Demo, partner: DemoPartner, token: string): Promise<Reply | undefined> =>
  ask(`${tokenServer(demo, partner)}/oauth/revoke`, {
    method: "POST",
    body: new URLSearchParams({ token, client_id: partner.client_id, client_secret: partner.client_secret }),
  });

/** Returns 200 while the token is active, 401 otherwise. */
export const read = (demo: Demo, token: string): Promise<Reply | undefined> =>
  ask(`${demo.base_url}/shipping_methods`, {
    headers: { accept: "application/json", authorization: `Bearer ${token}` },
  });

export const move = (demo: Demo, token: string, key: string): Promise<Reply | undefined> =>
  ask(`${demo.base_url}/simulate`, {
    method: "POST",
    headers: {
      accept: "application/json",
      "content-type": "application/json",
      authorization: `Bearer ${token}`,
      "idempotency-key": key,
    },
    body: JSON.stringify({ simulation_type: "clock", simulation: { advance_seconds: STEP_S } }),
  });

export const placeOrder = (demo: Demo, token: string, body: string, key: string | null): Promise<Reply | undefined> =>
  ask(`${demo.base_url}/orders`, {
    method: "POST",
    headers: {
      accept: "application/json",
      "content-type": "application/json",
      authorization: `Bearer ${token}`,
      ...(key === null ? {} : { "idempotency-key": key }),
    },
    body,
  });

/**
 * The position of the clock move that an answer belongs to; the first is 1. `sent_at_ms` is when the client first
 * requested the move. The service made it at that time or a little later.
 */
export function positionOf(text: string, sent_at_ms: number): number {
  const moved_ms = Date.parse((JSON.parse(text) as { now: string }).now) - sent_at_ms;
  return Math.floor(moved_ms / (STEP_S * 1000) + 0.5);
}

export const tokenOf = (reply: Reply): string => (JSON.parse(reply.text) as { access_token: string }).access_token;

function tokenServer(demo: Demo, { environment }: Client): string {
  return environment === "sandbox" ? demo.sandbox_auth_url : demo.auth_url;
}
