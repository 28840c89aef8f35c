import {
  disableReasons,
  type Environment,
  exceptionIds,
  exceptionRow,
  type OrderStatus,
  orderStatuses,
  type PortalAccount,
  type PortalHome,
  type QuickStartStep,
  quickStartSteps,
} from "@pestle/contract";
import type { AccountRow } from "../../db/accounts/accounts.ts";
import {
  type AccountFacts,
  countHeldBy,
  countOrders,
  loadAccountFacts,
  sumRequests,
} from "../../db/operations/portal-home.ts";
import { type EndpointRow, listEndpoints } from "../../db/webhooks/endpoints.ts";
import { loadWebhookFacts, type WebhookFacts } from "../../db/webhooks/portal-webhooks.ts";
import type { Deps } from "../../deps.ts";
import { accountNow } from "../../domain/values/account-clock.ts";

const DAY_MS = 24 * 3600 * 1000;
const MOST_COUNTED = 10_000;

/** The partner's home page: setup progress, orders that need the partner, and traffic. */
export async function readPortalHome(deps: Deps, account: AccountRow): Promise<PortalHome> {
  const { account_id, environment } = account;
  const now = deps.now();
  const account_now = accountNow(now, account.clock_offset_s);
  const a_day_ago = new Date(account_now.getTime() - DAY_MS);
  const [facts, orders, waiting_for_you, requests, webhooks, endpoints] = await Promise.all([
    loadAccountFacts(deps.db, account_id),
    countOrders(deps.db, account_id, orderStatuses as readonly OrderStatus[], MOST_COUNTED),
    countHeldBy(deps.db, account_id, waitingForPartner),
    sumRequests(deps.db, account_id, new Date(now.getTime() - DAY_MS)),
    loadWebhookFacts(deps.db, account_id, a_day_ago, MOST_COUNTED),
    listEndpoints(deps.db, account_id),
  ]);
  return {
    account: shownAccount(account, now),
    addresses: { base_url: deps.addresses.base_url, token_url: tokenUrl(deps, environment) },
    checklist: checklistOf({ ...facts, ...webhooks }),
    orders,
    waiting_for_you,
    requests,
    webhooks: {
      waiting: webhooks.waiting,
      failed: webhooks.failed,
      disabled_endpoints: endpoints.flatMap(disabledByUs),
    },
  };
}

export const shownAccount = (account: AccountRow, now: Date): PortalAccount => ({
  account_id: account.account_id,
  environment: account.environment,
  workflow: account.workflow!,
  ncpdp_id: account.ncpdp_id,
  custom_labels: account.custom_labels,
  now: accountNow(now, account.clock_offset_s).toISOString(),
  clock_offset_s: account.clock_offset_s,
  created_at: account.created_at.toISOString(),
});

/** Endpoints that the service disabled, not the partner. */
function disabledByUs(row: EndpointRow): PortalHome["webhooks"]["disabled_endpoints"] {
  const { endpoint_id: id, url, disabled_reason, disabled_at } = row;
  if (disabled_at === null || disabled_reason === null || disabled_reason === "partner") return [];
  return [{ id, url, reason: disableReasons[disabled_reason], disabled_at: disabled_at.toISOString() }];
}

const waitingForPartner = exceptionIds.filter((id) => exceptionRow(id).who_acts === "partner");

const tokenUrl = ({ addresses }: Deps, environment: Environment) =>
  `${environment === "sandbox" ? addresses.sandbox_auth_url : addresses.auth_url}/oauth/token`;

function checklistOf(facts: AccountFacts & WebhookFacts): PortalHome["checklist"] {
  const done: Record<QuickStartStep, { done: boolean; done_at: Date | null }> = {
    credential: since(facts.credential_at),
    // Only the last use is stored, not the first.
    token: { done: facts.token_used, done_at: null },
    request: since(facts.request_at),
    endpoint: since(facts.endpoint_at),
    delivery: since(facts.delivered_at),
    prescription: since(facts.prescription_at),
    order: since(facts.order_at),
    shipped: since(facts.shipped_at),
  };
  return (Object.keys(quickStartSteps) as QuickStartStep[]).map((step) => {
    const [title, hint] = quickStartSteps[step];
    return { step, title, hint, done: done[step].done, done_at: done[step].done_at?.toISOString() ?? null };
  });
}

const since = (done_at: Date | null) => ({ done: done_at !== null, done_at });
