import type { SessionApi, WebAnswer, WebBody } from "@pestle/contract";
import { bodyOf, errorOf, send } from "../api.ts";
import { serverSession } from "./session.ts";

/** The paths of `POST /session…`. */
type SessionPath = keyof SessionApi extends infer Key ? (Key extends `POST ${infer Path}` ? Path : never) : never;

/**
 * The server requires the CSRF token of the browser's current session. If this page holds an older token, for example
 * after an unfinished sign-in in another tab, fetch the current token and retry.
 */
export async function post<const Path extends SessionPath>(
  path: Path,
  body: WebBody<`POST ${Path}`>,
  csrf_token: string | null,
): Promise<WebAnswer<`POST ${Path}`>> {
  let response = await sendTo(path, body, csrf_token);
  if (response.status === 404) {
    const { session } = await serverSession();
    response = await sendTo(path, body, session?.csrf_token ?? null);
  }
  if (!response.ok) throw await errorOf(response);
  return bodyOf<`POST ${Path}`>(`POST ${path}`, response);
}

const sendTo = (path: string, body: object, csrf_token: string | null): Promise<Response> =>
  send(path, {
    method: "POST",
    headers: {
      accept: "application/json",
      "content-type": "application/json",
      ...(csrf_token !== null && { "x-csrf-token": csrf_token }),
    },
    body: JSON.stringify(body),
  });
