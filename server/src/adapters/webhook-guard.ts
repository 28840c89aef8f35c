import { promises as dns } from "node:dns";
import type { LookupFunction } from "node:net";
import type { Environment } from "@pestle/contract";
import { buildConnector } from "undici";
import { isLocalName, literalAddress, mayConnect } from "../domain/webhooks/webhook-url.ts";

/** Tells the addresses of a host name. */
export type Resolve = (hostname: string) => Promise<string[]>;

type Options = { resolve?: Resolve; connect_timeout_ms: number; ca?: string };

/** Nobody is connected to: an address that the URL leads to is not one that webhooks may be sent to. */
class BlockedAddress extends Error {
  readonly code = "BLOCKED_ADDRESS";
}

/**
 * Makes connections, and only to addresses that were looked at. A name is looked up once, every address it has is judged, and
 * the connection goes to these very addresses; whoever is an address already never meets the look-up and is judged before.
 */
export function guardedConnector(environment: Environment, options: Options): buildConnector.connector {
  const connectors = { http: connectorOf("http"), https: connectorOf("https") };

  function connectorOf(scheme: "http" | "https"): buildConnector.connector {
    const lookup: LookupFunction = (hostname, { all }, callback) => {
      judgedAddresses(hostname, scheme).then(
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
      // Whatever the process was told about certificates: a wrong one is a wrong one.
      rejectUnauthorized: true,
      ...(options.ca === undefined ? {} : { ca: options.ca }),
    } as buildConnector.BuildOptions);
  }

  async function judgedAddresses(hostname: string, scheme: "http" | "https") {
    const addresses = await (isLocalName(hostname)
      ? ["127.0.0.1", "::1"]
      : (options.resolve ?? askNameServers)(hostname));
    if (addresses.length === 0) throw Object.assign(new Error("no address"), { code: "ENOTFOUND" });
    // One that is forbidden among good ones is no accident: none of them is used.
    if (!addresses.every((address) => mayConnect(address, scheme, environment))) throw new BlockedAddress();
    return addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 }));
  }

  return (target, callback) => {
    const scheme = target.protocol === "https:" ? "https" : "http";
    const literal = literalAddress(target.hostname);
    if (literal !== null && !mayConnect(literal, scheme, environment)) {
      callback(new BlockedAddress(), null);
      return;
    }
    connectors[scheme](target, (...[error, socket]) => {
      if (error !== null) return callback(error, null);
      // Cannot happen, and would be the whole point.
      if (!mayConnect(socket.remoteAddress ?? "", scheme, environment)) {
        socket.destroy();
        return callback(new BlockedAddress(), null);
      }
      return callback(null, socket);
    });
  };
}

/**
 * Asks the name servers over sockets of our own. The system's look-up would do it on one of four threads that all of Node
 * shares, and a partner with a name server that never answers could hold them all.
 */
const resolver = new dns.Resolver({ timeout: 2_000, tries: 2 });
async function askNameServers(hostname: string): Promise<string[]> {
  const answers = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
  const addresses = answers.flatMap((answer) => (answer.status === "fulfilled" ? answer.value : []));
  const [failed] = answers.filter((answer) => answer.status === "rejected");
  if (addresses.length === 0 && failed !== undefined) throw failed.reason;
  return addresses;
}
