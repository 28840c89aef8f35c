import type { DisableReason, Environment } from "@pestle/contract";
import { type Queryable, sql, statementOf, type Tx } from "../db.ts";

export const sealedEndpointColumns = ["secret_sealed", "signing_secret_sealed"] as const;
type SealedEndpointColumn = (typeof sealedEndpointColumns)[number];

/** The vault's place for an endpoint's secrets. */
export const endpointPlace = (column: SealedEndpointColumn, account_id: string, endpoint_id: string) =>
  `webhook_endpoint.${column} ${account_id} ${endpoint_id}`;

/** An endpoint with due deliveries, and everything needed to send to it. */
export type DueEndpoint = {
  account_id: string;
  endpoint_id: string;
  environment: Environment;
  clock_offset_s: number;
  url: string;
  secret_sealed: Buffer;
  signing_secret_sealed: Buffer;
  signing_credential_id: string;
  secret_id: number;
  digest_sealed: Buffer;
};

/** The secret `s` that signs requests to an endpoint `p`. */
export const SIGNING_SECRET = `cross join lateral (
  -- The pinned secret while it is live, then the oldest live one. If the credential was revoked, the receiver still
  -- knows the pinned one.
  select s.secret_id, s.digest_sealed
  from credential_secret s
  where s.account_id = p.account_id and s.credential_id = p.signing_credential_id
  order by case
      when s.revoked_at is null and s.secret_id = p.signing_credential_secret_id then 1
      when s.revoked_at is null then 2
      when s.secret_id = p.signing_credential_secret_id then 3
      else 4
    end, s.secret_id
  limit 1) s`;

const due = statementOf<[now: Date, environment: Environment | null], DueEndpoint>(`
select p.account_id, p.endpoint_id, a.environment, a.clock_offset_s, p.url, p.secret_sealed, p.signing_secret_sealed,
  p.signing_credential_id, s.secret_id, s.digest_sealed
from webhook_endpoint p
join account a on a.account_id = p.account_id
cross join lateral (
  -- One probe of the index for each endpoint. The rows of a queue are many more.
  select d.due_at
  from webhook_delivery d
  where d.account_id = p.account_id and d.endpoint_id = p.endpoint_id
  order by d.due_at
  limit 1) w
${SIGNING_SECRET}
where p.status = 'active' and w.due_at <= $1::timestamptz + a.clock_offset_s * interval '1 second'
  and ($2::text is null or a.environment = $2)`);
/** On `Deps.queue`. The endpoints with due deliveries, of one environment's accounts or of all. */
export const loadDueEndpoints = (db: Queryable, now: Date, environment: Environment | null = null) =>
  db.rows(due, [now, environment]);

const disable = sql<
  [account_id: string, endpoint_id: string, reason: string, account_now: Date, url: string | null],
  { account_id: string }
>`
update webhook_endpoint
set status = 'disabled', disabled_reason = $3, disabled_at = $4, updated_at = $4
where account_id = $1 and endpoint_id = $2 and status = 'active' and ($5::text is null or url = $5)
returning account_id`;
/**
 * Returns false if another request disabled the endpoint or changed its `url`: the failures of another URL do not count
 * against this one.
 */
export const disableEndpoint = async (
  tx: Tx,
  row: { account_id: string; endpoint_id: string; reason: DisableReason; account_now: Date; url?: string | undefined },
) =>
  (await tx.row(disable, [row.account_id, row.endpoint_id, row.reason, row.account_now, row.url ?? null])) !==
  undefined;
