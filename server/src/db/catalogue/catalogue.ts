import type { Brand, Product, ShippingMethod } from "@pestle/contract";
import type { HeldPrice } from "../../domain/catalogue/held-price.ts";
import type { ProductRow } from "../../domain/catalogue/rows.ts";
import { fromPrimary, type Queryable, sql } from "../db.ts";

/** An account's stored catalogue. Partners see only a part of it. */
export type CatalogueRows = {
  /** Includes retired methods, because open orders may still use them. */
  shipping_methods: (ShippingMethod & HeldPrice & { default: boolean; retired: boolean })[];
  brands: Brand[];
  products: (ProductRow & HeldPrice & Pick<Product, "in_stock">)[];
  /** The pharmacy's active licenses in the account's environment. */
  licences: { state: string; valid_from: string; valid_to: string }[];
};

const catalogue = fromPrimary(sql<[account_id: string], CatalogueRows>`
select
  coalesce((
    select json_agg(json_build_object(
      'id', m.id, 'name', m.name, 'carrier', m.carrier, 'service', m.service,
      'signature_confirmation', m.signature_confirmation, 'po_box', m.po_box, 'cold_chain', m.cold_chain,
      'price_cents', m.price_cents, 'held_price_cents', m.held_price_cents, 'held_until', m.held_until,
      'transit_days', json_build_object('min', m.transit_days_min, 'max', m.transit_days_max),
      'default', m."default", 'retired', m.retired_at is not null) order by m.id)
    from shipping_method m
    where m.account_id = $1), '[]') as shipping_methods,
  coalesce((
    select json_agg(json_build_object('id', b.id, 'name', b.name, 'default', b."default") order by b.id)
    from brand b
    where b.account_id = $1 and b.retired_at is null), '[]') as brands,
  coalesce((
    select json_agg(json_build_object(
      'sku', p.sku, 'ndc', p.ndc, 'gcn', p.gcn, 'name', p.name, 'rx_only', p.rx_only,
      'drug_schedule', p.drug_schedule, 'package_sizes', p.package_sizes, 'quantities', p.quantities,
      'written_quantities', p.written_quantities, 'shipping_method_ids', p.shipping_method_ids,
      'in_stock', coalesce(s.on_hand_units > s.reserved_units, false), 'ingredients', p.ingredients,
      'max_units', p.max_units, 'blocked_states', p.blocked_states, 'cold_chain', p.cold_chain,
      'price_cents', p.price_cents, 'held_price_cents', p.held_price_cents, 'held_until', p.held_until,
      'back_orders', p.back_orders, 'is_drug', p.is_drug) order by p.sku)
    from product p
    left join stock s on s.account_id = p.account_id and s.sku = p.sku
    where p.account_id = $1 and p.retired_at is null), '[]') as products,
  coalesce((
    select json_agg(json_build_object('state', l.state, 'valid_from', l.valid_from, 'valid_to', l.valid_to))
    from account a
    join licence l on l.environment = a.environment
    where a.account_id = $1 and l.status = 'active' and l.retired_at is null), '[]') as licences`);
/** Loads the whole catalogue in one statement. The process caches it, and the HTTP routes read the cache. */
export const loadCatalogue = async (db: Queryable, account_id: string) => (await db.row(catalogue, [account_id]))!;

const offered = sql<[], { account_id: string; id: number; name: string }>`
select account_id, id, name
from brand
where retired_at is null
order by account_id, id`;
/** The brands of all accounts, to choose from. */
export const listBrands = (db: Queryable) => db.rows(offered, []);
