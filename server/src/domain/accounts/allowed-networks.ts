import ipaddr from "ipaddr.js";

/** A network in its normal form (`192.0.2.0/24`), or undefined if the text is neither an address nor a network. */
export function normalNetwork(text: string): string | undefined {
  try {
    const [address, bits] = text.includes("/") ? ipaddr.parseCIDR(text) : single(text);
    // `10.1` and `0x0a.0.0.1` are addresses to some parsers and mistakes to most people.
    if (address.kind() === "ipv4" && !/^\d{1,3}(\.\d{1,3}){3}(\/|$)/.test(text)) return undefined;
    const base =
      address instanceof ipaddr.IPv4
        ? ipaddr.IPv4.networkAddressFromCIDR(`${address}/${bits}`)
        : ipaddr.IPv6.networkAddressFromCIDR(`${address}/${bits}`);
    return `${base}/${bits}`;
  } catch {
    return undefined;
  }
}

/** Whether an address is in one of the networks. An IPv4 address in IPv6 form counts as IPv4. */
export function isInNetworks(address: string, networks: readonly string[]): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.process(address);
  return networks.some((network) => {
    const [base, bits] = ipaddr.parseCIDR(network);
    return base.kind() === parsed.kind() && parsed.match(base, bits);
  });
}

function single(text: string): [ipaddr.IPv4 | ipaddr.IPv6, number] {
  const address = ipaddr.process(text);
  return [address, address.kind() === "ipv4" ? 32 : 128];
}
