import type { ShippingServices } from "@pestle/contract";
import type { Database } from "../../db/db.ts";
import {
  deleteShippingService,
  listShippingServices,
  type ShippingServiceRow,
  saveShippingService,
} from "../../db/fulfillment/shipping-services.ts";
import { serviceOf } from "../../domain/fulfillment/carrier-services.ts";
import { AdminRefusal } from "../accounts/admin-refusal.ts";
import { readCatalogueRows } from "./read-catalogue-rows.ts";

/** Which carrier service each shipping method of an account buys. Without a choice, the built-in table decides. */
export async function readShippingServices(db: Database, account_id: string): Promise<ShippingServices> {
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

/** Null takes the choice back, so that the built-in table decides again. */
export async function chooseShippingService(
  db: Database,
  account_id: string,
  method_id: number,
  choice: Omit<ShippingServiceRow, "method_id"> | null,
): Promise<ShippingServices> {
  const { shipping_methods } = await readCatalogueRows(db, { account_id });
  if (!shipping_methods.some(({ id }) => id === method_id)) {
    throw new AdminRefusal("The account has no such shipping method.");
  }
  if (choice === null) await deleteShippingService(db, account_id, method_id);
  else await saveShippingService(db, account_id, { method_id, ...choice });
  return readShippingServices(db, account_id);
}
