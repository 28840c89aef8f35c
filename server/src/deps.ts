import type { Environment } from "@pestle/contract";
import type { Logger } from "pino";
import type { AddressValidator } from "./adapters/address-validator.ts";
import type { Carriers } from "./adapters/carriers.ts";
import type { Documents } from "./adapters/documents/documents.ts";
import type { Mail } from "./adapters/mail.ts";
import type { Payments } from "./adapters/payments.ts";
import type { WebhookClient } from "./adapters/webhook-client.ts";
import type { Config } from "./config.ts";
import type { Copies } from "./copies.ts";
import type { Bus } from "./db/bus.ts";
import type { Database } from "./db/db.ts";
import type { ZipTable } from "./domain/values/address/zip.ts";
import type { Metrics } from "./metrics.ts";
import type { RateLimiter } from "./rate-limiter.ts";
import type { RequestLog } from "./request-log.ts";
import type { HomeWatch } from "./usecases/operations/watch-home.ts";
import type { SafetyEngine } from "./usecases/safety/safety-engine.ts";
import type { Vault } from "./vault/vault.ts";

export type Addresses = { base_url: string; auth_url: string; sandbox_auth_url: string };

/** What functions are given: plain values and functions, first argument of every use case. */
export type Deps = {
  config: Config;
  /** Where the three listeners are reached, from outside too; known once they listen. */
  addresses: Readonly<Addresses>;
  db: Database;
  /** For the queue of deliveries alone. */
  queue: Database;
  vault: Vault;
  bus: Pick<Bus, "fresh">;
  copies: Copies;
  /** Limits of known credentials, shared between processes by leases. */
  limiter: RateLimiter;
  /** Limits of whoever is not known (yet), counted in this process alone. */
  strangers: RateLimiter;
  /** The ZIP codes there are. */
  zips: ZipTable;
  /** Who says whether an address can be delivered to; the sandbox's knows magic values besides. */
  address_validators: Readonly<Record<Environment, AddressValidator>>;
  safety: SafetyEngine;
  /** The sandbox never reaches a provider or a carrier. */
  payments: Record<Environment, Payments>;
  carriers: Readonly<Record<Environment, Carriers>>;
  documents: Documents;
  /** How the queues stand, for whoever looks at the home page. */
  home_watch: HomeWatch;
  /** Whether people need an authenticator beside their password. */
  second_factor: "required" | "offered";
  /** Requests of known credentials, on their way into the log that partners see. */
  request_log: RequestLog;
  mail: Mail;
  webhook_client: WebhookClient;
  /** `wake`: deliveries may be due. Statements that write events need not call it (`onEvents` of the database does). */
  deliveries: { wake(): void };
  log: Logger;
  metrics: Metrics;
  /** Real time. An account's own time is `accountNow`. */
  now: () => Date;
};
