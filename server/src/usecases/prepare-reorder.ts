import type { Deps } from "../deps.ts";
import type { StoredOrder } from "../domain/order-answer.ts";
import { refuse, StatusRefusal } from "../domain/refusals.ts";
import { isSentObject, type SentFields } from "../domain/unknown-fields.ts";
import { withKeysOfNow } from "../vault/vault.ts";
import { loadStoredOrder } from "./read-orders.ts";

/** The body of a new order like an earlier one that was shipped: what is left out is copied. */
export async function prepareReorder(
  deps: Deps,
  account_id: string,
  order_number: string,
  sent: SentFields,
): Promise<SentFields> {
  const loaded = await withKeysOfNow(deps, () => loadStoredOrder(deps, account_id, order_number));
  if (loaded === undefined) throw new StatusRefusal(404);
  const { order, standing } = loaded;
  if (standing.state !== "Shipped" && standing.state !== "Delivered") refuse(42463, "order_number");
  const copied = copyOf(order);
  // Inside these a field can be sent alone: another shipping method, and the signature as before.
  const merged = (["shipping", "patient", "payment"] as const).map((name) => [
    name,
    sent[name] === undefined
      ? copied[name]
      : isSentObject(sent[name])
        ? { ...copied[name], ...sent[name] }
        : sent[name],
  ]);
  return { ...copied, ...sent, ...Object.fromEntries(merged) };
}

function copyOf(order: StoredOrder) {
  return {
    ...(order.brand_id === null ? {} : { brand_id: order.brand_id }),
    ...(order.reference === null ? {} : { reference: order.reference }),
    shipping: { method_id: order.shipping_method_id, signature_confirmation: order.signature_confirmation },
    patient: { patient_id: order.patient_id },
    // It was taken before, whatever the validator thought of it.
    ...(order.address === null ? {} : { address: { ...order.address, ignore_warnings: true } }),
    items: order.items.map(({ prescription_id, sku, quantity, package_size }) =>
      prescription_id === null
        ? { sku, quantity, package_size }
        : { prescription_id, product_selection: sku, quantity, package_size },
    ),
    payment: { payer: order.payer },
  };
}
