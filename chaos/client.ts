import type { Demo, DemoPartner } from "../server/src/seed/demo.ts";
import { ask, type Reply } from "./ask.ts";

/** A clock move is this long so that its place in the order of moves can be read off any answer, however late it comes. */
const STEP_S = 1_000;

export const issue = (demo: Demo, partner: DemoPartner): Promise<Reply | undefined> =>
  ask(`${tokenServer(demo, partner)}/oauth/token`, {
    method: "POST",
    body: new URLSearchParams({
      grant_type: "client_credentials",
      scope: "partners",
      client_id: partner.client_id,
      client_secret: partner.client_secret,
    }),
  });

export const revoke = (demo: Demo, partner: DemoPartner, token: string): Promise<Reply | undefined> =>
  ask(`${tokenServer(demo, partner)}/oauth/revoke`, {
    method: "POST",
    body: new URLSearchParams({ token, client_id: partner.client_id, client_secret: partner.client_secret }),
  });

/** 200 while the token is active, 401 when it is not. */
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

/**
 * Which move of its account's clock an answer tells of: 1 is the first. `sent_at_ms` is when the move was first asked
 * for; it was made at that time or a little later.
 */
export function positionOf(text: string, sent_at_ms: number): number {
  const moved_ms = Date.parse((JSON.parse(text) as { now: string }).now) - sent_at_ms;
  return Math.floor(moved_ms / (STEP_S * 1000) + 0.5);
}

export const tokenOf = (reply: Reply): string => (JSON.parse(reply.text) as { access_token: string }).access_token;

function tokenServer(demo: Demo, { environment }: DemoPartner): string {
  return environment === "sandbox" ? demo.sandbox_auth_url : demo.auth_url;
}
