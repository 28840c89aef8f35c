import ipaddr from "ipaddr.js";

/** Addresses and networks, in the form that `inNetworks` compares. */
export type Networks = readonly [ipaddr.IPv4 | ipaddr.IPv6, number][];

/** Reads `127.0.0.1, 10.0.0.0/8, fd00::/8`. Returns undefined if an entry is neither an address nor a network. */
export function networksOf(list: string): Networks | undefined {
  const entries = list.split(",").map((entry) => networkOf(entry.trim()));
  return entries.includes(undefined) ? undefined : (entries as [ipaddr.IPv4 | ipaddr.IPv6, number][]);
}

/** An IPv6 socket shows an IPv4 peer as `::ffff:10.0.0.1`, which is compared as IPv4. */
export function inNetworks(networks: Networks, text: string | undefined): boolean {
  const address = text === undefined ? undefined : addressOf(text);
  if (address === undefined) return false;
  return networks.some(([network, bits]) => address.kind() === network.kind() && address.match(network, bits));
}

function networkOf(entry: string): [ipaddr.IPv4 | ipaddr.IPv6, number] | undefined {
  const [, text = "", digits] = /^([^/]*)(?:\/(\d{1,3}))?$/.exec(entry) ?? [];
  const address = addressOf(text);
  if (address === undefined) return undefined;
  const most = address.kind() === "ipv4" ? 32 : 128;
  const bits = digits === undefined ? most : Number(digits);
  // A network of all addresses is no list of known callers.
  return bits < 1 || bits > most ? undefined : [address, bits];
}

function addressOf(text: string): ipaddr.IPv4 | ipaddr.IPv6 | undefined {
  if (ipaddr.IPv4.isValidFourPartDecimal(text)) return ipaddr.IPv4.parse(text);
  if (!text.includes(":") || !ipaddr.IPv6.isValid(text)) return undefined;
  const address = ipaddr.IPv6.parse(text);
  return address.isIPv4MappedAddress() ? address.toIPv4Address() : address;
}
