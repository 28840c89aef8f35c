import { setTimeout as delay } from "node:timers/promises";
import { until } from "../until.ts";
import { type Cluster, type Machine, signal } from "./cluster.ts";

export type Fault = (cluster: Cluster, leader: Machine, random: () => number) => Promise<void>;

const PROMOTED_WITHIN_MS = 120_000;

/** Faults of the primary. Another server must become the primary. */
export const failovers = {
  /** The machine loses its power. It starts again when another one leads. */
  async primary_machine(cluster, leader) {
    for (const pid of cluster.processes(leader)) signal(pid, "SIGKILL");
    await anotherLeads(cluster, leader);
    cluster.startPatroni(leader);
  },
  /** PostgreSQL dies, and Patroni sees it. */
  async primary_server(cluster, leader) {
    signal(cluster.postmaster(leader), "SIGKILL");
    await anotherLeads(cluster, leader);
  },
  /** The machine freezes for longer than its lease, and then goes on as if it were still the primary. */
  async primary_paused(cluster, leader) {
    const paused = cluster.processes(leader);
    for (const pid of paused) signal(pid, "SIGSTOP");
    try {
      await anotherLeads(cluster, leader);
    } finally {
      for (const pid of paused) signal(pid, "SIGCONT");
    }
  },
} satisfies Record<string, Fault>;

const PAUSE_MS = 3_000;

/** Faults of everything else. The primary may stay. */
export const otherFaults = {
  async replica_machine(cluster, leader, random) {
    const replica = anyOf(
      cluster.machines.filter((one) => one !== leader),
      random,
    );
    for (const pid of cluster.processes(replica)) signal(pid, "SIGKILL");
    await delay(random() * PAUSE_MS);
    cluster.startPatroni(replica);
  },
  async replica_paused(cluster, leader, random) {
    const replica = anyOf(
      cluster.machines.filter((one) => one !== leader),
      random,
    );
    const paused = cluster.processes(replica);
    for (const pid of paused) signal(pid, "SIGSTOP");
    await delay(random() * PAUSE_MS);
    for (const pid of paused) signal(pid, "SIGCONT");
  },
  etcd_member: (cluster, _, random) => cluster.restartEtcd(anyOf(cluster.machines, random)),
  proxy: (cluster) => cluster.restartProxy(),
  connections: (cluster) => cluster.dropConnections(),
} satisfies Record<string, Fault>;

const anyOf = <One>(all: readonly One[], random: () => number): One => all[Math.floor(random() * all.length)]!;

const anotherLeads = (cluster: Cluster, leader: Machine) =>
  until(
    "another server is the primary",
    async () => {
      const next = await cluster.leader();
      return next !== undefined && next !== leader;
    },
    { deadline_ms: PROMOTED_WITHIN_MS, pause_ms: 100 },
  );
