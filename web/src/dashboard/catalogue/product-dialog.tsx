import type { DashboardProduct, DashboardShippingMethod } from "@pestle/contract";
import { counted } from "../../ui/counted.ts";
import { Facts } from "../../ui/display/card.tsx";
import { Dialog } from "../../ui/display/dialog.tsx";
import { moneyText } from "../../ui/money.ts";
import { say } from "../../ui/words/say.tsx";

/** Product details, read-only. Staff change products by importing a file. */
export function ProductDialog({
  product,
  methods,
  onClose,
}: {
  product: DashboardProduct;
  methods: readonly DashboardShippingMethod[];
  onClose: () => void;
}) {
  const ways = product.shipping_method_ids.map((id) => methods.find((one) => one.id === id)?.name ?? `#${id}`);
  return (
    <Dialog title={product.name} onClose={onClose} wide>
      <div className="grid-2">
        <Facts
          facts={[
            [say("SKU"), <code key="sku">{product.sku}</code>],
            [say("NDC"), product.ndc && <code>{product.ndc}</code>],
            [say("GCN"), product.gcn && <code>{product.gcn}</code>],
            [
              say("Ingredients"),
              product.ingredients.join(", ") || (product.is_drug ? say("None listed") : say("Not a drug")),
            ],
            [say("Schedule"), product.drug_schedule === "0" ? say("Not controlled") : `C${product.drug_schedule}`],
            [say("Prescription"), product.rx_only ? say("Required") : say("Not required")],
            [say("Price"), say("{price} per package", { price: moneyText(product.price_cents) })],
          ]}
        />
        <Facts
          facts={[
            [say("Package sizes"), product.package_sizes.join(", ")],
            [say("Packages per item"), product.quantities.join(", ")],
            [say("Written quantities"), product.written_quantities.join(", ")],
            [say("Limit"), say("{units} without pharmacist review", { units: counted(product.max_units, "unit") })],
            [say("Ships by"), ways.join(", ")],
            [say("Blocked states"), product.blocked_states.join(", ") || say("None")],
            [say("Cold chain"), product.cold_chain ? say("Yes") : say("No")],
            [say("Back orders"), product.back_orders ? say("Accepted") : say("Not accepted")],
          ]}
        />
      </div>
    </Dialog>
  );
}
