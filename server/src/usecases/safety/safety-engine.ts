import { newestSafetyImport } from "../../db/safety/safety-imports.ts";
import type { Deps } from "../../deps.ts";
import type { SafetyData } from "../../domain/safety/data.ts";
import { canaryFaults, loadSafety } from "./load-safety-data.ts";

/** The safety tables of this process, in memory. */
export type SafetyEngine = {
  /** What orders are checked with right now, or why they cannot be: then they are held. */
  current(): { data: SafetyData } | { unfit: readonly string[] };
  /** Reads again what was imported meanwhile. Out of reach of the database, what is there stays. */
  reload(): Promise<void>;
  /** Lets the canaries sing, and looks for an import that was missed. */
  check(): Promise<void>;
};

/** Damaged tables do not stop the service: it runs, holds orders, and says why in the log, a metric and `doctor`. */
export async function openSafetyEngine(deps: Pick<Deps, "config" | "db" | "log" | "metrics">): Promise<SafetyEngine> {
  let loaded = await loadSafety(deps.config, deps.db);
  let told = "";
  let running: Promise<void> = Promise.resolve();

  /** Said once, and again when it changes. */
  const tell = () => {
    const { data, unfit, origin } = loaded;
    const version = data?.version ?? "none";
    deps.metrics.setSafety(version, unfit.length === 0);
    const state = JSON.stringify([origin, version, unfit]);
    if (state === told) return;
    told = state;
    if (unfit.length === 0) deps.log.info({ version, origin }, "the safety tables are fit");
    else deps.log.error({ version, origin, faults: unfit }, "the safety tables are unfit: orders are held");
  };
  const readAgain = async () => {
    const newest = await newestSafetyImport(deps.db);
    // What was read once does not change in memory; what could not be used may have been put right.
    if (newest === loaded.import_number && loaded.unfit.length === 0) return;
    loaded = await loadSafety(deps.config, deps.db);
    tell();
  };
  /** One after the other, so that an older answer never takes the place of a newer one. */
  const inTurn = (work: () => Promise<void>) => {
    running = running.then(work, work);
    return running;
  };

  tell();
  return {
    current: () => (loaded.data === null || loaded.unfit.length > 0 ? { unfit: loaded.unfit } : { data: loaded.data }),
    reload: () =>
      inTurn(readAgain).catch((error: Error) =>
        deps.log.warn({ fault: error.message }, "the safety tables could not be read again"),
      ),
    check: () =>
      inTurn(async () => {
        const unfit = loaded.data === null ? loaded.unfit : canaryFaults(loaded.data);
        if (unfit.length > 0) {
          loaded = { ...loaded, unfit };
          tell();
        }
        await readAgain();
      }),
  };
}
