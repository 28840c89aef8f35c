import { describe, expect, test } from "vitest";
import { networkOf } from "../../../src/domain/accounts/network.ts";
import { noTries, takeBackTry, takeTry } from "../../../src/domain/accounts/tries.ts";

const limit = { free: 3, first_s: 30, longest_s: 900, forget_s: 900 };

describe("wrong tries", () => {
  test("the first ones cost nothing, and every further one doubles the wait up to the longest", () => {
    const tries = noTries(0);
    let now = 0;
    const waits: number[] = [];
    for (let count = 0; count < 10; count++) {
      expect(takeTry(tries, limit, now)).toBe(0);
      const wait_s = takeTry({ ...tries }, limit, now);
      waits.push(wait_s);
      now += wait_s * 1000;
    }
    expect(waits).toEqual([0, 0, 30, 60, 120, 240, 480, 900, 900, 900]);
  });

  test("a try while blocked is refused and does not lengthen the wait", () => {
    const tries = noTries(0);
    for (let count = 0; count < 3; count++) takeTry(tries, limit, 0);
    expect([takeTry(tries, limit, 1_000), takeTry(tries, limit, 29_001), takeTry(tries, limit, 30_000)]).toEqual([
      29, 1, 0,
    ]);
  });

  test("a correct try is taken back, also if it was the last free one", () => {
    const tries = noTries(0);
    for (let count = 0; count < 3; count++) takeTry(tries, limit, 0);
    takeBackTry(tries, limit);
    expect(takeTry(tries, limit, 0)).toBe(0);
  });

  test("quiet time forgets", () => {
    const tries = noTries(0);
    for (let count = 0; count < 3; count++) takeTry(tries, limit, 0);
    const later = 3 * 900_000;
    expect([1, 2].map(() => takeTry(tries, limit, later))).toEqual([0, 0]);
    expect(takeTry(tries, limit, later)).toBe(0);
    expect(takeTry(tries, limit, later)).toBe(30);
  });
});

test.each([
  ["203.0.113.7", "203.0.113.7"],
  ["::ffff:203.0.113.7", "203.0.113.7"],
  ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
  ["2001:db8:1:2::ffff", "2001:db8:1:2::/64"],
  ["2001:0db8:0001:0002::1", "2001:db8:1:2::/64"],
  ["2001:db8::1", "2001:db8:0:0::/64"],
  ["::1", "0:0:0:0::/64"],
  ["fe80::1%eth0", "fe80:0:0:0::/64"],
  ["64:ff9b::192.0.2.1", "64:ff9b:0:0::/64"],
  ["command line", "command line"],
])("the network of %s is %s", (address, network) => {
  expect(networkOf(address)).toBe(network);
});
