import type { Order, Shipment, ShipmentStatus } from "@pestle/contract";
import { isConflict } from "../../db/conflict.ts";
import { listDueShipments, listTrackedAccounts, noteScans } from "../../db/fulfillment/shipments.ts";
import { type OrderChange, saveOrderChanges } from "../../db/orders/save-order-change.ts";
import type { Deps } from "../../deps.ts";
import type { Scan, TrackedParcel } from "../../domain/fulfillment/parcel.ts";
import { carrier } from "../../domain/orders/order.ts";
import type { Outcome } from "../../domain/orders/order-change.ts";
import { accountNow } from "../../domain/values/account-clock.ts";
import { withKeysOfNow } from "../../vault/vault.ts";
import { apart } from "../operations/apart.ts";
import { someAtOnce } from "../operations/some-at-once.ts";
import { type LoadedOrder, loadChangingOrder } from "../orders/load-order.ts";
import { type ChangeBy, decideSave } from "../orders/save-change.ts";
import { notifyOfParcel } from "./people/notify.ts";
import { actorOf, type Decided, requireStep, type Work, workOrder } from "./steps.ts";

const MOST_AT_ONCE = 100;
const MOST_LOST_ROUNDS = 20;

/** Asks carriers about all parcels that are due for a tracking update, or only about one account's. */
export async function trackShipments(deps: Deps, only_account?: string): Promise<void> {
  for (const { account_id, clock_offset_s } of await listTrackedAccounts(deps.db, deps.serves ?? null)) {
    if (only_account !== undefined && only_account !== account_id) continue;
    const now = accountNow(deps.now(), clock_offset_s);
    const failed = new Set<string>();
    // Repeat until no parcel is due. If another process tracks too, each of them loses some scans to the other.
    for (let lost_rounds = 0; lost_rounds < MOST_LOST_ROUNDS; ) {
      const listed = await listDueShipments(deps.db, account_id, now, MOST_AT_ONCE + failed.size);
      const due = listed.filter(({ order_number }) => !failed.has(order_number));
      if (due.length === 0) break;
      let tracked = 0;
      await someAtOnce(due, async ({ order_number }) => {
        const done = await apart(deps, { account_id, order_number }, () => trackOne(deps, account_id, order_number));
        if (done === undefined) failed.add(order_number);
        if (done) tracked += 1;
      });
      lost_rounds = tracked === 0 ? lost_rounds + 1 : 0;
    }
  }
}

/**
 * Applies the new scans one by one. Each scan that changes the parcel's status changes the order. Returns false if
 * another process changed the order first.
 */
async function trackOne(deps: Deps, account_id: string, order_number: string): Promise<boolean> {
  const loaded = await withKeysOfNow(deps, () => loadChangingOrder(deps, deps.db, account_id, order_number));
  const [shipment] = loaded.order.shipments;
  if (shipment === undefined) return false;
  const told = await deps.carriers[loaded.environment].track(parcelOf(loaded, shipment), loaded.rules.now);
  return keepScans(deps, loaded, told);
}

/**
 * The scans that a carrier sent by itself. News of an earlier parcel of the order says nothing about the order. Returns
 * false if another process changed the order first.
 */
export async function takeScans(
  deps: Deps,
  account_id: string,
  order_number: string,
  tracking_no: string,
  told: readonly Scan[],
): Promise<boolean> {
  const loaded = await withKeysOfNow(deps, () => loadChangingOrder(deps, deps.db, account_id, order_number));
  // After the delivery, nothing changes anymore.
  if (loaded.order.shipments[0]?.tracking_no !== tracking_no || loaded.standing.state !== "Shipped") return true;
  return keepScans(deps, loaded, told);
}

async function keepScans(deps: Deps, loaded: LoadedOrder, told: readonly Scan[]): Promise<boolean> {
  const { account_id } = loaded;
  const { order_number } = loaded.order;
  const [shipment] = loaded.order.shipments;
  const { last_shipment } = loaded.row;
  if (shipment === undefined || last_shipment === null) return false;
  const parcel = parcelOf(loaded, shipment);
  const { shipment_id } = last_shipment;
  const kept = last_shipment.scans.map(({ at, status }) => ({ at: new Date(at), status }));
  const known = new Set(kept.map(scanKey));
  const fresh = told.filter((scan) => !known.has(scanKey(scan)));
  // A late scan is stored but does not undo a newer status.
  const last_ms = Math.max(...kept.map(({ at }) => at.getTime()));
  const changing = statusChanges(
    shipment.status,
    fresh.filter(({ at }) => at.getTime() > last_ms),
  );
  const last = changing.at(-1);
  const next_scan_at = isEnd(last?.status ?? shipment.status)
    ? null
    : deps.carriers[loaded.environment].nextLookAt(parcel, loaded.rules.now);
  if (last === undefined) {
    await noteScans(deps.db, { account_id, order_number, shipment_id, next_scan_at, scans: fresh });
    return true;
  }
  return applyScans(deps, loaded, changing, { scans: fresh, next_scan_at });
}

/** The scans that give the parcel another status. */
function statusChanges(status: ShipmentStatus, scans: readonly Scan[]): Scan[] {
  let current = status;
  return scans.filter((scan) => {
    const changes = scan.status !== current;
    current = scan.status;
    return changes;
  });
}

const scanKey = ({ at, status }: { at: Date; status: string }) => `${at.toISOString()} ${status}`;
const isEnd = (status: ShipmentStatus) => status === "delivered" || status === "lost" || status === "returned";

/** Records tracking news that a staff member got from the carrier. */
export const trackByHand = (deps: Deps, work: Work, status: ShipmentStatus, description: string): Promise<Order> =>
  workOrder(deps, work, trackedByHand(work, status, description));

export const trackedByHand =
  ({ by }: Work, status: ShipmentStatus, description: string) =>
  (loaded: LoadedOrder): Decided => {
    const event = status === "delivered" ? "deliver" : "track";
    requireStep(loaded, { event }, actorOf(by));
    const scan = { at: loaded.rules.now, status, place: null, description };
    return scanned(loaded, scan);
  };

/**
 * Saves all changes together, each decided on the order as the one before left it. The last one also stores the scans that
 * change no status, and when to ask next. False if the order changed after it was loaded; the next round starts from the
 * new state.
 */
async function applyScans(
  deps: Deps,
  read: LoadedOrder,
  changing: readonly Scan[],
  rest: { scans: readonly Scan[]; next_scan_at: Date | null },
): Promise<boolean> {
  const decide = () => {
    const changes: OrderChange[] = [];
    let loaded = read;
    for (const scan of changing) {
      if (loaded.standing.state !== "Shipped") break;
      // Use the carrier's time of the scan, not the time of the request.
      loaded = { ...loaded, rules: { ...read.rules, now: scan.at } };
      const [outcome, { tracked, scans }] = scanned(loaded, scan);
      const { shipment_id } = tracked;
      const by =
        scan === changing.at(-1)
          ? {
              tracked: { ...tracked, next_scan_at: rest.next_scan_at },
              scans: rest.scans.map((one) => ({ ...one, shipment_id })),
            }
          : { tracked, scans };
      const { change, after } = decideSave(deps, loaded, outcome, { actor: carrier, ...by });
      changes.push(change);
      loaded = after();
    }
    return changes;
  };
  try {
    return await withKeysOfNow(deps, async () => {
      const changes = decide();
      await saveOrderChanges(deps.db, changes);
      await tellTrouble(deps, read, changing);
      return changes.length === changing.length;
    });
  } catch (error) {
    if (isConflict(error)) return false;
    throw error;
  }
}

const TROUBLE: readonly ShipmentStatus[] = ["returned", "lost", "exception"];

/** Staff are not told about the simulated parcels of the sandbox. */
async function tellTrouble(deps: Deps, { environment, account_id, order }: LoadedOrder, changing: readonly Scan[]) {
  const last = changing.at(-1);
  if (environment !== "production" || last === undefined || !TROUBLE.includes(last.status)) return;
  await notifyOfParcel(deps.db, { account_id, order_number: order.order_number, at: deps.now() });
}

type Tracked = { tracked: NonNullable<ChangeBy["tracked"]>; scans: NonNullable<ChangeBy["scans"]> };

function scanned(loaded: LoadedOrder, scan: Scan): [Outcome, Tracked] {
  const { order, row } = loaded;
  const [shipment, ...earlier] = order.shipments;
  const { shipment_id } = row.last_shipment!;
  const delivered_at = scan.status === "delivered" ? scan.at : null;
  const now_is: Shipment = { ...shipment!, status: scan.status, delivered_at: delivered_at?.toISOString() ?? null };
  const outcome: Outcome = {
    event: scan.status === "delivered" ? "deliver" : "track",
    after: { order: { ...order, shipments: [now_is, ...earlier] } },
  };
  const next_scan_at =
    isEnd(scan.status) || row.last_shipment!.next_scan_at === null ? null : new Date(row.last_shipment!.next_scan_at);
  return [
    outcome,
    { tracked: { shipment_id, status: scan.status, delivered_at, next_scan_at }, scans: [{ ...scan, shipment_id }] },
  ];
}

/** The parcel to ask the carrier about. In the sandbox, the address selects the simulated outcome. */
export function parcelOf({ account_id, environment, order, rules }: LoadedOrder, shipment: Shipment): TrackedParcel {
  const method = rules.formulary.known_methods.get(order.shipping_method_id)!;
  return {
    tracking_no: shipment.tracking_no,
    carrier: shipment.carrier,
    shipped_at: new Date(shipment.shipped_at),
    transit_days: method.transit_days,
    time_zone: rules.time_zone,
    ...(shipment.tracking_no === order.order_number && { untracked: true as const }),
    about: { account_id, order_number: order.order_number },
    ...(environment === "sandbox" && order.address !== null && { street1: order.address.street1 }),
  };
}
