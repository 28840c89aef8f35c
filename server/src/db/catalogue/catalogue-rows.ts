import type { Environment } from "@pestle/contract";
import { heldUntil } from "../../domain/catalogue/held-price.ts";
import type { CatalogueDiff } from "../../domain/catalogue/plan-import.ts";
import type {
  BrandRow,
  Catalogue,
  CatalogueKind,
  LicenceRow,
  ProductRow,
  ShippingMethodRow,
} from "../../domain/catalogue/rows.ts";
import { type Queryable, sql, type Tx } from "../db.ts";

export type { BrandRow, LicenceRow, ProductRow, ShippingMethodRow } from "../../domain/catalogue/rows.ts";

/** The catalogue as imported and exported: rows with the column names of their tables, without retired ones. */

const lockAccount = sql<[account_id: string], { account_id: string }>`
select account_id
from account_home
where account_id = $1
for no key update`;
/** Serializes imports of one account. */
export const lockCatalogue = (tx: Tx, account_id: string) => tx.row(lockAccount, [account_id]);

const rowsOfAccount = sql<[account_id: string], Omit<Catalogue, "licences">>`
select
  coalesce((
    select json_agg(json_build_object(
      'sku', p.sku, 'ndc', p.ndc, 'gcn', p.gcn, 'name', p.name, 'ingredients', p.ingredients, 'rx_only', p.rx_only,
      'drug_schedule', p.drug_schedule, 'package_sizes', p.package_sizes, 'quantities', p.quantities,
      'written_quantities', p.written_quantities, 'max_units', p.max_units,
      'shipping_method_ids', p.shipping_method_ids, 'blocked_states', p.blocked_states, 'cold_chain', p.cold_chain,
      'price_cents', p.price_cents, 'back_orders', p.back_orders, 'is_drug', p.is_drug) order by p.sku)
    from product p
    where p.account_id = $1 and p.retired_at is null), '[]') as products,
  coalesce((
    select json_agg(json_build_object('id', b.id, 'name', b.name, 'default', b."default") order by b.id)
    from brand b
    where b.account_id = $1 and b.retired_at is null), '[]') as brands,
  coalesce((
    select json_agg(json_build_object(
      'id', m.id, 'name', m.name, 'carrier', m.carrier, 'service', m.service,
      'signature_confirmation', m.signature_confirmation, 'po_box', m.po_box, 'cold_chain', m.cold_chain,
      'price_cents', m.price_cents, 'transit_days_min', m.transit_days_min, 'transit_days_max', m.transit_days_max,
      'default', m."default") order by m.id)
    from shipping_method m
    where m.account_id = $1 and m.retired_at is null), '[]') as shipping_methods,
  coalesce((
    select json_agg(json_build_object(
      'sku', s.sku, 'on_hand_units', s.on_hand_units, 'reserved_units', s.reserved_units) order by s.sku)
    from stock s
    where s.account_id = $1), '[]') as stock`;
export const loadAccountRows = async (db: Queryable, account_id: string) =>
  (await db.row(rowsOfAccount, [account_id]))!;

const rowsOfEnvironment = sql<[environment: Environment], LicenceRow>`
select state, number, status, valid_from, valid_to
from licence
where environment = $1 and retired_at is null
order by state`;
export const loadLicences = (db: Queryable, environment: Environment) => db.rows(rowsOfEnvironment, [environment]);

/** Retires rows before the import saves new ones, because a retired row frees its NDC or its default flag. */
const retire = {
  products: sql<[account_id: string, skus: readonly unknown[], now: Date]>`
update product
set retired_at = $3
where account_id = $1 and sku = any($2) and retired_at is null`,
  brands: sql<[account_id: string, ids: readonly unknown[], now: Date]>`
update brand
set retired_at = $3
where account_id = $1 and id = any($2) and retired_at is null`,
  shipping_methods: sql<[account_id: string, ids: readonly unknown[], now: Date]>`
update shipping_method
set retired_at = $3
where account_id = $1 and id = any($2) and retired_at is null`,
  licences: sql<[environment: string, states: readonly unknown[], now: Date]>`
update licence
set retired_at = $3
where environment = $1 and state = any($2) and retired_at is null`,
} as const;
/** `owner` is the account id, or the environment for licences. */
export const retireRows = (
  tx: Tx,
  kind: keyof typeof retire,
  owner: string,
  keys: readonly (string | number)[],
  now: Date,
) => tx.run(retire[kind], [owner, keys, now]);

const products = sql<[account_id: string, rows: string, now: Date, held_until: Date]>`
with given as (
  select r.*
  from jsonb_populate_recordset(null::product, $2) r
), saved as (
  insert into product as p (account_id, sku, ndc, gcn, name, ingredients, rx_only, drug_schedule, package_sizes, quantities,
    written_quantities, max_units, shipping_method_ids, blocked_states, cold_chain, price_cents, back_orders,
    is_drug)
  select $1, sku, ndc, gcn, name, ingredients, rx_only, drug_schedule, package_sizes, quantities,
    written_quantities, max_units, shipping_method_ids, blocked_states, cold_chain, price_cents, back_orders,
    is_drug
  from given
  on conflict (account_id, sku) do update
  set ndc = excluded.ndc, gcn = excluded.gcn, name = excluded.name, ingredients = excluded.ingredients,
    rx_only = excluded.rx_only, drug_schedule = excluded.drug_schedule, package_sizes = excluded.package_sizes,
    quantities = excluded.quantities, written_quantities = excluded.written_quantities,
    max_units = excluded.max_units, shipping_method_ids = excluded.shipping_method_ids,
    blocked_states = excluded.blocked_states, cold_chain = excluded.cold_chain, price_cents = excluded.price_cents,
    held_price_cents = case
      when p.price_cents = excluded.price_cents then p.held_price_cents
      else least(p.price_cents, case when p.held_until > $3 then p.held_price_cents end) end,
    held_until = case when p.price_cents = excluded.price_cents then p.held_until else $4 end,
    back_orders = excluded.back_orders, is_drug = excluded.is_drug, retired_at = null
)
insert into stock (account_id, sku, on_hand_units)
select $1, sku, 0
from given
on conflict (account_id, sku) do nothing`;
/**
 * Creates an empty stock row for each new product. A changed price holds the former one: the lowest price that a quote
 * could have named.
 */
export const saveProducts = (tx: Tx, account_id: string, rows: readonly ProductRow[], now: Date) =>
  tx.run(products, [account_id, JSON.stringify(rows), now, heldUntil(now)]);

const brands = sql<[account_id: string, rows: string]>`
insert into brand (account_id, id, name, "default")
select $1, r.id, r.name, r."default"
from jsonb_populate_recordset(null::brand, $2) r
on conflict (account_id, id) do update
set name = excluded.name, "default" = excluded."default", retired_at = null`;
export const saveBrands = (tx: Tx, account_id: string, rows: readonly BrandRow[]) =>
  tx.run(brands, [account_id, JSON.stringify(rows)]);

const methods = sql<[account_id: string, rows: string, now: Date, held_until: Date]>`
with given as materialized (
  select r.*
  from jsonb_populate_recordset(null::shipping_method, $2) r
), changed as (
  update shipping_method m
  set name = r.name, carrier = r.carrier, service = r.service, signature_confirmation = r.signature_confirmation,
    po_box = r.po_box, cold_chain = r.cold_chain, price_cents = r.price_cents,
    held_price_cents = case
      when m.price_cents = r.price_cents then m.held_price_cents
      else least(m.price_cents, case when m.held_until > $3 then m.held_price_cents end) end,
    held_until = case when m.price_cents = r.price_cents then m.held_until else $4 end,
    transit_days_min = r.transit_days_min, transit_days_max = r.transit_days_max, "default" = r."default",
    retired_at = null
  from given r
  where m.account_id = $1 and m.id = r.id
  returning m.id
)
insert into shipping_method (account_id, id, name, carrier, service, signature_confirmation, po_box, cold_chain,
  price_cents, transit_days_min, transit_days_max, "default")
select $1, r.id, r.name, r.carrier, r.service, r.signature_confirmation, r.po_box, r.cold_chain,
  r.price_cents, r.transit_days_min, r.transit_days_max, r."default"
from given r
where r.id not in (
  select c.id
  from changed c)
returning account_id`;
export const saveShippingMethods = (tx: Tx, account_id: string, rows: readonly ShippingMethodRow[], now: Date) =>
  tx.run(methods, [account_id, JSON.stringify(rows), now, heldUntil(now)]);

const licences = sql<[environment: Environment, rows: string]>`
insert into licence (environment, state, number, status, valid_from, valid_to)
select $1, r.state, r.number, r.status, r.valid_from, r.valid_to
from jsonb_populate_recordset(null::licence, $2) r
on conflict (environment, state) do update
set number = excluded.number, status = excluded.status, valid_from = excluded.valid_from,
  valid_to = excluded.valid_to, retired_at = null`;
export const saveLicences = (tx: Tx, environment: Environment, rows: readonly LicenceRow[]) =>
  tx.run(licences, [environment, JSON.stringify(rows)]);

const addVersion = sql<
  [account_id: string, kind: CatalogueKind, source: string, now: Date, summary: string],
  { version: number }
>`
insert into catalogue_version (account_id, version, kind, source, imported_at, summary)
select $1, coalesce(max(v.version), 0) + 1, $2, $3, $4, $5
from catalogue_version v
where v.account_id = $1
returning version`;
/** Requires `lockCatalogue`, which keeps the numbers unique. */
export const insertCatalogueVersion = async (
  tx: Tx,
  account_id: string,
  given: { kind: CatalogueKind; source: string; imported_at: Date; summary: CatalogueDiff },
) =>
  (await tx.row(addVersion, [account_id, given.kind, given.source, given.imported_at, JSON.stringify(given.summary)]))!
    .version;

export type CatalogueVersionRow = {
  version: number;
  kind: CatalogueKind;
  source: string;
  imported_at: Date;
  summary: CatalogueDiff;
};
const versions = sql<[account_id: string], CatalogueVersionRow>`
select version, kind, source, imported_at, summary
from catalogue_version
where account_id = $1
order by version desc`;
/** Newest first. */
export const listCatalogueVersions = (db: Queryable, account_id: string) => db.rows(versions, [account_id]);
