import { readFileSync } from "node:fs";
import type pg from "pg";

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

export const isLocal = (url: string): boolean => LOCAL.test(hostOf(url));

/** A URL's own `sslmode` wins. Without any, a remote server must prove who it is. */
export function sslModeOf(url: string, { mode }: SslSettings): SslMode {
  const given = /[?&]sslmode=([^&#]*)/.exec(url)?.[1] ?? mode;
  if (isLocal(url)) return LAX.has(given) || given === "" ? "disable" : (given as SslMode);
  // A server that may choose not to encrypt does not prove anything.
  return given === "" || given === "allow" || given === "prefer" ? "verify-full" : (given as SslMode);
}

/** What the driver needs for a URL. Certificates that the URL names stay the driver's business. */
export function connectionTo(url: string, settings: SslSettings): pg.ClientConfig {
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
