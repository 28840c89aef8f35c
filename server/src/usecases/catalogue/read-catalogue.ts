import type { Brand, Product, ShippingMethod } from "@pestle/contract";
import { keep } from "../../copies.ts";
import { type CatalogueRows, loadCatalogue } from "../../db/catalogue/catalogue.ts";
import type { Database } from "../../db/db.ts";
import type { Deps } from "../../deps.ts";
import { type Formulary, makeFormulary } from "../../domain/catalogue/formulary.ts";
import { pricesAt } from "../../domain/catalogue/held-price.ts";

/** The catalogue as partners see it, and the formulary of the pharmacy's work. */
export type CatalogueAnswers = {
  shipping_methods: ShippingMethod[];
  brands: Brand[];
  products: Product[];
  formulary: Formulary;
  /** The formulary with the prices that an order pays at that time: a quote outlives a price change. */
  formularyAt: (now: Date) => Formulary;
  /** Caches serialized response bodies, one set per catalogue copy. */
  rendered: Map<string, unknown>;
};

type ReadingDeps = Pick<Deps, "db" | "bus" | "copies">;

/** An account's catalogue, from memory while the copy is fresh. */
export function readCatalogue(
  deps: ReadingDeps,
  account_id: string,
  db: Database = deps.db,
): CatalogueAnswers | Promise<CatalogueAnswers> {
  const copy = deps.bus.fresh() ? deps.copies.catalogues.get(account_id) : undefined;
  if (copy !== undefined) return copy;
  // Use the transaction's own connection: if every transaction took a second one, a full pool would deadlock. The rows
  // read here may roll back, so they are not cached.
  if (db.in_transaction) return loadCatalogue(db, account_id).then(answersOf);
  return deps.copies.loading.once(account_id, () => loadAndKeep(deps, account_id));
}

async function loadAndKeep(deps: ReadingDeps, account_id: string): Promise<CatalogueAnswers> {
  const { version } = deps.copies;
  const answers = answersOf(await loadCatalogue(deps.db, account_id));
  keep(deps.copies, version, deps.copies.catalogues, account_id, answers);
  return answers;
}

function answersOf(rows: CatalogueRows): CatalogueAnswers {
  const { shipping_methods, brands, products, licences } = rows;
  const formulary = makeFormulary({ products, methods: shipping_methods, brands, licences });
  return {
    shipping_methods: shipping_methods
      .filter(({ retired }) => !retired)
      .map(({ default: _, retired: __, held_price_cents: ___, held_until: ____, ...method }) => method),
    brands,
    products: products.map(
      ({
        ingredients,
        max_units,
        blocked_states,
        cold_chain,
        price_cents,
        held_price_cents,
        held_until,
        back_orders,
        is_drug,
        in_stock,
        ...product
      }) => ({ ...product, price_cents: product.package_sizes.map(() => price_cents), in_stock }),
    ),
    formulary,
    formularyAt: pricedFormulary(rows, formulary),
    rendered: new Map(),
  };
}

/** Builds the formulary again only when a held price ends. */
function pricedFormulary(rows: CatalogueRows, current: Formulary): (now: Date) => Formulary {
  let priced = { formulary: current, until: Number.NEGATIVE_INFINITY };
  return (now) => {
    if (now.getTime() < priced.until) return priced.formulary;
    const products = pricesAt(rows.products, now);
    const methods = pricesAt(rows.shipping_methods, now);
    const until = Math.min(products.until, methods.until);
    const { brands, licences } = rows;
    const formulary =
      until === Number.POSITIVE_INFINITY
        ? current
        : makeFormulary({ products: products.rows, methods: methods.rows, brands, licences });
    priced = { formulary, until };
    return formulary;
  };
}
