import { type Environment, environments, type OauthErrorBody, scopeNames, type TokenResponse } from "@pestle/contract";
import { type Config, readConfig } from "../config.ts";
import { type Demo, readDemo } from "../seed/demo.ts";
import { AdminRefusal } from "../usecases/admin-refusal.ts";
import { ownAddress } from "../usecases/check-up-ports.ts";
import { reason, WrongUsage } from "./errors.ts";
import type { CommandRow } from "./program.ts";
import { readSecretFromStdin } from "./secret-input.ts";

type TokenOptions = {
  clientId?: string;
  partner?: string;
  environment?: Environment;
  scope?: string[];
  scopes?: boolean;
  secretStdin?: boolean;
};
type Client = { client_id: string; client_secret: string; environment: Environment };

const ANSWER_LIMIT_MS = 10_000;

export const tokenCommand: CommandRow = {
  name: "token",
  summary: "ask a running token server for an access token, and print it alone",
  options: [
    ["--client-id <client_id>", "whose token (default: the demo's first partner); the secret comes from CLIENT_SECRET"],
    ["--secret-stdin", "read the secret from standard input instead"],
    ["--partner <name>", "another of the demo's partners"],
    ["--environment <environment>", "which token server to ask", { choices: environments }],
    ["--scope <scope...>", "what to ask for (default: partners)", { choices: scopeNames }],
    ["--no-scopes", "ask for none, as a credential without scopes must"],
  ],
  examples: [
    'curl -H "Authorization: Bearer $(pestle token)" -H "Accept: application/json" http://127.0.0.1:8080/v1/brands',
    'token --partner "Juniper Care" --json',
    "pestle token --client-id 3f9k2m8x1q7z-a1b2c3d4 --environment production --secret-stdin < secret.txt",
  ],
  async run(options: TokenOptions, _argument, env) {
    const config = readConfig(env);
    const demo = readDemo(config.DATA_DIR);
    if (options.scopes === false && options.scope !== undefined) {
      throw new WrongUsage("Give --scope or --no-scopes, one of them.");
    }
    const client = await chooseClient(options, config, demo);
    const scopes = options.scopes === false ? [] : (options.scope ?? ["partners"]);
    const answer = await requestToken(tokenServer(config, demo, client.environment), client, scopes);
    return { data: answer, text: answer.access_token };
  },
};

async function chooseClient(options: TokenOptions, config: Config, demo: Demo | undefined): Promise<Client> {
  const known: (Client & { name: string })[] = [
    ...(demo?.partners ?? []),
    ...(demo === undefined ? [] : [{ ...demo.intake, name: "" }]),
  ];
  if (options.clientId === undefined) {
    const [first] = known.filter(({ name }) => name === (options.partner ?? known[0]?.name));
    if (demo === undefined) throw new AdminRefusal(`There is no demo in ${config.DATA_DIR}. Give --client-id.`);
    if (first === undefined) throw new AdminRefusal("The demo has no partner of that name.");
    return first;
  }
  const { clientId: client_id } = options;
  const familiar = known.find((client) => client.client_id === client_id);
  const environment = options.environment ?? familiar?.environment;
  if (environment === undefined) throw new WrongUsage("Give --environment: each has a token server of its own.");
  const given = options.secretStdin ? await readSecretFromStdin() : config.CLIENT_SECRET;
  const client_secret = given || familiar?.client_secret;
  if (!client_secret) throw new WrongUsage("There is no secret. Set CLIENT_SECRET, or give --secret-stdin.");
  return { client_id, client_secret, environment };
}

/** What you set, else where the service with the demo listens, else where it would by these settings. */
function tokenServer(config: Config, demo: Demo | undefined, environment: Environment): string {
  const [set, told, port] =
    environment === "production"
      ? [config.AUTH_URL, demo?.auth_url, config.AUTH_PORT]
      : [config.SANDBOX_AUTH_URL, demo?.sandbox_auth_url, config.SANDBOX_AUTH_PORT];
  return set || told || ownAddress(config, port);
}

async function requestToken(url: string, { client_id, client_secret }: Client, scopes: readonly string[]) {
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
  throw new AdminRefusal(
    "error" in answer
      ? `The token server refused: ${answer.error}. ${answer.error_description}`
      : `What answers at ${url} is no token server (status ${response.status}).`,
  );
}
