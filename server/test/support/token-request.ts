import type { TestApp } from "./test-app.ts";

export type Credentials = { client_id: string; client_secret: string };

export const basic = ({ client_id, client_secret }: Credentials) =>
  `Basic ${Buffer.from(`${encodeURIComponent(client_id)}:${encodeURIComponent(client_secret)}`).toString("base64")}`;

/** A POST to a token server with the given form and, if given, Basic credentials. */
export async function askTokenServer(
  auth_url: string,
  form: Record<string, string> | string,
  options: { credentials?: Credentials; path?: string; headers?: Record<string, string> } = {},
): Promise<Response> {
  return fetch(`${auth_url}${options.path ?? "/oauth/token"}`, {
    method: "POST",
    headers: {
      "content-type": "application/x-www-form-urlencoded",
      ...(options.credentials === undefined ? {} : { authorization: basic(options.credentials) }),
      ...options.headers,
    },
    body: typeof form === "string" ? form : new URLSearchParams(form).toString(),
  });
}

/** A new token for a demo partner, or for the given sandbox credentials. */
export async function freshToken(
  app: TestApp,
  credentials: Credentials,
  scope: string | undefined = "partners",
): Promise<string> {
  const partner = app.demo.partners.find(({ client_id }) => client_id === credentials.client_id);
  const auth_url = partner?.environment === "production" ? app.addresses.auth_url : app.addresses.sandbox_auth_url;
  const response = await askTokenServer(
    auth_url,
    { grant_type: "client_credentials", ...(scope && { scope }) },
    { credentials },
  );
  const { access_token } = (await response.json()) as { access_token: string };
  return access_token;
}
