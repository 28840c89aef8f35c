import { type Environment, environments } from "@pestle/contract";
import { type Demo, readDemo } from "../demo-file.ts";
import { CommandRefusal, WrongUsage } from "../errors.ts";
import type { CommandRow } from "../program.ts";
import { ownAddress, readSettings, type Settings } from "../settings.ts";
import { keyFile, keyOption } from "./client-key.ts";
import { DEFAULT_PROFILE, type Profile, readProfiles } from "./profiles.ts";
import { readSecretFromStdin } from "./secret-input.ts";

/** An account on a running service, its addresses, and how it was chosen. */
export type PartnerAccount = Profile & { chosen_by: string };

export type ClientOptions = {
  clientId?: string;
  environment?: Environment;
  secretStdin?: boolean;
  key?: string;
  profile?: string;
};
export type PartnerOptions = ClientOptions & { partner?: string };

export const profileOption = [
  "--profile <name>",
  "an account saved by `pestle login` (default: PESTLE_PROFILE, else default)",
] as const;
/** The options of every command that calls the partner API. */
export const partnerOptions: NonNullable<CommandRow["options"]> = [
  profileOption,
  ["--partner <name>", "a partner of the demo (default when not logged in: the first)"],
  ["--client-id <client_id>", "a specific account; reads the secret from CLIENT_SECRET"],
  ["--secret-stdin", "read the client secret from standard input instead"],
  keyOption,
  ["--environment <environment>", "which token server to use", { choices: environments }],
];

/**
 * Options win over saved profiles, and profiles over the demo. A profile has its own addresses: its secret is never sent
 * elsewhere.
 */
export async function partnerAccount(
  options: PartnerOptions,
  env?: NodeJS.ProcessEnv,
  only?: Environment,
): Promise<PartnerAccount> {
  const named = [options.clientId, options.partner, options.profile].filter((given) => given !== undefined);
  if (named.length > 1) throw new WrongUsage("Give only one of --client-id, --partner and --profile.");
  if (options.key !== undefined && options.clientId === undefined) throw new WrongUsage("--key needs --client-id.");
  if (only !== undefined && options.environment !== undefined && options.environment !== only) {
    throw new WrongUsage(`This command works in the ${only} only. Omit --environment.`);
  }
  const wanted = only ?? options.environment;
  const config = readSettings(env);
  const demo = readDemo(config.DATA_DIR);
  if (options.clientId !== undefined) {
    const { environment: _, ...rest } = options;
    return clientNamed(options.clientId, wanted === undefined ? rest : { ...rest, environment: wanted }, config, demo);
  }
  const kept = options.partner === undefined ? keptAccount(options.profile, config, env) : undefined;
  if (kept !== undefined) return inEnvironment(kept, options.environment, only);
  if (demo === undefined) throw new CommandRefusal(nobody(config));
  const named_so = demo.partners.filter(({ name }) => options.partner === undefined || name === options.partner);
  const chosen = named_so.find(({ environment }) => wanted === undefined || environment === wanted);
  if (chosen === undefined) {
    const [other] = named_so;
    if (other === undefined) throw new CommandRefusal("The demo has no partner with that name.");
    const account = { ...other, ...addresses(config, demo, other.environment), chosen_by: `the demo, ${other.name}` };
    return inEnvironment(account, options.environment, only);
  }
  const { name, client_id, client_secret, environment } = chosen;
  const client = { client_id, client_secret, environment };
  return { ...client, ...addresses(config, demo, environment), chosen_by: `the demo, ${name}` };
}

/** Refuses the account of another environment: an order meant for the sandbox must not become a real one. */
export function inEnvironment(
  account: PartnerAccount,
  given: Environment | undefined,
  only?: Environment,
): PartnerAccount {
  const { chosen_by, environment } = account;
  if (given !== undefined && environment !== given) {
    throw new WrongUsage(
      `The account of ${chosen_by} is a ${environment} account, but --environment says ${given}. Omit --environment, or choose an account of that environment with --profile, --partner or --client-id.`,
    );
  }
  if (only !== undefined && environment !== only) {
    throw new CommandRefusal(
      `The account of ${chosen_by} is a ${environment} account; this command needs a ${only} account.`,
    );
  }
  return account;
}

/** The client with that id. The user gives its secret, or the demo has it. */
export async function clientNamed(
  client_id: string,
  options: ClientOptions,
  config: Settings,
  demo: Demo | undefined,
): Promise<PartnerAccount> {
  const known = demo === undefined ? [] : [...demo.partners, demo.intake];
  const familiar = known.find((client) => client.client_id === client_id);
  const environment = options.environment ?? familiar?.environment;
  if (familiar !== undefined && environment !== familiar.environment) {
    throw new WrongUsage(
      `This client id is a ${familiar.environment} one, not a ${environment} one. Omit --environment, or give another client id.`,
    );
  }
  if (environment === undefined) throw new WrongUsage("Give --environment: each environment has its own token server.");
  const given = options.secretStdin ? await readSecretFromStdin() : config.CLIENT_SECRET;
  const client_secret = given || familiar?.client_secret;
  if (!client_secret && options.key === undefined) {
    throw new WrongUsage("There is no secret. Set CLIENT_SECRET, or give --secret-stdin or --key.");
  }
  return {
    client_id,
    client_secret: client_secret ?? "",
    ...(options.key === undefined ? {} : { key_file: keyFile(options.key) }),
    environment,
    ...addresses(config, demo, environment),
    chosen_by: "--client-id",
  };
}

/** The profile named in the option or the environment, or else the default profile if it exists. */
export function keptAccount(
  named: string | undefined,
  config: Settings,
  env: NodeJS.ProcessEnv | undefined,
): PartnerAccount | undefined {
  const asked = named ?? (config.PESTLE_PROFILE || undefined);
  const name = asked ?? DEFAULT_PROFILE;
  const found = readProfiles(env).get(name);
  if (found !== undefined) return { ...found, chosen_by: `profile ${name}` };
  if (asked !== undefined)
    throw new CommandRefusal("There is no profile with that name. Create it with `pestle login --profile`.");
  return undefined;
}

export const nobody = ({ DATA_DIR }: Settings) =>
  `There is no demo in ${DATA_DIR}, and you are not logged in. Run \`pestle login\`, or give --client-id.`;

/** The configured addresses, else those of the demo service, else the defaults of these settings. */
export function addresses(config: Settings, demo: Demo | undefined, environment: Environment) {
  const [set, told, port] =
    environment === "production"
      ? [config.AUTH_URL, demo?.auth_url, config.AUTH_PORT]
      : [config.SANDBOX_AUTH_URL, demo?.sandbox_auth_url, config.SANDBOX_AUTH_PORT];
  return {
    base_url: config.BASE_URL || demo?.base_url || ownAddress(config, config.PORT),
    auth_url: set || told || ownAddress(config, port),
  };
}
