import type { Grant } from "./db/accounts/tokens.ts";
import type { Change } from "./db/bus.ts";
import type { KnownClient } from "./usecases/accounts/authenticate-client.ts";
import type { CatalogueAnswers } from "./usecases/catalogue/read-catalogue.ts";

/**
 * A process's cache of database rows. It uses an entry only while the change bus is fresh, drops the entry when any
 * process changes the row, and drops everything after a gap in the bus.
 */
export type Copies = {
  /** Incremented with every change. `keep` caches a row only if this did not change while it was read. */
  version: number;
  grants: BoundedMap<Grant>;
  clients: BoundedMap<KnownClient>;
  catalogues: BoundedMap<CatalogueAnswers>;
  /** Catalogues that are being read: requests that miss the copy at the same time share one read. */
  loading: SharedLoads<CatalogueAnswers>;
};

const MOST_GRANTS = 100_000;
const MOST_CLIENTS = 10_000;
const MOST_CATALOGUES = 2_000;

export function createCopies(): Copies {
  return {
    version: 0,
    grants: new BoundedMap(MOST_GRANTS),
    clients: new BoundedMap(MOST_CLIENTS),
    catalogues: new BoundedMap(MOST_CATALOGUES),
    loading: new SharedLoads(),
  };
}

/** Caches a value read since `version`, unless a change arrived in the meantime: the value may be stale. */
export function keep<Value>(copies: Copies, version: number, map: BoundedMap<Value>, key: string, value: Value): void {
  if (copies.version === version) map.set(key, value);
}

export function dropAll(copies: Copies): void {
  copies.version += 1;
  copies.loading.forget();
  copies.grants.clear();
  copies.clients.clear();
  copies.catalogues.clear();
}

export function dropChanged(copies: Copies, change: Change): void {
  // Frequent if one process delivers what another writes, and not about cached rows.
  if (change.kind === "deliveries") return;
  copies.version += 1;
  copies.loading.forget();
  const ofAccount = (row: { account_id: string }) => row.account_id === change.account_id;
  switch (change.kind) {
    case "token":
      copies.grants.delete(change.id ?? "");
      break;
    case "credential":
      copies.grants.deleteWhere((grant) => ofAccount(grant) && grant.credential_id === change.id);
      copies.clients.deleteWhere((client) => ofAccount(client) && client.credential_id === change.id);
      break;
    case "account":
      copies.grants.deleteWhere(ofAccount);
      copies.clients.deleteWhere(ofAccount);
      break;
    case "catalogue":
      copies.catalogues.delete(change.account_id);
      break;
    case "keys":
      copies.clients.clear();
      break;
    // The safety engine reloads its own tables.
    case "safety":
      break;
  }
}

/** Runs one load per key at a time and gives its result to everyone who asked meanwhile. */
class SharedLoads<Value> {
  readonly #running = new Map<string, Promise<Value>>();
  once(key: string, load: () => Promise<Value>): Promise<Value> {
    const running = this.#running.get(key);
    if (running !== undefined) return running;
    const started = load().finally(() => {
      if (this.#running.get(key) === started) this.#running.delete(key);
    });
    this.#running.set(key, started);
    return started;
  }
  /** After a change, a load that began before it must not answer those who ask after it. */
  forget(): void {
    this.#running.clear();
  }
}

/** A map that drops its oldest entry when full, so that memory stays bounded. */
export class BoundedMap<Value> extends Map<string, Value> {
  readonly #most: number;
  constructor(most: number) {
    super();
    this.#most = most;
  }
  override set(key: string, value: Value): this {
    if (this.size >= this.#most && !this.has(key)) this.delete(this.keys().next().value as string);
    return super.set(key, value);
  }
  deleteWhere(matches: (value: Value) => boolean): void {
    for (const [key, value] of this) if (matches(value)) this.delete(key);
  }
}
