import { randomUUID } from "node:crypto";
import type { AddressInfo } from "node:net";
import type { FastifyInstance } from "fastify";
import type { Logger } from "pino";
import type { WebhookClient } from "./adapters/webhook-client.ts";
import { adaptersInUse } from "./adapters-in-use.ts";
import { createAdmission } from "./admission.ts";
import { createAuditLog } from "./audit-log.ts";
import type { Config } from "./config.ts";
import { createCopies, dropAll, dropChanged } from "./copies.ts";
import { createLog } from "./create-log.ts";
import { openDatabase } from "./database.ts";
import { listPeople } from "./db/accounts/manage-people.ts";
import { countPharmacists } from "./db/accounts/people.ts";
import { dropLeases } from "./db/accounts/rate-leases.ts";
import { announce, type Change, openBus } from "./db/bus.ts";
import type { Db } from "./db/db.ts";
import { prepareIds } from "./db/id-key.ts";
import { migrate } from "./db/migrate.ts";
import { alignFeed } from "./db/webhooks/account-events.ts";
import { type Addresses, accountDeps, type Deps, type EnvironmentDeps, type PerEnvironment } from "./deps.ts";
import { dateIn } from "./domain/values/calendar.ts";
import { formatOf } from "./formats/formats.ts";
import { addTokenServer } from "./http/accounts/token-server.ts";
import { addIntake } from "./http/intake/intake.ts";
import { createListener } from "./http/listener.ts";
import { addPages } from "./http/pages.ts";
import { addPartnerApi, partnerRoutes, type Route } from "./http/partner-api.ts";
import { addWebApi } from "./http/web-api.ts";
import { webRoutes } from "./http/web-routes.ts";
import { type Delivering, startDelivering } from "./jobs/deliver.ts";
import { startLoop } from "./jobs/loop.ts";
import { createMetrics } from "./metrics.ts";
import { createPasswords } from "./passwords.ts";
import { createQuotaBook } from "./quota-book.ts";
import { createRateLimiter } from "./rate-limiter.ts";
import { createRequestLog } from "./request-log.ts";
import { createTryLimiter } from "./try-limiter.ts";
import { countUsage, usageExchange } from "./usecases/accounts/quotas.ts";
import { shareLimits } from "./usecases/accounts/share-limits.ts";
import { secondFactorOf } from "./usecases/accounts/sign-in.ts";
import { trackShipments } from "./usecases/fulfillment/track-shipments.ts";
import { fillDue } from "./usecases/intake/order-due-prescriptions.ts";
import { processWaiting } from "./usecases/intake/process-waiting.ts";
import { entryChainer } from "./usecases/operations/audit/chain-entries.ts";
import { dropOldEntries } from "./usecases/operations/audit/drop-old-entries.ts";
import { signAndShip } from "./usecases/operations/audit/sign-and-ship.ts";
import { ensureAuditKey } from "./usecases/operations/audit/sign-root.ts";
import { NO_PHARMACIST } from "./usecases/operations/check-up.ts";
import { readKeeper } from "./usecases/operations/keep-reads.ts";
import { keepRequests } from "./usecases/operations/keep-requests.ts";
import { renewDataKey } from "./usecases/operations/rotate-keys.ts";
import { sealOldRows } from "./usecases/operations/seal-old-rows.ts";
import { tidy } from "./usecases/operations/tidy.ts";
import { watchHome } from "./usecases/operations/watch-home.ts";
import { fillBackOrders } from "./usecases/orders/fill-back-orders.ts";
import { recheckDue } from "./usecases/orders/recheck-orders.ts";
import { recheckUnchecked } from "./usecases/orders/recheck-unchecked.ts";
import { settleUnpaid } from "./usecases/orders/settle-payment.ts";
import { checkPeople } from "./usecases/safety/check-people.ts";
import { openSafetyEngine } from "./usecases/safety/safety-engine.ts";
import { closeMonths } from "./usecases/statements/close-months.ts";
import { masterKeys } from "./vault/master-key.ts";
import { openVault } from "./vault/vault.ts";

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
const RENEW_KEYS_EVERY_MS = 60_000;
const SHARE_EVERY_MS = 1_000;
/** Processes agree about what an account stores within about this time. */
const SHARE_USAGE_EVERY_MS = 2_000;
const COUNT_USAGE_EVERY_MS = 60_000;
const WAITING_EVERY_MS = 5_000;
/** Automatic Processing turns a prescription into an order within about a second. */
const FILL_EVERY_MS = 1_000;
const UNPAID_EVERY_MS = 15_000;
const CANARIES_EVERY_MS = 60_000;
/** Back orders receive new stock within about a second. */
const BACK_ORDERS_EVERY_MS = 1_000;
/** Another partner's order of the same person is checked within about a second. */
const PEOPLE_EVERY_MS = 1_000;
const TRACK_EVERY_MS = 5_000;
const RECHECK_EVERY_MS = 60_000;
const CLOSE_MONTHS_EVERY_MS = 60_000;
const KEEP_REQUESTS_EVERY_MS = 1_000;
/** A crash loses at most the reads of this time. */
const KEEP_READS_EVERY_MS = 1_000;
/** An entry is in the tree within about this time. */
const CHAIN_AUDIT_EVERY_MS = 5_000;
/** A root that was not shipped is tried again this often. */
const SIGN_AUDIT_EVERY_MS = 60_000;
const DROP_AUDIT_EVERY_MS = 3_600_000;
/** At most how often a process that does not deliver webhooks notifies the others of new events. */
const TELL_EVERY_MS = 50;
/** Cuts off open requests after this time, so that the process exits within 10 s. */
const GRACE_MS = 8_000;
/** Releases attempts still in flight after this time. At worst the receiver gets an event twice. */
const DELIVERY_GRACE_MS = 5_000;

/** The composition root: opens and migrates the database, and starts the listeners and the jobs. */
export async function startApp(
  config: Config,
  options: {
    log?: Logger;
    now?: () => Date;
    /** Seeds an empty database before the listeners open; returns whether the demo exists. */
    prepare?: (deps: Pick<Deps, "config" | "db" | "vault" | "now">, embedded: boolean) => Promise<boolean>;
    routes?: Route[];
    /** For tests with their own resolver or time limits. */
    webhook_client?: WebhookClient;
    /** The logarithm of scrypt's N. Tests use a low one. */
    password_cost?: number;
    /** The index key was rotated while this process had no connection. It serves nothing anymore and must end. */
    onIndexKeyChanged?: (error: Error) => void;
  } = {},
): Promise<App> {
  const log = options.log ?? createLog(config);
  const now = options.now ?? (() => new Date());
  const metrics = createMetrics();
  const onBroken = (error: Error) => {
    metrics.countFault("database");
    log.warn({ fault: error.message }, "database unreachable");
  };
  const deliveries = { wake: () => {} };
  const copies = createCopies();
  const database = await openDatabase(config, {
    log: (message) => log.info(message),
    onBroken,
    onIndexKeyChanged: options.onIndexKeyChanged,
    onEvents: () => deliveries.wake(),
    onAnnounced: (change) => dropChanged(copies, JSON.parse(change) as Change),
  });
  const { db } = database;
  // A failed start closes these, last opened first. Otherwise the embedded database would keep running.
  const opened: { close(): Promise<void> }[] = [database];
  try {
    const owner = database.openOwner();
    opened.unshift(owner);
    await migrate(owner, { roles: await database.roles() });
    await alignFeed(owner);
    await prepareIds(owner);
    // Nothing that serves requests keeps a connection of the owner.
    opened.shift();
    await owner.close();
    const vault = await openVault(db, (make) => masterKeys(config, make), now());
    const reloadKeys = () =>
      vault.reload(db).catch((error: Error) => log.warn({ fault: error.message }, "reloading the keys failed"));
    await ensureAuditKey({ db, vault, now });
    const sealed = await sealOldRows(db, vault);
    if (sealed > 0) log.info({ sealed }, "sealed rows of an earlier version");
    const demo = (await options.prepare?.({ config, db, vault, now }, database.embedded)) ?? false;

    const staffed = (await listPeople(db)).some(({ partner_id }) => partner_id === null);
    if (staffed && (await countPharmacists(db, dateIn(config.TIME_ZONE, now()))) === 0) log.warn(NO_PHARMACIST);

    let delivering: Delivering | undefined;
    const safety = await openSafetyEngine({ config, db, log, metrics });
    // Wait for reloads before closing the database; otherwise a failed start logs false alarms.
    let reading: Promise<unknown> = Promise.resolve();
    const readAgain = (...work: Promise<void>[]) => {
      reading = Promise.all([reading, ...work]);
    };
    opened.unshift({ close: async () => void (await reading) });
    const bus = openBus({
      connect: db.connect,
      onChange: (change) => {
        dropChanged(copies, change);
        if (change.kind === "deliveries") delivering?.wake();
        if (change.kind === "keys") readAgain(reloadKeys());
        if (change.kind === "safety") readAgain(safety.reload());
      },
      onGap: () => {
        dropAll(copies);
        readAgain(reloadKeys(), safety.reload());
      },
      revive: database.revive,
      onTrouble: onBroken,
    });
    opened.unshift(bus);
    await bus.opened;
    const addresses = {} as Addresses;
    const deps: App["deps"] = {
      config,
      addresses,
      db,
      across: db,
      tenants: database.tenants,
      queue: database.queue,
      vault,
      bus,
      copies,
      limiter: createRateLimiter(),
      strangers: createRateLimiter(),
      quotas: createQuotaBook(),
      tries: createTryLimiter(),
      passwords: createPasswords(options.password_cost),
      ...adaptersInUse(config, demo),
      safety,
      ...(options.webhook_client && { webhook_client: options.webhook_client }),
      home_watch: watchHome({ config, db, now, log }),
      second_factor: secondFactorOf(config, demo),
      request_log: createRequestLog(),
      audit_log: createAuditLog(),
      deliveries,
      log,
      metrics,
      now,
    };

    const environments: PerEnvironment = {
      production: {
        ...deps,
        serves: "production",
        admission: createAdmission(config.CONCURRENT_REQUESTS),
        by_account: accountDeps(),
      },
      sandbox: {
        ...deps,
        ...database.sandbox,
        across: database.sandbox.db,
        serves: "sandbox",
        admission: createAdmission(config.SANDBOX_CONCURRENT_REQUESTS),
        by_account: accountDeps(),
      },
    };
    const each = Object.values(environments);
    const usage = usageExchange(deps);
    // Before the first request, because an account that is not in the book has stored nothing.
    await usage.run();

    const listeners = {
      partner: createListener(deps, "partner"),
      auth: createListener(deps, "auth"),
      sandbox_auth: createListener(deps, "sandbox_auth"),
    };
    opened.unshift(...Object.values(listeners));
    addPartnerApi(listeners.partner, environments, options.routes ?? partnerRoutes);
    addIntake(listeners.partner, environments);
    addWebApi(listeners.partner, environments, webRoutes);
    addPages(listeners.partner, deps, { addresses: () => addresses, demo });
    addTokenServer(listeners.auth, environments, "production", () => addresses.auth_url);
    addTokenServer(listeners.sandbox_auth, environments, "sandbox", () => addresses.sandbox_auth_url);
    const listen = async (listener: FastifyInstance, port: number, given: string) => {
      await listener.listen({ host: config.HOST, port });
      return given || ownAddress(config, (listener.server.address() as AddressInfo).port);
    };
    addresses.auth_url = await listen(listeners.auth, config.AUTH_PORT, config.AUTH_URL);
    addresses.sandbox_auth_url = await listen(
      listeners.sandbox_auth,
      config.SANDBOX_AUTH_PORT,
      config.SANDBOX_AUTH_URL,
    );
    addresses.base_url = await listen(listeners.partner, config.PORT, config.BASE_URL);

    const process_id = randomUUID();
    const reads = readKeeper(deps, process_id);
    const keepingReads = startLoop(deps, "keep-reads", KEEP_READS_EVERY_MS, () => reads.run());
    deps.audit_log.onBatch = keepingReads.wake;
    const chainer = entryChainer(db);
    // Each environment has its own loops, so that a long round in the sandbox delays none in production.
    const jobsOf = (own: EnvironmentDeps) => [
      startLoop(own, "process-waiting", WAITING_EVERY_MS, async () => void (await processWaiting(own, formatOf))),
      startLoop(own, "fill-due", FILL_EVERY_MS, async () => void (await fillDue(own))),
      startLoop(own, "fill-back-orders", BACK_ORDERS_EVERY_MS, () => fillBackOrders(own)),
      startLoop(own, "recheck-due", RECHECK_EVERY_MS, () => recheckDue(own)),
      startLoop(own, "check-people", PEOPLE_EVERY_MS, () => checkPeople(own)),
      startLoop(own, "track-shipments", TRACK_EVERY_MS, () => trackShipments(own)),
      startLoop(own, "settle-unpaid", UNPAID_EVERY_MS, () => settleUnpaid(own)),
      startLoop(own, "close-months", CLOSE_MONTHS_EVERY_MS, () => closeMonths(own)),
      startLoop(own, "count-usage", COUNT_USAGE_EVERY_MS, () => countUsage(own, own.serves)),
    ];
    const jobs = [
      keepingReads,
      ...each.flatMap(jobsOf),
      startLoop(deps, "share-usage", SHARE_USAGE_EVERY_MS, () => usage.run()),
      startLoop(deps, "share-limits", SHARE_EVERY_MS, () => shareLimits(deps, process_id)),
      startLoop(deps, "canaries", CANARIES_EVERY_MS, async () => {
        await safety.check();
        await recheckUnchecked(environments.production);
      }),
      startLoop(deps, "recheck-unchecked", CANARIES_EVERY_MS, () => recheckUnchecked(environments.sandbox)),
      startLoop(deps, "keep-requests", KEEP_REQUESTS_EVERY_MS, () => keepRequests(deps)),
      startLoop(deps, "chain-audit", CHAIN_AUDIT_EVERY_MS, async () => void (await chainer.run())),
      startLoop(deps, "sign-audit", SIGN_AUDIT_EVERY_MS, () => signAndShip(deps)),
      startLoop(deps, "drop-audit", DROP_AUDIT_EVERY_MS, async () => void (await dropOldEntries(deps))),
      startLoop(deps, "renew-keys", RENEW_KEYS_EVERY_MS, async () => {
        const key_id = await renewDataKey({ config, db, masterKeys: () => masterKeys(config) }, now());
        if (key_id !== null) log.info({ key_id }, "added a data key");
      }),
      startLoop(deps, "tidy", TIDY_EVERY_MS, async () => void (await tidy(deps))),
    ];
    if (config.WEBHOOK_CONCURRENCY > 0) {
      delivering = startDelivering([
        { deps: environments.production, concurrency: config.WEBHOOK_CONCURRENCY },
        { deps: environments.sandbox, concurrency: config.SANDBOX_WEBHOOK_CONCURRENCY },
      ]);
      deliveries.wake = delivering.wake;
    } else {
      deliveries.wake = nowAndThen(TELL_EVERY_MS, () => {
        announce(db, { kind: "deliveries", account_id: "" }).catch(() => {});
      });
    }
    return {
      deps,
      environments,
      addresses,
      embedded: database.embedded,
      listeners,
      async stop(grace_ms = GRACE_MS) {
        // Event streams never end on their own.
        deps.home_watch.close();
        const cutOff = setTimeout(() => {
          for (const { server } of Object.values(listeners)) server.closeAllConnections();
        }, grace_ms);
        await Promise.all([
          ...Object.values(listeners).map((listener) => listener.close()),
          ...jobs.map((job) => job.stop()),
          delivering?.stop(Math.min(grace_ms, DELIVERY_GRACE_MS)),
        ]);
        if (delivering === undefined) await deps.webhook_client.close();
        clearTimeout(cutOff);
        // Log the requests answered since the job last ran.
        await keepRequests(deps).catch(() => {});
        // Otherwise the next count adds it.
        await usage.run().catch(() => {});
        // If this fails, the next start reports the gap.
        await reads.stop().catch(() => {});
        await dropLeases(db, process_id).catch(() => {});
        await bus.close();
        await reading;
        await database.close();
      },
    };
  } catch (error) {
    for (const one of opened) await one.close().catch(() => {});
    throw error;
  }
}

/** Throttles `call`: runs it immediately, then at most once per interval. Never drops the last request. */
function nowAndThen(every_ms: number, call: () => void): () => void {
  let timer: NodeJS.Timeout | undefined;
  let again = false;
  return function ask() {
    if (timer !== undefined) {
      again = true;
      return;
    }
    call();
    again = false;
    timer = setTimeout(() => {
      timer = undefined;
      if (again) ask();
    }, every_ms).unref();
  };
}

function ownAddress(config: Config, port: number): string {
  const host = config.HOST.includes(":") ? `[${config.HOST}]` : config.HOST;
  return `${config.TLS_CERT_FILE === "" ? "http" : "https"}://${host}:${port}`;
}
