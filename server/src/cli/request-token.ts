import type { Environment, OauthErrorBody, TokenResponse } from "@pestle/contract";
import type { Config } from "../config.ts";
import type { Demo } from "../seed/demo.ts";
import { AdminRefusal } from "../usecases/admin-refusal.ts";
import { ownAddress } from "../usecases/check-up-ports.ts";
import { reason, WrongUsage } from "./errors.ts";
import { readSecretFromStdin } from "./secret-input.ts";

export type Client = { client_id: string; client_secret: string; environment: Environment };
export type ClientOptions = { clientId?: string; environment?: Environment; secretStdin?: boolean };

/** How long whoever we speak to may take. */
export const ANSWER_LIMIT_MS = 10_000;

export async function requestToken(
  config: Config,
  demo: Demo | undefined,
  { client_id, client_secret, environment }: Client,
  scopes: readonly string[],
): Promise<TokenResponse> {
  const url = tokenServer(config, demo, environment);
  const form = { grant_type: "client_credentials", client_id, client_secret };
  const body = new URLSearchParams(scopes.length === 0 ? form : { ...form, scope: scopes.join(" ") });
  const signal = AbortSignal.timeout(ANSWER_LIMIT_MS);
  const response = await fetch(`${url}/oauth/token`, { method: "POST", body, signal, redirect: "error" }).catch(
    (error) => {
      throw new AdminRefusal(
        `No token server answers at ${url} (${reason(error.cause ?? error)}). Does the service run?`,
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
      : `What answers at ${url} is no token server (status ${response.status}).`,
  );
}

/** What you set, else where the service with the demo listens, else where it would by these settings. */
export function tokenServer(config: Config, demo: Demo | undefined, environment: Environment): string {
  const [set, told, port] =
    environment === "production"
      ? [config.AUTH_URL, demo?.auth_url, config.AUTH_PORT]
      : [config.SANDBOX_AUTH_URL, demo?.sandbox_auth_url, config.SANDBOX_AUTH_PORT];
  return set || told || ownAddress(config, port);
}

/** The same for the partner API. */
export const partnerApiAddress = (config: Config, demo: Demo | undefined) =>
  config.BASE_URL || demo?.base_url || ownAddress(config, config.PORT);

export type PartnerOptions = ClientOptions & { partner?: string };

/** The client of that id, or one of the demo's partners, the first unless another is named. */
export async function partnerClient(options: PartnerOptions, config: Config, demo: Demo | undefined): Promise<Client> {
  if (options.clientId !== undefined) return clientNamed(options.clientId, options, config, demo);
  if (demo === undefined) throw new AdminRefusal(`There is no demo in ${config.DATA_DIR}. Give --client-id.`);
  const { partners } = demo;
  const first = partners.find(({ name }) => name === (options.partner ?? partners[0]?.name));
  if (first === undefined) throw new AdminRefusal("The demo has no partner of that name.");
  return first;
}

/** The client of that id: its secret is given, or one of the demo's. */
export async function clientNamed(
  client_id: string,
  options: ClientOptions,
  config: Config,
  demo: Demo | undefined,
): Promise<Client> {
  const known: readonly Client[] = demo === undefined ? [] : [...demo.partners, demo.intake];
  const familiar = known.find((client) => client.client_id === client_id);
  const environment = options.environment ?? familiar?.environment;
  if (environment === undefined) throw new WrongUsage("Give --environment: each has a token server of its own.");
  const given = options.secretStdin ? await readSecretFromStdin() : config.CLIENT_SECRET;
  const client_secret = given || familiar?.client_secret;
  if (!client_secret) throw new WrongUsage("There is no secret. Set CLIENT_SECRET, or give --secret-stdin.");
  return { client_id, client_secret, environment };
}
