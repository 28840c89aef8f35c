import type { Logger } from "pino";
import type { WebhookClient } from "./adapters/webhook-client.ts";
import { adaptersInUse } from "./adapters-in-use.ts";
import { createAuditLog } from "./audit-log.ts";
import { type Config, rolesOf } from "./config.ts";
import { type Copies, createCopies, dropAll, dropChanged } from "./copies.ts";
import { type Database, openDatabase, type Pools } from "./database.ts";
import { announce, type Change, openBus } from "./db/bus.ts";
import type { Db } from "./db/db.ts";
import type { Addresses, Deps } from "./deps.ts";
import type { Delivering } from "./jobs/deliver.ts";
import { createQuotaBook } from "./limits/quota-book.ts";
import { createRateLimiter } from "./limits/rate-limiter.ts";
import { createTryLimiter } from "./limits/try-limiter.ts";
import { createMetrics, type Metrics } from "./metrics/metrics.ts";
import { nowAndThen } from "./now-and-then.ts";
import { createPasswords } from "./passwords.ts";
import { BEAT_EVERY_MS, openReplicas, type Replicas } from "./replicas/replicas.ts";
import { createRequestLog } from "./request-log.ts";
import { secondFactorOf } from "./usecases/accounts/sign-in.ts";
import { watchHome } from "./usecases/operations/watch-home.ts";
import { noSafetyEngine, openSafetyEngine } from "./usecases/safety/safety-engine.ts";
import type { Vault } from "./vault/vault.ts";

/** The open database of a process, and what its connections report to. */
type Store = {
  config: Config;
  log: Logger;
  now: () => Date;
  metrics: Metrics;
  copies: Copies;
  /** This process wrote events that may be due. */
  deliveries: { wake(): void };
  /** Another process wrote events that may be due, and does not deliver them. */
  told: Pick<Delivering, "wake" | "resume">;
  database: Database;
  onBroken: (error: Error) => void;
};

export async function openStore(
  config: Config,
  given: Pick<Store, "log" | "now"> & { onIndexKeyChanged?: ((error: Error) => void) | undefined },
): Promise<Store> {
  const { log, now, onIndexKeyChanged } = given;
  const metrics = createMetrics();
  const copies = createCopies();
  const [deliveries, told] = [{ wake: () => {} }, { wake: () => {}, resume: () => {} }];
  const onBroken = (error: Error) => {
    metrics.countFault("database");
    log.warn({ fault: error.message }, "database unreachable or too slow");
  };
  const database = await openDatabase(config, {
    log: (message) => log.info(message),
    onBroken,
    onIndexKeyChanged,
    onEvents: () => deliveries.wake(),
    onAnnounced: (change) => dropChanged(copies, JSON.parse(change) as Change),
  });
  return { config, log, now, metrics, copies, deliveries, told, database, onBroken };
}

/** At most how often a process notifies the others of new events. */
export const TELL_EVERY_MS = 50;

/** For a process that does not send webhooks: tells the processes that do that an event may be due. */
export const tellCouriers = (db: Db) =>
  nowAndThen(TELL_EVERY_MS, () => {
    announce(db, { kind: "deliveries", account_id: "" }).catch(() => {});
  });

/** The dependencies of a process that serves requests, with its safety tables loaded and its change bus open. */
export async function openDeps(
  { config, log, now, metrics, copies, deliveries, told, database, onBroken }: Store,
  given: {
    vault: Vault;
    /** The connections of jobs and of everything that belongs to no environment. */
    pools: Pools;
    demo: boolean;
    /** Whether it is the sandbox's own process. */
    process: "main" | "sandbox";
    webhook_client?: WebhookClient;
    password_cost?: number;
  },
): Promise<{ deps: Deps & { db: Db }; addresses: Addresses; close(): Promise<void> }> {
  const { vault, pools, demo, webhook_client, password_cost } = given;
  const { db, tenants, queue } = pools;
  const serves = rolesOf(config).some((role) => role === "api" || role === "web");
  const checks_orders = serves || rolesOf(config).includes("jobs");
  const hosts = serves ? database.replicas : [];
  let replicas: Replicas | undefined;
  const safety = checks_orders ? await openSafetyEngine({ config, db, log, metrics }) : noSafetyEngine;
  const reloadKeys = () =>
    vault.reload(db).catch((error: Error) => log.warn({ fault: error.message }, "reloading the keys failed"));
  // Wait for reloads before closing the database; otherwise a failed start logs false alarms.
  let reading: Promise<unknown> = Promise.resolve();
  const readAgain = (...work: Promise<void>[]) => {
    reading = Promise.all([reading, ...work]);
  };
  const bus = openBus({
    connect: db.connect,
    ...(hosts.length > 0 && { beat_every_ms: BEAT_EVERY_MS, reads_clock: true }),
    onChange: (change) => {
      dropChanged(copies, change);
      if (change.kind === "ahead") replicas?.learn(change.ids ?? []);
      if (change.kind === "joined") replicas?.announceAgain();
      if (change.kind === "deliveries") told.wake();
      if (change.kind === "webhook_endpoint" && change.id !== undefined) told.resume(change.id);
      if (change.kind === "keys") readAgain(reloadKeys());
      if (change.kind === "safety") readAgain(safety.reload());
    },
    onGap: () => {
      dropAll(copies);
      // A process may have joined unheard.
      replicas?.announceAgain();
      readAgain(reloadKeys(), safety.reload());
    },
    revive: database.revive,
    onTrouble: onBroken,
  });
  if (hosts.length > 0) {
    const onFault = ({ message }: Error) => log.warn({ fault: message }, "a replica is out of reach");
    replicas = openReplicas({ hosts, primary: db, bus, metrics, onFault });
  }
  // Loaded only if it is used.
  const tracer =
    config.OTEL_EXPORTER_OTLP_ENDPOINT === ""
      ? undefined
      : (await import("./tracing/open-tracer.ts")).openTracer(config, { log, metrics, process: given.process });
  const close = async () => {
    await replicas?.close();
    await bus.close();
    await reading;
  };
  try {
    await bus.opened;
    const addresses: Addresses = { base_url: "", auth_url: "", sandbox_auth_url: "" };
    const deps = {
      ...{ config, addresses, db, across: db, tenants, queue, vault, bus, copies, safety, deliveries },
      ...{ log, metrics, now, replicas },
      ...(tracer && { tracer }),
      limiter: createRateLimiter(),
      strangers: createRateLimiter(),
      quotas: createQuotaBook(),
      tries: createTryLimiter(),
      passwords: createPasswords(password_cost),
      ...adaptersInUse(config, { demo, metrics, now }),
      ...(webhook_client && { webhook_client }),
      home_watch: watchHome({ config, db, now, log }),
      second_factor: secondFactorOf(config, demo),
      request_log: createRequestLog(),
      audit_log: createAuditLog(),
    };
    const closeAll = async () => {
      await deps.sms.production?.close();
      await tracer?.close();
      await close();
    };
    return { deps, addresses, close: closeAll };
  } catch (error) {
    await close();
    throw error;
  }
}
