import type { Order, PaymentDecline, Shipment } from "@pestle/contract";
import { endLabel } from "../../db/fulfillment/parcel-labels.ts";
import { shipmentLabelPlace } from "../../db/fulfillment/shipments.ts";
import { noteCharge } from "../../db/orders/card-authorizations.ts";
import { findOrder } from "../../db/orders/orders.ts";
import { bytes } from "../../db/values.ts";
import type { Deps } from "../../deps.ts";
import { supplyEnd } from "../../domain/fulfillment/supply-end.ts";
import { type Actor, ImpossibleStep, system } from "../../domain/orders/order.ts";
import { decideChange, type Outcome, sums } from "../../domain/orders/order-change.ts";
import { withKeysOfNow } from "../../vault/vault.ts";
import { type LoadedOrder, loadChangingOrder } from "../orders/load-order.ts";
import { keepsRecords } from "../orders/payments/ask-on-record.ts";
import { attemptName } from "../orders/payments/authorization-key.ts";
import { declineSituations } from "../orders/payments/decline-situations.ts";
import { nextCheckOf } from "../orders/payments/next-check.ts";
import { releaseStrays } from "../orders/payments/release-authorization.ts";
import { type ChangeBy, changeOrder } from "../orders/save-change.ts";
import { settlePayment } from "../orders/settle-payment.ts";
import { write } from "../write.ts";
import { itemDays } from "./item-days.ts";
import { carrierOf, makeLabel, newestLabel, type ParcelLabel } from "./parcels/parcel-label.ts";
import { voidLabels } from "./parcels/void-labels.ts";
import { lotCheck } from "./recall/quarantine-lot.ts";
import { actorOf, auditWork, impossible, requireFree, requireGoodLots, requireStep, type Work } from "./steps.ts";
import { parcelOf } from "./track-shipments.ts";
import { WorkRefusal } from "./work-refusal.ts";

export const SHIP = { event: "ship" } as const satisfies Outcome;

/**
 * Ships a packed order: the carrier has the parcel. It first runs the checks, then captures the payment, outside every
 * transaction and under an idempotency key, and saves the order as shipped. The checks hold the order before any money
 * moves. A declined card holds it too (80). The parcel carries the printed label. Without one, or if the address changed
 * since, the order is refused if it has to be `printed` first, and otherwise gets its label now.
 */
export async function shipOrder(deps: Deps, work: Work, { printed = false } = {}): Promise<Order> {
  const actor = actorOf(work.by);
  let charged: LoadedOrder | null = null;
  try {
    return await write(deps, {
      transaction: "never",
      attempt: async (db) => {
        const loaded = await loadPacked(deps, work);
        if (decideChange(loaded, SHIP, loaded.rules).held) {
          return db.transaction(async (tx) => {
            const { order } = await changeOrder(deps, tx, loaded, SHIP, { actor });
            await auditWork(deps, tx, work);
            return order;
          });
        }
        const newest = await newestLabel(deps, loaded);
        if (printed && !newest.fits) throw new WorkRefusal("not_printed");
        const label = newest.fits ? newest.printed! : await makeLabel(deps, loaded, newest.label_id + 1);
        const captured = await capture(deps, loaded);
        const is_charged = typeof captured === "number";
        if (is_charged) charged = loaded;
        const order = await db.transaction(async (tx) => {
          const [outcome, by] = is_charged ? shipped(deps, loaded, label, captured, actor) : declined(loaded, captured);
          const { order } = await changeOrder(deps, tx, loaded, outcome, by);
          if (is_charged && newest.printed !== null) {
            const { account_id, order_number } = work;
            await endLabel(tx, account_id, order_number, newest.fits ? newest.label_id : null);
          }
          await auditWork(deps, tx, work);
          return order;
        });
        charged = null;
        if (newest.printed !== null && !newest.fits) await voidLabels(deps, work.account_id, work.order_number);
        return order;
      },
    });
  } catch (error) {
    if (charged !== null) await giveBackCharge(deps, charged);
    throw error instanceof ImpossibleStep ? impossible(error, work.by) : error;
  }
}

/** Refuses an order that cannot ship now, before any money moves. */
export async function requirePacked(
  deps: Deps,
  loaded: LoadedOrder,
  work: Work,
  refuseRecalled = lotCheck(deps.db, work.account_id),
): Promise<void> {
  requireStep(loaded, SHIP, actorOf(work.by));
  requireFree(deps, loaded, work);
  if (loaded.order.address === null) throw new WorkRefusal("no_address");
  await requireGoodLots(refuseRecalled, loaded);
}

async function loadPacked(deps: Deps, work: Work): Promise<LoadedOrder> {
  const read = () =>
    withKeysOfNow(deps, async () => {
      const loaded = await loadChangingOrder(deps, deps.db, work.account_id, work.order_number, "elsewhere");
      await requirePacked(deps, loaded, work);
      return loaded;
    });
  const loaded = await read();
  if (loaded.order.payment_status !== "pending") return loaded;
  const settled = await settlePayment(deps, work.account_id, work.order_number);
  if (settled.payment.status === "pending") throw new WorkRefusal("payment_pending");
  return read();
}

/** A partner pays by account, so nothing is captured there. A card is charged the order's current amount. */
export async function capture(deps: Deps, loaded: LoadedOrder): Promise<number | Declined> {
  const { account_id, order, row, environment } = loaded;
  if (order.payer === "partner") return order.amount_cents;
  const { payment_reference: reference } = row;
  if (order.payment_status === "declined" || reference === null) return {};
  const payments = deps.payments[environment];
  const { order_number, amount_cents } = order;
  const captured = await payments.capture({
    key: `${attemptName(loaded)}-capture`,
    ...{ amount_cents, reference, about: { account_id, order_number } },
  });
  if (captured.status === "declined") return captured;
  if (keepsRecords(payments)) {
    const { returned_cents = 0, fee_cents = null } = captured;
    const charge = { captured_cents: captured.amount_cents + returned_cents, returned_cents, fee_cents };
    const at = deps.now();
    // If the order does not ship after all, a job finds the charge soon.
    const next_check_at = nextCheckOf("charged", null, at);
    const when = { at, account_at: loaded.rules.now, next_check_at, state: "charged" } as const;
    await noteCharge(deps.db, account_id, order_number, reference, charge, when);
  }
  return captured.amount_cents;
}
export type Declined = { decline?: PaymentDecline };

/**
 * Voids the charge if the order was canceled between the charge and the save. If the order was held, the charge stays,
 * and its key prevents a second one when the order goes on. If another person shipped it, the charge pays for that.
 */
async function giveBackCharge(deps: Deps, loaded: LoadedOrder): Promise<void> {
  try {
    await returnCharge(deps, loaded);
  } catch (error) {
    // The person sees why the order did not ship. A job returns the charge.
    const { order_number } = loaded.order;
    deps.log.warn(
      { account_id: loaded.account_id, order_number, fault: (error as Error).name },
      "a charge could not be returned yet",
    );
  }
}

async function returnCharge(deps: Deps, loaded: LoadedOrder): Promise<void> {
  if (loaded.order.payer === "partner") return;
  const by_now = await findOrder(deps.db, loaded.account_id, loaded.order.order_number);
  if (by_now?.order_status !== "Canceled") return;
  const authorised_as = attemptName(loaded);
  const payments = deps.payments[loaded.environment];
  if (keepsRecords(payments)) {
    const canceled = await loadChangingOrder(deps, deps.db, loaded.account_id, loaded.order.order_number);
    return releaseStrays(deps, payments, canceled);
  }
  await payments.void({
    key: `${authorised_as}-void`,
    reference: loaded.row.payment_reference,
    authorised_as,
  });
}

type Change = [Outcome, ChangeBy];

export const declined = ({ order }: LoadedOrder, why: Declined): Change => [
  { raises: [80], situations: declineSituations(why), after: { order: { ...order, payment_status: "declined" } } },
  { actor: system },
];

export function shipped(
  deps: Deps,
  loaded: LoadedOrder,
  label: ParcelLabel,
  captured_cents: number,
  actor: Actor,
): Change {
  const { account_id, order, rules, details, row } = loaded;
  const { now } = rules;
  const { order_number } = order;
  const method = rules.formulary.known_methods.get(order.shipping_method_id)!;
  const shipment_id = (row.last_shipment?.shipment_id ?? 0) + 1;
  const shipment: Shipment = {
    tracking_no: label.tracking_no,
    tracking_url: label.tracking_url,
    carrier: carrierOf(loaded),
    method: method.name,
    status: "label_created",
    shipped_at: now.toISOString(),
    delivered_at: null,
  };
  const shipments = [shipment, ...order.shipments];
  const parcel = parcelOf(loaded, shipment);
  const outcome: Outcome = {
    ...SHIP,
    after: {
      order: { ...order, shipments, payment_status: "captured", captured_cents },
    },
    items: order.items.map(({ item_id }) => ({
      item_id,
      pending: false,
      reserved: false,
      shipped_at: now,
      supply_ends_at: supplyEnds(loaded, item_id),
    })),
    stock: sums(
      order.items.map(({ item_id, sku }) => [sku, details.find((one) => one.item_id === item_id)!.units] as const),
    ).map(([sku, units]) => ({ sku, kind: "dispensed", units })),
    payments: [{ kind: "capture", amount_cents: captured_cents, reason_id: null, state: "done" }],
  };
  const by: ChangeBy = {
    actor,
    columns: { claimed_by: null, claimed_until: null },
    shipment: {
      ...shipment,
      shipment_id,
      next_scan_at: deps.carriers[loaded.environment].nextLookAt(parcel, now),
      label_format: label.format,
      label_sealed: bytes(deps.vault.seal(label.data, shipmentLabelPlace(account_id, order_number, shipment_id))),
    },
    scans: [{ shipment_id, at: now, status: "label_created", place: null, description: "Label created." }],
  };
  return [outcome, by];
}

/** The safety engine assumes the same for a fill without a days supply. */
const UNKNOWN_SUPPLY_DAYS = 90;

/** When the patient will have used up the item and what earlier fills of the same medication left. */
function supplyEnds(loaded: LoadedOrder, item_id: number): Date {
  const { order, fills } = loaded;
  const { now } = loaded.rules;
  const item = order.items.find((one) => one.item_id === item_id)!;
  const isSame = (one: { prescription_id: number | null; gcn: string | null }) =>
    (item.prescription_id !== null && one.prescription_id === item.prescription_id) ||
    (item.gcn !== null && one.gcn === item.gcn);
  const earlier = fills.flatMap(({ shipped_at, days_supply, ...fill }) =>
    shipped_at !== null && days_supply !== null && isSame(fill) ? [{ shipped_at, days: days_supply }] : [],
  );
  const own = order.items
    .filter((one) => one.item_id <= item_id && isSame(one))
    .map((one) => ({ shipped_at: now, days: itemDays(loaded, one.item_id) ?? UNKNOWN_SUPPLY_DAYS }));
  return supplyEnd([...earlier, ...own]);
}
