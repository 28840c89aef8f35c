import type { OrderStatus } from "@pestle/contract";
import { firstPositionAt } from "../../domain/orders/order-answer.ts";
import { type Queryable, statementOf } from "../db.ts";
import { type OrderHead, orderStamp } from "./orders.ts";

export type OrderFilter = {
  patient_index: Buffer | null;
  order_status: OrderStatus | null;
  prescription_id: number | null;
  brand_id: number | null;
  reference_index: Buffer | null;
  exception_id: number | null;
  created_after: Date | null;
  created_before: Date | null;
  updated_after: Date | null;
};

/** The condition that each filter adds on an order `o`. `value` is the parameter. Creation times are positions. */
const CONDITIONS = {
  prescription_id: (value: string) => `o.order_number = any(array(
      select i.order_number
      from order_item i
      where i.account_id = $1 and i.prescription_id = ${value}))`,
  patient_index: (value: string) => `o.patient_key = (
      select p.patient_key
      from patient p
      where p.account_id = $1 and p.id_index = ${value})`,
  reference_index: (value: string) => `o.reference_index = ${value}`,
  // Only held orders have open exceptions, and they are few.
  exception_id: (value: string) => `o.order_status = 'On Hold' and ${value} = any(o.exception_ids)`,
  order_status: (value: string) => `o.order_status = ${value}`,
  brand_id: (value: string) => `o.brand_id = ${value}`,
  updated_after: (value: string) => `o.updated_at > ${value}`,
} as const;
type FilterName = keyof typeof CONDITIONS;

/**
 * The longest page plus one. One plan serves pages of any length, and this limit tells the planner that the rows are
 * few.
 */
const MOST_ROWS = 201;
/** Sorts up to this many changed orders. If more changed, the statement scans the list until the page is full. */
const FEW_CHANGED = 1_000;

/**
 * Builds one statement per set of filters, with only their conditions. PostgreSQL plans a statement with optional
 * filters as if no row passed, and reads all orders. $2 and $3 bound the page, $4 is its length.
 */
function pageText(names: readonly FilterName[]): string {
  const condition = (name: FilterName) => CONDITIONS[name](`$${5 + names.indexOf(name)}`);
  const walk = (from: string, left_out?: FilterName, ...given: string[]) => {
    const asked = names.filter((name) => name !== left_out).map(condition);
    const here = ["o.account_id = $1", "o.order_position < $2", "o.order_position >= $3"];
    return `(
    select o.account_id, o.order_number, o.order_position, o.shipping_method_id, ${from === "orders" ? "o.xmin as version" : "o.version"}
    from ${from} o
    where ${[...here, ...asked, ...given].join("\n      and ")}
    order by o.order_position desc
    limit ${MOST_ROWS})`;
  };
  // A prescription, a patient or a reference never has many orders.
  if (names.includes("prescription_id")) {
    return listText(
      `found as materialized (
  select o.*, o.xmin as version
  from orders o
  where o.account_id = $1 and ${condition("prescription_id")}
), `,
      walk("found", "prescription_id"),
    );
  }
  const telling = names.includes("patient_index") || names.includes("reference_index");
  if (telling || !names.includes("updated_after")) return listText("", walk("orders"));
  // Anything from none to all orders may have changed since a time, anywhere in the list. The upper bound makes
  // PostgreSQL expect few rows and use the index.
  const changed = `changed as materialized (
  select o.*, o.xmin as version
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
select o.order_number, o.order_position, ${orderStamp("o.version")}
from o
order by o.order_position desc`;

type PageParams = readonly [account_id: string, before: number, from: number, limit: number, ...filters: unknown[]];
const pages = new Map<string, ReturnType<typeof statementOf<PageParams, OrderHead>>>();

/** Newest first, before a position. */
export function listOrderHeads(db: Queryable, account_id: string, filter: OrderFilter, before: number, limit: number) {
  const { created_after, created_before } = filter;
  const names = (Object.keys(CONDITIONS) as FilterName[]).filter((name) => filter[name] !== null);
  const key = names.join();
  const page = pages.get(key) ?? statementOf<PageParams, OrderHead>(pageText(names));
  pages.set(key, page);
  return db.rows(page, [
    account_id,
    created_before === null ? before : Math.min(before, firstPositionAt(created_before)),
    created_after === null ? 0 : firstPositionAt(new Date(created_after.getTime() + 1)),
    limit,
    ...names.map((name) => filter[name]),
  ]);
}
