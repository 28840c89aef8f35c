import type { Quote } from "@pestle/contract";
import type { Formulary } from "../catalogue/formulary.ts";
import { addBusinessDays, businessDayFrom } from "../values/business-days.ts";
import { addDays, dateIn, timeIn } from "../values/calendar.ts";
import type { AcceptedOrder } from "./decide-order.ts";
import { CURRENCY } from "./order-answer.ts";

/** When the pharmacy ships. `cut_off` is a time of day (`14:00`), `closed` are dates besides weekends and holidays. */
export type ShippingCalendar = { time_zone: string; cut_off: string; closed: readonly string[] };

/**
 * The price of an order and its dates. It quotes the prices of the catalogue. The order itself can cost less: it also pays
 * no more than a price that ended a moment ago.
 */
export function quoteOf(
  { order, items }: Pick<AcceptedOrder, "order" | "items">,
  { by_sku, methods }: Pick<Formulary, "by_sku" | "methods">,
  now: Date,
  calendar: ShippingCalendar,
): Quote {
  const quoted = items.map(({ item_id, sku, quantity, reserved }) => ({
    item_id,
    price_cents: by_sku.get(sku)!.price_cents * quantity,
    in_stock: reserved,
  }));
  const method = methods.get(order.shipping_method_id)!;
  const waits = order.exceptions.length > 0 || quoted.some(({ in_stock }) => !in_stock);
  const dates = waits ? UNKNOWN : datesFrom(now, method.transit_days.max, calendar);
  return {
    items: quoted,
    shipping_cents: method.price_cents,
    total_cents: quoted.reduce((sum, { price_cents }) => sum + price_cents, method.price_cents),
    currency: CURRENCY,
    ...dates,
  };
}

/** The pharmacy does not know when the stock arrives or the hold ends. */
const UNKNOWN: Pick<Quote, "ships_by" | "arrives_by"> = { ships_by: null, arrives_by: null };

function datesFrom(now: Date, transit_days: number, { time_zone, cut_off, closed }: ShippingCalendar) {
  const today = dateIn(time_zone, now);
  const is_late = timeIn(time_zone, now) >= `${cut_off}:00`;
  const ships_by = businessDayFrom(is_late ? addDays(today, 1) : today, closed);
  return { ships_by, arrives_by: addBusinessDays(ships_by, transit_days, closed) };
}
