import type { LoggedRequest } from "@pestle/contract";
import { errorHints } from "./error-hints.ts";

/** A row of the request log. */
type Row = {
  request_id: string;
  at: Date;
  credential_id: string;
  method: string;
  route: string;
  status: number;
  duration_ms: number;
  error_codes: readonly number[];
};

/** A request as the partner API shows it. */
export const loggedRequest = (account_id: string, row: Row): LoggedRequest => ({
  request_id: row.request_id,
  requested_at: row.at.toISOString(),
  method: row.method as LoggedRequest["method"],
  path: row.route,
  status: row.status,
  duration_ms: Math.round(row.duration_ms * 100) / 100,
  client_id: `${account_id}-${row.credential_id}`,
  errors: errorHints(row.status, row.error_codes).map(({ code, ...hint }) => ({ code: Number(code), ...hint })),
});
