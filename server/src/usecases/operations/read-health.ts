import type { DashboardHealth } from "@pestle/contract";
import { type Lag, listLags } from "../../db/operations/lags.ts";
import type { Deps } from "../../deps.ts";
import { checkDatabase, checkFiles, type Finding } from "./check-up.ts";

const sentences: Record<Lag["what"], string> = {
  messages: "messages to process",
  prescriptions: "prescriptions due to become orders",
  parcels: "parcels due for a tracking update",
  payments: "payments without an answer from the provider",
};

/** The findings of `pestle doctor` for this service, and its overdue work. */
export async function readHealth(deps: Deps, version: string): Promise<DashboardHealth> {
  const now = deps.now();
  const [findings, lags] = await Promise.all([
    checkDatabase(deps.config, deps.db, deps.now, deps.tenants.of("")),
    listLags(deps.db, now),
  ]);
  const all = [...checkFiles(deps.config, now), ...findings];
  return {
    version,
    state: worst(all),
    findings: all,
    lags: lags.map(({ what, waiting, oldest_at }) => ({
      what: sentences[what],
      waiting,
      oldest_at: oldest_at?.toISOString() ?? null,
    })),
  };
}

const worst = (findings: readonly Finding[]): Finding["state"] =>
  (["failed", "warning"] as const).find((state) => findings.some((one) => one.state === state)) ?? "ok";
