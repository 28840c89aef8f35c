import { MOST_WEBHOOK_ENDPOINTS } from "../webhooks/webhooks.ts";

const GIB = 1024 ** 3;

type Quota = {
  readonly counts: string;
  readonly refuses: string;
  readonly sandbox: number;
  readonly production: number;
};

/**
 * What an account can store, unless the operator sets another number for it. An account that has reached a quota keeps
 * everything and can read it. The API refuses only the requests that would add to it.
 */
export const quotas = {
  patients: {
    counts: "patients",
    refuses: "simulated prescriptions of a new patient",
    sandbox: 250_000,
    production: 50_000_000,
  },
  prescriptions: {
    counts: "prescriptions",
    refuses: "simulated prescriptions",
    sandbox: 500_000,
    production: 200_000_000,
  },
  orders: { counts: "orders", refuses: "new orders and reorders", sandbox: 500_000, production: 200_000_000 },
  refill_schedules: {
    counts: "refill schedules, also canceled ones",
    refuses: "new refill schedules",
    sandbox: 100_000,
    production: 50_000_000,
  },
  webhook_events: {
    counts: "events in the feed",
    refuses: "simulated events",
    sandbox: 2_000_000,
    production: 2_000_000_000,
  },
  webhook_endpoints: {
    counts: "webhook endpoints",
    refuses: "new endpoints, with 42200",
    sandbox: MOST_WEBHOOK_ENDPOINTS,
    production: MOST_WEBHOOK_ENDPOINTS,
  },
  stored_bytes: {
    counts: "bytes of all records, events and attempts",
    refuses: "new orders, addresses, documents and simulations; in the sandbox every request that stores more",
    sandbox: 5 * GIB,
    production: 2048 * GIB,
  },
} as const satisfies Record<string, Quota>;

export type QuotaName = keyof typeof quotas;
export const quotaNames = Object.keys(quotas) as QuotaName[];
export const isQuotaName = (name: string): name is QuotaName => Object.hasOwn(quotas, name);

/** A quota of an account, as the portal and `pestle partner quota` show it. */
export type ShownQuota = { quota: QuotaName; counts: string; used: number; most: number };

/** The message of the 429 for a quota. The body also has `quota`, its name. */
export const QUOTA_MESSAGE =
  "The account has reached a quota. Nothing was stored. Ask the pharmacy for more, or remove what you no longer need.";
/** The service counts each account again about this often, so an earlier retry gets the same answer. */
export const QUOTA_RETRY_AFTER_S = 3600;
