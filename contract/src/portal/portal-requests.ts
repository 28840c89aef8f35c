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
/** `GET …/requests`, newest first. Real time, whatever the account's clock shows. */
export type PortalRequests = { requests: PortalRequest[]; next_cursor: string | null; kept_days: number };
/** `GET …/requests/{request_id}` answers one. No bodies, no addresses: what a request was about is in neither. */
export type PortalRequest = {
  request_id: string;
  at: string;
  method: string;
  /** The pattern, such as `/orders/{order_number}`; `(none)` for a path that is none. */
  route: string;
  status: number;
  duration_ms: number;
  credential_id: string;
  credential_name: string | null;
  errors: PortalErrorHint[];
};
/** What an error means and what to do about it, from the contract's tables. */
export type PortalErrorHint = { code: string; title: string; field: string | null; resolution: string };

/** `GET …/request_errors?hours=24` (1 to 168): what went wrong, the most frequent first. */
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

/** `GET …/usage?hours=24` (1 to 720): every hour has a row, oldest first. Real time. */
export type PortalUsage = {
  hours: PortalUsageHour[];
  totals: Omit<PortalUsageHour, "hour">;
  /** Per credential. */
  limit: { rate_per_second: number; burst: number };
  /** Hours that had attempts, on the account's clock. */
  webhooks: { hour: string; attempts: number; delivered: number; failed: number }[];
};
export type PortalUsageHour = {
  hour: string;
  requests: number;
  /** 4xx but for 429. */
  client_errors: number;
  server_errors: number;
  /** 429. */
  limited: number;
  p50_ms: number | null;
  p99_ms: number | null;
  /** Of one credential, requests a second in its busiest minute. */
  busiest_per_second: number;
  /** What of the sustained limit that left, from 0 to 1. */
  headroom: number;
};
