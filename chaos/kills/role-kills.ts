import { openDb } from "../../server/src/db/db.ts";
import { type BusyTally, whileBusy } from "../busy/busy-service.ts";
import type { Own } from "../campaigns/own-database.ts";
import { postmasterPid } from "../postmaster.ts";
import { restartPostgres, STOP_KINDS, type StopKind } from "../restarts/restarts.ts";
import type { From } from "../server-process.ts";
import { until } from "../until.ts";
import { type Deployment, ROLES, startRoles, startWorkers, WORKER_KINDS } from "./deployments.ts";

/** Each kind of process that a campaign kills under the load of journeys, by how it runs. */
const deployments = {
  roles: { kinds: [...ROLES, "postgres", ...STOP_KINDS], start: startRoles },
  workers: { kinds: [...WORKER_KINDS], start: startWorkers },
} as const satisfies Record<string, { kinds: readonly string[]; start: unknown }>;

/** Kills of processes while partners are busy. */
export async function killProcesses(
  own: Own,
  {
    from,
    kills,
    random,
    together = false,
    clients,
    onKill = () => {},
  }: {
    from: From;
    /** What to kill, one after the other. All run in the same deployment. */
    kills: readonly string[];
    random: () => number;
    /** Roles that are not killed share a process, which starts faster. */
    together?: boolean;
    clients?: number;
    onKill?: (kind: string, outage_ms: number) => void;
  },
): Promise<BusyTally> {
  const { start } = Object.values(deployments).find(({ kinds }) => (kinds as readonly string[]).includes(kills[0]!))!;
  const { database_url, master_key } = own;
  const db = openDb({ connection: { connectionString: database_url }, pool_size: 2, named_statements: false });
  let deployment: Deployment | undefined;
  try {
    deployment = await start({ database_url, master_key, from, random, ...(together && { apart: kills }) });
    const { sites, fallen, kill } = deployment;
    return await whileBusy(
      { campaign: "kills", sites, db, random, fallen, ...(clients && { clients }) },
      async ({ suffer }) => {
        const injure = async (kind: string) => {
          if (kind === "postgres") return killPostgres(own);
          if (STOP_KINDS.includes(kind as StopKind)) return restartPostgres(own, kind as StopKind, random);
          return kill(kind);
        };
        for (const kind of kills) {
          const outage_ms = await suffer(kind, () => injure(kind));
          onKill(kind, outage_ms);
        }
      },
    );
  } finally {
    await db.close();
    await deployment?.stop();
  }
}

async function killPostgres({ data_dir, postgres }: Own): Promise<void> {
  process.kill(postmasterPid(data_dir)!, "SIGKILL");
  // Remains of the killed database may block the restart for a moment.
  await until("the database runs again", () =>
    postgres.ensureRunning().then(
      () => true,
      () => false,
    ),
  );
}
