import {
  createPestle,
  NotFound,
  PestleError,
  RateLimited,
  type RequestOptions,
  RequestRefused,
  Unauthorized,
  Unavailable,
} from "@pestle/sdk";
import { readClientKey } from "./accounts/client-key.ts";
import { type PartnerAccount, type PartnerOptions, partnerAccount } from "./accounts/partner-account.ts";
import { reason, ServiceRefusal } from "./errors.ts";
import { refusedFields } from "./refused-fields.ts";
import { readSettings, type Settings } from "./settings.ts";

type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
type Asked = Pick<RequestOptions, "query" | "body" | "signal" | "idempotency_key"> & {
  /** The message for a 404. */
  missing?: string;
};
/** An account on a running service, called over the partner API. */
export type PartnerApi = {
  config: Settings;
  client: PartnerAccount;
  base_url: string;
  request<Body>(method: Method, path: `/${string}`, asked?: Asked): Promise<Body>;
};

/** The retries ran out without a usable answer. Commands that can wait try again. */
export class OutOfReach extends ServiceRefusal {
  constructor(message: string, facts?: ServiceRefusal["facts"]) {
    super("unreachable", message, facts);
  }
}

export async function openPartnerApi(options: PartnerOptions, env?: NodeJS.ProcessEnv): Promise<PartnerApi> {
  return partnerApiOf(await partnerAccount(options, env), readSettings(env));
}

export function partnerApiOf(client: PartnerAccount, config: Settings): PartnerApi {
  const { client_id, client_secret, key_file, base_url, auth_url } = client;
  const proof = key_file === undefined ? { client_secret } : { private_key: readClientKey(key_file) };
  const pestle = createPestle({ client_id, ...proof, base_url, auth_url, retries: 2 });
  return {
    config,
    client,
    base_url,
    async request<Body>(method: Method, path: `/${string}`, asked: Asked = {}) {
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
  if (!(error instanceof PestleError)) return error;
  if (error instanceof NotFound) return new ServiceRefusal("not_found", missing ?? error.message, error);
  if (error instanceof Unauthorized) return new ServiceRefusal("unauthorized", error.message, error);
  if (error instanceof RequestRefused) {
    const message = `Refused. ${refusedFields(error.errors).join(" ") || error.message}`;
    return new ServiceRefusal("refused", message, error);
  }
  if (error instanceof Unavailable) {
    const { cause } = error;
    const why = cause === undefined ? error.message : reason((cause as { cause?: unknown }).cause ?? cause);
    return new OutOfReach(`No service answers at ${base_url} (${why}). Is it running?`, error);
  }
  const passes = error instanceof RateLimited || (error.status ?? 0) >= 500;
  return passes ? new OutOfReach(error.message, error) : new ServiceRefusal("refused", error.message, error);
}
