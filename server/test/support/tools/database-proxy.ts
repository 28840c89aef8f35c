import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { join } from "node:path";

export type DatabaseProxy = {
  /** The same address through the proxy. */
  url(url: string): string;
  /** Cuts the connection of the next commit: before the database gets it, or after the database has answered. */
  cutNextCommit(when: "before" | "after"): void;
  close(): Promise<void>;
};

/** A network between the service and its database that fails where a test says. */
export async function openDatabaseProxy(cluster_url: string): Promise<DatabaseProxy> {
  const parameter = (name: string) =>
    decodeURIComponent(new RegExp(`[?&]${name}=([^&]*)`).exec(cluster_url)?.[1] ?? "");
  const path = join(parameter("host"), `.s.PGSQL.${parameter("port") || "5432"}`);
  let cut: "before" | "after" | undefined;
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const database = connect(path);
    let muted = false;
    for (const socket of [client, database]) {
      sockets.add(socket);
      socket.on("error", () => {});
      socket.on("close", () => {
        sockets.delete(socket);
        client.destroy();
        database.destroy();
      });
    }
    client.on("data", (chunk) => {
      const when = cut !== undefined && chunk.includes("commit") ? cut : undefined;
      if (when === undefined) return void database.write(chunk);
      cut = undefined;
      if (when === "before") return void client.destroy();
      muted = true;
      database.write(chunk);
    });
    database.on("data", (chunk) => {
      if (muted) client.destroy();
      else client.write(chunk);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: (url) => url.replace(/\?.*$/, `?host=127.0.0.1&port=${port}`),
    cutNextCommit(when) {
      cut = when;
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
