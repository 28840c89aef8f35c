import type { OrderChange } from "../../db/orders/save-order-change.ts";
import type { Instant } from "../../db/values.ts";
import type { OrderStanding } from "../../domain/orders/order.ts";
import type { StoredOrder } from "../../domain/orders/order-answer.ts";
import type { DecidedChange, ItemDetails } from "../../domain/orders/order-change.ts";
import { confirmedBases } from "../../domain/orders/order-holds.ts";
import type { LoadedOrder } from "./load-order.ts";

/**
 * The order as a load after the save would find it, so that the next change of the same transaction needs no load. Holds
 * for changes that take no units of a prescription.
 */
export function loadedAfter(
  loaded: LoadedOrder,
  decided: DecidedChange,
  order: StoredOrder,
  { state, held_from, open, sequence }: OrderStanding,
  change: OrderChange,
): LoadedOrder {
  const { row, holds, confirmed, elsewhere } = loaded;
  const { columns, resolved, shipment, tracked, changed_patient } = change;
  const found = "safety_sealed" in columns ? decided.findings : loaded.found;
  const parcel = shipment ?? tracked;
  return {
    ...loaded,
    order,
    standing: { state, held_from, open, sequence },
    prescriptions: decided.after.prescriptions,
    revision: loaded.revision + 1,
    record: decided.after.record,
    patient_revision: loaded.patient_revision + (changed_patient === null ? 0 : 1),
    details: decided.after.details.map((one) => detailsAfter(one, change)),
    holds: [...decided.open, ...holds.filter(({ id }) => !decided.open.some((hold) => hold.id === id))].filter(
      ({ id }) => open.includes(id),
    ),
    confirmed: confirmedBases([
      ...confirmed,
      ...resolved.flatMap(({ exception_id, confirmed }) =>
        confirmed === null ? [] : [[exception_id as (typeof open)[number], confirmed] as const],
      ),
    ]),
    found,
    ...(elsewhere !== undefined &&
      "found" in elsewhere && { elsewhere: { found: found.filter((one) => one.elsewhere !== undefined) } }),
    row: {
      ...row,
      ...defined(columns, ["payment_reference", "payment_attempt", "filled_by", "claimed_by"]),
      ...(columns.claimed_until !== undefined && { claimed_until: dateOf(columns.claimed_until) }),
      ...(parcel !== null && {
        last_shipment: {
          shipment_id: parcel.shipment_id,
          next_scan_at: dateOf(parcel.next_scan_at)?.toISOString() ?? null,
          scans: [
            ...(shipment === null ? (row.last_shipment?.scans ?? []) : []),
            ...change.scans.map(({ at, status }) => ({ at: dateOf(at)!.toISOString(), status })),
          ],
        },
      }),
    },
  };
}

function detailsAfter(details: ItemDetails, { items }: OrderChange): ItemDetails {
  const changed = items.find(({ item_id }) => item_id === details.item_id);
  if (changed === undefined) return details;
  // Without a lot, the packages go back to the shelf.
  const lots = changed.lots ?? (changed.lot === null ? [] : details.lots);
  const own = defined(changed, ["reserved", "lot", "lot_expires_on"]) as Partial<ItemDetails>;
  return { ...details, ...own, lots: [...lots] };
}

const dateOf = (at: Instant | null): Date | null => (at === null ? null : new Date(at));

/** The named fields that have a value, or null. */
const defined = <Fields extends object, Name extends keyof Fields>(fields: Fields, names: readonly Name[]) =>
  Object.fromEntries(names.filter((name) => fields[name] !== undefined).map((name) => [name, fields[name]])) as {
    [One in Name]?: Exclude<Fields[One], undefined>;
  };
