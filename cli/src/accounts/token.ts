import { ASSERTION_TYPE, type OauthErrorBody, scopeNames, type TokenResponse } from "@pestle/contract";
import { reason, ServiceRefusal, WrongUsage } from "../errors.ts";
import type { CommandRow } from "../program.ts";
import { signerOf } from "./client-key.ts";
import { type PartnerOptions, partnerAccount, partnerOptions } from "./partner-account.ts";
import type { Profile } from "./profiles.ts";

type TokenOptions = PartnerOptions & { scope?: string[]; scopes?: boolean };

export const tokenCommand: CommandRow = {
  name: "token",
  summary: "request an access token from a running token server and print only the token",
  options: [
    ...partnerOptions,
    ["--scope <scope...>", "the scopes to request (default: partners)", { choices: scopeNames }],
    ["--no-scopes", "request no scopes, for a credential that has none"],
  ],
  examples: [
    'curl -H "Authorization: Bearer $(pestle token)" -H "Accept: application/json" http://127.0.0.1:8080/v1/brands',
    'token --partner "Juniper Care" --json',
    "pestle token --client-id 3f9k2m8x1q7z-a1b2c3d4 --environment production --secret-stdin < secret.txt",
    "pestle token --client-id 3f9k2m8x1q7z-a1b2c3d4 --environment production --key partner-key.pem",
  ],
  async run(options: TokenOptions, _argument, env) {
    if (options.scopes === false && options.scope !== undefined) {
      throw new WrongUsage("Give either --scope or --no-scopes.");
    }
    const account = await partnerAccount(options, env);
    const scopes = options.scopes === false ? [] : (options.scope ?? ["partners"]);
    const answer = await requestToken(account, scopes);
    return { data: answer, text: answer.access_token };
  },
};

/** How long a server can take to respond. */
export const ANSWER_LIMIT_MS = 10_000;

export async function requestToken(
  {
    client_id,
    client_secret,
    key_file,
    auth_url,
  }: Pick<Profile, "client_id" | "client_secret" | "key_file" | "auth_url">,
  scopes: readonly string[],
): Promise<TokenResponse> {
  const proof =
    key_file === undefined
      ? { client_secret }
      : {
          client_assertion_type: ASSERTION_TYPE,
          client_assertion: await signerOf(key_file)(client_id, auth_url, new Date()),
        };
  const form = { grant_type: "client_credentials", client_id, ...proof };
  const body = new URLSearchParams(scopes.length === 0 ? form : { ...form, scope: scopes.join(" ") });
  const signal = AbortSignal.timeout(ANSWER_LIMIT_MS);
  const response = await fetch(`${auth_url}/oauth/token`, { method: "POST", body, signal, redirect: "error" }).catch(
    (error) => {
      throw new ServiceRefusal(
        "unreachable",
        `No token server answers at ${auth_url} (${reason(error.cause ?? error)}). Is the service running?`,
      );
    },
  );
  const answer = (await response.json().catch(() => ({}))) as TokenResponse | OauthErrorBody;
  if ("access_token" in answer) return answer;
  const facts = { request_id: response.headers.get("x-request-id") ?? undefined };
  if ("error" in answer && typeof answer.error === "string") {
    const kind = response.status === 429 ? "unreachable" : "unauthorized";
    throw new ServiceRefusal(kind, `The token server refused: ${answer.error}. ${answer.error_description}`, facts);
  }
  // A 503 has the partner API's error format.
  if (response.status === 503) {
    const message = "The token server cannot reach its database. Try again in a moment.";
    throw new ServiceRefusal("unreachable", message, facts);
  }
  throw new ServiceRefusal("refused", `The server at ${auth_url} is not a token server (status ${response.status}).`);
}
