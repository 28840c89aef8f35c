import type { OrderStatus } from "@pestle/contract";
import { firstPositionAt } from "../../domain/orders/order-answer.ts";
import { type Queryable, statementOf } from "../db.ts";
import { ORDER_COLUMNS, type OrderRow } from "./orders.ts";

export type OrderFilter = {
  patient_id: string | null;
  order_status: OrderStatus | null;
  prescription_id: number | null;
  brand_id: number | null;
  reference: string | null;
  exception_id: number | null;
  created_after: Date | null;
  created_before: Date | null;
  updated_after: Date | null;
};

/** What a filter asks of an order `o`, where its value is given as `value`. Times of creation are positions. */
const CONDITIONS = {
  prescription_id: (value: string) => `o.order_number = any(array(
      select i.order_number
      from order_item i
      where i.account_id = $1 and i.prescription_id = ${value}))`,
  patient_id: (value: string) => `o.patient_id = ${value}`,
  reference: (value: string) => `o.reference = ${value}`,
  // Exceptions are open on held orders alone, and those are few.
  exception_id: (value: string) => `o.order_status = 'On Hold' and ${value} = any(o.exception_ids)`,
  order_status: (value: string) => `o.order_status = ${value}`,
  brand_id: (value: string) => `o.brand_id = ${value}`,
  updated_after: (value: string) => `o.updated_at > ${value}`,
} as const;
type FilterName = keyof typeof CONDITIONS;

/** As many as a page can have and one more. PostgreSQL plans for any page at once, and so it knows that they are few. */
const MOST_ROWS = 201;
/** Up to as many changed orders are looked at; where more were changed, the list is walked until a page is full. */
const FEW_CHANGED = 1_000;

/**
 * A statement for each set of filters, with these conditions and no other: one that takes every filter as "or none"
 * is planned as if nothing passed it, and reads all orders. $2 and $3 are where the page lies, $4 is how long it is.
 */
function pageText(names: readonly FilterName[]): string {
  const condition = (name: FilterName) => CONDITIONS[name](`$${5 + names.indexOf(name)}`);
  const walk = (from: string, left_out?: FilterName, ...given: string[]) => {
    const asked = names.filter((name) => name !== left_out).map(condition);
    const here = ["o.account_id = $1", "o.order_position < $2", "o.order_position >= $3"];
    return `(
    select o.*
    from ${from} o
    where ${[...here, ...asked, ...given].join("\n      and ")}
    order by o.order_position desc
    limit ${MOST_ROWS})`;
  };
  // Of a prescription, a patient or a reference there are never many orders.
  if (names.includes("prescription_id")) {
    return listText(
      `found as materialized (
  select o.*
  from orders o
  where o.account_id = $1 and ${condition("prescription_id")}
), `,
      walk("found", "prescription_id"),
    );
  }
  const telling = names.includes("patient_id") || names.includes("reference");
  if (telling || !names.includes("updated_after")) return listText("", walk("orders"));
  // What was changed since a time is anything from nothing to all, and anywhere in the list. Between two times: of these
  // PostgreSQL expects few, and looks for them by the index.
  const changed = `changed as materialized (
  select o.*
  from orders o
  where o.account_id = $1 and ${condition("updated_after")} and o.updated_at <= 'infinity'
  order by o.updated_at desc
  limit ${FEW_CHANGED + 1}
), `;
  const few = `(select count(*) from changed) <= ${FEW_CHANGED}`;
  const among = walk("changed", "updated_after", few);
  return listText(changed, `(${among}\n    union all ${walk("orders", undefined, `not ${few}`)})`);
}

const listText = (before: string, orders: string) => `
with ${before}o as materialized (
  select o.*
  from ${orders} o
  order by o.order_position desc
  limit $4
)
select ${ORDER_COLUMNS}
from o
order by o.order_position desc`;

type PageParams = readonly [account_id: string, before: number, from: number, limit: number, ...filters: unknown[]];
const pages = new Map<string, ReturnType<typeof statementOf<PageParams, OrderRow>>>();

/** Newest first, those before a position. */
export function listOrders(db: Queryable, account_id: string, filter: OrderFilter, before: number, limit: number) {
  const { created_after, created_before } = filter;
  const names = (Object.keys(CONDITIONS) as FilterName[]).filter((name) => filter[name] !== null);
  const key = names.join();
  const page = pages.get(key) ?? statementOf<PageParams, OrderRow>(pageText(names));
  pages.set(key, page);
  return db.rows(page, [
    account_id,
    created_before === null ? before : Math.min(before, firstPositionAt(created_before)),
    created_after === null ? 0 : firstPositionAt(new Date(created_after.getTime() + 1)),
    limit,
    ...names.map((name) => filter[name]),
  ]);
}
