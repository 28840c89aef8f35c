import { promises as dns } from "node:dns";
import type { LookupFunction } from "node:net";
import type { Environment } from "@pestle/contract";
import { buildConnector } from "undici";
import {
  isLocalName,
  type LoopbackPorts,
  literalAddress,
  mayConnect,
  opensPort,
} from "../domain/webhooks/webhook-url.ts";

/** Resolves a host name to its addresses. */
export type Resolve = (hostname: string) => Promise<string[]>;

export type GuardOptions = {
  loopback_ports: LoopbackPorts;
  resolve?: Resolve;
  connect_timeout_ms: number;
  ca?: string;
};

/** The URL resolves to an address that webhooks must not reach, so no connection is made. */
class BlockedAddress extends Error {
  readonly code = "BLOCKED_ADDRESS";
}

/**
 * Connects only to checked addresses. Resolves a name once, checks all its addresses, and connects to exactly those, so
 * DNS rebinding cannot change them. Checks an IP address in the URL directly, because it skips the lookup.
 */
export function guardedConnector(environment: Environment, options: GuardOptions): buildConnector.connector {
  // The lookup does not know the port, so a connector knows whether it is open.
  const connectors = {
    http: { open: connectorOf("http", true), closed: connectorOf("http", false) },
    https: { open: connectorOf("https", true), closed: connectorOf("https", false) },
  };

  function connectorOf(scheme: "http" | "https", loopback: boolean): buildConnector.connector {
    const lookup: LookupFunction = (hostname, { all }, callback) => {
      judgedAddresses(hostname, scheme, loopback).then(
        (addresses) => {
          if (all) callback(null, addresses);
          else callback(null, addresses[0]!.address, addresses[0]!.family);
        },
        (error: NodeJS.ErrnoException) => callback(error, "", 0),
      );
    };
    return buildConnector({
      timeout: options.connect_timeout_ms,
      lookup,
      // Overrides NODE_TLS_REJECT_UNAUTHORIZED.
      rejectUnauthorized: true,
      ...(options.ca === undefined ? {} : { ca: options.ca }),
    } as buildConnector.BuildOptions);
  }

  async function judgedAddresses(hostname: string, scheme: "http" | "https", loopback: boolean) {
    const addresses = await (isLocalName(hostname)
      ? ["127.0.0.1", "::1"]
      : (options.resolve ?? askNameServers)(hostname));
    if (addresses.length === 0) throw Object.assign(new Error("no address"), { code: "ENOTFOUND" });
    // A forbidden address among allowed ones is no accident: use none of them.
    if (!addresses.every((address) => mayConnect(address, scheme, loopback))) throw new BlockedAddress();
    return addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 }));
  }

  return (target, callback) => {
    const scheme = target.protocol === "https:" ? "https" : "http";
    const port = target.port === "" ? (scheme === "https" ? 443 : 80) : Number(target.port);
    const loopback = opensPort(options.loopback_ports, environment, port);
    const literal = literalAddress(target.hostname);
    if (literal !== null && !mayConnect(literal, scheme, loopback)) {
      callback(new BlockedAddress(), null);
      return;
    }
    connectors[scheme][loopback ? "open" : "closed"](target, (...[error, socket]) => {
      if (error !== null) return callback(error, null);
      // Should be impossible; a last check of the address actually connected to.
      if (!mayConnect(socket.remoteAddress ?? "", scheme, loopback)) {
        socket.destroy();
        return callback(new BlockedAddress(), null);
      }
      return callback(null, socket);
    });
  };
}

/**
 * Queries the name servers over our own sockets. The system lookup would use one of four threads that all of Node shares,
 * and a partner whose name server never answers could block them all.
 */
const resolver = new dns.Resolver({ timeout: 2_000, tries: 2 });
async function askNameServers(hostname: string): Promise<string[]> {
  const answers = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
  const addresses = answers.flatMap((answer) => (answer.status === "fulfilled" ? answer.value : []));
  const [failed] = answers.filter((answer) => answer.status === "rejected");
  if (addresses.length === 0 && failed !== undefined) throw failed.reason;
  return addresses;
}
