import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { openWebhookClient } from "../../../src/adapters/webhook-client.ts";
import { addressKind } from "../../../src/domain/webhooks/webhook-address.ts";
import { checkWebhookUrl, mayConnect, opensPort, type UrlProblem } from "../../../src/domain/webhooks/webhook-url.ts";
import { openReceiver, type Receiver } from "../../support/receiver.ts";

/** Allowed webhook targets. These tests connect only to loopback; they check other addresses without a call. */

const addresses: Record<ReturnType<typeof addressKind>, string[]> = {
  public: [
    "93.184.216.34",
    "8.8.8.8",
    "2606:2800:220:1:248:1893:25c8:1946",
    "::ffff:93.184.216.34",
    "64:ff9b::808:808",
  ],
  loopback: ["127.0.0.1", "127.255.255.254", "::1", "::ffff:127.0.0.1", "::ffff:7f00:1"],
  forbidden: [
    "0.0.0.0",
    "0.1.2.3",
    "10.0.0.1",
    "100.64.0.1",
    "100.100.100.200",
    "169.254.169.254",
    "168.63.129.16",
    "172.16.0.1",
    "172.31.255.255",
    "192.0.0.192",
    "192.0.2.1",
    "192.168.1.1",
    "198.18.0.1",
    "198.51.100.1",
    "203.0.113.1",
    "224.0.0.1",
    "240.0.0.1",
    "255.255.255.255",
    "::",
    "fe80::1",
    "febf::1",
    "fec0::1",
    "fc00::1",
    "fd00:ec2::254",
    "ff02::1",
    "2001:db8::1",
    "3fff::1",
    // Forms that contain an IPv4 address: mapped, compatible, translated, NAT64 (both prefixes), 6to4 and Teredo.
    "::ffff:10.0.0.1",
    "::ffff:a9fe:a9fe",
    "::127.0.0.1",
    "::10.0.0.1",
    "::ffff:0:10.0.0.1",
    "64:ff9b::7f00:1",
    "64:ff9b::a00:1",
    "64:ff9b::a9fe:a9fe",
    "64:ff9b:1::808:808",
    "2002:7f00:1::",
    "2002:a00:1::1",
    "2001:0:4136:e378:8000:63bf:3fff:fdd2",
    "100::1",
    "5f00::1",
    "4000::1",
    // Not addresses.
    "",
    "localhost",
    "1.2.3",
    "1.2.3.4.5",
    "fe80::1%eth0",
  ],
};

for (const [kind, list] of Object.entries(addresses)) {
  test.each(list)(`%s is ${kind}`, (address) => {
    // An abbreviated form may still be an address, and is checked as the address it means.
    if (address === "1.2.3") expect(addressKind(address)).toBe(addressKind("1.2.0.3"));
    else expect(addressKind(address)).toBe(kind);
  });
}

test("only https goes to the internet, and this machine only where its port is open", () => {
  for (const loopback of [true, false]) {
    expect(mayConnect("8.8.8.8", "https", loopback)).toBe(true);
    expect(mayConnect("8.8.8.8", "http", loopback)).toBe(false);
    expect(mayConnect("10.0.0.1", "https", loopback)).toBe(false);
    expect(mayConnect("127.0.0.1", "http", loopback)).toBe(loopback);
    expect(mayConnect("::1", "https", loopback)).toBe(loopback);
  }
});

test("no port is open to production, all next to the demo, and otherwise those that the operator names", () => {
  expect(opensPort("any", "sandbox", 9)).toBe(true);
  expect(opensPort("any", "production", 9)).toBe(false);
  expect(opensPort([3000], "sandbox", 3000)).toBe(true);
  expect(opensPort([3000], "sandbox", 3001)).toBe(false);
  expect(opensPort([3000], "production", 3000)).toBe(false);
  expect(opensPort([], "sandbox", 3000)).toBe(false);
});

const urls: [url: string, production: UrlProblem | null, sandbox: UrlProblem | null][] = [
  ["https://partner.example/hook", null, null],
  ["https://partner.example", null, null],
  ["https://partner.example:8443/hook?shop=1", null, null],
  ["https://exämple.test/ü", null, null],
  ["https://8.8.8.8/hook", null, null],
  ["http://partner.example/hook", "scheme", "loopback_only"],
  ["ftp://partner.example/hook", "scheme", "scheme"],
  ["javascript:alert(1)", "malformed", "malformed"],
  ["file:///etc/passwd", "malformed", "malformed"],
  ["partner.example/hook", "malformed", "malformed"],
  ["", "malformed", "malformed"],
  ["https://", "malformed", "malformed"],
  [" https://partner.example/hook", "malformed", "malformed"],
  ["https://partner.example/ho\nok", "malformed", "malformed"],
  ["https://partner.example\\@127.0.0.1/", "malformed", "malformed"],
  [`https://partner.example/${"x".repeat(2_048)}`, "malformed", "malformed"],
  ["https://user@partner.example/hook", "user_info", "user_info"],
  ["https://user:pass@partner.example/hook", "user_info", "user_info"],
  ["https://@partner.example/hook", "user_info", "user_info"],
  ["https://partner.example/hook#part", "fragment", "fragment"],
  ["https://partner.example/hook#", "fragment", "fragment"],
  ["https://partner.example:22/hook", "port", "port"],
  ["https://partner.example:6667/hook", "port", "port"],
  ["https://partner.example:80/hook", "port", "port"],
  ["http://localhost:3000/hook", "scheme", null],
  ["http://127.0.0.1:1/hook", "scheme", null],
  ["http://[::1]:9/hook", "scheme", null],
  ["https://localhost/hook", "address", null],
  ["https://shop.localhost/hook", "address", null],
  ["https://10.0.0.1/hook", "address", "address"],
  ["https://[fd00:ec2::254]/latest", "address", "address"],
  ["https://[::ffff:169.254.169.254]/latest", "address", "address"],
  ["https://[64:ff9b::a9fe:a9fe]/latest", "address", "address"],
  // One address, 127.0.0.1 or 169.254.169.254, in every spelling that programs accept.
  ["https://2130706433/", "address", null],
  ["https://0x7f000001/", "address", null],
  ["https://0177.0.0.1/", "address", null],
  ["https://0x7f.1/", "address", null],
  ["https://127.1/", "address", null],
  ["https://127.0.0.1./", "address", null],
  ["https://１２７.0.0.1/", "address", null],
  ["https://2852039166/", "address", "address"],
  ["https://0xa9.0xfe.0xa9.0xfe/", "address", "address"],
  ["https://0251.0376.0251.0376/", "address", "address"],
  ["http://0x7f.1:8080/", "scheme", null],
];
test.each(urls)("the URL %j is checked without a lookup", (url, production, sandbox) => {
  expect(checkWebhookUrl(url, "production", "any")).toBe(production);
  expect(checkWebhookUrl(url, "sandbox", "any")).toBe(sandbox);
  // Without an open port, this machine is private in both environments.
  for (const environment of ["production", "sandbox"] as const) {
    expect(checkWebhookUrl(url, environment, [])).toBe(production);
  }
});

test("a sandbox URL can lead to a port of this machine that the operator named, and to no other", () => {
  expect(checkWebhookUrl("http://localhost:3000/hook", "sandbox", [3000])).toBe(null);
  expect(checkWebhookUrl("http://localhost:3001/hook", "sandbox", [3000])).toBe("loopback_only");
  expect(checkWebhookUrl("https://127.0.0.1/hook", "sandbox", [3000])).toBe("address");
  expect(checkWebhookUrl("http://localhost:3000/hook", "production", [3000])).toBe("scheme");
});

describe("a connection", () => {
  let receiver: Receiver;
  beforeAll(async () => {
    receiver = await openReceiver();
  });
  afterAll(() => receiver.close());
  const portOf = () => new URL(receiver.url).port;
  const post = async (given: {
    host: string;
    environment: "production" | "sandbox";
    scheme?: "http" | "https";
    resolve?: (hostname: string) => Promise<string[]>;
    loopback_ports?: "any" | number[];
  }) => {
    const resolve = given.resolve ?? (() => Promise.reject(new Error("nobody is to be asked")));
    const client = openWebhookClient({ resolve, loopback_ports: given.loopback_ports ?? "any" });
    const url = `${given.scheme ?? "http"}://${given.host}:${portOf()}/hook`;
    const answer = await client.send({ environment: given.environment, url, headers: {}, body: "{}" });
    await client.close();
    return answer.status ?? answer.trouble;
  };

  test("of the sandbox reaches this machine, by address and by name, without a lookup of that name", async () => {
    expect(await post({ host: "127.0.0.1", environment: "sandbox" })).toBe(200);
    expect(await post({ host: "localhost", environment: "sandbox" })).toBe(200);
    expect(await post({ host: "0x7f.1", environment: "sandbox" })).toBe(200);
  });

  test("of the sandbox reaches only the open ports of this machine, in any spelling or by any name", async () => {
    const connected = receiver.connections();
    const resolve = async () => ["127.0.0.1"];
    for (const host of ["127.0.0.1", "localhost", "2130706433", "[::1]", "[::ffff:127.0.0.1]", "a.test"]) {
      const asked = { host, environment: "sandbox" as const, resolve };
      expect(await post({ ...asked, loopback_ports: [] }), host).toBe("BLOCKED_ADDRESS");
      expect(await post({ ...asked, loopback_ports: [Number(portOf()) - 1] }), host).toBe("BLOCKED_ADDRESS");
    }
    expect(receiver.connections()).toBe(connected);
    const open = { environment: "sandbox" as const, resolve, loopback_ports: [Number(portOf())] };
    expect(await post({ ...open, host: "127.0.0.1" })).toBe(200);
    expect(await post({ ...open, host: "a.test" })).toBe(200);
  });

  test("over plain HTTP shows its answer next to the demo only", async () => {
    const bodyAt = async (loopback_ports: "any" | number[]) => {
      const client = openWebhookClient({ loopback_ports });
      const { body } = await client.send({ environment: "sandbox", url: receiver.url, headers: {}, body: "{}" });
      await client.close();
      return body.toString();
    };
    expect(await bodyAt("any")).toBe("ok");
    expect(await bodyAt([Number(portOf())])).toBe("");
  });

  test("of production never reaches this machine, in any spelling or by any name", async () => {
    const before = receiver.received.length;
    const connected = receiver.connections();
    const resolve = async () => ["127.0.0.1"];
    for (const scheme of ["http", "https"] as const) {
      for (const host of [
        "127.0.0.1",
        "localhost",
        "2130706433",
        "0177.0.0.1",
        "[::1]",
        "[::ffff:127.0.0.1]",
        "a.test",
      ]) {
        expect(await post({ host, scheme, environment: "production", resolve }), host).toBe("BLOCKED_ADDRESS");
      }
    }
    expect(receiver.received).toHaveLength(before);
    expect(receiver.connections()).toBe(connected);
  });

  test("is not made if one of several addresses is forbidden", async () => {
    const resolve = async () => ["127.0.0.1", "10.0.0.1"];
    expect(await post({ host: "both.test", environment: "sandbox", resolve })).toBe("BLOCKED_ADDRESS");
  });

  test("goes to the checked address: a name is looked up once, regardless of later changes", async () => {
    const answers = [["127.0.0.1"], ["10.0.0.1"], ["10.0.0.1"]];
    const resolve = vi.fn(async () => answers.shift()!);
    expect(await post({ host: "rebinding.test", environment: "sandbox", resolve })).toBe(200);
    expect(resolve).toHaveBeenCalledTimes(1);
  });

  test("that was made for the sandbox serves no other environment", async () => {
    const client = openWebhookClient({ loopback_ports: "any", resolve: async () => ["127.0.0.1"] });
    const url = `http://same.test:${portOf()}/hook`;
    const send = async (environment: "production" | "sandbox") => {
      const { status, trouble } = await client.send({ environment, url, headers: {}, body: "{}" });
      return status ?? trouble;
    };
    expect([await send("sandbox"), await send("production"), await send("sandbox")]).toEqual([
      200,
      "BLOCKED_ADDRESS",
      200,
    ]);
    await client.close();
  });

  test("is not made if the name has no address", async () => {
    expect(await post({ host: "nobody.test", environment: "sandbox", resolve: async () => [] })).toBe("ENOTFOUND");
  });
});
