import type { Deps } from "../../deps.ts";
import { refuse } from "../../domain/values/refusals.ts";
import { type CatalogueAnswers, readCatalogue } from "../../usecases/catalogue/read-catalogue.ts";
import { type Answer, answer, json, type Rendered, rendered } from "../answer.ts";
import type { ReadHandler } from "../partner-api.ts";

const MOST_FILTER_VALUES = 200;

export const listShippingMethods: ReadHandler = (deps, { grant }) =>
  whole(deps, grant.account_id, "shipping_methods", ({ shipping_methods }) => ({ shipping_methods }));

export const listBrands: ReadHandler = (deps, { grant }) =>
  whole(deps, grant.account_id, "brands", ({ brands }) => ({ brands }));

export const listProducts: ReadHandler = (deps, { grant, query }) => {
  if (query.size === 0) return whole(deps, grant.account_id, "products", ({ products }) => products);
  for (const [name, values] of query) if (values.length > MOST_FILTER_VALUES) refuse(40003, name);
  return matching(deps, grant.account_id, query);
};

/** Products that match any of the given values. */
async function matching(deps: Deps, account_id: string, query: ReadonlyMap<string, string[]>): Promise<Answer> {
  const { products } = await readCatalogue(deps, account_id);
  const names = (name: string, value: string | null) => value !== null && (query.get(name)?.includes(value) ?? false);
  return json(
    200,
    products.filter(({ ndc, sku, gcn }) => names("ndc[]", ndc) || names("sku[]", sku) || names("gcn[]", gcn)),
  );
}

/** Renders a whole list once per cached catalogue and sends the same bytes each time. */
function whole(deps: Deps, account_id: string, name: string, pick: (catalogue: CatalogueAnswers) => unknown) {
  const render = (catalogue: CatalogueAnswers): Answer => {
    let body = catalogue.rendered.get(name) as Rendered | undefined;
    if (body === undefined) {
      body = rendered(JSON.stringify(pick(catalogue)));
      catalogue.rendered.set(name, body);
    }
    return answer(200, body);
  };
  const catalogue = readCatalogue(deps, account_id);
  return catalogue instanceof Promise ? catalogue.then(render) : render(catalogue);
}
