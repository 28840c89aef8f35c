import { expect, test } from "vitest";
import { inNetworks, networksOf } from "../../../src/domain/values/networks.ts";

test("addresses and networks contain exactly their addresses, also where an IPv6 socket shows an IPv4 peer", () => {
  const networks = networksOf("127.0.0.1, 10.1.0.0/16,fd00:1::/32,::1")!;
  const inside = ["127.0.0.1", "::ffff:127.0.0.1", "10.1.255.255", "::ffff:a01:203", "fd00:1::7", "::1"];
  const outside = ["127.0.0.2", "10.2.0.0", "fd00:2::7", "::2", "::ffff:127.0.0.2", "", "unknown", "0x7f.1", "1"];
  expect(inside.filter((address) => !inNetworks(networks, address))).toEqual([]);
  expect([...outside, undefined].filter((address) => inNetworks(networks, address))).toEqual([]);
});

test("an entry that is not an address or a network makes the list invalid", () => {
  for (const list of [
    "",
    "1",
    "10.0.0.0/",
    "10.0.0.0/0",
    "::/0",
    "10.0.0.1/33",
    "a.example",
    "10.1",
    "127.0.0.1,,::1",
  ]) {
    expect(networksOf(list), list).toBeUndefined();
  }
});
