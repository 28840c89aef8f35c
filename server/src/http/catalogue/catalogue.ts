import type { Deps } from "../../deps.ts";
import { refuse } from "../../domain/values/refusals.ts";
import { type CatalogueAnswers, readCatalogue } from "../../usecases/catalogue/read-catalogue.ts";
import { renderEach } from "../../usecases/operations/render-each.ts";
import { type Answer, answer, type Rendered, rendered } from "../answer.ts";
import type { ReadHandler } from "../partner-api.ts";

const MOST_FILTER_VALUES = 200;

export const listShippingMethods: ReadHandler = (deps, { grant }) =>
  whole(deps, grant.account_id, "shipping_methods", ({ shipping_methods }) => shipping_methods);

export const listBrands: ReadHandler = (deps, { grant }) =>
  whole(deps, grant.account_id, "brands", ({ brands }) => brands);

export const listProducts: ReadHandler = (deps, { grant, query }) => {
  if (query.size === 0) return whole(deps, grant.account_id, "products", ({ products }) => products);
  for (const [name, values] of query) if (values.length > MOST_FILTER_VALUES) refuse(40003, name);
  return matching(deps, grant.account_id, query);
};

/** Products that match any of the given values. */
async function matching(deps: Deps, account_id: string, query: ReadonlyMap<string, string[]>): Promise<Answer> {
  const { products } = await readCatalogue(deps, account_id);
  const names = (name: string, value: string | null) => value !== null && (query.get(name)?.includes(value) ?? false);
  const found = products.filter(
    ({ ndc, sku, gcn }) => names("ndc[]", ndc) || names("sku[]", sku) || names("gcn[]", gcn),
  );
  return answer(200, rendered(`[${(await renderEach(found)).join()}]`));
}

/** Renders a whole list once per cached catalogue and sends the same bytes each time. Products are a bare array. */
function whole(
  deps: Deps,
  account_id: string,
  name: "shipping_methods" | "brands" | "products",
  pick: (catalogue: CatalogueAnswers) => readonly unknown[],
) {
  const render = (catalogue: CatalogueAnswers): Answer | Promise<Answer> => {
    const known = catalogue.rendered.get(name) as Rendered | undefined;
    if (known !== undefined) return answer(200, known);
    return renderEach(pick(catalogue)).then((texts) => {
      const list = `[${texts.join()}]`;
      const body = rendered(name === "products" ? list : `{"${name}":${list}}`);
      catalogue.rendered.set(name, body);
      return answer(200, body);
    });
  };
  const catalogue = readCatalogue(deps, account_id);
  return catalogue instanceof Promise ? catalogue.then(render) : render(catalogue);
}
