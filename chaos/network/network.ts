import { mkdtempSync, readdirSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openDb } from "../../server/src/db/db.ts";
import { startEasyPost } from "../../server/test/support/stand-ins/easypost.ts";
import { type BusyTally, whileBusy } from "../busy/busy-service.ts";
import type { Own } from "../campaigns/own-database.ts";
import {
  type From,
  killServer,
  removeDataDir,
  type ServerProcess,
  startServer,
  stopServer,
} from "../server-process.ts";
import { until } from "../until.ts";
import { runAddressed } from "./addressed-orders.ts";
import { type NetworkFault, networkFaults, openWire, type Wire } from "./wire.ts";

/** What the campaign injures: each connection that the service makes. */
const links = ["database", "receivers", "provider", "sandbox"] as const;
type Link = (typeof links)[number];
export type NetworkTally = BusyTally & {
  /** Connections that a fault hit. */
  hit: Record<string, number>;
  /** Production orders whose address a provider checked. */
  addressed: number;
};

/** A statement that gets no answer ends after 20 seconds, and a request to the sandbox's process after 60. */
const WRITES_BACK_WITHIN_MS = 90_000;
const SOCKET_WITHIN_MS = 60_000;

/** Faults of the network between a busy service and everything that it talks to. `first` is the number of the first one. */
export async function injureNetwork(
  own: Own,
  {
    from,
    faults,
    first = 0,
    only = links,
    clients,
    random,
    onFault = () => {},
  }: {
    from: From;
    faults: number;
    first?: number;
    only?: readonly Link[];
    clients?: number;
    random: () => number;
    onFault?: (what: string, outage_ms: number) => void;
  },
): Promise<NetworkTally> {
  const { database_url, master_key, postgres } = own;
  const { host, port, user, password, database } = postgres.connection;
  const wires: Record<Link, Wire[]> = { database: [], receivers: [], provider: [], sandbox: [] };
  const open = async (link: Link, ...given: Parameters<typeof openWire>) => {
    const wire = await openWire(...given);
    wires[link].push(wire);
    return wire;
  };
  const data_dir = mkdtempSync(join(tmpdir(), "pestle-network-"));
  const temporary = mkdtempSync(join(tmpdir(), "pestle-sockets-"));
  const provider = await startEasyPost({ webhook_secret: "s3cret" });
  const db = openDb({ connection: { connectionString: database_url }, pool_size: 2, named_statements: false });
  let server: ServerProcess | undefined;
  try {
    const to_database = await open("database", { path: join(host, `.s.PGSQL.${port}`) });
    const to_provider = await open("provider", { port: Number(new URL(provider.base_url).port), host: "127.0.0.1" });
    server = await startServer({
      data_dir,
      from,
      args: ["--demo"],
      env: {
        DATABASE_URL: `postgresql://${user}:${encodeURIComponent(password)}@127.0.0.1:${to_database.port}/${database}`,
        MASTER_KEY: master_key,
        DATABASE_POOL_SIZE: "8",
        SANDBOX_PROCESS: "separate",
        ADDRESSES: "easypost",
        EASYPOST_API_KEY: provider.key,
        EASYPOST_WEBHOOK_SECRET: provider.webhook_secret,
        EASYPOST_API_BASE: `http://127.0.0.1:${to_provider.port}`,
        TMPDIR: temporary,
      },
    });
    await interceptSandbox(temporary, (...given) => open("sandbox", ...given));
    const sites = () => [server!.demo];
    const fallen = () => {
      const ended = server!.ended() === undefined ? [] : ["the service exited"];
      return ended.concat(ended.length === 0 ? [] : server!.errors().trim());
    };
    const orders = await runAddressed({ db, database_url, master_key, sites });
    const through = async (url: string) => {
      const { port: behind, pathname } = new URL(url);
      return `http://127.0.0.1:${(await open("receivers", { port: Number(behind), host: "127.0.0.1" })).port}${pathname}`;
    };
    const hit: Record<string, number> = {};
    const load = clients === undefined ? {} : { clients };
    const given = { campaign: "network", sites, db, random, through, fallen, ...load } as const;
    const tally = await whileBusy({ ...given, writes_return_within_ms: WRITES_BACK_WITHIN_MS }, async ({ suffer }) => {
      for (let number = first; number < first + faults; number++) {
        const link = only[number % only.length]!;
        const fault = networkFaults[Math.floor(number / only.length) % networkFaults.length]!;
        const what = `${link} ${fault}`;
        const outage_ms = await suffer(what, async () => {
          hit[what] = (hit[what] ?? 0) + (await injure(wires[link], fault, random));
        });
        onFault(what, outage_ms);
      }
    });
    const { placed, faults: wrong } = await orders.stop();
    const missed = missedLinks(hit, only.slice(0, faults));
    return { ...tally, faults: [...tally.faults, ...wrong, ...missed], hit, addressed: placed };
  } finally {
    await db.close();
    if (server !== undefined) await stopServer(server).finally(() => killServer(server!));
    for (const wire of Object.values(wires).flat()) await wire.close();
    await provider.close();
    await removeDataDir(data_dir);
    rmSync(temporary, { recursive: true, force: true });
  }
}

/** A link without a connection at any of its faults: the run says nothing about it. */
export const missedLinks = (hit: Readonly<Record<string, number>>, injured: readonly Link[]): string[] =>
  injured
    .filter((link) => networkFaults.every((fault) => (hit[`${link} ${fault}`] ?? 0) === 0))
    .map((link) => `no fault hit a connection to ${link === "sandbox" ? "the sandbox's process" : `the ${link}`}`);

async function injure(wires: readonly Wire[], fault: NetworkFault, random: () => number): Promise<number> {
  const hits = await Promise.all(wires.map((wire) => wire.injure(fault, random)));
  return hits.reduce((sum, one) => sum + one, 0);
}

/** Puts a wire in the place of the socket on which the sandbox's process listens. Clients then connect to the wire. */
async function interceptSandbox(
  temporary: string,
  open: (target: { path: string }, path: string) => Promise<unknown>,
): Promise<void> {
  const find = () =>
    readdirSync(temporary, { recursive: true, encoding: "utf8" }).find((name) => name.endsWith(".sock"));
  const path = join(temporary, await until("the sandbox listens", find, { deadline_ms: SOCKET_WITHIN_MS }));
  renameSync(path, `${path}.behind`);
  await open({ path: `${path}.behind` }, path);
}
