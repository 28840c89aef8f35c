import { FUNNEL_DAYS, type PortalEndpointFigures, type PortalFigures } from "@pestle/contract";
import type { AccountRow } from "../../../db/accounts/accounts.ts";
import { listEndpointHours, sumParcels } from "../../../db/operations/portal-figures.ts";
import type { Deps } from "../../../deps.ts";
import { endpointFigures, orderFigures } from "../../../domain/operations/portal-figures.ts";
import { firstHour } from "../../../domain/operations/usage-hours.ts";
import { firstPositionAt } from "../../../domain/orders/order-answer.ts";
import { accountNow } from "../../../domain/values/account-clock.ts";

const DAY_MS = 24 * 3600 * 1000;
/** More orders would not move a median. */
const MOST_ORDERS = 5_000;
const ENDPOINT_HOURS = 24;

type ReadingDeps = Pick<Deps, "db" | "now">;
type Account = Pick<AccountRow, "account_id" | "clock_offset_s">;

/** How the account's newest orders went: received, shipped, delivered. */
export async function readOrderFigures({ db, now }: ReadingDeps, account: Account): Promise<PortalFigures> {
  const since = new Date(accountNow(now(), account.clock_offset_s).getTime() - FUNNEL_DAYS * DAY_MS);
  const sums = await sumParcels(db, account.account_id, firstPositionAt(since), MOST_ORDERS);
  const all = sums.find((row) => row.of === "all");
  const limited = all !== undefined && all.received >= MOST_ORDERS && all.oldest_at !== null;
  return { since: (limited ? all.oldest_at! : since).toISOString(), ...orderFigures(sums) };
}

/** How each endpoint answered in the last hours. */
export async function readEndpointFigures({ db, now }: ReadingDeps, account: Account): Promise<PortalEndpointFigures> {
  const first = firstHour(accountNow(now(), account.clock_offset_s), ENDPOINT_HOURS);
  const rows = await listEndpointHours(db, account.account_id, first);
  return { endpoints: endpointFigures(rows, first, ENDPOINT_HOURS) };
}
