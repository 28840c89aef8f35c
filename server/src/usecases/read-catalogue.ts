import { keep } from "../copies.ts";
import { type Catalogue, loadCatalogue } from "../db/catalogue.ts";
import type { Deps } from "../deps.ts";

export type CatalogueAnswers = Catalogue & {
  /** Room for the finished bodies, which are made once per copy. */
  rendered: Map<string, unknown>;
};

type ReadingDeps = Pick<Deps, "db" | "bus" | "copies">;

/** An account's catalogue, from memory where it can be. */
export function readCatalogue(deps: ReadingDeps, account_id: string): CatalogueAnswers | Promise<CatalogueAnswers> {
  const copy = deps.bus.fresh() ? deps.copies.catalogues.get(account_id) : undefined;
  return copy ?? loadAndKeep(deps, account_id);
}

async function loadAndKeep(deps: ReadingDeps, account_id: string): Promise<CatalogueAnswers> {
  const { version } = deps.copies;
  const answers = { ...(await loadCatalogue(deps.db, account_id)), rendered: new Map() };
  keep(deps.copies, version, deps.copies.catalogues, account_id, answers);
  return answers;
}
