import type { PestleOptions } from "./client.ts";

type Check = (value: unknown) => string | undefined;

const text: Check = (value) => (typeof value === "string" && value !== "" ? undefined : "must be a text");
const anyText: Check = (value) => (typeof value === "string" ? undefined : "must be a text");
const positive: Check = (value) =>
  typeof value === "number" && value > 0 ? undefined : "must be a number of milliseconds above 0";
const count: Check = (value) => (typeof value === "number" && value >= 0 ? undefined : "must be a number from 0");
const run: Check = (value) => (typeof value === "function" ? undefined : "must be a function");
/** Both servers require https, or plain http on loopback. */
const address: Check = (value) => {
  const url = typeof value === "string" && URL.canParse(value) ? new URL(value) : undefined;
  const local = url?.protocol === "http:" && /^(localhost|127(\.\d+){3}|\[::1\])$/.test(url.hostname);
  return url?.protocol === "https:" || local ? undefined : "must be an https address";
};

const checks: { readonly [Name in keyof Required<PestleOptions>]: Check } = {
  client_id: text,
  client_secret: text,
  // The signer explains what is wrong with a key.
  private_key: () => undefined,
  key_id: text,
  base_url: address,
  auth_url: address,
  scope: anyText,
  deadline_ms: positive,
  retries: count,
  attempt_timeout_ms: positive,
  keep_answers: count,
  fetch: run,
  now: run,
  random: run,
  sleep: run,
};
const required = ["client_id", "base_url", "auth_url"] as const;

/** Throws one error that names every option that is missing, wrong or unknown. Never shows a value: it may be a secret. */
export function checkOptions(options: PestleOptions): void {
  if (typeof options !== "object" || options === null) {
    throw new TypeError("createPestle needs an object with client_id, client_secret, base_url and auth_url.");
  }
  const given = Object.entries(options).filter(([, value]) => value !== undefined);
  const names = new Set(given.map(([name]) => name));
  const problems = [
    ...required.filter((name) => !names.has(name)).map((name) => `${name} is missing.`),
    ...(names.has("client_secret") || names.has("private_key") ? [] : ["Give client_secret or private_key."]),
    ...given.flatMap(([name, value]) => {
      if (!Object.hasOwn(checks, name)) return [unknownOption(name)];
      const wrong = checks[name as keyof typeof checks](value);
      return wrong === undefined ? [] : [`${name} ${wrong}.`];
    }),
  ];
  if (problems.length > 0) throw new TypeError(`createPestle: ${problems.join(" ")}`);
}

function unknownOption(name: string): string {
  const plain = (text: string) => text.toLowerCase().replaceAll(/[^a-z]/g, "");
  const meant = Object.keys(checks).find((known) => plain(known) === plain(name));
  return `${name} is not an option.${meant === undefined ? "" : ` Did you mean ${meant}?`}`;
}
