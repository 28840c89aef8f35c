import { isAbsolute, join, resolve } from "node:path";
import { northAmericanPhone } from "./domain/values/address/phone.ts";
import { isStateCode } from "./domain/values/address/states.ts";
import { deaPasses, npiPasses } from "./domain/values/identifiers.ts";
import { address, choice, file, key, line, matching, port, type Setting, whole } from "./setting.ts";

/**
 * Every setting, in one table: this file alone reads the environment, `pestle config` and docs/config.md print the
 * table, and a wrong value stops the start with one line that names the setting and the fix.
 */
export const settings = {
  HOST: {
    default: "127.0.0.1",
    meaning: "Address that all three listeners bind. Anything but loopback needs TLS files or TRUST_PROXY.",
    fix: "an IP address or host name, such as 127.0.0.1 or 0.0.0.0",
    parse: (value: string) => matching(/^[A-Za-z0-9.:_-]{1,255}$/, value),
  },
  PORT: port("8080", "Port of the partner API, the web pages and the documentation. 0 takes any free port."),
  AUTH_PORT: port("8081", "Port of the production token server."),
  SANDBOX_AUTH_PORT: port("8082", "Port of the sandbox token server."),
  BASE_URL: address("Public address of the partner API, when a proxy or a name stands in front."),
  AUTH_URL: address("Public address of the production token server."),
  SANDBOX_AUTH_URL: address("Public address of the sandbox token server."),
  DATA_DIR: {
    default: ".data",
    meaning: "Folder of the embedded database, the generated master key and demo.json.",
    fix: "a folder that may be written",
    parse: (value: string) => (isAbsolute(value) ? value : resolve(value)),
  },
  DATABASE_URL: {
    default: "",
    meaning: "Your PostgreSQL (15 or later). Left out, the process runs one of its own in DATA_DIR.",
    fix: "postgresql://user:password@host:5432/database",
    secret: true,
    parse: (value: string) => matching(/^$|^postgres(ql)?:\/\//, value),
  },
  DATABASE_POOL_SIZE: whole("16", 2, 500, "Connections each process keeps to PostgreSQL."),
  DATABASE_NAMED_STATEMENTS: choice(
    "true",
    ["true", "false"],
    "Prepare statements by name. Turn off behind a transaction-pooling PgBouncer older than 1.21.",
  ),
  MASTER_KEY: key(
    "32 bytes that wrap the keys secrets are sealed with. Needed with DATABASE_URL; else DATA_DIR/master.key.",
  ),
  NEW_MASTER_KEY: key("The key `pestle keys rotate --master` changes to, when MASTER_KEY is set by you."),
  TLS_CERT_FILE: file("PEM", "PEM certificate chain; with TLS_KEY_FILE the listeners speak TLS 1.2 and later."),
  TLS_KEY_FILE: file("PEM", "PEM private key for TLS_CERT_FILE."),
  TRUST_PROXY: whole(
    "0",
    0,
    10,
    "How many proxies stand in front. Above 0, a request that did not arrive over https is refused with 40010.",
  ),
  METRICS_TOKEN: {
    default: "",
    meaning: "Bearer token that /metrics asks for. Left out, only loopback callers see /metrics.",
    fix: "at least 16 visible ASCII characters",
    secret: true,
    parse: (value: string) => matching(/^$|^[\x21-\x7e]{16,}$/, value),
  },
  TIME_ZONE: {
    default: "America/New_York",
    meaning: "Time zone of the pharmacy: calendar dates are judged in it.",
    fix: "an IANA name, such as America/New_York",
    parse: (value: string) => {
      try {
        return new Intl.DateTimeFormat("en", { timeZone: value }) && value;
      } catch {
        return undefined;
      }
    },
  },
  SECOND_FACTOR: choice(
    "auto",
    ["auto", "required", "offered"],
    "Whether people need an authenticator beside their password. `auto`: they do, except with the demo, where it is offered.",
  ),
  ZIP_TABLE_FILE: file(
    "CSV",
    "CSV of `zip,state,city` rows that are added to, or correct, the ZIP codes that come with this build.",
  ),
  SAFETY_DATA_FILE: file(
    "JSON",
    "JSON of the safety tables in place of those that come with this build, until others are imported.",
  ),
  RX_EXPIRY_MONTHS: whole(
    "12",
    1,
    36,
    "Months after the written date in which a prescription can be filled; six at most where it is controlled.",
  ),
  RX_EXPIRY_MONTHS_BY_STATE: {
    default: "IA=18,ID=15,IL=15,ME=15",
    meaning: "The same for patients in states with a rule of their own.",
    fix: "pairs of a state and its months, such as IL=15,IA=18",
    parse: (value: string) => matching(/^$|^[A-Z]{2}=\d{1,2}(,[A-Z]{2}=\d{1,2})*$/, value),
  },
  PHARMACY_NAME: line(
    "Larkspur Pharmacy",
    60,
    "Name of the pharmacy on labels, in documents and in reports. The defaults of these nine are invented.",
  ),
  PHARMACY_STREET: line("410 Quarry Road", 35, "Street of the pharmacy, as parcels are sent from it."),
  PHARMACY_CITY: line("Portland", 35, "City of the pharmacy."),
  PHARMACY_STATE: {
    default: "ME",
    meaning: "State of the pharmacy.",
    fix: "the two letters of a state, such as ME",
    parse: (value: string) => (isStateCode(value) ? value : undefined),
  },
  PHARMACY_ZIP: {
    default: "04101",
    meaning: "ZIP code of the pharmacy.",
    fix: "five digits, or nine with a dash",
    parse: (value: string) => matching(/^\d{5}(-\d{4})?$/, value),
  },
  PHARMACY_PHONE: {
    default: "2075550142",
    meaning: "Where patients reach a pharmacist.",
    fix: "a North American number of ten digits",
    parse: (value: string) => northAmericanPhone(value) ?? undefined,
  },
  PHARMACY_NPI: {
    default: "1999999992",
    meaning: "National provider identifier of the pharmacy.",
    fix: "ten digits whose last one checks the others",
    parse: (value: string) => (npiPasses(value) ? value : undefined),
  },
  PHARMACY_DEA: {
    default: "FL1234563",
    meaning: "DEA registration under which controlled substances are dispensed.",
    fix: "two letters and seven digits whose last one checks the others",
    parse: (value: string) => (deaPasses(value) && value.length === 9 ? value : undefined),
  },
  PHARMACY_NCPDP_ID: {
    default: "9900009",
    meaning: "NCPDP provider id of the pharmacy, as reports name it.",
    fix: "seven digits",
    parse: (value: string) => matching(/^\d{7}$/, value),
  },
  OPERATOR_NAME: {
    default: "Service",
    meaning: "The word in the webhook headers X-<word>-Signature and X-<word>-Secret.",
    fix: "1 to 32 letters and digits",
    parse: (value: string) => matching(/^[A-Za-z0-9]{1,32}$/, value),
  },
  REQUEST_LOG_DAYS: whole("14", 1, 90, "Days for which partners see each of their requests in the portal."),
  WEBHOOK_CONCURRENCY: whole(
    "256",
    0,
    2_000,
    "Webhook attempts that this process makes at once. 0 leaves delivering to other processes.",
  ),
  WEBHOOK_RETENTION_DAYS: whole(
    "35",
    30,
    3_650,
    "Days that events and attempts are kept; what an endpoint still has to get is kept longer.",
  ),
  SMTP_URL: {
    default: "",
    meaning: "Mail server for notices to partners, such as a disabled webhook endpoint. Left out, none are sent.",
    fix: "smtp://user:password@host:587 or smtps://user:password@host:465",
    secret: true,
    parse: (value: string) => matching(/^$|^smtps?:\/\/([^\s/@]+@)?[^\s/@?#]+$/, value),
  },
  MAIL_FROM: {
    default: "",
    meaning: "Address that notices come from. Needed with SMTP_URL.",
    fix: "an e-mail address",
    parse: (value: string) => matching(/^$|^[^\s@<>]+@[^\s@<>]+$/, value),
  },
  LOG_LEVEL: choice("info", ["debug", "info", "warn", "error", "silent"], "How much is logged, as JSON lines."),
  CLIENT_SECRET: {
    default: "",
    meaning:
      "Client secret for `pestle` commands that call a running service, so that it never stands in the arguments.",
    fix: "the secret that was shown once",
    secret: true,
    parse: (value: string) => matching(/^[\x21-\x7e]*$/, value),
  },
  PESTLE_PROFILE: {
    default: "",
    meaning: "Which account of `pestle login` the commands use that call a service. Left out, the one named `default`.",
    fix: "a name that `pestle login --profile` was given",
    parse: (value: string) => matching(/^$|^[A-Za-z0-9][A-Za-z0-9_-]{0,39}$/, value),
  },
} satisfies Record<string, Setting>;

export type SettingName = keyof typeof settings;
export type Config = { readonly [name in SettingName]: NonNullable<ReturnType<(typeof settings)[name]["parse"]>> };

/** A wrong setting; the message is the one line an operator reads. */
export class WrongSetting extends Error {}

export function readConfig(env: NodeJS.ProcessEnv = process.env): Config {
  const config = Object.fromEntries(
    Object.entries<Setting>(settings).map(([name, setting]) => {
      const value = setting.parse(given(env, name) ?? setting.default);
      if (value === undefined) throw new WrongSetting(`${name} is not valid. Set it to ${setting.fix}.`);
      return [name, value];
    }),
  ) as Config;
  checkTogether(config);
  return config;
}

/** Where each value comes from, for `pestle config`; secrets are told by presence only. */
export function describeConfig(env: NodeJS.ProcessEnv = process.env) {
  return Object.entries<Setting>(settings).map(([name, { default: fallback, meaning, secret }]) => {
    const value = given(env, name);
    const shown = value ?? fallback;
    return {
      name,
      value: secret && shown !== "" ? "(set)" : shown,
      origin: value === undefined ? "default" : "environment",
      meaning,
    };
  });
}

/** Where a person's programs keep what they remember; undefined for whoever has no home. */
export function personalFolder(env: NodeJS.ProcessEnv = process.env): string | undefined {
  const home = given(env, "HOME");
  const folder = given(env, "XDG_CONFIG_HOME") ?? (home === undefined ? undefined : join(home, ".config"));
  return folder === undefined ? undefined : join(folder, "pestle");
}

export const isLoopback = (host: string) => /^(127(\.\d{1,3}){3}|localhost|::1)$/.test(host);

/** An empty variable counts as left out, as container files like to write it. */
function given(env: NodeJS.ProcessEnv, name: string): string | undefined {
  return env[name] === "" ? undefined : env[name];
}

function checkTogether(config: Config): void {
  if ((config.TLS_CERT_FILE === "") !== (config.TLS_KEY_FILE === "")) {
    throw new WrongSetting("TLS_CERT_FILE and TLS_KEY_FILE go together. Set both, or neither.");
  }
  if (!isLoopback(config.HOST) && config.TLS_CERT_FILE === "" && config.TRUST_PROXY === 0) {
    throw new WrongSetting(
      "HOST is not a loopback address, and plain HTTP stays on loopback. Set TLS_CERT_FILE and TLS_KEY_FILE, or TRUST_PROXY behind a TLS proxy.",
    );
  }
  if (config.DATABASE_URL !== "" && config.MASTER_KEY === "") {
    throw new WrongSetting(
      "MASTER_KEY must be set with DATABASE_URL. Make one with `openssl rand -hex 32` and keep it safe.",
    );
  }
  if ((config.SMTP_URL === "") !== (config.MAIL_FROM === "")) {
    throw new WrongSetting("SMTP_URL and MAIL_FROM go together. Set both, or neither.");
  }
  const fixedPorts = [config.PORT, config.AUTH_PORT, config.SANDBOX_AUTH_PORT].filter((number) => number !== 0);
  if (new Set(fixedPorts).size < fixedPorts.length) {
    throw new WrongSetting("PORT, AUTH_PORT and SANDBOX_AUTH_PORT must differ. Give each listener its own port.");
  }
}
