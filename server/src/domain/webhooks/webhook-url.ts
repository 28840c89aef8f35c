import { type Environment, endpointFaults } from "@pestle/contract";
import { type AddressKind, addressKind } from "./webhook-address.ts";

/** Why a URL cannot be an endpoint. */
export const urlProblems = {
  malformed: endpointFaults.url,
  scheme: "The URL must begin with https.",
  loopback_only: "A sandbox URL without https must lead to this machine: localhost, 127.0.0.1 or [::1].",
  user_info: "The URL must not contain a user name or password.",
  fragment: "The URL must not contain a fragment.",
  port: "The port must be 443, or 1024 or higher and not blocked by browsers.",
  address: "The URL must not lead to a private, loopback, link-local or reserved address.",
} as const;
export type UrlProblem = keyof typeof urlProblems;

/**
 * The ports of this machine that sandbox endpoints can reach: all of them next to the demo on loopback, otherwise those
 * that the operator names. The sandbox is a guest on the operator's machine.
 */
export type LoopbackPorts = "any" | readonly number[];
export const opensPort = (ports: LoopbackPorts, environment: Environment, port: number) =>
  environment === "sandbox" && (ports === "any" || ports.includes(port));

const MOST_CHARACTERS = 2_048;
/** Ports from 1024 up that the Fetch standard blocks, because their protocols could misread an HTTP request. */
const BLOCKED_PORTS = new Set([
  1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
]);

/**
 * Checks an endpoint's URL without a DNS lookup. `mayConnect` checks the addresses of a name when a connection is made.
 * Detects an IP address in any notation, because the URL parser normalizes them.
 */
export function checkWebhookUrl(
  url: string,
  environment: Environment,
  loopback_ports: LoopbackPorts,
): UrlProblem | null {
  // Rejects spaces around and line breaks inside, which the parser would ignore: the URL that is called must be the one
  // that is signed.
  const parsed = url.length <= MOST_CHARACTERS && !/[\s\p{Cc}\\]/u.test(url) ? parse(url) : null;
  if (parsed === null || parsed.hostname === "") return "malformed";
  if (parsed.protocol !== "https:" && parsed.protocol !== "http:") return "scheme";
  if (parsed.username !== "" || parsed.password !== "" || /^[a-z]+:\/*[^/?#]*@/i.test(url)) return "user_info";
  if (url.includes("#")) return "fragment";
  const kind = literalKind(parsed.hostname);
  const leads_here = kind === "loopback" && opensPort(loopback_ports, environment, portOf(parsed));
  if (parsed.protocol === "http:" && !leads_here) {
    return environment === "sandbox" && loopback_ports.length > 0 ? "loopback_only" : "scheme";
  }
  if (leads_here) return null;
  if (kind === "forbidden" || kind === "loopback") return "address";
  return isPortAllowed(portOf(parsed)) ? null : "port";
}

/** Whether a connection can go to an address, for a URL of this scheme. `loopback`: the port of this machine is open. */
export function mayConnect(address: string, scheme: "http" | "https", loopback: boolean): boolean {
  const kind = addressKind(address);
  return kind === "loopback" ? loopback : kind === "public" && scheme === "https";
}

/** RFC 6761: these names always mean this machine, regardless of DNS. */
export const isLocalName = (hostname: string) => /^(?:.+\.)?localhost\.?$/i.test(hostname);

/** The IP address in a host name, with or without brackets, if it is one. */
export function literalAddress(hostname: string): string | null {
  const bare = hostname.replace(/^\[(.*)\]$/, "$1");
  return bare.includes(":") || /^[\d.]+$/.test(bare) ? bare : null;
}

function literalKind(hostname: string): AddressKind | "name" {
  if (isLocalName(hostname)) return "loopback";
  const literal = literalAddress(hostname);
  return literal === null ? "name" : addressKind(literal);
}

const portOf = ({ port, protocol }: URL) => (port === "" ? (protocol === "https:" ? 443 : 80) : Number(port));

function parse(url: string): URL | null {
  return URL.canParse(url) ? new URL(url) : null;
}

function isPortAllowed(port: number): boolean {
  return port === 443 || (port >= 1024 && !BLOCKED_PORTS.has(port));
}
