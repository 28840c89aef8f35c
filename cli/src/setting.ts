import { isLoopback } from "@pestle/contract";

/** One setting. The functions below create common kinds. */
export type Setting = {
  default: string;
  meaning: string;
  fix: string;
  secret?: boolean;
  /** The fix for a value that earlier versions accepted. */
  outdated?: (value: string) => string | undefined;
  /** Returns undefined for an invalid value. */
  parse: (value: string) => string | number | boolean | undefined;
};

/** What a table of settings parses into. */
export type Values<Table extends Record<string, Setting>> = {
  readonly [name in keyof Table]: NonNullable<ReturnType<Table[name]["parse"]>>;
};

export function matching(pattern: RegExp, value: string): string | undefined {
  return pattern.test(value) ? value : undefined;
}

export function whole(fallback: string, least: number, most: number, meaning: string) {
  const parse = (value: string) =>
    /^\d{1,9}$/.test(value) && Number(value) >= least && Number(value) <= most ? Number(value) : undefined;
  return { default: fallback, meaning, fix: `a whole number from ${least} to ${most}`, parse };
}

export function line(fallback: string, most: number, meaning: string) {
  const parse = (value: string) =>
    value.trim() !== "" && value.length <= most && !/\p{Cc}/u.test(value) ? value.trim() : undefined;
  return { default: fallback, meaning, fix: `1 to ${most} characters on one line`, parse };
}

export function port(fallback: string, meaning: string) {
  return whole(fallback, 0, 65535, meaning);
}

export function choice<const Value extends string>(fallback: Value, values: readonly Value[], meaning: string) {
  const parse = (value: string) => values.find((known) => known === value);
  return { default: fallback as string, meaning, fix: `one of ${values.join(", ")}`, parse };
}

export function address(meaning: string) {
  const parse = (value: string) => matching(/^$|^https?:\/\/[^\s/?#@]+(\/[^\s?#]*[^\s?#/])?$/, value);
  return { default: "", meaning, fix: "an http(s) URL without a trailing slash", parse };
}

export function databaseUrl(meaning: string) {
  return {
    default: "",
    meaning,
    fix: "postgresql://user:password@host:5432/database, with commas between several hosts; `target_session_attrs` can be read-write or primary",
    secret: true,
    parse: (value: string) =>
      matching(/^$|^postgres(ql)?:\/\/(?!.*[?&]target_session_attrs=(?!(read-write|primary)(&|$)))/, value),
  };
}

export function file(format: "CSV" | "JSON" | "PEM", meaning: string) {
  return { default: "", meaning, fix: `the path of a readable ${format} file`, parse: (value: string) => value };
}

export function key(meaning: string) {
  return {
    default: "",
    meaning,
    fix: "64 hexadecimal digits (openssl rand -hex 32) or the same 32 bytes in base64",
    secret: true,
    parse: (value: string) => matching(/^$|^[0-9a-fA-F]{64}$|^[A-Za-z0-9+/_-]{43}=?$/, value),
  };
}

/** An https URL, or a plain one on loopback. */
export function secureUrl(value: string): string | undefined {
  if (!/^https?:\/\/[^\s/?#@]+(\/[^\s?#]*[^\s?#/])?$/.test(value) || !URL.canParse(value)) return undefined;
  const { protocol, hostname } = new URL(value);
  return protocol === "https:" || isLoopback(hostname.replace(/^\[|\]$/g, "")) ? value : undefined;
}
