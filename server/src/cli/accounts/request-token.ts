import type { OauthErrorBody, TokenResponse } from "@pestle/contract";
import { AdminRefusal } from "../../usecases/accounts/admin-refusal.ts";
import { reason } from "../errors.ts";

/** How long whoever we speak to may take. */
export const ANSWER_LIMIT_MS = 10_000;

export async function requestToken(
  { client_id, client_secret, auth_url }: { client_id: string; client_secret: string; auth_url: string },
  scopes: readonly string[],
): Promise<TokenResponse> {
  const form = { grant_type: "client_credentials", client_id, client_secret };
  const body = new URLSearchParams(scopes.length === 0 ? form : { ...form, scope: scopes.join(" ") });
  const signal = AbortSignal.timeout(ANSWER_LIMIT_MS);
  const response = await fetch(`${auth_url}/oauth/token`, { method: "POST", body, signal, redirect: "error" }).catch(
    (error) => {
      throw new AdminRefusal(
        `No token server answers at ${auth_url} (${reason(error.cause ?? error)}). Does the service run?`,
      );
    },
  );
  const answer = (await response.json().catch(() => ({}))) as TokenResponse | OauthErrorBody;
  if ("access_token" in answer) return answer;
  if ("error" in answer && typeof answer.error === "string") {
    throw new AdminRefusal(`The token server refused: ${answer.error}. ${answer.error_description}`);
  }
  // 503 is told in the shape of the partner API.
  throw new AdminRefusal(
    response.status === 503
      ? "The token server is out of reach of its database. Try again in a moment."
      : `What answers at ${auth_url} is no token server (status ${response.status}).`,
  );
}
