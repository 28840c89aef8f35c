import { randomInt } from "node:crypto";
import { createServer } from "node:net";

/**
 * Systems give higher ports to outgoing connections. One of those could take the port of a server while the server
 * restarts.
 */
const [LOWEST, ABOVE] = [20_000, 32_768];

/** A port without a listener. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(LOWEST, ABOVE);
    if (await isFree(port)) return port;
  }
}

/** Different ports without a listener. */
export async function freePorts(count: number): Promise<number[]> {
  const ports = new Set<number>();
  while (ports.size < count) ports.add(await freePort());
  return [...ports];
}

const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(false));
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
  });
