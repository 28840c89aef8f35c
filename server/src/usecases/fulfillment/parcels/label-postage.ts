import {
  insertPostage,
  loadNewestPostage,
  markBought,
  movePostage,
  postagePlace,
} from "../../../db/fulfillment/postage.ts";
import { findShippingService } from "../../../db/fulfillment/shipping-services.ts";
import type { Deps } from "../../../deps.ts";
import { serviceOf } from "../../../domain/fulfillment/carrier-services.ts";
import type { BoughtPostage, PostageRequest } from "../../../domain/fulfillment/postage.ts";
import { usualParcel } from "../../../domain/fulfillment/usual-parcel.ts";
import { canonicalJson } from "../../../domain/values/canonical-json.ts";
import { withKeysOfNow } from "../../../vault/vault.ts";
import type { LoadedOrder } from "../../orders/load-order.ts";

/** The job looks whether the label is used after this time. */
const CHECK_AFTER_MS = 3600_000;

/**
 * The service and the parcel of an order's label, and what an earlier try left at the carrier service. A shipment that was
 * made for another address, method or parcel is not used again; the job gives its postage back.
 */
export async function labelPostage(
  deps: Pick<Deps, "db" | "vault" | "config" | "now" | "providers">,
  loaded: LoadedOrder,
  label_id: number,
  made_for: string,
): Promise<PostageRequest> {
  const { account_id, order, rules } = loaded;
  const { order_number } = order;
  const { db } = deps;
  const method = rules.formulary.known_methods.get(order.shipping_method_id)!;
  const chosen = await findShippingService(db, account_id, order.shipping_method_id);
  const usual = usualParcel(deps.config);
  const parcel = {
    length_in: chosen?.length_in ?? usual.length_in,
    width_in: chosen?.width_in ?? usual.width_in,
    height_in: chosen?.height_in ?? usual.height_in,
    weight_oz: chosen?.weight_oz ?? usual.weight_oz,
  };
  const service = chosen === undefined ? serviceOf(method) : { carrier: chosen.carrier, service: chosen.service };
  const made_for_all = canonicalJson({ made_for, service, parcel });
  let newest_id = 0;
  let ref: string | null = null;

  const known = () =>
    withKeysOfNow(deps, async () => {
      const newest = await loadNewestPostage(db, account_id, order_number);
      newest_id = newest?.postage_id ?? 0;
      if (newest === undefined || newest.label_id !== label_id) return null;
      if (newest.state !== "made" && newest.state !== "bought") return null;
      const place = postagePlace(account_id, order_number, newest.postage_id);
      if (deps.vault.open(newest.made_for_sealed, place).toString("utf8") !== made_for_all) return null;
      ref = newest.provider_ref;
      return ref;
    });

  return {
    method: method.name,
    service,
    parcel,
    known,
    async keep(provider_ref) {
      const postage_id = newest_id + 1;
      await withKeysOfNow(deps, async () => {
        const now = deps.now();
        const place = postagePlace(account_id, order_number, postage_id);
        await insertPostage(db, account_id, order_number, {
          postage_id,
          label_id,
          provider: deps.providers.carrier ?? "",
          provider_ref,
          made_at: now,
          check_at: new Date(now.getTime() + CHECK_AFTER_MS),
          made_for_sealed: deps.vault.seal(Buffer.from(made_for_all), place),
        });
      });
      return (await known()) ?? provider_ref;
    },
    async bought(postage: BoughtPostage) {
      if (ref !== null) await markBought(db, account_id, order_number, ref, postage);
    },
    async abandon() {
      if (ref !== null) await movePostage(db, account_id, order_number, ref, { state: "unused", check_at: null });
    },
  };
}
