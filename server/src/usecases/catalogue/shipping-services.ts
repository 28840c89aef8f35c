import type { ShippingServices } from "@pestle/contract";
import type { Queryable } from "../../db/db.ts";
import {
  deleteShippingService,
  listShippingServices,
  type ShippingServiceRow,
  saveShippingService,
} from "../../db/fulfillment/shipping-services.ts";
import type { Deps } from "../../deps.ts";
import { serviceOf } from "../../domain/fulfillment/carrier-services.ts";
import { AdminRefusal } from "../accounts/admin-refusal.ts";
import { type Looker, writeAudit } from "../operations/write-audit.ts";
import { transact } from "../write.ts";
import { readCatalogueRows } from "./read-catalogue-rows.ts";

/** Which carrier service each shipping method of an account buys. Without a choice, the built-in table decides. */
export async function readShippingServices(db: Queryable, account_id: string): Promise<ShippingServices> {
  const { shipping_methods } = await readCatalogueRows(db, { account_id });
  const chosen = new Map((await listShippingServices(db, account_id)).map((row) => [row.method_id, row]));
  return shipping_methods.map(({ id: method_id, name, carrier, service }) => {
    const row = chosen.get(method_id);
    const used = row ?? serviceOf({ carrier, service });
    return {
      method_id,
      name,
      chosen: row !== undefined,
      carrier: used?.carrier ?? null,
      service: used?.service ?? null,
      length_in: row?.length_in ?? null,
      width_in: row?.width_in ?? null,
      height_in: row?.height_in ?? null,
      weight_oz: row?.weight_oz ?? null,
    };
  });
}

type ServiceChoice = Omit<ShippingServiceRow, "method_id">;

/** The same for a person at the dashboard, with an entry in the audit log. */
export const chooseServiceAs = (
  deps: Deps,
  by: Looker,
  given: { account_id: string; method_id: number; choice: ServiceChoice | null },
  request_id: string,
): Promise<ShippingServices> =>
  transact(deps, async (tx) => {
    const { account_id, method_id, choice } = given;
    const services = await chooseShippingService(tx, account_id, method_id, choice);
    const entry = { account_id, action: "shipping_service_chosen", subject: String(method_id) } as const;
    await writeAudit({ ...deps, db: tx }, by, entry, request_id);
    return services;
  });

/** Null takes the choice back, so that the built-in table decides again. */
export async function chooseShippingService(
  db: Queryable,
  account_id: string,
  method_id: number,
  choice: ServiceChoice | null,
): Promise<ShippingServices> {
  const { shipping_methods } = await readCatalogueRows(db, { account_id });
  if (!shipping_methods.some(({ id }) => id === method_id)) {
    throw new AdminRefusal("The account has no such shipping method.");
  }
  if (choice === null) await deleteShippingService(db, account_id, method_id);
  else await saveShippingService(db, account_id, { method_id, ...choice });
  return readShippingServices(db, account_id);
}
