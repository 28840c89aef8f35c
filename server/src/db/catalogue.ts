import type { Brand, Product, ShippingMethod } from "@pestle/contract";
import { type Queryable, sql, type Tx } from "./db.ts";

/** An account's catalogue as it is kept: more than partners see of it. */
export type CatalogueRows = {
  shipping_methods: ShippingMethodRow[];
  brands: Brand[];
  products: (Omit<ProductRow, "on_hand_units"> & Pick<Product, "in_stock">)[];
  /** The pharmacy's active ones, in the account's environment. */
  licences: { state: string; valid_from: string; valid_to: string }[];
};

const catalogue = sql<[account_id: string], CatalogueRows>`
select
  coalesce((
    select json_agg(json_build_object(
      'id', m.id, 'name', m.name, 'carrier', m.carrier, 'service', m.service,
      'signature_confirmation', m.signature_confirmation, 'po_box', m.po_box, 'cold_chain', m.cold_chain,
      'price_cents', m.price_cents,
      'transit_days', json_build_object('min', m.transit_days_min, 'max', m.transit_days_max),
      'default', m."default") order by m.id)
    from shipping_method m
    where m.account_id = $1), '[]') as shipping_methods,
  coalesce((
    select json_agg(json_build_object('id', b.id, 'name', b.name, 'default', b."default") order by b.id)
    from brand b
    where b.account_id = $1), '[]') as brands,
  coalesce((
    select json_agg(json_build_object(
      'sku', p.sku, 'ndc', p.ndc, 'gcn', p.gcn, 'name', p.name, 'rx_only', p.rx_only,
      'drug_schedule', p.drug_schedule, 'package_sizes', p.package_sizes, 'quantities', p.quantities,
      'written_quantities', p.written_quantities, 'shipping_method_ids', p.shipping_method_ids,
      'in_stock', coalesce(s.on_hand_units > s.reserved_units, false), 'ingredients', p.ingredients,
      'max_units', p.max_units, 'blocked_states', p.blocked_states, 'cold_chain', p.cold_chain,
      'price_cents', p.price_cents, 'back_orders', p.back_orders) order by p.sku)
    from product p
    left join stock s on s.account_id = p.account_id and s.sku = p.sku
    where p.account_id = $1), '[]') as products,
  coalesce((
    select json_agg(json_build_object('state', l.state, 'valid_from', l.valid_from, 'valid_to', l.valid_to))
    from account a
    join licence l on l.environment = a.environment
    where a.account_id = $1 and l.status = 'active'), '[]') as licences`;
/** One statement for the whole catalogue: it is read once and kept (http reads the copy). */
export const loadCatalogue = async (db: Queryable, account_id: string) => (await db.row(catalogue, [account_id]))!;

export type ShippingMethodRow = ShippingMethod & { default: boolean };
export type ProductRow = Omit<Product, "in_stock"> & {
  ingredients: string[];
  max_units: number;
  blocked_states: string[];
  cold_chain: boolean;
  price_cents: number;
  back_orders: boolean;
  on_hand_units: number;
};
export type LicenceRow = {
  environment: string;
  state: string;
  number: string;
  status: "active" | "suspended" | "expired";
  valid_from: string;
  valid_to: string;
};

const addMethods = sql<[account_id: string, rows: string]>`
insert into shipping_method (account_id, id, name, carrier, service, signature_confirmation, po_box, cold_chain,
  price_cents, transit_days_min, transit_days_max, "default")
select $1, r.id, r.name, r.carrier, r.service, r.signature_confirmation, r.po_box, r.cold_chain,
  r.price_cents, (r.transit_days->>'min')::integer, (r.transit_days->>'max')::integer, r."default"
from json_to_recordset($2::json) as r(id integer, name text, carrier text, service text,
  signature_confirmation boolean, po_box boolean, cold_chain boolean, price_cents integer, transit_days json,
  "default" boolean)`;
export const insertShippingMethods = (tx: Tx, account_id: string, rows: readonly ShippingMethodRow[]) =>
  tx.run(addMethods, [account_id, JSON.stringify(rows)]);

const addBrands = sql<[account_id: string, rows: string]>`
insert into brand (account_id, id, name, "default")
select $1, r.id, r.name, r."default"
from json_to_recordset($2::json) as r(id integer, name text, "default" boolean)`;
export const insertBrands = (tx: Tx, account_id: string, rows: readonly Brand[]) =>
  tx.run(addBrands, [account_id, JSON.stringify(rows)]);

const addProducts = sql<[account_id: string, rows: string]>`
with given as (
  select r.*
  from json_to_recordset($2::json) as r(sku text, ndc text, gcn text, name text, ingredients text[], rx_only boolean,
    drug_schedule text, package_sizes numeric[], quantities integer[], written_quantities numeric[], max_units numeric,
    shipping_method_ids integer[], blocked_states text[], cold_chain boolean, price_cents integer,
    back_orders boolean, on_hand_units numeric)
), added as (
  insert into product (account_id, sku, ndc, gcn, name, ingredients, rx_only, drug_schedule, package_sizes, quantities,
    written_quantities, max_units, shipping_method_ids, blocked_states, cold_chain, price_cents, back_orders)
  select $1, sku, ndc, gcn, name, ingredients, rx_only, drug_schedule, package_sizes, quantities,
    written_quantities, max_units, shipping_method_ids, blocked_states, cold_chain, price_cents, back_orders
  from given
)
insert into stock (account_id, sku, on_hand_units)
select $1, sku, on_hand_units
from given`;
export const insertProducts = (tx: Tx, account_id: string, rows: readonly ProductRow[]) =>
  tx.run(addProducts, [account_id, JSON.stringify(rows)]);

const addLicences = sql<[rows: string]>`
insert into licence (environment, state, number, status, valid_from, valid_to)
select r.environment, r.state, r.number, r.status, r.valid_from, r.valid_to
from json_to_recordset($1::json) as r(environment text, state text, number text, status text,
  valid_from date, valid_to date)
on conflict (environment, state) do nothing`;
export const insertLicences = (tx: Tx, rows: readonly LicenceRow[]) => tx.run(addLicences, [JSON.stringify(rows)]);
