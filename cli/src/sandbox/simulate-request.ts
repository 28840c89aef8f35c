import type { ErrorEntry, SimulationType } from "@pestle/contract";
import { partnerAccount, profileOption } from "../accounts/partner-account.ts";
import { ANSWER_LIMIT_MS, requestToken } from "../accounts/token.ts";
import { kindOfStatus, reason, ServiceRefusal } from "../errors.ts";
import type { CommandRow } from "../program.ts";
import { refusedFields } from "../refused-fields.ts";
import type { JsonFields } from "../set-fields.ts";

export type SandboxOptions = { profile?: string; partner?: string; clientId?: string; secretStdin?: boolean };
export const sandboxOptions: NonNullable<CommandRow["options"]> = [
  profileOption,
  ["--partner <name>", "a sandbox partner of the demo (default when not logged in: the first)"],
  ["--client-id <client_id>", "a specific account; reads the secret from CLIENT_SECRET"],
  ["--secret-stdin", "read the secret from standard input instead"],
];

/** A sandbox account on a running service. */
export type Sandbox = {
  simulate(simulation_type: SimulationType, simulation: JsonFields): Promise<JsonFields>;
  read<Body>(path: `/${string}`): Promise<Body>;
};

export async function openSandbox(options: SandboxOptions, env?: NodeJS.ProcessEnv): Promise<Sandbox> {
  const account = await partnerAccount(options, env, "sandbox");
  const { base_url } = account;
  const { access_token } = await requestToken(account, ["partners"]);
  const send = async (path: string, init: RequestInit) => {
    const headers = { ...init.headers, accept: "application/json", authorization: `Bearer ${access_token}` };
    const signal = AbortSignal.timeout(ANSWER_LIMIT_MS);
    const response = await fetch(base_url + path, { ...init, headers, signal, redirect: "error" }).catch((error) => {
      throw new ServiceRefusal(
        "unreachable",
        `No service answers at ${base_url} (${reason(error.cause ?? error)}). Is it running?`,
      );
    });
    const text = await response.text();
    if (response.ok) return JSON.parse(text);
    const { message, errors } = problemsIn(text);
    throw new ServiceRefusal(kindOfStatus(response.status), `Refused (status ${response.status}): ${message}`, {
      request_id: response.headers.get("x-request-id") ?? undefined,
      errors,
    });
  };
  return {
    read: (path) => send(`/v1${path}`, {}),
    simulate: (simulation_type, simulation) =>
      send("/v1/simulate", {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ simulation_type, simulation }),
      }),
  };
}

/** Every invalid field with its message, or the single message of another error. */
function problemsIn(text: string): { message: string; errors?: ErrorEntry[] } {
  try {
    const { errors = [], error } = JSON.parse(text) as { errors?: ErrorEntry[]; error?: { message?: string } };
    const details = refusedFields(errors);
    return { message: details.length > 0 ? details.join(" ") : (error?.message ?? "no reason given"), errors };
  } catch {
    return { message: "the server there is not a partner API" };
  }
}
