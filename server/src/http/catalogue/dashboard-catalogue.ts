import {
  type CatalogueDifference,
  type CatalogueImportAnswer,
  type CatalogueVersion,
  catalogueImportKinds,
  type DashboardCatalogue,
  type DashboardLicences,
  environments,
} from "@pestle/contract";
import type { CatalogueVersionRow } from "../../db/catalogue/catalogue-rows.ts";
import type { Deps } from "../../deps.ts";
import { readFileTable } from "../../domain/catalogue/file-table.ts";
import type { CatalogueDiff } from "../../domain/catalogue/plan-import.ts";
import { StatusRefusal } from "../../domain/values/refusals.ts";
import { importCatalogue } from "../../usecases/catalogue/import-catalogue.ts";
import { ingredientReader } from "../../usecases/catalogue/ingredient-reader.ts";
import {
  type CatalogueOwner,
  readCatalogueRows,
  readCatalogueVersions,
} from "../../usecases/catalogue/read-catalogue-rows.ts";
import { writeAudit } from "../../usecases/operations/write-audit.ts";
import { type Answer, json } from "../answer.ts";
import type { JsonObject } from "../body.ts";
import { choiceField, flagField, objectField, textField } from "../body-fields.ts";
import { accountIn, everybody, leads } from "../dashboard-route.ts";
import type { WebCall, WebCallTo, WebRoute } from "../web-api.ts";
import { ownerIn, stockRoutes } from "./dashboard-stock.ts";
import { serviceRoutes } from "./shipping-services.ts";

const LONGEST_FILE = 1024 * 1024;

/** The products, shipping rules and stock of an account. */
export const catalogueRoutes: readonly WebRoute[] = [
  {
    method: "GET",
    path: "/dashboard/catalogue/:account_id",
    roles: everybody,
    handler: async (deps, call) => {
      const owner = await ownerIn(deps, call);
      const { products, brands, shipping_methods } = await readCatalogueRows(deps.db, owner);
      const versions = (await readCatalogueVersions(deps.db, owner)).map(shownVersion);
      const shown = { account_id: accountIn(call), products, brands, shipping_methods, versions };
      return json(200, shown as DashboardCatalogue);
    },
  },
  {
    method: "POST",
    path: "/dashboard/catalogue/:account_id/import",
    roles: leads,
    handler: async (deps, call) => importFor(deps, call, await ownerIn(deps, call)),
  },
  {
    method: "GET",
    path: "/dashboard/licences/:environment",
    roles: everybody,
    handler: async (deps, call) => {
      const owner = environmentIn(call);
      const { licences } = await readCatalogueRows(deps.db, owner);
      const versions = (await readCatalogueVersions(deps.db, owner)).filter(({ kind }) => kind === "licences");
      const shown: DashboardLicences = { ...owner, licences: [...licences], versions: versions.map(shownVersion) };
      return json(200, shown);
    },
  },
  {
    method: "POST",
    path: "/dashboard/licences/:environment/import",
    roles: leads,
    handler: async (deps, call) => importFor(deps, call, environmentIn(call)),
  },
  ...serviceRoutes,
  ...stockRoutes,
];

function environmentIn({ params }: WebCall) {
  const environment = environments.find((one) => one === params["environment"]);
  if (environment === undefined) throw new StatusRefusal(404);
  return { environment };
}

type Import =
  | WebCallTo<"POST /dashboard/catalogue/{account_id}/import">
  | WebCallTo<"POST /dashboard/licences/{environment}/import">;

async function importFor(
  deps: Deps,
  { person, body, request }: Import,
  owner: CatalogueOwner,
): Promise<Answer<CatalogueImportAnswer>> {
  const kind = choiceField(body, "kind", "account_id" in owner ? catalogueImportKinds : ["licences"]);
  const dry_run = flagField(body, "dry_run");
  const given = {
    ...{ owner, kind, dry_run, partial: flagField(body, "partial") },
    table: readFileTable(textField(body, "text", LONGEST_FILE)),
    source: textField(body, "source", 200),
    readIngredient: ingredientReader(deps.safety.current()),
    ...(body["agreed"] !== undefined && { agreed: agreedField(body) }),
  };
  const imported = await importCatalogue(deps.db, given, deps.now());
  if (imported.version !== null) {
    const account_id = "account_id" in owner ? owner.account_id : null;
    await writeAudit(deps, person, { account_id, action: "catalogue_imported", subject: kind }, request.id);
  }
  return json(200, imported);
}

/** The difference that the person reviewed, with its fields in the order of the comparison. */
function agreedField(body: JsonObject): CatalogueDiff {
  const { added = [], changed = [], retired = [], unchanged = 0 } = objectField(body, "agreed") as CatalogueDifference;
  const fieldsOf = ({ field, from, to }: { field: string; from: unknown; to: unknown }) => ({ field, from, to });
  const list = <Item>(value: readonly Item[]) => (Array.isArray(value) ? (value as Item[]) : []);
  return {
    added,
    changed: list(changed).map(({ key, fields }) => ({ key, fields: list(fields).map(fieldsOf) })),
    retired,
    unchanged,
  } as CatalogueDiff;
}

const shownVersion = ({ version, kind, source, imported_at, summary }: CatalogueVersionRow): CatalogueVersion => ({
  ...{ version, kind, source, imported_at: imported_at.toISOString() },
  added: summary.added.length,
  changed: summary.changed.length,
  retired: summary.retired.length,
});
