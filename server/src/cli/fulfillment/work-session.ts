import pino from "pino";
import { adaptersInUse } from "../../adapters-in-use.ts";
import { readConfig } from "../../config.ts";
import { createCopies } from "../../copies.ts";
import type { Deps } from "../../deps.ts";
import { StatusRefusal } from "../../domain/values/refusals.ts";
import { createQuotaBook } from "../../limits/quota-book.ts";
import { createRateLimiter } from "../../limits/rate-limiter.ts";
import type { Metrics } from "../../metrics/metrics.ts";
import { notServing } from "../../not-serving.ts";
import { readDemo } from "../../seed/demo-file.ts";
import { AdminRefusal } from "../../usecases/accounts/admin-refusal.ts";
import { requireAccount } from "../../usecases/accounts/require-account.ts";
import type { Work } from "../../usecases/fulfillment/steps.ts";
import { openSafetyEngine } from "../../usecases/safety/safety-engine.ts";
import { signedInStaff } from "../accounts/staff-session.ts";
import { withVault } from "../session.ts";

/** A command has no metrics endpoint. */
const noMetrics: Metrics = {
  observeRequest() {},
  countFault() {},
  setReady() {},
  setSandboxProcess() {},
  setSafety() {},
  observeAttempt() {},
  observeFirstAttempt() {},
  countDroppedRequests() {},
  countDroppedSpans() {},
  setGauge() {},
  setAuditRoots() {},
  observeProvider() {},
  setBreaker() {},
  countProviderEvent() {},
  countRead() {},
  setReplica() {},
  text: async () => "",
};

/** The service's dependencies for one command: the same adapters, with nothing cached. */
export function withDeps<Result>(
  env: NodeJS.ProcessEnv | undefined,
  work: (deps: Deps) => Promise<Result>,
): Promise<Result> {
  const config = readConfig(env);
  return withVault(config, async ({ db, tenants, vault }) => {
    // The log, which records who printed a document, goes to standard error, apart from the output.
    const log = pino(
      { level: config.LOG_LEVEL, base: null, timestamp: pino.stdTimeFunctions.isoTime },
      pino.destination({ dest: 2, sync: true }),
    );
    // Only log safety tables that are unfit.
    const safety_log = log.child({}, { level: "warn" });
    const safety = await openSafetyEngine({ config, db, log: safety_log, metrics: noMetrics });
    const now = () => new Date();
    return work({
      config,
      db,
      across: db,
      tenants,
      queue: db,
      vault,
      bus: { fresh: () => false },
      copies: createCopies(),
      limiter: createRateLimiter(),
      strangers: createRateLimiter(),
      quotas: createQuotaBook(),
      ...adaptersInUse(config, { demo: readDemo(config.DATA_DIR) !== undefined, metrics: noMetrics, now }),
      safety,
      // The service polls for deliveries itself within about a second.
      deliveries: { wake() {} },
      ...notServing({ config, db, now, log }),
      log,
      metrics: noMetrics,
      now,
    });
  });
}

export type OrderOptions = { account: string; as?: string };

/** Runs a command on one order for the pharmacy worker who signed in. */
export function withOrder<Result>(
  env: NodeJS.ProcessEnv | undefined,
  { account, as }: OrderOptions,
  order_number: string,
  work: (deps: Deps, work: Work) => Promise<Result>,
): Promise<Result> {
  return withDeps(env, async (deps) => {
    const { account_id } = await requireAccount(deps.db, account);
    const { person_id, role, license } = await signedInStaff(deps, env, as);
    const by = { person_id, role, license };
    try {
      return await work(deps, { account_id, order_number: order_number.toUpperCase(), by });
    } catch (error) {
      if (!(error instanceof StatusRefusal && error.status === 404)) throw error;
      throw new AdminRefusal("There is no such order in this account.");
    }
  });
}
