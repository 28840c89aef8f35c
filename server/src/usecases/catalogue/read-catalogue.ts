import type { Brand, Product, ShippingMethod } from "@pestle/contract";
import { keep } from "../../copies.ts";
import { type CatalogueRows, loadCatalogue } from "../../db/catalogue/catalogue.ts";
import type { Database } from "../../db/db.ts";
import type { Deps } from "../../deps.ts";
import { type Formulary, makeFormulary } from "../../domain/catalogue/formulary.ts";

/** The catalogue as partners see it, and the formulary that order decisions use. */
export type CatalogueAnswers = {
  shipping_methods: ShippingMethod[];
  brands: Brand[];
  products: Product[];
  formulary: Formulary;
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

function answersOf({ shipping_methods, brands, products, licences }: CatalogueRows): CatalogueAnswers {
  return {
    shipping_methods: shipping_methods
      .filter(({ retired }) => !retired)
      .map(({ default: _, retired: __, ...method }) => method),
    brands,
    products: products.map(
      ({ ingredients, max_units, blocked_states, cold_chain, price_cents, back_orders, is_drug, ...product }) =>
        product,
    ),
    formulary: makeFormulary({ products, methods: shipping_methods, brands, licences }),
    rendered: new Map(),
  };
}
