import {
  choice,
  databaseUrl,
  file,
  key,
  line,
  matching,
  type Setting,
  secureUrl,
  type Values,
  whole,
} from "@pestle/cli/setting";
import { given, readTable, partnerSettings as shared, WrongSetting } from "@pestle/cli/settings";
import { isLoopback } from "@pestle/contract";
import { ALL_ROLES, type ProcessRole, rolesIn } from "./domain/operations/process-roles.ts";
import { rootTargets } from "./domain/operations/root-targets.ts";
import { northAmericanPhone } from "./domain/values/address/phone.ts";
import { isStateCode } from "./domain/values/address/states.ts";
import { isDate } from "./domain/values/calendar.ts";
import { deaPasses, npiPasses } from "./domain/values/identifiers.ts";
import { networksOf } from "./domain/values/networks.ts";
import { providerFault, providerSettings } from "./provider-settings.ts";
import { tracingSettings } from "./tracing/tracing-settings.ts";

export { ownAddress, WrongSetting } from "@pestle/cli/settings";

/**
 * Every setting in one table. Only this file reads the environment. `pestle config` and docs/config.md print the table.
 * An invalid value stops the start with one line that names the setting and the fix.
 */
export const settings = {
  HOST: shared.HOST,
  PORT: shared.PORT,
  AUTH_PORT: shared.AUTH_PORT,
  SANDBOX_AUTH_PORT: shared.SANDBOX_AUTH_PORT,
  BASE_URL: shared.BASE_URL,
  AUTH_URL: shared.AUTH_URL,
  SANDBOX_AUTH_URL: shared.SANDBOX_AUTH_URL,
  ROLES: {
    default: ALL_ROLES.join(","),
    meaning:
      "What this process does: `api` (partner API, intake), `token` (token servers), `courier` (webhooks), `jobs`, `web` (dashboard, portal, documentation). Processes with other roles can do the rest. `pestle start --role` sets it too.",
    fix: `one or more of ${ALL_ROLES.join(", ")}, with commas`,
    parse: (value: string) => rolesIn(value)?.join(","),
  },
  WORKERS: whole(
    "1",
    1,
    64,
    "Processes that share the ports, under a supervisor that starts one again if it ends. The first does everything that ROLES names; the others serve requests. Each has its own connections to the database.",
  ),
  DRAIN_SECONDS: whole(
    "0",
    0,
    300,
    "Seconds in which a process that stops still serves, with `/readyz` at 503 and the last answer of each connection saying so. Behind a load balancer, longer than it takes to notice.",
  ),
  DATA_DIR: shared.DATA_DIR,
  DATABASE_URL: databaseUrl(
    "Your PostgreSQL (15 or later), as the role that serves one account at a time. If unset, Pestle runs its own in DATA_DIR. It takes several hosts with commas, and uses the one that accepts writes.",
  ),
  DATABASE_OWNER_URL: databaseUrl(
    "The same database as the role that owns the tables. Only migrations, backups and restores use it.",
  ),
  DATABASE_JOBS_URL: databaseUrl(
    "The same database as the role that works across accounts: jobs, dashboard, intake and commands.",
  ),
  READ_DATABASE_URL: databaseUrl(
    "Replicas of DATABASE_URL, one or several hosts with commas, which answer lists, reports, exports and most of the portal. A caller always sees its own writes. Set it for all processes. Work across accounts uses the role and password of DATABASE_JOBS_URL here. Each process opens as many connections to each replica as to the primary.",
  ),
  PGSSLMODE: choice(
    "",
    ["", "disable", "allow", "prefer", "require", "no-verify", "verify-ca", "verify-full"],
    "TLS to PostgreSQL, if the URL has no `sslmode`. Unset: `verify-full`, or `disable` for a database on this machine. Anything but `disable` and `no-verify` verifies the certificate of a remote server.",
  ),
  PGSSLROOTCERT: file("PEM", "PEM certificates that sign PostgreSQL's certificate, if it is not publicly trusted."),
  DATABASE_POOL_SIZE: whole(
    "16",
    2,
    500,
    "Maximum PostgreSQL connections per process for production. Work across accounts, the dashboard and the portal have half as many of their own.",
  ),
  SANDBOX_POOL_SIZE: whole(
    "6",
    2,
    500,
    "Maximum PostgreSQL connections per process for requests in the sandbox. Its jobs have half as many of their own.",
  ),
  CONNECTIONS: whole("4000", 10, 100_000, "Maximum open connections per listener. Further ones are closed at once."),
  CONNECTIONS_PER_ADDRESS: whole(
    "1000",
    1,
    100_000,
    "Maximum open connections per caller's address, or /64 for IPv6, and listener. Proxies of TRUST_PROXY have no limit of their own.",
  ),
  CONCURRENT_REQUESTS: whole(
    "128",
    1,
    10_000,
    "Production requests that one process handles at once. Others wait, and get 503 if the line is full.",
  ),
  SANDBOX_CONCURRENT_REQUESTS: whole("16", 1, 10_000, "The same for sandbox requests."),
  ACCOUNT_SHARE: whole(
    "25",
    1,
    100,
    "Percentage of these requests that one account can have at once, so that its flood leaves room for the others. Waiting requests take turns by account.",
  ),
  SANDBOX_PROCESS: choice(
    "auto",
    ["auto", "separate", "shared"],
    "Whether a second process, with a lower priority, serves the sandbox. `auto`: separate, but shared with the demo.",
  ),
  DATABASE_DIRECT_URL: databaseUrl(
    "Set this if DATABASE_URL and DATABASE_JOBS_URL go through a pooler in transaction mode, such as PgBouncer: the same database past the pooler, as the role of DATABASE_JOBS_URL. Each process listens there for changes. DATABASE_OWNER_URL must go past the pooler too.",
  ),
  DATABASE_NAMED_STATEMENTS: choice(
    "auto",
    ["auto", "true", "false"],
    "Use named prepared statements. `auto`: yes, but not with DATABASE_DIRECT_URL. PgBouncer supports them from 1.21 on.",
  ),
  MASTER_KEY: key(
    "32 bytes that encrypt the data keys. Required with DATABASE_URL; otherwise Pestle uses DATA_DIR/master.key.",
  ),
  NEW_MASTER_KEY: key("The new key for `pestle keys rotate --master`, if you set MASTER_KEY."),
  KMS_URL: {
    default: "",
    meaning:
      "Key service that wraps the data keys in place of MASTER_KEY: the address of a Transit engine (HashiCorp Vault, OpenBao). Plain http only on loopback.",
    fix: "an https URL with the engine's path and without a trailing slash, such as https://vault.example:8200/v1/transit",
    parse: keyServiceUrl,
  },
  KMS_KEY: {
    default: "pestle",
    meaning: "Name of the key in the key service. It must not change while data keys are wrapped by it.",
    fix: "1 to 100 letters, digits, dots, dashes and underscores",
    parse: (value: string) => matching(/^[A-Za-z0-9._-]{1,100}$/, value),
  },
  KMS_TOKEN: {
    default: "",
    meaning: "Token for the key service. It needs `update` on encrypt and decrypt of KMS_KEY. Required with KMS_URL.",
    fix: "visible ASCII characters",
    secret: true,
    parse: (value: string) => matching(/^[\x21-\x7e]*$/, value),
  },
  DATA_KEY_DAYS: whole(
    "365",
    1,
    3_650,
    "Days after which the service adds a new data key. It also adds one after 2^31 encrypted values.",
  ),
  TLS_CERT_FILE: shared.TLS_CERT_FILE,
  TLS_KEY_FILE: file("PEM", "PEM private key for TLS_CERT_FILE."),
  TRUST_PROXY: {
    default: "",
    meaning:
      "Addresses or networks of the proxies in front of Pestle. Only their X-Forwarded headers count. If set, requests that did not arrive over https are refused with 40010.",
    fix: "the addresses or networks that your proxies connect from, such as 127.0.0.1 or 10.0.0.0/24,fd00::/64",
    outdated: (value: string) =>
      /^\s*\d+\s*$/.test(value)
        ? "TRUST_PROXY takes addresses, not a number of proxies. Set it to the address that your proxy connects from: TRUST_PROXY=127.0.0.1,::1 for a proxy on this machine, or a network such as 10.0.0.0/24. Leave it empty without a proxy."
        : undefined,
    parse: (value: string) => (value === "" || networksOf(value) !== undefined ? value : undefined),
  },
  ALLOWED_HOSTS: {
    default: "",
    meaning:
      "More host names that callers may use, besides those of BASE_URL, AUTH_URL, SANDBOX_AUTH_URL, HOST and loopback. A request for any other host is refused with 40005.",
    fix: "host names or addresses without ports, such as api.larkspur.example,10.0.0.5",
    parse: (value: string) => matching(/^$|^\s*[A-Za-z0-9.:_-]{1,255}(\s*,\s*[A-Za-z0-9.:_-]{1,255})*\s*$/, value),
  },
  METRICS_TOKEN: {
    default: "",
    meaning:
      "Bearer token for /metrics. If unset, /metrics answers only callers on this machine, and only if HOST is loopback and TRUST_PROXY is unset.",
    fix: "at least 16 visible ASCII characters",
    secret: true,
    parse: (value: string) => matching(/^$|^[\x21-\x7e]{16,}$/, value),
  },
  TIME_ZONE: {
    default: "America/New_York",
    meaning: "Time zone of the pharmacy, used for calendar dates.",
    fix: "an IANA name, such as America/New_York",
    parse: (value: string) => {
      try {
        return new Intl.DateTimeFormat("en", { timeZone: value }) && value;
      } catch {
        return undefined;
      }
    },
  },
  CUT_OFF_TIME: {
    default: "14:00",
    meaning: "Time of day in TIME_ZONE until which orders ship on the same business day. Quotes use it for `ships_by`.",
    fix: "hours and minutes, such as 14:00",
    parse: (value: string) => matching(/^([01]\d|2[0-3]):[0-5]\d$/, value),
  },
  CLOSED_DATES: {
    default: "",
    meaning: "Dates on which the pharmacy does not ship, besides weekends and US federal holidays.",
    fix: "at most 366 dates with commas, such as 2026-12-24,2026-12-31",
    parse: closedDates,
  },
  SECOND_FACTOR: choice(
    "auto",
    ["auto", "required", "offered"],
    "Whether users need an authenticator in addition to their password. `auto`: required, but optional with the demo.",
  ),
  STEP_UP_MINUTES: whole(
    "15",
    1,
    720,
    "Minutes after which a user gives the password or a code again before changing credentials, people or their own sign-in, or exporting orders or disclosures.",
  ),
  ZIP_TABLE_FILE: file("CSV", "CSV of `zip,state,city` rows that extend or correct the built-in ZIP codes."),
  SAFETY_DATA_FILE: file("JSON", "JSON of safety tables that replace the built-in ones until you import others."),
  RX_EXPIRY_MONTHS: whole(
    "12",
    1,
    36,
    "Months after the written date during which a prescription can be filled; at most six for controlled substances.",
  ),
  RX_EXPIRY_MONTHS_BY_STATE: {
    default: "IA=18,ID=15,IL=15,ME=15",
    meaning: "The same for patients in states with their own rule.",
    fix: "pairs of a state and its months, such as IL=15,IA=18",
    parse: (value: string) => matching(/^$|^[A-Z]{2}=\d{1,2}(,[A-Z]{2}=\d{1,2})*$/, value),
  },
  RX_SCHEDULE_2_DAYS: whole(
    "90",
    1,
    180,
    "Days after the written date during which a schedule 2 prescription can be filled. Federal law sets no limit.",
  ),
  RX_SCHEDULE_2_DAYS_BY_STATE: {
    default: "MA=30,NY=30,TX=30,WI=60",
    meaning: "The same for patients in states with their own rule. Review it with your counsel.",
    fix: "pairs of a state and its days, such as NY=30,WI=60",
    parse: (value: string) => matching(/^$|^[A-Z]{2}=\d{1,3}(,[A-Z]{2}=\d{1,3})*$/, value),
  },
  PHARMACY_NAME: line(
    "Larkspur Pharmacy",
    60,
    "Name of the pharmacy on labels, documents and reports. The defaults of the PHARMACY settings are fictional.",
  ),
  PHARMACY_STREET: line("410 Quarry Road", 35, "Street address of the pharmacy, used as the return address."),
  PHARMACY_CITY: line("Portland", 35, "City of the pharmacy."),
  PHARMACY_STATE: {
    default: "ME",
    meaning: "State of the pharmacy.",
    fix: "a two-letter state code, such as ME",
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
    meaning: "Phone number where patients reach a pharmacist.",
    fix: "a ten-digit North American number",
    parse: (value: string) => northAmericanPhone(value) ?? undefined,
  },
  PHARMACY_LICENSE: {
    default: "",
    meaning: "License number of the pharmacy, printed on prescription labels. Empty prints none.",
    fix: "up to 30 letters, digits, spaces, dots and dashes",
    parse: (value: string) => matching(/^[A-Za-z0-9. -]{0,30}$/, value),
  },
  PHARMACY_NPI: {
    default: "1999999992",
    meaning: "National Provider Identifier (NPI) of the pharmacy.",
    fix: "ten digits with a valid check digit",
    parse: (value: string) => (npiPasses(value) ? value : undefined),
  },
  PHARMACY_DEA: {
    default: "FL1234563",
    meaning: "DEA registration number for dispensing controlled substances.",
    fix: "two letters and seven digits with a valid check digit",
    parse: (value: string) => (deaPasses(value) && value.length === 9 ? value : undefined),
  },
  PHARMACY_NCPDP_ID: {
    default: "9900009",
    meaning: "NCPDP provider id of the pharmacy, used in reports.",
    fix: "seven digits",
    parse: (value: string) => matching(/^\d{7}$/, value),
  },
  OPERATOR_NAME: shared.OPERATOR_NAME,
  SECRET_ROTATION_DAYS: whole(
    "365",
    1,
    3_650,
    "Age in days at which `pestle doctor`, the portal and the dashboard ask for a new client secret. The old one keeps working.",
  ),
  REQUEST_LOG_DAYS: whole(
    "14",
    1,
    90,
    "Days that partners can see their requests, in the portal and by `GET /requests`.",
  ),
  REQUEST_LOG_ROWS: whole(
    "1000000",
    1_000,
    10_000_000,
    "The most requests of an account that the log keeps, to within an hour; older ones are deleted first.",
  ),
  WEBHOOK_CONCURRENCY: whole(
    "256",
    0,
    2_000,
    "Maximum concurrent webhook attempts of this process. With 0, other processes deliver.",
  ),
  SANDBOX_WEBHOOK_CONCURRENCY: whole("64", 1, 2_000, "The same for the sandbox. WEBHOOK_CONCURRENCY=0 stops both."),
  SANDBOX_LOOPBACK_PORTS: {
    default: "",
    meaning:
      "Ports of this machine that sandbox webhooks can reach. With the demo on loopback they reach all ports; otherwise only these.",
    fix: "port numbers with commas, such as 3000,4000",
    parse: (value: string) => (portsIn(value).every((one) => one > 0 && one < 65_536) ? value : undefined),
  },
  WEBHOOK_RETENTION_DAYS: whole(
    "35",
    30,
    3_650,
    "Days that events and attempts are kept. Undelivered events are kept longer.",
  ),
  AUDIT_RETENTION_YEARS: whole(
    "6",
    1,
    100,
    "Years that the audit log keeps its entries. The default is the minimum of HIPAA (45 CFR 164.316).",
  ),
  AUDIT_ROOTS_TO: {
    default: "",
    meaning:
      "Where the service ships the audit log's signed roots every hour: files, syslog servers and webhooks, with commas. Keep at least one out of reach of the people who administer the database.",
    fix: "absolute paths, syslog://host:514 (UDP), syslog+tcp://host:601, syslog+tls://host:6514 or https URLs, with commas",
    secret: true,
    parse: (value: string) => (rootTargets(value) === undefined ? undefined : value),
  },
  ...providerSettings,
  ...tracingSettings,
  LOG_LEVEL: choice("info", ["debug", "info", "warn", "error", "silent"], "Log level. Pestle logs JSON lines."),
  CLIENT_SECRET: shared.CLIENT_SECRET,
  PESTLE_PROFILE: shared.PESTLE_PROFILE,
} satisfies Record<string, Setting>;

/** What a process with these settings does. */
export const rolesOf = ({ ROLES }: Config): readonly ProcessRole[] => rolesIn(ROLES) ?? [];

export type SettingName = keyof typeof settings;
export type Config = Values<typeof settings>;

/** `options`: settings that the arguments of a command name. */
export function readConfig(
  env: NodeJS.ProcessEnv = process.env,
  options: { [name in SettingName]?: string | undefined } = {},
): Config {
  const config = readTable(settings, env, options) as Config;
  checkTogether(config);
  return config;
}

/** Each value and its source, for `pestle config`. Shows only whether a secret is set. */
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

function closedDates(value: string): string | undefined {
  const dates = value === "" ? [] : value.split(",").map((date) => date.trim());
  return dates.length <= 366 && dates.every(isDate) ? dates.join(",") : undefined;
}

function keyServiceUrl(value: string): string | undefined {
  return value === "" ? value : secureUrl(value);
}

/**
 * The address that a caller must use for a listener without a configured URL. Behind a proxy only https works, and a
 * listener on all addresses is reached by one of its names.
 */
export function publicAddress(config: Config, port: number): string {
  const https = config.TLS_CERT_FILE !== "" || config.TRUST_PROXY !== "";
  const [named = ""] = config.ALLOWED_HOSTS.split(",").map((host) => host.trim());
  const loopback = { "0.0.0.0": "127.0.0.1", "::": "::1" }[config.HOST];
  const host = loopback === undefined ? config.HOST : named || loopback;
  return `${https ? "https" : "http"}://${host.includes(":") ? `[${host}]` : host}:${port}`;
}

/** The numbers in a list with commas; 0 for a part that is not a port. */
export const portsIn = (list: string): number[] =>
  list === "" ? [] : list.split(",").map((part) => (/^ *[1-9]\d{0,4} *$/.test(part) ? Number(part) : 0));

function checkTogether(config: Config): void {
  if ((config.TLS_CERT_FILE === "") !== (config.TLS_KEY_FILE === "")) {
    throw new WrongSetting("TLS_CERT_FILE and TLS_KEY_FILE belong together. Set both or neither.");
  }
  if (!isLoopback(config.HOST) && config.TLS_CERT_FILE === "" && config.TRUST_PROXY === "") {
    throw new WrongSetting(
      "HOST is not a loopback address, and plain HTTP is allowed only on loopback. Set TLS_CERT_FILE and TLS_KEY_FILE, or TRUST_PROXY behind a TLS proxy.",
    );
  }
  if (config.KMS_URL !== "" && config.KMS_TOKEN === "") {
    throw new WrongSetting("KMS_URL requires KMS_TOKEN. Create a token that may encrypt and decrypt with KMS_KEY.");
  }
  if (config.DATABASE_URL !== "" && config.MASTER_KEY === "" && config.KMS_URL === "") {
    throw new WrongSetting(
      "DATABASE_URL requires MASTER_KEY. Generate one with `openssl rand -hex 32` and keep it safe.",
    );
  }
  const split = [config.DATABASE_OWNER_URL, config.DATABASE_JOBS_URL].filter((url) => url !== "").length;
  if (split === 1 || (split === 2 && config.DATABASE_URL === "")) {
    throw new WrongSetting(
      "DATABASE_URL, DATABASE_OWNER_URL and DATABASE_JOBS_URL belong together. Set all three; `pestle database roles` creates the roles.",
    );
  }
  if (config.DATABASE_DIRECT_URL !== "" && config.DATABASE_URL === "") {
    throw new WrongSetting("DATABASE_DIRECT_URL requires DATABASE_URL. Set both, or neither without a pooler.");
  }
  if (config.READ_DATABASE_URL !== "" && config.DATABASE_URL === "") {
    throw new WrongSetting("READ_DATABASE_URL requires DATABASE_URL. Set both, or neither without replicas.");
  }
  const fault = providerFault(config);
  if (fault !== undefined) throw new WrongSetting(fault);
  const fixedPorts = [config.PORT, config.AUTH_PORT, config.SANDBOX_AUTH_PORT].filter((number) => number !== 0);
  if (new Set(fixedPorts).size < fixedPorts.length) {
    throw new WrongSetting("PORT, AUTH_PORT and SANDBOX_AUTH_PORT must be different. Give each listener its own port.");
  }
}

/** Not a setting: the user who ran a command with `sudo`, for the audit log. */
export const sudoUser = (env: NodeJS.ProcessEnv = process.env): string | undefined => env["SUDO_USER"];
