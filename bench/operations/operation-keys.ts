/** What `--only` takes, by the part of the bench that prepares it. */
export const PART_KEYS = {
  orders: ["post-order", "list-orders", "deep-page", "get-order", "patient-orders", "not-modified"],
  intake: ["newrx"],
  webhooks: ["delivery"],
  accounts: ["read", "token"],
} as const;
export const OPERATION_KEYS: readonly string[] = Object.values(PART_KEYS).flat();
