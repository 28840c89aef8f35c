import { isAbsolute, join, resolve } from "node:path";
import { address, file, matching, port, type Setting } from "./setting.ts";

/** The settings of commands that call a service. The service has them too, in its own table with all others. */
export const partnerSettings = {
  HOST: {
    default: "127.0.0.1",
    meaning:
      "Address that all three listeners bind to. Any address other than loopback requires TLS files or TRUST_PROXY.",
    fix: "an IP address or host name, such as 127.0.0.1 or 0.0.0.0",
    parse: (value: string) => matching(/^[A-Za-z0-9.:_-]{1,255}$/, value),
  },
  PORT: port(
    "8080",
    "Port of the partner API, the web pages, the documentation and the health checks. 0 picks a free port.",
  ),
  AUTH_PORT: port("8081", "Port of the production token server."),
  SANDBOX_AUTH_PORT: port("8082", "Port of the sandbox token server."),
  BASE_URL: address("Public URL of the partner API, if it is behind a proxy or a host name."),
  AUTH_URL: address("Public URL of the production token server."),
  SANDBOX_AUTH_URL: address("Public URL of the sandbox token server."),
  DATA_DIR: {
    default: ".data",
    meaning: "Folder for the embedded database, the generated master key and demo.json.",
    fix: "a writable folder",
    parse: (value: string) => (isAbsolute(value) ? value : resolve(value)),
  },
  TLS_CERT_FILE: file("PEM", "PEM certificate chain. With TLS_KEY_FILE, the listeners use TLS 1.2 or later."),
  OPERATOR_NAME: {
    default: "Service",
    meaning: "The word in the webhook headers X-<word>-Signature and X-<word>-Secret.",
    fix: "1 to 32 letters and digits",
    parse: (value: string) => matching(/^[A-Za-z0-9]{1,32}$/, value),
  },
  CLIENT_SECRET: {
    default: "",
    meaning:
      "Client secret for `pestle` commands that call a running service, so that it does not appear in the arguments.",
    fix: "the secret that Pestle showed once",
    secret: true,
    parse: (value: string) => matching(/^[\x21-\x7e]*$/, value),
  },
  PESTLE_PROFILE: {
    default: "",
    meaning: "The `pestle login` profile for commands that call a service. If unset, `default`.",
    fix: "a profile name from `pestle login --profile`",
    parse: (value: string) => matching(/^$|^[A-Za-z0-9][A-Za-z0-9_-]{0,39}$/, value),
  },
} satisfies Record<string, Setting>;

type SettingName = keyof typeof partnerSettings;
export type Settings = {
  readonly [name in SettingName]: NonNullable<ReturnType<(typeof partnerSettings)[name]["parse"]>>;
};

/** An invalid setting. The operator sees the message as one line. */
export class WrongSetting extends Error {}

/** What a program that a command starts inherits. */
export const ownEnvironment = (env: NodeJS.ProcessEnv = process.env): NodeJS.ProcessEnv => env;

export const readSettings = (env: NodeJS.ProcessEnv = process.env): Settings =>
  readTable(partnerSettings, env) as Settings;

/** The value of each setting of a table: from the arguments of a command, the environment, or the default. */
export function readTable(
  table: Readonly<Record<string, Setting>>,
  env: NodeJS.ProcessEnv,
  options: Readonly<Record<string, string | undefined>> = {},
): Record<string, string | number | boolean> {
  return Object.fromEntries(
    Object.entries(table).map(([name, setting]) => {
      const text = options[name] ?? given(env, name) ?? setting.default;
      const outdated = setting.outdated?.(text);
      if (outdated !== undefined) throw new WrongSetting(outdated);
      const value = setting.parse(text);
      if (value === undefined) throw new WrongSetting(`${name} is not valid. Set it to ${setting.fix}.`);
      return [name, value];
    }),
  );
}

/** The user's configuration folder; undefined without a home directory. */
export function personalFolder(env: NodeJS.ProcessEnv = process.env): string | undefined {
  const home = given(env, "HOME");
  const folder = given(env, "XDG_CONFIG_HOME") ?? (home === undefined ? undefined : join(home, ".config"));
  return folder === undefined ? undefined : join(folder, "pestle");
}

/** The local URL of one of the service's own listeners. */
export function ownAddress({ HOST, TLS_CERT_FILE }: Pick<Settings, "HOST" | "TLS_CERT_FILE">, port: number): string {
  const host = { "0.0.0.0": "127.0.0.1", "::": "::1" }[HOST] ?? HOST;
  return `${TLS_CERT_FILE === "" ? "http" : "https"}://${host.includes(":") ? `[${host}]` : host}:${port}`;
}

/** An empty variable counts as unset, because container files often write it that way. */
export function given(env: NodeJS.ProcessEnv, name: string): string | undefined {
  return env[name] === "" ? undefined : env[name];
}
