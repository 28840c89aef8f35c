import { existsSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import { findPostgres15, startSystemPostgres } from "./system-postgres.ts";

/** Servers on loopback that know each other by host and port. The first is the coordinator. */
export type CitusServers = {
  /** The address of each with `{database}` in place of the name. */
  urls: readonly string[];
  hosts: readonly { host: string; port: number }[];
  stop(): Promise<void>;
};

/** The tests cannot install it, because Debian has no package of it. */
const EXTENSION = "/usr/share/postgresql/15/extension/citus.control";
/** `pestle distribute` sets the last two for a database, but a copy of a database starts without its settings. */
const SETTINGS = [
  "shared_preload_libraries=citus",
  "citus.node_conninfo=sslmode=disable",
  "max_prepared_transactions=200",
  // One for each database.
  "max_worker_processes=64",
  "citus.enable_unsafe_triggers=on",
  "citus.propagate_set_commands=local",
];

/** The programs of a PostgreSQL 15 that has Citus. */
export const findCitus = () => (existsSync(EXTENSION) ? findPostgres15() : undefined);

export async function startCitus(
  bin_dir: string,
  { workers, settings, parent }: { workers: number; settings: readonly string[]; parent: string },
): Promise<CitusServers> {
  const ports = await Promise.all(Array.from({ length: workers + 1 }, freePort));
  const servers = await Promise.all(
    ports.map((port) =>
      startSystemPostgres(bin_dir, ["listen_addresses=127.0.0.1", ...SETTINGS, ...settings], parent, port),
    ),
  );
  return {
    urls: servers.map(({ url }) => url),
    hosts: ports.map((port) => ({ host: "127.0.0.1", port })),
    stop: async () => {
      await Promise.all(servers.map((server) => server.stop()));
    },
  };
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });
}
