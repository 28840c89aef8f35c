import { environments } from "@pestle/contract";
import {
  createPestle,
  NotFound,
  PestleError,
  RateLimited,
  type RequestOptions,
  RequestRefused,
  Unavailable,
} from "@pestle/sdk";
import { type Config, readConfig } from "../config.ts";
import { readDemo } from "../seed/demo.ts";
import { AdminRefusal } from "../usecases/admin-refusal.ts";
import { reason } from "./errors.ts";
import type { CommandRow } from "./program.ts";
import { type Client, type PartnerOptions, partnerApiAddress, partnerClient, tokenServer } from "./request-token.ts";

/** The options of every command that calls the partner API. */
export const partnerOptions: NonNullable<CommandRow["options"]> = [
  ["--partner <name>", "one of the demo's partners (default: the first)"],
  ["--client-id <client_id>", "another account; the secret comes from CLIENT_SECRET"],
  ["--secret-stdin", "read the client secret from standard input instead"],
  ["--environment <environment>", "which token server to ask", { choices: environments }],
];

type Asked = Pick<RequestOptions, "query" | "body" | "signal"> & {
  /** What is said where there is no such record. */
  missing?: string;
};
/** An account of a running service, as a partner's own program reaches it. */
export type PartnerApi = {
  config: Config;
  client: Client;
  base_url: string;
  request<Body>(method: "GET" | "POST" | "PATCH" | "DELETE", path: `/${string}`, asked?: Asked): Promise<Body>;
};

/** No answer, or none of use, within the retries: whoever can wait tries again. */
export class OutOfReach extends AdminRefusal {}

export async function openPartnerApi(options: PartnerOptions, env?: NodeJS.ProcessEnv): Promise<PartnerApi> {
  const config = readConfig(env);
  const demo = readDemo(config.DATA_DIR);
  const client = await partnerClient(options, config, demo);
  const base_url = partnerApiAddress(config, demo);
  const { client_id, client_secret } = client;
  const auth_url = tokenServer(config, demo, client.environment);
  const pestle = createPestle({ client_id, client_secret, base_url, auth_url, retries: 2 });
  return {
    config,
    client,
    base_url,
    async request<Body>(method: "GET" | "POST" | "PATCH" | "DELETE", path: `/${string}`, asked: Asked = {}) {
      const { missing, ...given } = asked;
      try {
        return (await pestle.request<Body>(method, `/v1${path}`, given)).body;
      } catch (error) {
        throw refusalOf(error, base_url, missing);
      }
    },
  };
}

function refusalOf(error: unknown, base_url: string, missing: string | undefined): unknown {
  if (error instanceof NotFound && missing !== undefined) return new AdminRefusal(missing);
  if (error instanceof RequestRefused) {
    const details = error.errors.flatMap(({ code, error_detail }) =>
      error_detail.map(({ field, message }) => `${field} (${code}): ${message}`),
    );
    return new AdminRefusal(`Refused. ${details.join(" ") || error.message}`);
  }
  if (error instanceof Unavailable) {
    const { cause } = error;
    const why = cause === undefined ? error.message : reason((cause as { cause?: unknown }).cause ?? cause);
    return new OutOfReach(`No service answers at ${base_url} (${why}). Does it run?`);
  }
  if (error instanceof PestleError) {
    const passes = error instanceof RateLimited || (error.status ?? 0) >= 500;
    return new (passes ? OutOfReach : AdminRefusal)(error.message);
  }
  return error;
}
