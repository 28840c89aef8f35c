import type { Address } from "@pestle/contract";
import type { Deps } from "../../deps.ts";
import type { Formulary } from "../../domain/catalogue/formulary.ts";
import type { StoredOrder } from "../../domain/orders/order-answer.ts";
import { refuse, StatusRefusal } from "../../domain/values/refusals.ts";
import { isSentObject, type SentFields } from "../../domain/values/unknown-fields.ts";
import { withKeysOfNow } from "../../vault/vault.ts";
import { readCatalogue } from "../catalogue/read-catalogue.ts";
import { loadStoredOrder } from "./read-orders.ts";

/**
 * The body of a new order like a shipped one, with missing fields copied. The address is returned separately because it
 * was accepted before: an address from a prescription need not pass the checks on addresses that partners send.
 */
export async function prepareReorder(
  deps: Deps,
  account_id: string,
  order_number: string,
  sent: SentFields,
): Promise<{ body: SentFields; address: Address | null }> {
  const loaded = await withKeysOfNow(deps, () => loadStoredOrder(deps, account_id, order_number));
  if (loaded === undefined) throw new StatusRefusal(404);
  const { order, standing } = loaded;
  if (standing.state !== "Shipped" && standing.state !== "Delivered") refuse(42463, "order_number");
  const { formulary } = await readCatalogue(deps, account_id);
  const copied = copyOf(order, formulary);
  // A null keeps the copied value. Others stay: the reader takes null as absent, and refuses an unknown name with any value.
  const present = (fields: SentFields, kept: object) =>
    Object.fromEntries(Object.entries(fields).filter(([name, value]) => value !== null || !Object.hasOwn(kept, name)));
  // These objects are merged field by field, so a partner can change the shipping method and keep the signature.
  const merged = (["shipping", "patient", "payment"] as const).map((name) => [
    name,
    sent[name] == null
      ? copied[name]
      : isSentObject(sent[name])
        ? { ...copied[name], ...present(sent[name], copied[name]) }
        : sent[name],
  ]);
  return { body: { ...copied, ...present(sent, copied), ...Object.fromEntries(merged) }, address: order.address };
}

function copyOf(order: StoredOrder, { by_sku }: Pick<Formulary, "by_sku">) {
  // A quantity filled as written may differ from every package size.
  const sizeOf = ({ sku, package_size }: StoredOrder["items"][number]) =>
    by_sku.get(sku)?.package_sizes.includes(package_size) ? { package_size } : { written_qty: package_size };
  return {
    ...(order.brand_id === null ? {} : { brand_id: order.brand_id }),
    ...(order.reference === null ? {} : { reference: order.reference }),
    shipping: { method_id: order.shipping_method_id, signature_confirmation: order.signature_confirmation },
    patient: { patient_id: order.patient_id },
    items: order.items.map((item) => {
      const { prescription_id, sku, quantity, package_size } = item;
      return prescription_id === null
        ? { sku, quantity, package_size }
        : { prescription_id, product_selection: sku, quantity, ...sizeOf(item) };
    }),
    payment: { payer: order.payer },
  };
}
