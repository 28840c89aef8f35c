import type { TLSSocket } from "node:tls";
import { isLoopback } from "@pestle/contract";
import type { FastifyRequest } from "fastify";
import type { Config } from "../config.ts";
import { inNetworks, networksOf } from "../domain/values/networks.ts";
import { RequestProblems } from "../domain/values/refusals.ts";
import { repeats } from "./front-door.ts";

/** Load balancers ask for these over plain HTTP and by address. */
const HEALTH = new Set(["/healthz", "/readyz"]);

/** On every answer of every listener. Browsers obey them; programs ignore them. */
export const browserRules = {
  "x-content-type-options": "nosniff",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "permissions-policy":
    "camera=(), display-capture=(), geolocation=(), microphone=(), midi=(), payment=(), serial=(), usb=()",
};
/** Two years, the shortest that browsers' preload lists accept. */
export const HTTPS_ONLY = "max-age=63072000; includeSubDomains";

export type Edge = {
  /** Whether forwarded headers from this peer count. */
  trusts(address: string): boolean;
  /** Whether any peer's do. If not, the framework need not look for them in every request. */
  has_proxies: boolean;
  /** The reason to refuse a request before its path and credentials are looked at. */
  refusal(request: FastifyRequest): RequestProblems | undefined;
};

/** The rules of the connection: which proxies to believe, plain HTTP, and the names this service answers to. */
export function createEdge(config: Config): Edge {
  const proxies = config.TRUST_PROXY === "" ? [] : networksOf(config.TRUST_PROXY)!;
  const trusts = (address: string) => inNetworks(proxies, address);
  const hosts = allowedHosts(config);
  const isInsecure = (request: FastifyRequest) => {
    if (proxies.length === 0) return false;
    const { socket } = request.raw;
    return trusts(socket.remoteAddress ?? "")
      ? !forwardedOverHttps(request)
      : !(socket as Partial<TLSSocket>).encrypted;
  };
  // Callers send the same name again and again.
  let last = { authority: "", local: "" as string | undefined };
  const isKnown = (request: FastifyRequest, authority: string) => {
    const local = request.raw.socket.localAddress;
    if (authority === last.authority && local === last.local) return true;
    const known = isNamed(authority, local);
    if (known) last = { authority, local };
    return known;
  };
  const isNamed = (authority: string, local: string | undefined) => {
    const host = hostOf(authority);
    if (host === undefined) return false;
    // A browser that another site tricked sends that site's name, never the address itself.
    return hosts.has(host) || isLoopback(host) || host === local?.replace(/^::ffff:/, "");
  };
  const isForOthers = (request: FastifyRequest) => {
    const { host } = request.headers;
    if (host === undefined || repeats(request, "host") || !isKnown(request, host)) return true;
    if (request.url.startsWith("/")) return false;
    // RFC 9112, 3.2.2: the authority of a whole address replaces Host.
    const [, authority = ""] = /^https?:\/\/([^/?#]*)/i.exec(request.url) ?? [];
    return authority !== "" && !isKnown(request, authority);
  };
  return {
    trusts,
    has_proxies: proxies.length > 0,
    refusal(request) {
      if (HEALTH.has(request.url)) return undefined;
      // Prometheus asks each process at its own address, past the proxy. The figures name no patient, and need the token.
      if (request.url === "/metrics" && config.METRICS_TOKEN !== "") return undefined;
      if (isInsecure(request)) return new RequestProblems([{ code: 40010, field: "url" }]);
      return isForOthers(request) ? new RequestProblems([{ code: 40005, field: "Host" }]) : undefined;
    },
  };
}

/** For requests that another process of this service has let through. It names the caller's address. */
export const openEdge: Edge = { trusts: () => true, has_proxies: true, refusal: () => undefined };

function allowedHosts(config: Config): ReadonlySet<string> {
  const urls = [config.BASE_URL, config.AUTH_URL, config.SANDBOX_AUTH_URL].filter((url) => url !== "");
  const named = config.ALLOWED_HOSTS.split(",").map((host) => host.trim());
  const hosts = [...urls.map((url) => new URL(url).hostname.replace(/^\[|\]$/g, "")), ...named, config.HOST];
  return new Set(hosts.filter((host) => host !== "").map((host) => host.toLowerCase()));
}

/** The name without its port, brackets and final dot; undefined if malformed. */
function hostOf(authority: string): string | undefined {
  const [, name, address] =
    /^(?:([A-Za-z0-9._-]{1,255})|\[([0-9A-Fa-f:.]{2,45})\])(?::\d{1,5})?$/.exec(authority) ?? [];
  return (name?.replace(/\.$/, "") ?? address)?.toLowerCase();
}

function forwardedOverHttps(request: FastifyRequest): boolean {
  const forwarded = request.headers["x-forwarded-proto"];
  return typeof forwarded === "string" && forwarded.split(",").every((hop) => hop.trim().toLowerCase() === "https");
}
