import type { DashboardHealth } from "@pestle/contract";
import { type Lag, listLags } from "../../db/operations/lags.ts";
import type { Deps } from "../../deps.ts";
import { checkStuckPayments } from "../providers/check-up-payments.ts";
import { checkProviders } from "../providers/check-up-providers.ts";
import { checkDatabase, checkFiles, type Finding, finding } from "./check-up.ts";

const sentences: Record<Lag["what"], string> = {
  messages: "messages to process",
  prescriptions: "prescriptions due to become orders",
  parcels: "parcels due for a tracking update",
  payments: "payments without an answer from the provider",
};

/** The findings of `pestle doctor` for this service, and its overdue work. */
export async function readHealth(deps: Deps, version: string): Promise<DashboardHealth> {
  const now = deps.now();
  const [findings, lags, stuck] = await Promise.all([
    checkDatabase(deps.config, deps.db, deps.now, deps.tenants.of("")),
    listLags(deps.db, now),
    checkStuckPayments(deps.db),
  ]);
  const all = [
    ...checkFiles(deps.config, now),
    ...findings,
    ...checkProviders(deps.providers, deps.provider_watch),
    ...stuck,
    ...sandboxFindings(deps),
    ...(deps.replicas?.problems() ?? []).map((says) => finding("replica", "warning", says)),
  ];
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

function sandboxFindings({ sandbox_process }: Deps): Finding[] {
  const what = "sandbox process";
  if (sandbox_process === undefined) return [];
  if (sandbox_process.socket_path() !== undefined) return [finding(what, "ok", "serves the sandbox's partners")];
  const says = "ended, and starts again by itself; the sandbox's partners get 503 meanwhile. The log says why it ended";
  return [finding(what, "warning", says)];
}

const worst = (findings: readonly Finding[]): Finding["state"] =>
  (["failed", "warning"] as const).find((state) => findings.some((one) => one.state === state)) ?? "ok";
