import { errorOf, send } from "../api.ts";
import { csrfToken, serverSession } from "./session.ts";

/**
 * Ends whatever session the browser has: also one that another tab, or half a sign-in, put in the place of the one that
 * this page knows. Throws where it may still be there.
 */
export async function endSession(): Promise<void> {
  const known = csrfToken();
  let response = await remove(known ?? "");
  // The token was of another session than the cookie: ask for the one of now.
  if (response.status === 404) response = await remove((await serverSession()).session?.csrf_token ?? "");
  if (!response.ok && response.status !== 401) throw await errorOf(response);
}

const remove = (token: string): Promise<Response> =>
  send("/session", { method: "DELETE", headers: { accept: "application/json", "x-csrf-token": token } });
