import { randomUUID } from "node:crypto";
import type { FastifyInstance } from "fastify";
import type { Logger } from "pino";
import type { WebhookClient } from "./adapters/webhook-client.ts";
import { type Config, rolesOf } from "./config.ts";
import { createLog } from "./create-log.ts";
import { listPeople } from "./db/accounts/manage-people.ts";
import { countPharmacists } from "./db/accounts/people.ts";
import { dropLeases } from "./db/accounts/rate-leases.ts";
import type { Db } from "./db/db.ts";
import { prepareIds } from "./db/id-key.ts";
import { migrate } from "./db/migrate.ts";
import { openLosses } from "./db/operations/database-runs.ts";
import { alignFeed } from "./db/webhooks/account-events.ts";
import { type Addresses, accountDeps, type Deps, type Elsewhere, type PerEnvironment } from "./deps.ts";
import type { ProcessRole } from "./domain/operations/process-roles.ts";
import { readinessOf } from "./domain/operations/readiness.ts";
import { dateIn } from "./domain/values/calendar.ts";
import { environmentJobs } from "./environment-jobs.ts";
import { addTokenServer } from "./http/accounts/token-server.ts";
import { addAssets } from "./http/assets.ts";
import { addIntake } from "./http/intake/intake.ts";
import { createListener } from "./http/listener.ts";
import { addDocuments, addHealth } from "./http/pages.ts";
import { addPartnerApi, partnerRoutes, type Route } from "./http/partner-api.ts";
import { addEasyPostWebhook } from "./http/providers/easypost-webhook.ts";
import { addMailBounces } from "./http/providers/mail-bounce.ts";
import { addStripeWebhook } from "./http/providers/stripe-webhook.ts";
import { addTwilioWebhooks } from "./http/providers/twilio-webhooks.ts";
import { addWebApi } from "./http/web-api.ts";
import { webRoutes } from "./http/web-routes.ts";
import { DELIVERY_GRACE_MS, type Delivering, startDelivering } from "./jobs/deliver.ts";
import { startLoop } from "./jobs/loop.ts";
import { createAdmission } from "./limits/admission.ts";
import { keepPace } from "./limits/keep-pace.ts";
import { addressOf, listen } from "./listen.ts";
import { nowAndThen } from "./now-and-then.ts";
import { openDeps, openStore, TELL_EVERY_MS, tellCouriers } from "./open-deps.ts";
import { CANARIES_EVERY_MS, processJobs } from "./process-jobs.ts";
import { withSandboxMetrics } from "./sandbox-process/merged-metrics.ts";
import { isApart, startSandbox } from "./sandbox-process/start-sandbox.ts";
import type { WorkerSeat } from "./supervisor/join-supervisor.ts";
import { usageExchange } from "./usecases/accounts/quotas.ts";
import { sendDigests } from "./usecases/fulfillment/people/send-digests.ts";
import { entryChainer } from "./usecases/operations/audit/chain-entries.ts";
import { dropOldEntries } from "./usecases/operations/audit/drop-old-entries.ts";
import { signAndShip } from "./usecases/operations/audit/sign-and-ship.ts";
import { ensureAuditKey } from "./usecases/operations/audit/sign-root.ts";
import { NO_PHARMACIST } from "./usecases/operations/check-up.ts";
import { measureCertificate, measureDatabase, measureProcess } from "./usecases/operations/figures/measure.ts";
import { readKeeper } from "./usecases/operations/keep-reads.ts";
import { keepRequests, limitRequests } from "./usecases/operations/keep-requests.ts";
import { sendLetters } from "./usecases/operations/letters/send-letters.ts";
import { LOST, runWatch, shown } from "./usecases/operations/losses/watch-runs.ts";
import { renewDataKey } from "./usecases/operations/rotate-keys.ts";
import { sealOldRows } from "./usecases/operations/seal-old-rows.ts";
import { tidy } from "./usecases/operations/tidy.ts";
import { recheckUnchecked } from "./usecases/orders/recheck-unchecked.ts";
import { providerWarnings } from "./usecases/providers/check-up-providers.ts";
import { tellLosses } from "./usecases/webhooks/tell-losses.ts";
import { masterKeys } from "./vault/master-key.ts";
import { openVault } from "./vault/vault.ts";
import { version } from "./version.ts";

export type App = {
  /** With the pool itself, for tests that listen. */
  deps: Deps & { db: Db };
  environments: PerEnvironment;
  addresses: Addresses;
  embedded: boolean;
  /** The three listeners, for tests that iterate over their routes. */
  listeners: { partner: FastifyInstance; auth: FastifyInstance; sandbox_auth: FastifyInstance };
  /** Stops accepting requests, finishes those in flight within the grace period, and closes. */
  stop(grace_ms?: number): Promise<void>;
};

const TIDY_EVERY_MS = 60_000;
const DIGESTS_EVERY_MS = 60_000;
/** An email leaves within about this time. */
const LETTERS_EVERY_MS = 1_000;
const RENEW_KEYS_EVERY_MS = 60_000;
const KEEP_REQUESTS_EVERY_MS = 1_000;
const LIMIT_REQUESTS_EVERY_MS = 3_600_000;
/** An entry is in the tree within about this time. */
const CHAIN_AUDIT_EVERY_MS = 5_000;
/** A root that was not shipped is tried again this often. */
const SIGN_AUDIT_EVERY_MS = 60_000;
/** Writes that are acknowledged between the last look and a failover may be missing without a witness. */
const WATCH_RUNS_EVERY_MS = 500;
const TELL_LOSSES_EVERY_MS = 5_000;
const DROP_AUDIT_EVERY_MS = 3_600_000;
/** Cuts off open requests after this time, so that the process exits within 10 s. */
const GRACE_MS = 8_000;
/** Prometheus reads every 15 to 60 seconds. */
const MEASURE_EVERY_MS = 30_000;

/** The composition root: opens and migrates the database, and starts the listeners and the jobs of the process's roles. */
export async function startApp(
  config: Config,
  options: {
    log?: Logger;
    now?: () => Date;
    /** Seeds an empty database before the listeners open; returns whether the demo exists. */
    prepare?: (deps: Pick<Deps, "config" | "db" | "vault" | "now">, embedded: boolean) => Promise<boolean>;
    /** Runs when the ports are open. /readyz answers 200 only afterward. */
    opened?: (addresses: Addresses) => Promise<void>;
    routes?: Route[];
    /** For tests with their own resolver or time limits. */
    webhook_client?: WebhookClient;
    /** The logarithm of scrypt's N. Tests use a low one. */
    password_cost?: number;
    /** If it is one of several workers. */
    seat?: WorkerSeat;
    /** The index key was rotated while this process had no connection. It serves nothing anymore and must end. */
    onIndexKeyChanged?: (error: Error) => void;
  } = {},
): Promise<App> {
  const log = options.log ?? createLog(config);
  const now = options.now ?? (() => new Date());
  const roles = rolesOf(config);
  const has = (...some: ProcessRole[]) => some.some((role) => roles.includes(role));
  const store = await openStore(config, { log, now, onIndexKeyChanged: options.onIndexKeyChanged });
  const { database } = store;
  const { db } = database;
  // A failed start closes these, last opened first. Otherwise the embedded database would keep running.
  const opened: { close(): Promise<void> }[] = [database];
  try {
    const owner = database.openOwner();
    opened.unshift(owner);
    await database.requireOne(owner);
    await migrate(owner, {
      roles: await database.roles(),
      onNewer: (migration) =>
        log.warn({ migration }, "a newer build migrated the database; this one changes nothing in it"),
    });
    await alignFeed(owner);
    await prepareIds(owner);
    // Nothing that serves requests keeps a connection of the owner.
    opened.shift();
    await owner.close();
    const vault = await openVault(db, (make) => masterKeys(config, make), now());
    await ensureAuditKey({ db, vault, now });
    const sealed = await sealOldRows(db, vault);
    if (sealed > 0) log.info({ sealed }, "sealed rows of an earlier version");
    const demo = (await options.prepare?.({ config, db, vault, now }, database.embedded)) ?? false;

    const staffed = (await listPeople(db)).some(({ partner_id }) => partner_id === null);
    if (staffed && (await countPharmacists(db, dateIn(config.TIME_ZONE, now()))) === 0) log.warn(NO_PHARMACIST);

    // An embedded database has no second server.
    const runs = database.embedded ? undefined : runWatch({ db, log, metrics: store.metrics });
    for (const loss of await openLosses(db)) log.error(shown(loss), LOST);
    // A start does not fail for it. The job looks again, and reports what is wrong.
    await runs?.look().catch(() => {});

    const process_id = randomUUID();
    // It starts while this process loads its own tables.
    const apart = isApart(config, demo) && has("api", "token", "courier", "jobs");
    const { seat } = options;
    // Several workers have one process for the sandbox, which the first one starts.
    const follower = apart && seat !== undefined && seat.number > 1 ? seat : undefined;
    const sandbox =
      apart && follower === undefined
        ? startSandbox(config, {
            ...{ demo, process_id, log, metrics: store.metrics },
            onPlace: (socket_path, auth_url) => seat?.tell({ kind: "sandbox", sandbox: { socket_path, auth_url } }),
          })
        : undefined;
    const elsewhere: Elsewhere | undefined =
      follower === undefined ? sandbox : { socket_path: () => follower.sandbox().socket_path, agent: follower.agent };
    if (sandbox !== undefined) opened.unshift({ close: () => sandbox.stop(0) });
    const service = await openDeps(store, { ...options, vault, pools: database, demo, process: "main" });
    opened.unshift(service);
    const { addresses } = service;
    const deps: App["deps"] = { ...service.deps, sandbox_process: elsewhere };
    if (sandbox !== undefined) deps.metrics = withSandboxMetrics(deps.metrics, sandbox);
    if (seat !== undefined) deps.metrics = seat.withAll(deps.metrics);

    const environments: PerEnvironment = {
      production: {
        ...deps,
        serves: "production",
        admission: createAdmission(config.CONCURRENT_REQUESTS, config.ACCOUNT_SHARE),
        by_account: accountDeps(),
      },
      sandbox: {
        ...deps,
        ...database.sandbox,
        across: database.sandbox.db,
        serves: "sandbox",
        admission: createAdmission(config.SANDBOX_CONCURRENT_REQUESTS, config.ACCOUNT_SHARE),
        by_account: accountDeps(),
        ...(elsewhere && { elsewhere }),
      },
    };
    const stopPacing = keepPace(Object.values(environments).map(({ admission }) => admission));
    opened.unshift({ close: async () => stopPacing() });
    /** What this process itself works for. */
    const each = apart ? [environments.production] : Object.values(environments);
    const usage = usageExchange(deps);
    // Before the first request, because an account that is not in the book has stored nothing.
    await usage.run();

    const listeners = {
      partner: createListener(deps, "partner"),
      auth: createListener(deps, "auth"),
      sandbox_auth: createListener(deps, "sandbox_auth"),
    };
    opened.unshift(...Object.values(listeners));
    if (has("api")) {
      addPartnerApi(listeners.partner, environments, options.routes ?? partnerRoutes);
      addIntake(listeners.partner, environments);
      addStripeWebhook(listeners.partner, environments.production);
      addEasyPostWebhook(listeners.partner, environments.production);
      addMailBounces(listeners.partner, environments.production);
      addTwilioWebhooks(listeners.partner, environments.production);
    }
    if (has("web")) addWebApi(listeners.partner, environments, webRoutes);
    measureCertificate(deps);
    let [started, stopping] = [false, false];
    const readiness = () =>
      readinessOf(roles, {
        started,
        stopping,
        fresh: deps.bus.fresh(),
        sandbox_up: elsewhere && elsewhere.socket_path() !== undefined,
        safety_fit: "data" in deps.safety.current(),
        attempts: config.WEBHOOK_CONCURRENCY,
        replicas: deps.replicas?.problems() ?? [],
      });
    addHealth(listeners.partner, deps, readiness);
    if (has("api", "web")) addDocuments(listeners.partner, deps, { addresses: () => addresses, demo });
    if (has("web")) addAssets(listeners.partner);
    if (has("token")) {
      addTokenServer(listeners.auth, environments, "production", () => addresses.auth_url);
      addTokenServer(listeners.sandbox_auth, environments, "sandbox", () => addresses.sandbox_auth_url);
    }
    addresses.auth_url = has("token") ? await listen(listeners.auth, config, "AUTH") : addressOf(config, "AUTH");
    addresses.sandbox_auth_url = await (sandbox?.opened ??
      (has("token") && follower === undefined
        ? listen(listeners.sandbox_auth, config, "SANDBOX_AUTH")
        : follower?.sandbox().auth_url || addressOf(config, "SANDBOX_AUTH")));
    addresses.base_url = await listen(listeners.partner, config, "BASE");
    sandbox?.open(addresses.base_url);
    for (const warning of providerWarnings(deps.providers)) log.warn(warning);

    const reads = readKeeper(deps, process_id);
    const chainer = entryChainer(db);
    const jobs = processJobs(deps, { process_id, usage, reads });
    deps.metrics.setGauge("pestle_process_info", 1, { version, roles: roles.join(",") });
    jobs.push(
      startLoop(deps, "measure", MEASURE_EVERY_MS, async (own) => {
        own.metrics.setReady(readiness().ready);
        await measureProcess(own);
        if (has("jobs")) await measureDatabase(own);
      }),
    );
    if (runs !== undefined) jobs.push(startLoop(deps, "watch-runs", WATCH_RUNS_EVERY_MS, () => runs.look()));
    if (has("api")) jobs.push(startLoop(deps, "keep-requests", KEEP_REQUESTS_EVERY_MS, (own) => keepRequests(own)));
    if (has("api", "jobs", "web"))
      jobs.push(
        startLoop(deps, "canaries", CANARIES_EVERY_MS, async () => {
          await deps.safety.check();
          if (has("jobs")) await recheckUnchecked(environments.production);
        }),
      );
    if (has("jobs"))
      jobs.push(
        ...each.flatMap(environmentJobs),
        ...(apart
          ? []
          : [startLoop(environments.sandbox, "recheck-unchecked", CANARIES_EVERY_MS, (own) => recheckUnchecked(own))]),
        startLoop(deps, "chain-audit", CHAIN_AUDIT_EVERY_MS, async () => void (await chainer.run())),
        startLoop(deps, "sign-audit", SIGN_AUDIT_EVERY_MS, (own) => signAndShip(own)),
        startLoop(deps, "drop-audit", DROP_AUDIT_EVERY_MS, async (own) => void (await dropOldEntries(own))),
        startLoop(deps, "renew-keys", RENEW_KEYS_EVERY_MS, async () => {
          const key_id = await renewDataKey({ config, db, masterKeys: () => masterKeys(config) }, now());
          if (key_id !== null) log.info({ key_id }, "added a data key");
        }),
        startLoop(deps, "send-digests", DIGESTS_EVERY_MS, (own) => sendDigests(own)),
        startLoop(deps, "send-letters", LETTERS_EVERY_MS, (own) => sendLetters(own)),
        startLoop(deps, "tell-losses", TELL_LOSSES_EVERY_MS, (own) => tellLosses(own)),
        startLoop(deps, "limit-requests", LIMIT_REQUESTS_EVERY_MS, async (own) => void (await limitRequests(own))),
        startLoop(deps, "tidy", TIDY_EVERY_MS, async (own) => void (await tidy(own))),
      );
    let delivering: Delivering | undefined;
    if (has("courier") && config.WEBHOOK_CONCURRENCY > 0) {
      delivering = startDelivering(
        each.map((own) => ({
          deps: own,
          concurrency: own.serves === "sandbox" ? config.SANDBOX_WEBHOOK_CONCURRENCY : config.WEBHOOK_CONCURRENCY,
        })),
      );
      const { wake, resume } = delivering;
      Object.assign(store.told, { wake, resume });
      const tell = sandbox && nowAndThen(TELL_EVERY_MS, () => sandbox.wake());
      store.deliveries.wake = () => {
        wake();
        tell?.();
      };
    } else {
      store.deliveries.wake = tellCouriers(db);
    }
    await options.opened?.(addresses);
    started = true;
    return {
      deps,
      environments,
      addresses,
      embedded: database.embedded,
      listeners,
      async stop(grace_ms = GRACE_MS) {
        stopping = true;
        if (config.DRAIN_SECONDS > 0) {
          // The answers from now on are the last ones of their connections, so none is cut while it carries a request.
          for (const { house } of Object.values(listeners)) house.closing = true;
          sandbox?.leave();
          await new Promise((resolve) => setTimeout(resolve, config.DRAIN_SECONDS * 1000));
        }
        // Event streams never end on their own.
        deps.home_watch.close();
        const cutOff = setTimeout(() => {
          for (const { server } of Object.values(listeners)) server.closeAllConnections();
        }, grace_ms);
        sandbox?.drain(grace_ms);
        await Promise.all([
          ...Object.values(listeners).map((listener) => listener.close()),
          ...jobs.map((job) => job.stop()),
          delivering?.stop(Math.min(grace_ms, DELIVERY_GRACE_MS)),
        ]);
        if (delivering === undefined) await deps.webhook_client.close();
        clearTimeout(cutOff);
        await sandbox?.stop(DELIVERY_GRACE_MS);
        // Log the requests answered since the job last ran.
        await keepRequests(deps).catch(() => {});
        // Otherwise the next count adds it.
        await usage.run().catch(() => {});
        // If this fails, the next start reports the gap.
        await reads.stop().catch(() => {});
        await dropLeases(db, process_id).catch(() => {});
        stopPacing();
        seat?.agent.destroy();
        await service.close();
        await database.close();
      },
    };
  } catch (error) {
    for (const one of opened) await one.close().catch(() => {});
    throw error;
  }
}
