import { randomUUID } from "node:crypto";
import type { AddressInfo } from "node:net";
import { rolesOf } from "../config.ts";
import { createLog } from "../create-log.ts";
import { accountDeps, type EnvironmentDeps, type PerEnvironment } from "../deps.ts";
import { environmentJobs } from "../environment-jobs.ts";
import { addTokenServer } from "../http/accounts/token-server.ts";
import { innerDoor } from "../http/front-door.ts";
import { addIntake } from "../http/intake/intake.ts";
import { createListener } from "../http/listener.ts";
import { addPartnerApi, partnerRoutes } from "../http/partner-api.ts";
import { DELIVERY_GRACE_MS, startDelivering } from "../jobs/deliver.ts";
import { startLoop } from "../jobs/loop.ts";
import { createAdmission } from "../limits/admission.ts";
import { keepPace } from "../limits/keep-pace.ts";
import { addressOf, listen } from "../listen.ts";
import { openDeps, openStore, tellCouriers } from "../open-deps.ts";
import { CANARIES_EVERY_MS, processJobs } from "../process-jobs.ts";
import { usageExchange } from "../usecases/accounts/quotas.ts";
import { readKeeper } from "../usecases/operations/keep-reads.ts";
import { recheckUnchecked } from "../usecases/orders/recheck-unchecked.ts";
import { masterKeys } from "../vault/master-key.ts";
import { openVault } from "../vault/vault.ts";
import type { ToSandbox } from "./messages.ts";

export type ServedSandbox = {
  listening: { sandbox_auth_url: string; port: number };
  /** Takes the address of the partner API, which errors name. */
  open(base_url: string): void;
  wake(): void;
  leave(): void;
  drain(grace_ms: number): Promise<void>;
  stop(): Promise<void>;
};

/**
 * Serves the sandbox, in the roles of the main process: what that one forwards, the sandbox's token server, its jobs and its
 * webhooks. The main process has migrated and seeded the database.
 */
export async function serveSandbox(
  { config, demo, process_id, socket_path, base_url }: Extract<ToSandbox, { kind: "begin" }>,
  { onIndexKeyChanged }: { onIndexKeyChanged: (error: Error) => void },
): Promise<ServedSandbox> {
  const log = createLog(config).child({ process: "sandbox" });
  const now = () => new Date();
  const roles = rolesOf(config);
  const store = await openStore(config, { log, now, onIndexKeyChanged });
  const { sandbox: pools } = store.database;
  const vault = await openVault(pools.db, (make) => masterKeys(config, make), now());
  const { deps, addresses, close } = await openDeps(store, { vault, pools, demo, process: "sandbox" });
  addresses.base_url = base_url;
  const own: EnvironmentDeps = {
    ...deps,
    serves: "sandbox",
    admission: createAdmission(config.SANDBOX_CONCURRENT_REQUESTS, config.ACCOUNT_SHARE),
    by_account: accountDeps(),
  };
  const stopPacing = keepPace([own.admission]);
  // The door lets no token of production through, so nothing here is served with production's dependencies.
  const per: PerEnvironment = { sandbox: own, production: own };
  const usage = usageExchange(deps);
  await usage.run();

  const inner = createListener(deps, "inner");
  const auth = createListener(deps, "sandbox_auth");
  const door = (scope: "partners" | "intake") => innerDoor(own, scope);
  if (roles.includes("api")) {
    addPartnerApi(inner, per, partnerRoutes, door);
    addIntake(inner, per, door);
  }
  inner.get("/metrics", async (_request, reply) => reply.send(await deps.metrics.text()));
  await inner.listen({ path: socket_path });
  const gives_tokens = roles.includes("token");
  if (gives_tokens) addTokenServer(auth, per, "sandbox", () => addresses.sandbox_auth_url);
  addresses.sandbox_auth_url = gives_tokens
    ? await listen(auth, config, "SANDBOX_AUTH")
    : addressOf(config, "SANDBOX_AUTH");
  const port = gives_tokens ? (auth.server.address() as AddressInfo).port : config.SANDBOX_AUTH_PORT;

  const reads = readKeeper(deps, randomUUID());
  const jobs = [
    // Under the id of the main process: together they are one server, and each counts what the other does not.
    ...processJobs(deps, { process_id, usage, reads }),
    ...(roles.includes("jobs")
      ? [
          ...environmentJobs(own),
          startLoop(own, "recheck-unchecked", CANARIES_EVERY_MS, (own) => recheckUnchecked(own)),
        ]
      : []),
    startLoop(deps, "canaries", CANARIES_EVERY_MS, () => deps.safety.check()),
  ];
  const delivering =
    roles.includes("courier") && config.WEBHOOK_CONCURRENCY > 0
      ? startDelivering([{ deps: own, concurrency: config.SANDBOX_WEBHOOK_CONCURRENCY }])
      : undefined;
  const wake = () => delivering?.wake();
  store.deliveries.wake = delivering === undefined ? tellCouriers(pools.db) : wake;
  Object.assign(store.told, { wake, resume: (endpoint_id: string) => delivering?.resume(endpoint_id) });

  let draining: Promise<void> | undefined;
  const drain = (grace_ms: number) => {
    draining ??= (async () => {
      const cutOff = setTimeout(() => auth.server.closeAllConnections(), grace_ms);
      await Promise.all([
        auth.close(),
        ...jobs.map((job) => job.stop()),
        delivering?.stop(Math.min(grace_ms, DELIVERY_GRACE_MS)),
      ]);
      if (delivering === undefined) await deps.webhook_client.close();
      clearTimeout(cutOff);
    })();
    return draining;
  };
  return {
    listening: { sandbox_auth_url: addresses.sandbox_auth_url, port },
    open(base_url) {
      addresses.base_url = base_url;
    },
    wake,
    leave() {
      auth.house.closing = true;
    },
    drain,
    async stop() {
      deps.home_watch.close();
      await drain(0);
      inner.server.closeAllConnections();
      await inner.close();
      stopPacing();
      await usage.run().catch(() => {});
      await reads.stop().catch(() => {});
      await close();
      await store.database.close();
    },
  };
}
