import { type Environment, environments, isLoopback } from "@pestle/contract";
import { readDemo } from "../demo-file.ts";
import { CommandRefusal, reason, ServiceRefusal, WrongUsage } from "../errors.ts";
import { facts, type Output, table } from "../output.ts";
import { partnerApiOf } from "../partner-api.ts";
import type { CommandRow } from "../program.ts";
import { readSettings, type Settings } from "../settings.ts";
import { keyFile, keyOption } from "./client-key.ts";
import {
  addresses,
  type PartnerAccount,
  type PartnerOptions,
  partnerAccount,
  partnerOptions,
} from "./partner-account.ts";
import { DEFAULT_PROFILE, profileName, readProfiles, removeProfiles, saveProfile } from "./profiles.ts";
import { hasTerminal, promptLine, promptSecret, readSecretFromStdin } from "./secret-input.ts";
import { ANSWER_LIMIT_MS, requestToken } from "./token.ts";

type LoginOptions = {
  profile?: string;
  clientId?: string;
  environment?: Environment;
  baseUrl?: string;
  authUrl?: string;
  secretStdin?: boolean;
  key?: string;
};

/** For users on another machine than the service. These commands need no database and no demo. */
export const loginCommands: readonly CommandRow[] = [
  {
    name: "login",
    summary: "verify a client id with its secret or key, and save them for commands that call a service",
    options: [
      ["--client-id <client_id>", "from the pharmacy (default: ask on a terminal)"],
      ["--environment <environment>", "the account's environment (default: sandbox)", { choices: environments }],
      ["--base-url <address>", "the partner API (default: BASE_URL, else the service on this machine)"],
      ["--auth-url <address>", "the token server (default: the one that the partner API names)"],
      ["--secret-stdin", "read the secret from standard input (default: CLIENT_SECRET, else ask)"],
      keyOption,
      ["--profile <name>", "save under this name (default: PESTLE_PROFILE, else default)"],
    ],
    examples: [
      "login --client-id 3f9k2m8x1q7z-a1b2c3d4 --base-url https://api.larkspur.example",
      "login --profile live --environment production --base-url https://api.larkspur.example",
      "pestle login --client-id 3f9k2m8x1q7z-a1b2c3d4 --secret-stdin < secret.txt",
      "pestle login --client-id 3f9k2m8x1q7z-a1b2c3d4 --key partner-key.pem",
    ],
    async run(options: LoginOptions, _argument, env) {
      const config = readSettings(env);
      const name = profileName(options.profile ?? (config.PESTLE_PROFILE || DEFAULT_PROFILE));
      const account = await newAccount(options, config);
      const { expires_in } = await verify(account, config);
      const { chosen_by: _, ...profile } = account;
      const file = saveProfile(name, profile, env);
      const { client_secret: __, ...shown } = profile;
      const data = { profile: name, ...shown, expires_in, file };
      return { data, text: `Logged in as ${profile.client_id} (${profile.environment}). Saved in ${file}.` };
    },
  },
  {
    name: "logout",
    summary: "delete a profile saved by `pestle login`; the credential itself is unchanged",
    options: [
      ["--profile <name>", "the profile (default: PESTLE_PROFILE, else default)"],
      ["--all", "all profiles"],
    ],
    examples: ["logout", "logout --profile live", "logout --all"],
    async run({ profile, all }: { profile?: string; all?: boolean }, _argument, env) {
      if (all && profile !== undefined) throw new WrongUsage("Give either --profile or --all.");
      const kept = [...readProfiles(env).keys()];
      const name = profile ?? (readSettings(env).PESTLE_PROFILE || DEFAULT_PROFILE);
      const forgotten = kept.filter((one) => all || one === name);
      if (forgotten.length > 0) removeProfiles(forgotten, env);
      const text = forgotten.length === 0 ? "You were not logged in." : `Logged out of ${forgotten.join(", ")}.`;
      return { data: { forgotten }, text };
    },
  },
  {
    name: "whoami",
    lists: "profiles, with `--list`",
    summary: "show which account commands use, on which service, and whether its credential works",
    options: [["--list", "list the saved profiles instead"], ...partnerOptions],
    examples: ["whoami", "whoami --profile live --json", "whoami --list"],
    async run({ list, ...options }: PartnerOptions & { list?: boolean }, _argument, env) {
      if (list) return listed(env);
      const account = await partnerAccount(options, env);
      const { expires_in, scope } = await requestToken(account, ["partners"]);
      const { client_secret: _, ...shown } = account;
      const { chosen_by, client_id, environment, base_url, auth_url } = shown;
      const text = facts({
        account: `${client_id} (${environment})`,
        chosen_by,
        service: base_url,
        tokens: `${auth_url}: issued one for ${Math.round(expires_in / 60)} minutes`,
      });
      return { data: { ...shown, expires_in, scope }, text };
    },
  },
];

function listed(env: NodeJS.ProcessEnv | undefined): Output {
  const data = [...readProfiles(env)].map(([profile, { client_secret: _, ...shown }]) => ({ profile, ...shown }));
  const rows = data.map((row) => [row.profile, row.client_id, row.environment, row.base_url]);
  const text =
    rows.length === 0 ? "You are not logged in." : table(["profile", "client_id", "environment", "service"], rows);
  return { data, text };
}

/** From the options, the terminal, or the service. */
async function newAccount(options: LoginOptions, config: Settings): Promise<PartnerAccount> {
  const { environment = "sandbox", authUrl } = options;
  const usual = addresses(config, readDemo(config.DATA_DIR), environment).base_url;
  const client_id = options.clientId ?? (hasTerminal() ? await promptLine("Client id: ") : "");
  if (!/^[\x21-\x7e]+$/.test(client_id)) throw new WrongUsage("Give --client-id.");
  const asked = options.baseUrl ?? (hasTerminal() ? await promptLine(`Service [${usual}]: `) : "");
  const base_url = safeAddress(asked || usual, "--base-url");
  const auth_url = safeAddress(authUrl ?? (await tokenServerOf(base_url, environment)), "--auth-url");
  return {
    client_id,
    client_secret: await secretOf(options, config),
    ...(options.key === undefined ? {} : { key_file: keyFile(options.key) }),
    environment,
    base_url,
    auth_url,
    chosen_by: "login",
  };
}

async function secretOf({ secretStdin, key }: LoginOptions, { CLIENT_SECRET }: Settings): Promise<string> {
  if (secretStdin) return readSecretFromStdin();
  if (CLIENT_SECRET !== "") return CLIENT_SECRET;
  // The key gets tokens. The secret only signs the webhooks of `pestle listen --forward-to`.
  if (key !== undefined) return "";
  // Never accept a secret as an argument: every user on the machine could read it.
  if (!hasTerminal()) throw new WrongUsage("There is no secret. Set CLIENT_SECRET, or give --secret-stdin or --key.");
  const secret = await promptSecret("Client secret (not shown): ");
  if (secret === "") throw new CommandRefusal("Canceled.");
  return secret;
}

/** Calls both the token server and the partner API, so that a mistyped address fails now rather than later. */
async function verify(account: PartnerAccount, config: Settings) {
  const token = await requestToken(account, ["partners"]);
  await partnerApiOf(account, config).request("GET", "/shipping_methods");
  return token;
}

function safeAddress(text: string, option: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const local = url?.protocol === "http:" && isLoopback(url.hostname.replace(/^\[|\]$/g, ""));
  if (url === undefined || (url.protocol !== "https:" && !local) || url.search !== "" || url.username !== "") {
    throw new WrongUsage(`${option} takes an https URL. Plain http works only on this machine.`);
  }
  return text.replace(/\/+$/, "");
}

async function tokenServerOf(base_url: string, environment: Environment): Promise<string> {
  const signal = AbortSignal.timeout(ANSWER_LIMIT_MS);
  const response = await fetch(`${base_url}/welcome.json`, { signal, redirect: "error" }).catch((error) => {
    throw new ServiceRefusal(
      "unreachable",
      `No service answers at ${base_url} (${reason(error.cause ?? error)}). Is it running?`,
    );
  });
  const told = (await response.json().catch(() => ({}))) as { auth_url?: unknown; sandbox_auth_url?: unknown };
  const url = environment === "production" ? told.auth_url : told.sandbox_auth_url;
  if (typeof url !== "string") {
    throw new CommandRefusal(`The server at ${base_url} does not name a token server. Give --auth-url.`);
  }
  return url;
}
