import type { ShownQuota } from "../accounts/quotas.ts";

/** Filters of `GET …/requests`. `errors=true`: 400 and above. */
export type PortalRequestFilter = {
  request_id?: string;
  credential_id?: string;
  method?: string;
  route?: string;
  status?: number;
  errors?: "true";
  error_code?: string;
  since?: string;
  until?: string;
};
/** `GET …/requests`, newest first. Times are real time, not the sandbox clock. */
export type PortalRequests = { requests: PortalRequest[]; next_cursor: string | null; kept_days: number };
/** Without bodies or full URLs, which could contain patient data. */
export type PortalRequest = {
  request_id: string;
  at: string;
  method: string;
  /** The pattern, such as `/orders/{order_number}`; `(none)` for an unknown path. */
  route: string;
  status: number;
  duration_ms: number;
  credential_id: string;
  credential_name: string | null;
  errors: PortalErrorHint[];
};
/** `GET …/requests/{request_id}`. The body of a rejected request shows its fields, and only the shape of most values. */
export type PortalRequestDetails = PortalRequest & { body: string | null };
/** What an error means and what to do about it, from the contract's tables. */
export type PortalErrorHint = { code: string; title: string; field: string | null; resolution: string };

/**
 * `GET …/request_errors?hours=24` (1 to 168), or `since` and `until` as in the list of requests: errors, most frequent first.
 */
export type PortalRequestErrors = { since: string; groups: PortalErrorGroup[] };
export type PortalErrorGroup = PortalErrorHint & {
  status: number;
  count: number;
  first_at: string;
  last_at: string;
  routes: { method: string; route: string; count: number }[];
  /** The newest few. */
  request_ids: string[];
};

/** `GET …/usage?hours=24` (1 to 720): one row per hour, oldest first. Times are real time. */
export type PortalUsage = {
  hours: PortalUsageHour[];
  totals: Omit<PortalUsageHour, "hour">;
  /** Per credential. */
  limit: { rate_per_second: number; burst: number };
  /** What the account stores, and how much it may. */
  quotas: ShownQuota[];
  /** Hours with attempts, by the account's clock. */
  webhooks: { hour: string; attempts: number; delivered: number; failed: number }[];
};
export type PortalUsageHour = {
  hour: string;
  requests: number;
  /** 4xx except 429. */
  client_errors: number;
  server_errors: number;
  /** 429. */
  limited: number;
  p50_ms: number | null;
  p99_ms: number | null;
  /** Requests per second of the busiest credential in its busiest minute. */
  busiest_per_second: number;
  /** Share of the sustained limit left in that minute, from 0 to 1. */
  headroom: number;
};
