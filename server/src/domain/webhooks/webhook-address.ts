import ipaddr from "ipaddr.js";

/** How webhooks treat a network address: public, this machine, or forbidden. */
export type AddressKind = "public" | "loopback" | "forbidden";

/** Cloud providers serve these only to their own machines, although they look public. */
const METADATA_ADDRESSES = new Set(["168.63.129.16"]);
/** Allocated addresses. All other IPv6 ranges are internal or unassigned. */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR("2000::/3");
/** NAT64 (RFC 6052): the last 32 bits are the IPv4 address that is really reached. */
const NAT64 = ipaddr.IPv6.parseCIDR("64:ff9b::/96");

/**
 * Classifies an address as a connection would use it. Addresses that embed an IPv4 address are classified by that one.
 * Ranges without a legitimate use (6to4, Teredo, IPv4-compatible, documentation, benchmarks …) are forbidden.
 */
export function addressKind(text: string): AddressKind {
  const plain = inHex(text);
  if (!ipaddr.isValid(plain)) return "forbidden";
  const address = ipaddr.parse(plain);
  if (address instanceof ipaddr.IPv4) return kindOfIpv4(address);
  if (address.isIPv4MappedAddress()) return kindOfIpv4(address.toIPv4Address());
  if (address.match(NAT64)) {
    const embedded = kindOfIpv4(new ipaddr.IPv4(address.toByteArray().slice(12)));
    // Loopback behind a translator is another machine.
    return embedded === "public" ? "public" : "forbidden";
  }
  if (address.range() === "loopback") return "loopback";
  return address.range() === "unicast" && address.match(GLOBAL_UNICAST) ? "public" : "forbidden";
}

/** Converts the dotted end of an IPv6 address to hex, because the library reads `::10.0.0.1` as `::ffff:10.0.0.1`. */
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
