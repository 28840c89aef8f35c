import { newestSafetyImport } from "../../db/safety/safety-imports.ts";
import type { Deps } from "../../deps.ts";
import type { SafetyData } from "../../domain/safety/data.ts";
import { canaryFaults, loadSafety } from "./load-safety-data.ts";

/** The safety tables of this process, in memory. */
export type SafetyEngine = {
  /** The tables to check orders with, or why they are unfit; then orders are held. */
  current(): { data: SafetyData } | { unfit: readonly string[] };
  /** Loads a newer import. If the database is unreachable, the current tables stay. */
  reload(): Promise<void>;
  /** Runs the canaries and looks for a missed import. */
  check(): Promise<void>;
};

/** For a process that checks no order: it loads no tables. */
export const noSafetyEngine: SafetyEngine = {
  current: () => ({ unfit: ["this process checks no orders"] }),
  reload: async () => {},
  check: async () => {},
};

/** Damaged tables do not stop the service: it holds orders and reports why in the log, a metric and `doctor`. */
export async function openSafetyEngine(deps: Pick<Deps, "config" | "db" | "log" | "metrics">): Promise<SafetyEngine> {
  let loaded = await loadSafety(deps.config, deps.db);
  let told = "";
  let running: Promise<void> = Promise.resolve();

  /** Logs only changes. */
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
    // Fit tables do not change in memory. Unfit ones may have been repaired, so read them again.
    if (newest === loaded.import_number && loaded.unfit.length === 0) return;
    loaded = await loadSafety(deps.config, deps.db);
    tell();
  };
  /** Runs reloads one at a time, so that an older result never replaces a newer one. */
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
