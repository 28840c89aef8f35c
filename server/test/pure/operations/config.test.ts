import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import {
  describeConfig,
  publicAddress,
  readConfig,
  type SettingName,
  settings,
  WrongSetting,
} from "../../../src/config.ts";
import { chosenProvider } from "../../../src/provider-settings.ts";
import { providersInUse } from "../../../src/providers-in-use.ts";

const KEY = "ab".repeat(32);

/** One valid value and its result, and invalid values: a setting without a row does not compile. */
const cases: Record<SettingName, { good: [string, unknown]; bad: string[]; with?: Record<string, string> }> = {
  MAIL_BOUNCE_TOKEN: { good: ["0123456789abcdef", "0123456789abcdef"], bad: ["short", "with a space in it"] },
  EASYPOST_LABEL_FORMAT: { good: ["ZPL", "ZPL"], bad: ["pdf", "EPL2"] },
  PARCEL_SIZE: { good: ["12x9x4", "12x9x4"], bad: ["12x9", "0x9x4", "12 x 9 x 4"] },
  PARCEL_WEIGHT_OZ: { good: ["12", 12], bad: ["0", "1121", "8.5"] },
  HOST: { good: ["::1", "::1"], bad: ["a b", "0.0.0.0"] },
  PORT: { good: ["0", 0], bad: ["-1", "65536", "http", "8081"] },
  AUTH_PORT: { good: ["9001", 9001], bad: ["1e3", "8080"] },
  SANDBOX_AUTH_PORT: { good: ["9002", 9002], bad: ["0x10", "8080"] },
  BASE_URL: {
    good: ["https://api.larkspur.example/pharmacy", "https://api.larkspur.example/pharmacy"],
    bad: ["ftp://x", "https://x/", "api.example"],
  },
  AUTH_URL: { good: ["https://auth.larkspur.example", "https://auth.larkspur.example"], bad: ["https://a@b"] },
  SANDBOX_AUTH_URL: {
    good: ["https://s.larkspur.example:8443", "https://s.larkspur.example:8443"],
    bad: ["https://x?y"],
  },
  ROLES: { good: ["web, api", "api,web"], bad: ["apis", "api,", "all"] },
  WORKERS: { good: ["4", 4], bad: ["0", "65", "all"] },
  DRAIN_SECONDS: { good: ["10", 10], bad: ["-1", "301", "soon"] },
  DATA_DIR: { good: ["/var/lib/somewhere", "/var/lib/somewhere"], bad: [] },
  DATABASE_URL: {
    good: [
      "postgresql://u@h,i/d?target_session_attrs=read-write",
      "postgresql://u@h,i/d?target_session_attrs=read-write",
    ],
    bad: [
      "mysql://u@h/d",
      "postgresql://u@h,i/d?target_session_attrs=any",
      "postgresql://u@h/d?a=1&target_session_attrs=standby",
    ],
    with: { MASTER_KEY: KEY },
  },
  DATABASE_OWNER_URL: {
    good: ["postgresql://o@h/d", "postgresql://o@h/d"],
    bad: ["mysql://o@h/d"],
    with: { MASTER_KEY: KEY, DATABASE_URL: "postgresql://u@h/d", DATABASE_JOBS_URL: "postgresql://j@h/d" },
  },
  DATABASE_JOBS_URL: {
    good: ["postgresql://j@h/d", "postgresql://j@h/d"],
    bad: ["mysql://j@h/d"],
    with: { MASTER_KEY: KEY, DATABASE_URL: "postgresql://u@h/d", DATABASE_OWNER_URL: "postgresql://o@h/d" },
  },
  PGSSLMODE: { good: ["verify-ca", "verify-ca"], bad: ["yes"] },
  PGSSLROOTCERT: { good: ["root.pem", "root.pem"], bad: [] },
  SANDBOX_LOOPBACK_PORTS: { good: ["3000,4000", "3000,4000"], bad: ["0", "70000", "3000,", "all"] },
  SANDBOX_POOL_SIZE: { good: ["40", 40], bad: ["1", "many"] },
  CONNECTIONS: { good: ["100", 100], bad: ["9", "many"] },
  CONNECTIONS_PER_ADDRESS: { good: ["100", 100], bad: ["0", "many"] },
  CONCURRENT_REQUESTS: { good: ["64", 64], bad: ["0", "all"] },
  SANDBOX_PROCESS: { good: ["separate", "separate"], bad: ["yes"] },
  READ_DATABASE_URL: {
    good: ["postgresql://replica1,replica2/pestle", "postgresql://replica1,replica2/pestle"],
    bad: ["mysql://replica/pestle"],
    with: { MASTER_KEY: KEY, DATABASE_URL: "postgresql://u@primary/pestle" },
  },
  ACCOUNT_SHARE: { good: ["50", 50], bad: ["0", "101", "all"] },
  SANDBOX_CONCURRENT_REQUESTS: { good: ["8", 8], bad: ["0", "all"] },
  SANDBOX_WEBHOOK_CONCURRENCY: { good: ["8", 8], bad: ["0", "2001", "all"] },
  DATABASE_POOL_SIZE: { good: ["40", 40], bad: ["1", "many"] },
  DATABASE_DIRECT_URL: {
    good: ["postgresql://j@h/d", "postgresql://j@h/d"],
    bad: ["mysql://j@h/d"],
    with: { MASTER_KEY: KEY, DATABASE_URL: "postgresql://u@pooler/d" },
  },
  DATABASE_NAMED_STATEMENTS: { good: ["false", "false"], bad: ["no"] },
  MASTER_KEY: { good: [KEY, KEY], bad: ["short", "zz".repeat(32)] },
  NEW_MASTER_KEY: {
    good: [Buffer.alloc(32, 7).toString("base64"), Buffer.alloc(32, 7).toString("base64")],
    bad: ["short"],
  },
  KMS_URL: {
    good: ["https://vault.example:8200/v1/transit", "https://vault.example:8200/v1/transit"],
    bad: ["http://vault.example/v1/transit", "https://vault.example/v1/transit/", "vault.example", "https://a@b"],
    with: { KMS_TOKEN: "a-token" },
  },
  KMS_KEY: { good: ["pharmacy-2", "pharmacy-2"], bad: ["a/b", "a b"] },
  KMS_TOKEN: { good: ["hvs.token", "hvs.token"], bad: ["two words"] },
  DATA_KEY_DAYS: { good: ["90", 90], bad: ["0", "3651", "never"] },
  TLS_CERT_FILE: { good: ["cert.pem", "cert.pem"], bad: [], with: { TLS_KEY_FILE: "key.pem" } },
  TLS_KEY_FILE: { good: ["key.pem", "key.pem"], bad: [], with: { TLS_CERT_FILE: "cert.pem" } },
  TRUST_PROXY: {
    good: ["127.0.0.1, 10.0.0.0/24, fd00::/64", "127.0.0.1, 10.0.0.0/24, fd00::/64"],
    bad: [
      "true",
      "1",
      "0",
      "10.0.0.0/33",
      "0.0.0.0/0",
      "10.0.0",
      "127.0.0.1,",
      "proxy.example",
      "fd00::/129",
      "0x7f.0.0.1",
    ],
  },
  ALLOWED_HOSTS: {
    good: ["api.larkspur.example, 10.0.0.5,fd00::5", "api.larkspur.example, 10.0.0.5,fd00::5"],
    bad: ["https://api.larkspur.example", "a b", "a,,b", "*"],
  },
  METRICS_TOKEN: { good: ["x".repeat(16), "x".repeat(16)], bad: ["short", `${"x".repeat(16)} y`] },
  TIME_ZONE: { good: ["Europe/Amsterdam", "Europe/Amsterdam"], bad: ["Mars/Olympus"] },
  SECOND_FACTOR: { good: ["offered", "offered"], bad: ["yes", "Required"] },
  STEP_UP_MINUTES: { good: ["5", 5], bad: ["0", "soon"] },
  ZIP_TABLE_FILE: { good: ["zips.csv", "zips.csv"], bad: [] },
  SAFETY_DATA_FILE: { good: ["safety.json", "safety.json"], bad: [] },
  RX_EXPIRY_MONTHS: { good: ["15", 15], bad: ["0", "37", "a year"] },
  RX_SCHEDULE_2_DAYS: { good: ["30", 30], bad: ["0", "181", "a month"] },
  CUT_OFF_TIME: { good: ["16:30", "16:30"], bad: ["4 pm", "24:00", "9:00", "12:60"] },
  CLOSED_DATES: {
    good: ["2026-12-24, 2026-12-31", "2026-12-24,2026-12-31"],
    bad: ["2026-02-30", "12/24/2026", "2026-12-24,", Array(367).fill("2026-12-24").join()],
  },
  RX_SCHEDULE_2_DAYS_BY_STATE: { good: ["NY=30", "NY=30"], bad: ["NY", "ny=30", "NY=30;WI=60"] },
  RX_EXPIRY_MONTHS_BY_STATE: { good: ["IL=15", "IL=15"], bad: ["IL", "il=15", "IL=15;IA=18"] },
  PHARMACY_NAME: { good: [" Apotheke Süd ", "Apotheke Süd"], bad: [" ", "x".repeat(61), "two\nlines"] },
  PHARMACY_STREET: { good: ["1 Mill Lane", "1 Mill Lane"], bad: ["x".repeat(36)] },
  PHARMACY_CITY: { good: ["Bangor", "Bangor"], bad: ["x".repeat(36)] },
  PHARMACY_STATE: { good: ["OH", "OH"], bad: ["oh", "XX", "Ohio"] },
  PHARMACY_ZIP: { good: ["04101-1234", "04101-1234"], bad: ["4101", "041011234"] },
  PHARMACY_PHONE: { good: ["+1 (207) 555-0143", "2075550143"], bad: ["1075550143", "5550143"] },
  PHARMACY_LICENSE: { good: ["PH 50-117", "PH 50-117"], bad: ["PH/50", "x".repeat(31)] },
  PHARMACY_NPI: { good: ["1234567893", "1234567893"], bad: ["1234567890", "123"] },
  PHARMACY_DEA: { good: ["BL8426529", "BL8426529"], bad: ["BL8426520", "bl8426529", "BL8426529-12"] },
  PHARMACY_NCPDP_ID: { good: ["1234567", "1234567"], bad: ["123456", "12345678"] },
  OPERATOR_NAME: { good: ["Larkspur", "Larkspur"], bad: ["two words", "é", "x".repeat(33)] },
  SECRET_ROTATION_DAYS: { good: ["90", 90], bad: ["0", "3651", "never"] },
  REQUEST_LOG_ROWS: { good: ["1000", 1_000], bad: ["999", "10000001", "all"] },
  REQUEST_LOG_DAYS: { good: ["30", 30], bad: ["0", "91", "all"] },
  WEBHOOK_CONCURRENCY: { good: ["0", 0], bad: ["-1", "2001", "all"] },
  WEBHOOK_RETENTION_DAYS: { good: ["90", 90], bad: ["29", "for ever"] },
  AUDIT_RETENTION_YEARS: { good: ["10", 10], bad: ["0", "101", "six"] },
  AUDIT_ROOTS_TO: {
    good: [
      "/mnt/worm/roots.jsonl, syslog://log.example:514,https://w.example/x",
      "/mnt/worm/roots.jsonl, syslog://log.example:514,https://w.example/x",
    ],
    bad: ["roots.jsonl", "http://w.example/x", "syslog://log.example", "ftp://x:21", "https://u@w.example/x"],
  },
  SMTP_URL: {
    good: ["smtp://user:pass@mail.larkspur.example:587", "smtp://user:pass@mail.larkspur.example:587"],
    bad: ["mail.larkspur.example", "http://mail.larkspur.example", "smtp://mail.larkspur.example/x"],
    with: { MAIL_FROM: "pharmacy@larkspur.example" },
  },
  MAIL_FROM: {
    good: ["pharmacy@larkspur.example", "pharmacy@larkspur.example"],
    bad: ["Larkspur <pharmacy@larkspur.example>", "larkspur"],
    with: { SMTP_URL: "smtp://mail.larkspur.example" },
  },
  DKIM_DOMAIN: {
    good: ["larkspur.example", "larkspur.example"],
    bad: ["a b"],
    with: { DKIM_SELECTOR: "s1", DKIM_KEY_FILE: "/etc/pestle/dkim.pem" },
  },
  DKIM_SELECTOR: {
    good: ["s1", "s1"],
    bad: ["s 1", "s1/x"],
    with: { DKIM_DOMAIN: "larkspur.example", DKIM_KEY_FILE: "/etc/pestle/dkim.pem" },
  },
  DKIM_KEY_FILE: {
    good: ["/etc/pestle/dkim.pem", "/etc/pestle/dkim.pem"],
    bad: [],
    with: { DKIM_DOMAIN: "larkspur.example", DKIM_SELECTOR: "s1" },
  },
  PAYMENTS: { good: ["simulated", "simulated"], bad: ["Stripe", "paypal", "stripe"] },
  CARRIER: { good: ["manual", "manual"], bad: ["ups", "easypost"] },
  ADDRESSES: { good: ["none", "none"], bad: ["simulated", "easypost"] },
  MAIL: { good: ["none", "none"], bad: ["sendmail", "smtp"] },
  SMS: { good: ["simulated", "simulated"], bad: ["sms", "twilio"] },
  STRIPE_SECRET_KEY: { good: ["sk_live_made_up", "sk_live_made_up"], bad: ["a b", "x".repeat(501)] },
  STRIPE_WEBHOOK_SECRET: { good: ["whsec_made_up", "whsec_made_up"], bad: ["a b"] },
  STRIPE_API_BASE: {
    good: ["http://127.0.0.1:9000", "http://127.0.0.1:9000"],
    bad: ["http://stripe.example", "https://stripe.example/"],
  },
  EASYPOST_API_KEY: { good: ["EZAK_made_up", "EZAK_made_up"], bad: ["a b"] },
  EASYPOST_WEBHOOK_SECRET: { good: ["made_up", "made_up"], bad: ["a b"] },
  EASYPOST_API_BASE: { good: ["https://proxy.example", "https://proxy.example"], bad: ["http://easypost.example"] },
  TWILIO_ACCOUNT_SID: { good: [`AC${"0".repeat(32)}`, `AC${"0".repeat(32)}`], bad: ["AC12", "me"] },
  TWILIO_AUTH_TOKEN: { good: ["made_up", "made_up"], bad: ["a b"] },
  TWILIO_FROM: { good: ["+12075550142", "+12075550142"], bad: ["2075550142", "MG1"] },
  TWILIO_API_BASE: { good: ["https://proxy.example", "https://proxy.example"], bad: ["twilio.example"] },
  SMS_HOURS: { good: ["09:00-20:00", "09:00-20:00"], bad: ["9-20", "20:00-09:00", "08:00", "08:60-21:00"] },
  OTEL_EXPORTER_OTLP_ENDPOINT: {
    good: ["http://otel-collector:4318", "http://otel-collector:4318"],
    bad: [
      "otel:4318",
      "http://otel:99999",
      "http://[::1:4318",
      "grpc://otel:4317",
      "http://otel:4318/",
      "http://otel:4318/?a=1",
    ],
  },
  OTEL_EXPORTER_OTLP_PROTOCOL: { good: ["http/json", "http/json"], bad: ["grpc", "http/protobuf"] },
  OTEL_EXPORTER_OTLP_HEADERS: {
    good: ["authorization=Bearer%20one, x-team=a", "authorization=Bearer%20one, x-team=a"],
    bad: ["authorization", "a b=c", "a=%0Ab", "a=%zz"],
  },
  OTEL_SERVICE_NAME: { good: ["pharmacy", "pharmacy"], bad: ["two\nlines"] },
  OTEL_RESOURCE_ATTRIBUTES: {
    good: ["deployment.environment.name=production", "deployment.environment.name=production"],
    bad: ["production", "a=%zz"],
  },
  OTEL_TRACES_SAMPLER: { good: ["traceidratio", "traceidratio"], bad: ["sometimes", "jaeger_remote"] },
  OTEL_TRACES_SAMPLER_ARG: { good: ["0.05", 0.05], bad: ["2", "-1", "5%", "1e-3"] },
  LOG_LEVEL: { good: ["warn", "warn"], bad: ["loud"] },
  CLIENT_SECRET: { good: ["a-secret", "a-secret"], bad: ["two words"] },
  PESTLE_PROFILE: { good: ["live", "live"], bad: ["../live"] },
};

for (const name of Object.keys(settings) as SettingName[]) {
  test(`${name} accepts valid values, and an invalid one stops the start with one line that names it`, () => {
    const { good, bad, with: beside = {} } = cases[name];
    expect(readConfig({ ...beside, [name]: good[0] })[name]).toBe(good[1]);
    // Empty counts as unset.
    expect(readConfig({ [name]: "" })[name]).toBe(readConfig({})[name]);
    for (const value of bad) {
      const read = () => readConfig({ ...beside, [name]: value });
      expect(read).toThrow(WrongSetting);
      expect(read).toThrow(new RegExp(`^[^\\n]*${name}[^\\n]*$`));
    }
  });
}

test("settings that depend on each other are checked together", () => {
  expect(() => readConfig({ DATABASE_URL: "postgresql://u@h/d" })).toThrow(/requires MASTER_KEY/);
  expect(() => readConfig({ TLS_CERT_FILE: "cert.pem" })).toThrow(/TLS_KEY_FILE/);
  expect(() => readConfig({ HOST: "0.0.0.0" })).toThrow(/TRUST_PROXY/);
  expect(() => readConfig({ SMTP_URL: "smtp://mail.larkspur.example" })).toThrow(/MAIL_FROM/);
  expect(readConfig({ HOST: "0.0.0.0", TRUST_PROXY: "10.0.0.1" }).HOST).toBe("0.0.0.0");
  expect(readConfig({ HOST: "0.0.0.0", TLS_CERT_FILE: "c", TLS_KEY_FILE: "k" }).HOST).toBe("0.0.0.0");
});

test("a number of proxies, as 0.1.0 took it, is refused with the value to write instead", () => {
  for (const TRUST_PROXY of ["0", "1", " 2 "]) {
    expect(() => readConfig({ TRUST_PROXY })).toThrow(/takes addresses.*TRUST_PROXY=127\.0\.0\.1,::1/);
  }
});

test("a provider needs its keys, and production refuses test keys", () => {
  const stripe = { PAYMENTS: "stripe", STRIPE_WEBHOOK_SECRET: "whsec_made_up" };
  expect(() => readConfig(stripe)).toThrow(/PAYMENTS=stripe requires STRIPE_SECRET_KEY/);
  for (const STRIPE_SECRET_KEY of ["sk_test_made_up", "rk_test_made_up"])
    expect(() => readConfig({ ...stripe, STRIPE_SECRET_KEY })).toThrow(/STRIPE_SECRET_KEY is a test key/);
  const easypost = { CARRIER: "easypost", EASYPOST_WEBHOOK_SECRET: "made_up" };
  expect(() => readConfig({ ...easypost, EASYPOST_API_KEY: "EZTKmade_up" })).toThrow(/EASYPOST_API_KEY is a test key/);
  expect(() => readConfig({ DKIM_DOMAIN: "larkspur.example" })).toThrow(/belong together/);
  expect(chosenProvider(readConfig({ ...stripe, STRIPE_SECRET_KEY: "sk_live_made_up" }), "payments")).toBe("stripe");
});

test("a settings file of 0.1.0 with SMTP_URL still sends email, and nothing else is chosen", () => {
  const config = readConfig({ SMTP_URL: "smtp://127.0.0.1:2525", MAIL_FROM: "a@larkspur.example" });
  expect(providersInUse(config, false)).toEqual({
    payments: null,
    carrier: null,
    addresses: null,
    mail: "smtp",
    sms: null,
  });
  expect(providersInUse(config, true)).toMatchObject({ payments: "simulated", carrier: "simulated", sms: "simulated" });
});

test("secrets are shown only as set or not set", () => {
  const shown = describeConfig({ MASTER_KEY: KEY, DATABASE_URL: "postgresql://u:hidden@h/d" });
  expect(JSON.stringify(shown)).not.toMatch(/hidden|abab/);
  expect(shown.find(({ name }) => name === "MASTER_KEY")).toMatchObject({ value: "(set)", origin: "environment" });
  expect(shown.find(({ name }) => name === "PORT")).toMatchObject({ value: "8080", origin: "default" });
});

test("the settings that the guide to go live shows exist and are valid together", () => {
  const guide = readFileSync(new URL("../../../../docs/guides/go-live.md", import.meta.url), "utf8");
  const shown = [...guide.matchAll(/^([A-Z_]+)=(.*)$/gm)].map(([, name, value]) => [name!, value!.replace("…", "x")]);
  expect(shown.length).toBeGreaterThan(12);
  for (const [name] of shown) expect(Object.keys(settings)).toContain(name);
  expect(() => readConfig(Object.fromEntries(shown))).not.toThrow();
});

test.each([
  ["../../../src/", "config.ts"],
  ["../../../../cli/src/", "settings.ts"],
])("in %s only %s reads the environment", (where, file) => {
  const folder = fileURLToPath(new URL(where, import.meta.url));
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".ts"));
  expect(files.filter((name) => /process\.env/.test(readFileSync(folder + name, "utf8")))).toEqual([file]);
});

test("the address of a listener is the one that a caller must use", () => {
  const address = (env: Record<string, string>) => publicAddress(readConfig(env), 8080);
  expect(address({})).toBe("http://127.0.0.1:8080");
  expect(address({ HOST: "::1" })).toBe("http://[::1]:8080");
  expect(address({ TRUST_PROXY: "127.0.0.1" })).toBe("https://127.0.0.1:8080");
  expect(address({ TRUST_PROXY: "10.0.0.1", HOST: "0.0.0.0" })).toBe("https://127.0.0.1:8080");
  expect(address({ TRUST_PROXY: "10.0.0.1", HOST: "0.0.0.0", ALLOWED_HOSTS: "api.larkspur.example, 10.0.0.5" })).toBe(
    "https://api.larkspur.example:8080",
  );
});
