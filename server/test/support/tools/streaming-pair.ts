import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { newDataFolder } from "../../../../chaos/data-folder.ts";
import { removeDataDir, TESTED } from "../../../../chaos/server-process.ts";
import { findBinaries } from "../../../src/db/embedded/binaries.ts";
import { findLayout, type Layout, prepareSocketFolder } from "../../../src/db/embedded/layout.ts";
import { spawnSettings } from "../../../src/db/embedded/process.ts";
import { type Demo, readDemo } from "../../../src/seed/demo-file.ts";
import { until } from "./until.ts";

/** A primary with the demo's data and a replica that streams from it. */
export type StreamingPair = {
  demo: Demo;
  master_key: string;
  primary_url: string;
  replica_url: string;
  /** A statement on the replica, as the owner. */
  onReplica(text: string, values?: unknown[]): Promise<Record<string, unknown>[]>;
  stopReplica(): Promise<void>;
  startReplica(): Promise<void>;
  /** From then on it accepts writes, on a timeline of its own. */
  promoteReplica(): Promise<void>;
  stopPrimary(): Promise<void>;
  startPrimary(): Promise<void>;
  stop(): Promise<void>;
};

const SETTINGS = ["listen_addresses=", "fsync=off", "max_connections=200", "timezone=UTC", "hot_standby_feedback=on"];

export async function startStreamingPair(): Promise<StreamingPair> {
  const folder = await newDataFolder("streaming", TESTED);
  const copy = `${folder}-replica`;
  execFileSync("cp", ["-a", folder, copy]);
  const [primary, replica] = [await findLayout(folder), await findLayout(copy)];
  const { postgres } = await findBinaries(primary.account, folder);
  for (const { cluster } of [primary, replica])
    writeFileSync(join(cluster, "pg_hba.conf"), "local all all trust\nlocal replication all trust\n");
  writeFileSync(join(replica.cluster, "standby.signal"), "");
  writeFileSync(
    join(replica.cluster, "postgresql.auto.conf"),
    `primary_conninfo = 'host=${primary.socket_dir} user=pestle'\n`,
  );
  const start = async (layout: Layout): Promise<ChildProcess> => {
    await prepareSocketFolder(layout);
    const args = ["-D", layout.cluster, "-k", layout.socket_dir, ...SETTINGS.flatMap((one) => ["-c", one])];
    const child = spawn(postgres, args, { ...spawnSettings(layout.account), stdio: "ignore" });
    const answers = () => asked(urlOf(layout), "select 1").then(Boolean, () => false);
    await until(answers, "PostgreSQL answers");
    return child;
  };
  const stop = async (child: ChildProcess) => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const gone = new Promise((resolve) => child.once("exit", resolve));
    child.kill("SIGINT");
    await gone;
  };
  let first = await start(primary);
  let second = await start(replica);
  return {
    demo: readDemo(folder)!,
    master_key: readFileSync(join(folder, "master.key"), "utf8").trim(),
    primary_url: urlOf(primary),
    replica_url: urlOf(replica),
    onReplica: (text, values) => asked(urlOf(replica), text, values),
    stopReplica: () => stop(second),
    startReplica: async () => {
      second = await start(replica);
    },
    promoteReplica: async () => {
      await asked(urlOf(replica), "select pg_promote(true, 60)");
    },
    stopPrimary: () => stop(first),
    startPrimary: async () => {
      first = await start(primary);
    },
    async stop() {
      await stop(second);
      await stop(first);
      await removeDataDir(copy);
      await removeDataDir(folder);
    },
  };
}

const urlOf = ({ socket_dir }: Layout) => `postgresql://pestle@/pestle?host=${encodeURIComponent(socket_dir)}`;

async function asked(connectionString: string, text: string, values: unknown[] = []) {
  const client = new pg.Client({ connectionString });
  client.on("error", () => {});
  await client.connect();
  try {
    return (await client.query(text, values)).rows as Record<string, unknown>[];
  } finally {
    await client.end();
  }
}
