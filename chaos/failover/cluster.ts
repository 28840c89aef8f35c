import { type ChildProcess, spawn } from "node:child_process";
import { chmodSync, chownSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { setPriority } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { findOrInstall } from "../../scripts/debian-package.ts";
import { memoryFolder } from "../../scripts/memory-folder.ts";
import { findPostgres15 } from "../../scripts/system-postgres.ts";
import { freePorts } from "../../server/test/support/tools/free-port.ts";
import { isRunning } from "../postmaster.ts";
import { until } from "../until.ts";
import { etcdArguments, haproxyConfig, type Ports, patroniConfig, SYNC_KEY } from "./cluster-config.ts";

/** One machine of the cluster: a member of etcd, Patroni, and the PostgreSQL that Patroni runs. */
export type Machine = Ports & { name: string; folder: string };
export type Cluster = {
  /** The address of the primary, through the proxy. */
  database_url: string;
  machines: readonly Machine[];
  /** The machine that holds the lease, if one does. */
  leader(): Promise<Machine | undefined>;
  /** Waits until there is a primary with two replicas, one of them synchronous if the cluster is. */
  healthy(): Promise<Machine>;
  /** Patroni, PostgreSQL and everything that PostgreSQL started. */
  processes(machine: Machine): number[];
  postmaster(machine: Machine): number;
  startPatroni(machine: Machine): void;
  /** Kills a member of etcd at once, and starts it again. */
  restartEtcd(machine: Machine): Promise<void>;
  restartProxy(): Promise<void>;
  /** Ends every connection that runs through the proxy. */
  dropConnections(): Promise<void>;
  query<Row extends pg.QueryResultRow>(machine: Machine, text: string): Promise<Row[]>;
  stop(): Promise<void>;
};

const NAMES = ["a", "b", "c"];
/** PostgreSQL refuses to run as root, so everything runs as the user `nobody`. */
const NOBODY = 65534;
const HEALTHY_WITHIN_MS = 300_000;
/**
 * Two things need an operator. The log of a replica that died can end on another way than the new primary's. And without enough
 * processor time, Patroni 3.0 can leave the name of a server that does not lead in its key `sync`: then no replica counts as synchronous,
 * also after a restart of Patroni.
 */
const STUCK_AFTER_MS = 30_000;
const LOOK_LIMIT_MS = 1_000;
const LOG_SHOWN = 2_000;
const PACKAGES = {
  "/usr/bin/patroni": "patroni",
  "/usr/lib/python3/dist-packages/etcd/__init__.py": "python3-etcd",
  "/usr/bin/etcd": "etcd-server",
  "/usr/sbin/haproxy": "haproxy",
};

/** Three PostgreSQL servers with Patroni, etcd and HAProxy on loopback. */
export async function startCluster({
  synchronous,
  onStuck = () => {},
}: {
  synchronous: boolean;
  /** Called with what the campaign did for a cluster that did not recover by itself. */
  onStuck?: (help: string) => void;
}): Promise<Cluster> {
  const bin_dir = findPostgres15();
  const missing = Object.entries(PACKAGES).filter(([file, name]) => findOrInstall([file], name) === undefined);
  if (bin_dir === undefined || missing.length > 0)
    throw new Error(`install Debian's packages postgresql-15, ${Object.values(PACKAGES).join(", ")}`);
  const account = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};
  const folder = mkdtempSync(join(memoryFolder(), "pestle-failover-"));
  chmodSync(folder, 0o711);
  const ports = await freePorts(NAMES.length * 4 + 1);
  const proxy_port = ports.pop()!;
  const machines = NAMES.map((name): Machine => {
    const own = join(folder, name);
    mkdirSync(own, { mode: 0o700 });
    if ("uid" in account) chownSync(own, NOBODY, NOBODY);
    const [postgres, rest, etcd, peer] = [ports.pop()!, ports.pop()!, ports.pop()!, ports.pop()!];
    return { name, folder: own, postgres, rest, etcd, peer };
  });
  const socket = join(machines[0]!.folder, "proxy.sock");
  const config = join(folder, "haproxy.cfg");
  writeFileSync(config, haproxyConfig(machines, proxy_port, socket), { mode: 0o644 });
  for (const machine of machines) {
    writeFileSync(join(machine.folder, "patroni.json"), patroniConfig(machines, machine, bin_dir, synchronous), {
      mode: 0o644,
    });
  }

  const children = new Map<string, ChildProcess>();
  const start = (name: string, file: string, args: string[]) => {
    const log = openSync(join(folder, `${name}.log`), "a");
    const child = spawn(file, args, { ...account, cwd: machines[0]!.folder, stdio: ["ignore", log, log] });
    children.set(name, child);
    prefer(child.pid!);
  };
  const kill = async (name: string) => {
    const child = children.get(name);
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const gone = new Promise((resolve) => child.once("exit", resolve));
    child.kill("SIGKILL");
    await gone;
  };
  const startEtcd = (machine: Machine) =>
    start(`etcd-${machine.name}`, "/usr/bin/etcd", etcdArguments(machines, machine));
  const startPatroni = (machine: Machine) =>
    start(`patroni-${machine.name}`, "/usr/bin/patroni", [join(machine.folder, "patroni.json")]);
  const startProxy = () => start("haproxy", "/usr/sbin/haproxy", ["-db", "-f", config]);

  /** What the runbook tells the operator to do. */
  const help = async () => {
    const leader = await cluster.leader();
    if (leader === undefined) return;
    const members = (await membersAt(leader)) ?? [];
    const timeline = members.find(({ role }) => role === "leader")?.timeline;
    for (const { name, rest } of machines) {
      const member = members.find((one) => one.name === name);
      if (name === leader.name || member === undefined || member.timeline === timeline) continue;
      onStuck(`${name} does not follow ${leader.name}: initialized it again`);
      await fetch(`http://127.0.0.1:${rest}/reinitialize`, { method: "POST", body: JSON.stringify({ force: true }) });
    }
    if (!synchronous || members.some(({ role }) => role === "sync_standby")) return;
    onStuck(`Patroni of ${leader.name} found no synchronous replica: deleted its key`);
    const key = Buffer.from(SYNC_KEY).toString("base64");
    await fetch(`http://127.0.0.1:${leader.etcd}/v3/kv/deleterange`, { method: "POST", body: JSON.stringify({ key }) });
  };

  const cluster: Cluster = {
    database_url: `postgresql://postgres@127.0.0.1:${proxy_port}/pestle`,
    machines,
    async leader() {
      const leads = await Promise.all(machines.map(async ({ rest }) => (await look(rest, "/primary"))?.status === 200));
      return machines[leads.indexOf(true)];
    },
    async healthy() {
      const stuck_at_ms = Date.now() + STUCK_AFTER_MS;
      let helped = false;
      const look = async () => {
        const leader = await healthyLeader(machines, synchronous);
        if (leader === undefined && !helped && Date.now() > stuck_at_ms) {
          helped = true;
          await help();
        }
        return leader;
      };
      try {
        return await until("the cluster is healthy", look, { deadline_ms: HEALTHY_WITHIN_MS, pause_ms: 250 });
      } catch (error) {
        const lines = [...children.keys()].map((name) => `${name}: ${lastOf(join(folder, `${name}.log`))}`);
        throw new Error([(error as Error).message, ...lines].join("\n"), { cause: error });
      }
    },
    processes(machine) {
      const patroni = children.get(`patroni-${machine.name}`)?.pid ?? 0;
      const postmaster = postmasterOf(machine);
      return [patroni, postmaster, ...childrenOf(postmaster)].filter(isRunning);
    },
    postmaster: postmasterOf,
    startPatroni,
    async restartEtcd(machine) {
      await kill(`etcd-${machine.name}`);
      startEtcd(machine);
    },
    async restartProxy() {
      await kill("haproxy");
      startProxy();
      await until("the proxy answers", () =>
        tell(socket, "show info").then(
          () => true,
          () => false,
        ),
      );
    },
    dropConnections: () =>
      tell(socket, machines.map(({ name }) => `shutdown sessions server primary/${name}`).join("; ")),
    async query(machine, text) {
      const client = new pg.Client({ host: "127.0.0.1", port: machine.postgres, user: "postgres", database: "pestle" });
      client.on("error", () => {});
      await client.connect();
      try {
        return (await client.query(text)).rows;
      } finally {
        await client.end();
      }
    },
    async stop() {
      for (const machine of machines) {
        for (const pid of cluster.processes(machine)) signal(pid, "SIGKILL");
      }
      for (const name of children.keys()) await kill(name);
      for (const machine of machines) await until("PostgreSQL is gone", () => cluster.processes(machine).length === 0);
      rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
    },
  };
  try {
    machines.forEach(startEtcd);
    machines.forEach(startPatroni);
    startProxy();
    const leader = await cluster.healthy();
    await createDatabase(leader);
    return cluster;
  } catch (error) {
    await cluster.stop();
    throw error;
  }
}

/** Each is on a machine of its own in reality, where the load on the service takes no processor time from it. */
function prefer(pid: number): void {
  try {
    setPriority(pid, -10);
  } catch {
    // Only root may do this.
  }
}

/** The end of a log. */
const lastOf = (file: string): string => readFileSync(file, "utf8").slice(-LOG_SHOWN);

export function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

/** What Patroni answers. A paused one accepts the connection and says nothing. */
async function look(port: number, path: string): Promise<{ status: number; text: string } | undefined> {
  try {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, { signal: AbortSignal.timeout(LOOK_LIMIT_MS) });
    return { status: response.status, text: await response.text() };
  } catch {
    return undefined;
  }
}

type Member = { name: string; role: string; state: string; timeline?: number };

/** Undefined if Patroni of that machine does not answer. */
async function membersAt({ rest }: Machine): Promise<Member[] | undefined> {
  const reply = await look(rest, "/cluster");
  return reply?.status === 200 ? (JSON.parse(reply.text) as { members: Member[] }).members : undefined;
}

/** By the account of a primary: it leads, both replicas stream from it on its timeline, and one is synchronous if it should be. */
async function healthyLeader(machines: readonly Machine[], synchronous: boolean): Promise<Machine | undefined> {
  for (const machine of machines) {
    const members = await membersAt(machine);
    if (members === undefined) continue;
    const leader = members.find(({ role, state }) => role === "leader" && state === "running");
    const replicas = members.filter(({ role }) => role !== "leader");
    const follow = replicas.filter(
      ({ state, timeline }) => /^(running|streaming)$/.test(state) && timeline === leader?.timeline,
    );
    const second = !synchronous || follow.some(({ role }) => role === "sync_standby");
    if (leader === undefined || follow.length < machines.length - 1 || !second) continue;
    // The list may be a few seconds old.
    const answers = await Promise.all(
      machines.map(({ name, rest }) => look(rest, name === leader.name ? "/primary" : "/replica")),
    );
    if (answers.every((answer) => answer?.status === 200)) return machines.find(({ name }) => name === leader.name);
  }
  return undefined;
}

async function createDatabase({ postgres: port }: Machine): Promise<void> {
  const client = new pg.Client({ host: "127.0.0.1", port, user: "postgres", database: "postgres" });
  await client.connect();
  await client.query("create database pestle");
  await client.end();
}

function postmasterOf({ folder }: Machine): number {
  try {
    return Number(readFileSync(join(folder, "data/postmaster.pid"), "utf8").split("\n")[0]);
  } catch {
    return 0;
  }
}

function childrenOf(pid: number): number[] {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ").filter(Boolean).map(Number);
  } catch {
    return [];
  }
}

/** One line of commands to the proxy. It answers and closes. */
const tell = (path: string, commands: string) =>
  new Promise<void>((resolve, reject) => {
    const socket = connect(path, () => socket.end(`${commands}\n`));
    socket.on("error", reject);
    socket.on("close", () => resolve());
    socket.resume();
  });
