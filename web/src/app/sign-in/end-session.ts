import { errorOf, send } from "../api.ts";
import { csrfToken, serverSession } from "./session.ts";

/**
 * Ends the browser's current session, even if another tab or an unfinished sign-in replaced the one this page knows.
 * Throws if the session may still be active.
 */
export async function endSession(): Promise<void> {
  const known = csrfToken();
  let response = await remove(known ?? "");
  // The CSRF token belongs to an older session. Fetch the current one.
  if (response.status === 404) response = await remove((await serverSession()).session?.csrf_token ?? "");
  if (!response.ok && response.status !== 401) throw await errorOf(response);
}

const remove = (token: string): Promise<Response> =>
  send("/session", { method: "DELETE", headers: { accept: "application/json", "x-csrf-token": token } });
