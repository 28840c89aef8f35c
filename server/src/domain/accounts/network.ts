/**
 * The network that a limit counts: an IPv4 address, or the /64 of an IPv6 address, because one subscriber has a whole
 * /64 and can use a new address for every request. Any other text is its own network.
 */
export function networkOf(address: string): string {
  const [, v4] = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address) ?? [];
  if (v4 !== undefined) return v4;
  const [plain = ""] = address.split("%");
  if (!/^[0-9a-f:]+(\d+\.\d+\.\d+\.\d+)?$/i.test(plain) || !plain.includes(":")) return address;
  const [head = "", tail] = plain.split("::");
  const groups = head === "" ? [] : head.split(":");
  if (tail !== undefined) {
    const after = tail === "" ? [] : tail.split(":");
    // A final IPv4 part fills two groups.
    const filled = groups.length + after.length + (tail.includes(".") ? 1 : 0);
    groups.push(...Array.from({ length: Math.max(0, 8 - filled) }, () => "0"), ...after);
  }
  const prefix = groups.slice(0, 4).map((group) => Number.parseInt(group, 16).toString(16));
  return `${prefix.join(":")}::/64`;
}
