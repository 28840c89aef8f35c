import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { ask } from "../ask.ts";

export type Switch = {
  base_url: string;
  /** How many of the sites take new connections. */
  ready(): number;
  close(): Promise<void>;
};

const LOOK_EVERY_MS = 50;

/** A small load balancer: new connections go in turn to the sites whose /readyz answers 200. It never cuts a connection. */
export async function openSwitch(sites: () => readonly (string | undefined)[]): Promise<Switch> {
  let ready: string[] = [];
  let turn = 0;
  let closed = false;
  const sockets = new Set<Socket>();
  const server = createServer({ allowHalfOpen: true }, (client) => {
    const site = ready[turn++ % Math.max(1, ready.length)];
    if (site === undefined) return void client.destroy();
    const { hostname, port } = new URL(site);
    const behind = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
    client.pipe(behind);
    behind.pipe(client);
    for (const [socket, other] of [
      [client, behind],
      [behind, client],
    ] as const) {
      sockets.add(socket);
      socket.on("error", () => other.destroy());
      socket.on("close", () => sockets.delete(socket));
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const look = async () => {
    const found = await Promise.all(
      sites().map(async (site) => {
        if (site === undefined) return undefined;
        return (await ask(`${site}/readyz`))?.status === 200 ? site : undefined;
      }),
    );
    ready = found.filter((site) => site !== undefined);
  };
  await look();
  const looking = (async () => {
    for (; !closed; await delay(LOOK_EVERY_MS)) await look();
  })();
  return {
    base_url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    ready: () => ready.length,
    async close() {
      closed = true;
      await looking;
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
