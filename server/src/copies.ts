import type { Grant } from "./db/accounts/tokens.ts";
import type { Change } from "./db/bus.ts";
import { BoundedMap } from "./domain/values/bounded-map.ts";
import type { KnownClient } from "./usecases/accounts/authenticate-client.ts";
import type { CatalogueAnswers } from "./usecases/catalogue/read-catalogue.ts";
import type { OrderText } from "./usecases/orders/read-orders.ts";

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
  /** Rendered orders by account and number. Every read compares the stamp with the database, so no change drops one. */
  orders: BoundedMap<OrderText>;
  /** Catalogue loads in progress. Requests that miss the cache at the same time share one load. */
  loading: SharedLoads<CatalogueAnswers>;
};

const MIB = 1024 * 1024;
/** Grants and clients have a fixed form; their sizes are measured, with a margin. */
const MOST_GRANTS = { entries: 100_000, bytes: 100 * MIB, bytesOf: () => 600 };
const MOST_CLIENTS = { entries: 10_000, bytes: 20 * MIB, bytesOf: () => 1_000 };
/** A product is in memory three times: as a record, in the formulary, and in the rendered list. */
const BYTES_PER_PRODUCT = 6_000;
const MOST_CATALOGUES = {
  entries: 2_000,
  bytes: 256 * MIB,
  bytesOf: ({ products, brands, shipping_methods }: CatalogueAnswers) =>
    BYTES_PER_PRODUCT * (1 + products.length + brands.length + shipping_methods.length),
};

const MOST_ORDERS = {
  entries: 20_000,
  bytes: 32 * MIB,
  bytesOf: ({ text, stamp }: OrderText) => 200 + 2 * (text.length + stamp.length),
};

export function createCopies(): Copies {
  return {
    version: 0,
    grants: new BoundedMap(MOST_GRANTS),
    clients: new BoundedMap(MOST_CLIENTS),
    catalogues: new BoundedMap(MOST_CATALOGUES),
    orders: new BoundedMap(MOST_ORDERS),
    loading: new SharedLoads(),
  };
}

/** Caches a value read since `version`, unless a change arrived in the meantime and the value may be stale. */
export function keep<Value>(copies: Copies, version: number, map: BoundedMap<Value>, key: string, value: Value): void {
  if (copies.version === version) map.set(key, value);
}

export function dropAll(copies: Copies): void {
  copies.version += 1;
  copies.loading.forget();
  copies.grants.clear();
  copies.clients.clear();
  copies.catalogues.clear();
  // After a failover, a transaction id may name another version of a row.
  copies.orders.clear();
}

export function dropChanged(copies: Copies, change: Change): void {
  // These are frequent when another process writes the events, and no cached row depends on them.
  if (change.kind === "deliveries" || change.kind === "ahead" || change.kind === "joined") return;
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

/** Runs one load per key at a time and gives its result to every concurrent caller. */
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
  /** Called on a change: a load that began before it must not answer later callers. */
  forget(): void {
    this.#running.clear();
  }
}
