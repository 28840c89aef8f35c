import { readFileSync } from "node:fs";
import type pg from "pg";
import type { Connection } from "./db.ts";

/** How to encrypt the connection to a database. `no-verify` is not PostgreSQL's word, but its drivers use it. */
type SslMode = "disable" | "allow" | "prefer" | "require" | "no-verify" | "verify-ca" | "verify-full";

/** The settings of libpq that the operator gave beside the URL. */
export type SslSettings = { mode: string; root_certificate_file: string };

const LOCAL = /^$|^\/|^localhost$|^127\.|^\[?::1\]?$/;
const LAX = new Set<string>(["disable", "allow", "prefer"]);

/** The host in a PostgreSQL URL. Not read by URL, which refuses a Unix socket without a host. */
export function hostOf(url: string): string {
  const given = /[?&]host=([^&#]*)/.exec(url)?.[1];
  if (given !== undefined) return decodeURIComponent(given);
  return /^\w+:\/\/(?:[^/?#]*@)?(\[[^\]]*\]|[^:/?#]*)/.exec(url)?.[1] ?? "";
}

/** A URL for each host that it lists, as in libpq: `host1:5432,host2:5432`, or `host` and `port` with commas. */
export function hostUrls(url: string): string[] {
  const hosts = /[?&]host=([^&#]*)/.exec(url)?.[1];
  if (hosts !== undefined) {
    const ports = /[?&]port=([^&#]*)/.exec(url)?.[1]?.split(/,|%2C/i) ?? [];
    return decodeURIComponent(hosts)
      .split(",")
      .map((host, place) =>
        url
          .replace(/([?&]host=)[^&#]*/, (_, name: string) => name + encodeURIComponent(host))
          .replace(/([?&]port=)[^&#]*/, (_, name: string) => name + (ports[place] ?? ports[0])),
      );
  }
  const [, before = "", listed = "", after = ""] = /^(\w+:\/\/(?:[^/?#]*@)?)([^/?#]*)(.*)$/s.exec(url) ?? [];
  return listed.split(",").map((host) => before + host + after);
}

export const isLocal = (url: string): boolean => hostUrls(url).every((one) => LOCAL.test(hostOf(one)));

const TARGET = /([?&])target_session_attrs=([^&#]*)&?/;
const targetOf = (url: string): string | undefined => TARGET.exec(url)?.[2];

/** A URL's own `sslmode` wins. Without any, a remote server must prove who it is. */
export function sslModeOf(url: string, { mode }: SslSettings): SslMode {
  const given = /[?&]sslmode=([^&#]*)/.exec(url)?.[1] ?? mode;
  if (isLocal(url)) return LAX.has(given) || given === "" ? "disable" : (given as SslMode);
  // A server that may choose not to encrypt does not prove anything.
  return given === "" || given === "allow" || given === "prefer" ? "verify-full" : (given as SslMode);
}

/**
 * What the driver needs for a URL. Of several hosts, the one that accepts writes is used, because replicas and an old primary
 * do not.
 */
export function connectionTo(url: string, settings: SslSettings): Connection {
  const asked = targetOf(url) !== undefined;
  const [first, ...others] = hostUrls(url.replace(TARGET, "$1").replace(/[?&]$/, ""));
  const connection = hostConnection(first!, settings);
  if (others.length === 0) return asked ? { ...connection, writable: true } : connection;
  return { ...connection, others: others.map((one) => hostConnection(one, settings)), writable: true };
}

/** Each host of a URL by itself, with the name that the operator knows it by. */
export const connectionsTo = (url: string, settings: SslSettings): { name: string; connection: Connection }[] =>
  hostUrls(url.replace(TARGET, "$1").replace(/[?&]$/, "")).map((one) => ({
    name: nameOf(one),
    connection: hostConnection(one, settings),
  }));

function nameOf(url: string): string {
  const port = /[?&]port=(\d+)/.exec(url)?.[1] ?? /^\w+:\/\/(?:[^/?#]*@)?[^/?#]*?:(\d+)(?:[/?#]|$)/.exec(url)?.[1];
  return port === undefined ? hostOf(url) : `${hostOf(url)}:${port}`;
}

/** The address of the first host of a URL, for other machines. Undefined for a Unix socket. */
export function hostPortOf(url: string): { host: string; port: number } | undefined {
  const [host = "", port] = nameOf(hostUrls(url)[0]!).split(/:(?=\d+$)/);
  return host === "" || host.startsWith("/") ? undefined : { host, port: Number(port ?? 5432) };
}

/** The same database, role and password on another machine. */
export const atHost = (url: string, { host, port }: { host: string; port: number }): string =>
  url
    .replace(/^(\w+:\/\/(?:[^/?#]*@)?)[^/?#]*/, (_, before: string) => `${before}${host}:${port}`)
    .replaceAll(/([?&])(?:host|port)=[^&#]*&?/g, "$1")
    .replace(TARGET, "$1")
    .replace(/[?&]+$/, "");

const LOGIN = /^(\w+:\/\/)(?:([^/?#]*)@)?/;
/** The hosts of a URL with the role and password of another one. */
export const withLoginOf = (url: string, login_url: string): string => {
  const login = LOGIN.exec(login_url)?.[2];
  return url.replace(LOGIN, (_, scheme: string) => (login === undefined ? scheme : `${scheme}${login}@`));
};

/** Certificates that the URL names stay the driver's business. */
function hostConnection(url: string, settings: SslSettings): pg.ClientConfig {
  if (/[?&]ssl(cert|key|rootcert)=/.test(url)) return { connectionString: url };
  const mode = sslModeOf(url, settings);
  const connectionString = url.replaceAll(/([?&])sslmode=[^&#]*&?/g, "$1").replace(/[?&]$/, "");
  if (mode === "disable") return { connectionString, ssl: false };
  if (mode === "no-verify") return { connectionString, ssl: { rejectUnauthorized: false } };
  const { root_certificate_file: file } = settings;
  return {
    connectionString,
    ssl: {
      ...(file !== "" && { ca: readFileSync(file, "utf8") }),
      // The certificate must be signed, but may name another host.
      ...(mode === "verify-ca" && { checkServerIdentity: () => undefined }),
    },
  };
}
