import type { Stage } from "./stage.ts";

const SANDBOX = 0;
/** pgbench uses a separate account, because the addresses of its orders are copies that do not decrypt. */
const PRODUCTION = 2;
/** More than any measurement stores. */
const UNLIMITED = 1e15;

export type Account = Awaited<ReturnType<typeof openAccount>>;

/** The demo's sandbox account without limits, and its partner's program. */
export async function openAccount(stage: Stage) {
  const { db, demo, checkout } = stage;
  const partner = demo.partners[SANDBOX]!;
  await db.raw("update account set rate_per_second = 1000000, rate_burst = 1000000");
  // Version 0.1.0 has no quotas.
  const { rows } = await db.raw("select to_regclass('account_usage') is not null as has_quotas");
  if (rows[0]!["has_quotas"] === true) {
    await db.raw(
      `insert into account_usage (account_id, quota, used, most, changed_at)
      select $1, quota, 0, $2, now()
      from unnest(array['orders', 'stored_bytes', 'patients', 'prescriptions', 'webhook_events']) as quota
      on conflict (account_id, quota) do update
      set most = excluded.most`,
      [partner.account_id, UNLIMITED],
    );
  }
  const { issueToken } = checkout.modules["bench/prepare-account.ts"];
  const token = await issueToken(demo.sandbox_auth_url, partner, "partners");
  return {
    partner,
    account_id: partner.account_id,
    pgbench_account_id: demo.partners[PRODUCTION]!.account_id,
    token,
    async ask(path: string, init: { method?: string; body?: object } = {}) {
      const response = await fetch(`${demo.base_url}${path}`, {
        method: init.method ?? "GET",
        headers: { accept: "application/json", "content-type": "application/json", authorization: `Bearer ${token}` },
        ...(init.body === undefined ? {} : { body: JSON.stringify(init.body) }),
      });
      const text = await response.text();
      if (!response.ok) throw new Error(`${path} got ${response.status}: ${text}`);
      const { headers } = response;
      const json = JSON.parse(text) as Record<string, unknown>;
      return { text, json, etag: headers.get("etag"), request_id: headers.get("x-request-id") };
    },
  };
}
