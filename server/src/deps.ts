import type { Agent } from "node:http";
import type { Environment, ProviderChoice, ProviderKind, ProviderName } from "@pestle/contract";
import type { Logger } from "pino";
import type { AddressValidator } from "./adapters/addresses/address-validator.ts";
import type { Carriers } from "./adapters/carriers/carriers.ts";
import type { Documents } from "./adapters/documents/documents.ts";
import type { Mail } from "./adapters/messages/mail.ts";
import type { Sms } from "./adapters/messages/sms.ts";
import type { Oidc } from "./adapters/oidc.ts";
import type { PasskeyVerifier } from "./adapters/passkeys.ts";
import type { Payments } from "./adapters/payments/payments.ts";
import type { ProviderWatch } from "./adapters/providers/provider-watch.ts";
import type { RootDestination } from "./adapters/root-destinations.ts";
import type { WebhookClient } from "./adapters/webhook-client.ts";
import type { AuditLog } from "./audit-log.ts";
import type { Config } from "./config.ts";
import type { Copies } from "./copies.ts";
import type { Bus } from "./db/bus.ts";
import type { Database, Db, Queryable } from "./db/db.ts";
import { readingFrom } from "./db/replica.ts";
import { tracedDatabase } from "./db/traced-database.ts";
import type { ZipTable } from "./domain/values/address/zip.ts";
import { BoundedMap } from "./domain/values/bounded-map.ts";
import type { Admission } from "./limits/admission.ts";
import type { QuotaBook } from "./limits/quota-book.ts";
import type { RateLimiter } from "./limits/rate-limiter.ts";
import type { TryLimiter } from "./limits/try-limiter.ts";
import type { Metrics } from "./metrics/metrics.ts";
import type { Passwords } from "./passwords.ts";
import type { Replicas } from "./replicas/replicas.ts";
import type { Replica } from "./replicas/watch-replica.ts";
import type { RequestLog } from "./request-log.ts";
import type { Tracer } from "./tracing/tracer.ts";
import type { HomeWatch } from "./usecases/operations/watch-home.ts";
import type { SafetyEngine } from "./usecases/safety/safety-engine.ts";
import type { Vault } from "./vault/vault.ts";

export type Addresses = { base_url: string; auth_url: string; sandbox_auth_url: string };

/** The dependencies: plain values and functions, passed as the first argument of every use case. */
export type Deps = {
  config: Config;
  /** Public URLs of the three listeners, set when they listen. */
  addresses: Readonly<Addresses>;
  /** All accounts, or the one account of the request (`forAccount`). */
  db: Database;
  /** All accounts, always: for work of the pharmacy that a request of one account causes. */
  across: Database;
  /** The database for one account at a time. */
  tenants: Pick<Db, "of">;
  /** Only for the delivery queue. */
  queue: Database;
  vault: Vault;
  bus: Pick<Bus, "fresh">;
  copies: Copies;
  /** Limits of known credentials, shared between processes by leases. */
  limiter: RateLimiter;
  /** Limits of unauthenticated callers, counted per process. */
  strangers: RateLimiter;
  /** What each account stores, and its quotas. */
  quotas: QuotaBook;
  /** Wrong passwords and codes, counted per process. */
  tries: TryLimiter;
  passwords: Passwords;
  /** All known ZIP codes. */
  zips: ZipTable;
  /** Address validation. The sandbox also recognizes magic values. */
  address_validators: Readonly<Record<Environment, AddressValidator>>;
  safety: SafetyEngine;
  /** Who serves production accounts, by kind; null without a provider. */
  providers: Readonly<Record<ProviderKind, ProviderChoice | null>>;
  /** One harmless call of each provider in use. Each resolves to a sentence, or throws. */
  provider_checks: Readonly<Partial<Record<ProviderName, () => Promise<string>>>>;
  /** Figures and exchanges of the calls of outside services. */
  provider_watch: ProviderWatch;
  /** The sandbox never calls a real provider or carrier. */
  payments: Record<Environment, Payments>;
  carriers: Readonly<Record<Environment, Carriers>>;
  documents: Documents;
  /** Queue counts for open home pages. */
  home_watch: HomeWatch;
  /** Whether users need an authenticator in addition to their password. */
  second_factor: "required" | "offered";
  /** Buffers authenticated requests for the request log that partners see. */
  request_log: RequestLog;
  /** Buffers the audit entries of reads. */
  audit_log: AuditLog;
  /** Where the audit log's signed roots go. */
  roots_to: readonly RootDestination[];
  mail: Mail;
  /** Text messages to patients; null without a provider. The sandbox sends none. */
  sms: Readonly<Record<Environment, Sms | null>>;
  /** Signs people in at another system. */
  oidc: Oidc;
  passkeys: PasskeyVerifier;
  webhook_client: WebhookClient;
  /** `wake`: deliveries may be due. Code that writes events need not call it; the database's `onEvents` does. */
  deliveries: { wake(): void };
  log: Logger;
  metrics: Metrics;
  /** Records traces; absent if the settings name no collector. */
  tracer?: Tracer;
  /** Real time. An account's own time is `accountNow`. */
  now: () => Date;
  /** Set with READ_DATABASE_URL. */
  replicas?: Replicas | undefined;
  /** Set if the sandbox has a process of its own. */
  sandbox_process?: Elsewhere | undefined;
  /** The environment whose accounts a job handles; undefined for both. */
  serves?: Environment;
};

/** The process that serves an environment apart from this one. */
export type Elsewhere = {
  /** Its socket; undefined while it is down. */
  socket_path(): string | undefined;
  agent: Agent;
};

/**
 * The same dependencies for one account: its statements see and write rows of that account alone, even if they forget to
 * say which. Every request of a partner runs with these.
 */
export function forAccount(deps: EnvironmentDeps, account_id: string): Deps {
  const known = deps.by_account.get(account_id);
  if (known !== undefined) return known;
  // A copy of this many fields takes longer than the rest of a read, so each account has one.
  const made = { ...deps, db: deps.tenants.of(account_id) };
  deps.by_account.set(account_id, made);
  return made;
}

/** The dependencies of an account's read that may be a moment old (`http/stale-reads.ts`). A replica answers it if one is usable. */
export const readerFor = (deps: EnvironmentDeps, account_id: string): Deps | Promise<Deps> =>
  onReplica(forAccount(deps, account_id), account_id, (replica) => replica[deps.serves].tenants.of(account_id));

/** The same for a read across accounts, by a person or for an account. */
export const readerAcross = (deps: Deps, party: string): Deps | Promise<Deps> =>
  onReplica(deps, party, (replica) => replica[deps.serves ?? "production"].db);

function onReplica(own: Deps, party: string, pool: (replica: Replica) => Queryable): Deps | Promise<Deps> {
  const { replicas } = own;
  if (replicas === undefined) return own;
  const { span } = own.db;
  const reader = (replica: Replica | undefined): Deps => {
    if (replica === undefined) return own;
    // A span covers a statement wherever it runs, so the primary below it has none of its own.
    const primary = span === undefined ? own.db : own.db.inTrace(span.traceparent);
    const db = readingFrom(pool(replica), primary, (read, otherwise) =>
      replica.attempt(read, () => {
        replicas.fellBack(party);
        return otherwise();
      }),
    );
    return { ...own, db: span === undefined ? db : tracedDatabase(db, span) };
  };
  const chosen = replicas.choose(party);
  return chosen instanceof Promise ? chosen.then(reader) : reader(chosen);
}

/** Runs a write of the party. When it ends, the party's reads show it, at any process. */
export async function readableWrite<Result>(
  { replicas }: Pick<Deps, "replicas">,
  party: string,
  work: () => Promise<Result>,
): Promise<Result> {
  if (replicas === undefined) return work();
  try {
    return await work();
  } finally {
    await replicas.written(party);
  }
}

const MOST_ACCOUNTS = { entries: 10_000, bytes: 32 * 1024 * 1024, bytesOf: () => 2_000 };
export const accountDeps = () => new BoundedMap<Deps>(MOST_ACCOUNTS);

/**
 * The dependencies of one environment's requests, tokens and jobs: its own connections, its own limit of requests at once.
 * A flood in the sandbox takes none of production's.
 */
export type EnvironmentDeps = Deps & {
  serves: Environment;
  admission: Admission;
  by_account: BoundedMap<Deps>;
  /** Set if another process serves this environment's partners. */
  elsewhere?: Elsewhere;
};
export type PerEnvironment = Readonly<Record<Environment, EnvironmentDeps>>;
