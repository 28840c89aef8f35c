import { type Environment, endpointFaults } from "@pestle/contract";
import { type AddressKind, addressKind } from "./webhook-address.ts";

/** Why a URL cannot be an endpoint's. */
export const urlProblems = {
  malformed: endpointFaults.url,
  scheme: "The URL must begin with https.",
  loopback_only: "Without https a sandbox URL must lead to this machine: localhost, 127.0.0.1 or [::1].",
  user_info: "The URL must not hold a user name or password.",
  fragment: "The URL must not hold a fragment.",
  port: "The port must be 443 or one from 1024 on that browsers do not block.",
  address: "The URL must not lead to a private, loopback, link-local or reserved address.",
} as const;
export type UrlProblem = keyof typeof urlProblems;

const MOST_CHARACTERS = 2_048;
/** Those from 1024 on that the Fetch standard blocks: they speak protocols that a request could be mistaken for. */
const BLOCKED_PORTS = new Set([
  1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
]);

/**
 * What can be said of an endpoint's URL without asking who it leads to; the addresses of a name are judged when a connection
 * is made (`mayConnect`). An IP address is found out in every spelling: the URL parser writes them all in one way.
 */
export function checkWebhookUrl(url: string, environment: Environment): UrlProblem | null {
  // The parser forgives spaces around and line breaks inside; a URL that is signed as registered must be the one that is called.
  const parsed = url.length <= MOST_CHARACTERS && !/[\s\p{Cc}\\]/u.test(url) ? parse(url) : null;
  if (parsed === null || parsed.hostname === "") return "malformed";
  if (parsed.protocol !== "https:" && parsed.protocol !== "http:") return "scheme";
  if (parsed.username !== "" || parsed.password !== "" || /^[a-z]+:\/*[^/?#]*@/i.test(url)) return "user_info";
  if (url.includes("#")) return "fragment";
  const kind = literalKind(parsed.hostname);
  const leads_here = environment === "sandbox" && kind === "loopback";
  if (parsed.protocol === "http:" && !leads_here) return environment === "sandbox" ? "loopback_only" : "scheme";
  if (leads_here) return null;
  if (kind === "forbidden" || kind === "loopback") return "address";
  return isPortAllowed(parsed.port === "" ? 443 : Number(parsed.port)) ? null : "port";
}

/** Whether a connection may go to an address that a URL of this scheme leads to. */
export function mayConnect(address: string, scheme: "http" | "https", environment: Environment): boolean {
  const kind = addressKind(address);
  return kind === "loopback" ? environment === "sandbox" : kind === "public" && scheme === "https";
}

/** RFC 6761: these names mean this machine, whatever a name server says. */
export const isLocalName = (hostname: string) => /^(?:.+\.)?localhost\.?$/i.test(hostname);

/** The address that a host name is, in the brackets of a URL or without, if it is one. */
export function literalAddress(hostname: string): string | null {
  const bare = hostname.replace(/^\[(.*)\]$/, "$1");
  return bare.includes(":") || /^[\d.]+$/.test(bare) ? bare : null;
}

function literalKind(hostname: string): AddressKind | "name" {
  if (isLocalName(hostname)) return "loopback";
  const literal = literalAddress(hostname);
  return literal === null ? "name" : addressKind(literal);
}

function parse(url: string): URL | null {
  return URL.canParse(url) ? new URL(url) : null;
}

function isPortAllowed(port: number): boolean {
  return port === 443 || (port >= 1024 && !BLOCKED_PORTS.has(port));
}
