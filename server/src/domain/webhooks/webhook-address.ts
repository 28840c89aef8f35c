import ipaddr from "ipaddr.js";

/** What a network address is to webhooks: the internet's, this machine's own, or neither, which nobody may be sent to. */
export type AddressKind = "public" | "loopback" | "forbidden";

/** Told by clouds to their machines and to nobody else, though the address looks like any other. */
const METADATA_ADDRESSES = new Set(["168.63.129.16"]);
/** The addresses that are given out; whatever else IPv6 has is for use inside some network, or for nothing. */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR("2000::/3");
/** NAT64 (RFC 6052): the IPv4 address in its last 32 bits is who is really reached. */
const NAT64 = ipaddr.IPv6.parseCIDR("64:ff9b::/96");

/**
 * Judges an address as a connection would use it. Forms that hold an IPv4 address are judged by that one, and those whose
 * use nobody needs (6to4, Teredo, IPv4-compatible, documentation, benchmarks …) are forbidden as a whole.
 */
export function addressKind(text: string): AddressKind {
  const plain = inHex(text);
  if (!ipaddr.isValid(plain)) return "forbidden";
  const address = ipaddr.parse(plain);
  if (address instanceof ipaddr.IPv4) return kindOfIpv4(address);
  if (address.isIPv4MappedAddress()) return kindOfIpv4(address.toIPv4Address());
  if (address.match(NAT64)) {
    const embedded = kindOfIpv4(new ipaddr.IPv4(address.toByteArray().slice(12)));
    // What is loopback behind a translator is not ours.
    return embedded === "public" ? "public" : "forbidden";
  }
  if (address.range() === "loopback") return "loopback";
  return address.range() === "unicast" && address.match(GLOBAL_UNICAST) ? "public" : "forbidden";
}

/** The dotted end of an IPv6 address in its own digits: the library takes `::10.0.0.1` for `::ffff:10.0.0.1`. */
function inHex(text: string): string {
  if (!text.includes(":")) return text;
  return text.replace(/(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/, (_, a, b, c, d) => {
    const group = (high: string, low: string) => (Number(high) * 256 + Number(low)).toString(16);
    return `${group(a, b)}:${group(c, d)}`;
  });
}

function kindOfIpv4(address: ipaddr.IPv4): AddressKind {
  if (address.range() === "loopback") return "loopback";
  return address.range() === "unicast" && !METADATA_ADDRESSES.has(address.toString()) ? "public" : "forbidden";
}
