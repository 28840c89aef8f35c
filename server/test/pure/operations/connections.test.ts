import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { afterEach, expect, test } from "vitest";
import { type ConnectionLimits, limitConnections } from "../../../src/http/connections.ts";

const open: { server: Server; clients: Socket[] }[] = [];
afterEach(async () => {
  for (const { server, clients } of open.splice(0)) {
    for (const client of clients) client.destroy();
    await new Promise((resolve) => server.close(resolve));
  }
});

/** A server that welcomes each accepted connection with a byte, or with `answer`. */
async function serve(given: Partial<ConnectionLimits>, answer = Buffer.from("!")) {
  const accepted: Socket[] = [];
  const server = createServer();
  const limits = { most: 100, most_per_network: 100, unread_ms: 60_000, exempt: () => false, ...given };
  const sweep = limitConnections(server, limits);
  server.on("connection", (socket) => {
    socket.on("error", () => {});
    if (socket.destroyed) return;
    accepted.push(socket);
    socket.write(answer);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const clients: Socket[] = [];
  open.push({ server, clients });
  const dial = (reads = true) => {
    const client = connect((server.address() as AddressInfo).port, "127.0.0.1");
    client.on("error", () => {});
    clients.push(client);
    if (!reads) client.pause();
    return client;
  };
  /** Whether the server keeps the connection. */
  const isWelcome = async (client: Socket) => {
    const outcome = await Promise.race([
      once(client, "data").then(() => true),
      once(client, "close").then(() => false),
    ]);
    return outcome;
  };
  return { accepted, sweep, dial, isWelcome };
}

test("an address gets its number of connections, and another when one of them closes", async () => {
  const { dial, isWelcome, accepted } = await serve({ most_per_network: 2 });
  const first = dial();
  expect(await isWelcome(first)).toBe(true);
  expect(await isWelcome(dial())).toBe(true);
  expect(await isWelcome(dial())).toBe(false);
  const closed = once(accepted[0]!, "close");
  first.destroy();
  await closed;
  expect(await isWelcome(dial())).toBe(true);
});

test("a trusted proxy is not limited like a caller", async () => {
  const { dial, isWelcome } = await serve({ most_per_network: 1, exempt: (address) => address === "127.0.0.1" });
  expect([await isWelcome(dial()), await isWelcome(dial())]).toEqual([true, true]);
});

test("a listener has a number of connections in total", async () => {
  const { dial, isWelcome } = await serve({ most: 2 });
  expect([await isWelcome(dial()), await isWelcome(dial()), await isWelcome(dial())]).toEqual([true, true, false]);
});

test("a caller that reads nothing of its answer is closed after the time limit; one that reads is not", async () => {
  // More than the buffers of both sides hold.
  const { dial, sweep, accepted } = await serve({ unread_ms: 60_000 }, Buffer.alloc(64 * 1024 * 1024));
  const stuck = dial(false);
  await expect.poll(() => accepted.length).toBe(1);
  const reading = dial();
  let read = 0;
  const complete = new Promise<void>((resolve) => {
    reading.on("data", (chunk) => {
      read += chunk.length;
      if (read === 64 * 1024 * 1024) resolve();
    });
  });
  await complete;
  await expect.poll(() => accepted[1]!.writableLength).toBe(0);
  expect(accepted[0]!.writableLength).toBeGreaterThan(0);
  sweep(0);
  sweep(59_999);
  expect(accepted.map(({ destroyed }) => destroyed)).toEqual([false, false]);
  sweep(60_000);
  expect(accepted.map(({ destroyed }) => destroyed)).toEqual([true, false]);
  stuck.resume();
  await once(stuck, "close");
});
