import type { DashboardProduct, DashboardShippingMethod } from "@pestle/contract";
import { counted } from "../../ui/counted.ts";
import { Facts } from "../../ui/display/card.tsx";
import { Dialog } from "../../ui/display/dialog.tsx";
import { moneyText } from "../../ui/money.ts";

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
            ["SKU", <code key="sku">{product.sku}</code>],
            ["NDC", product.ndc && <code>{product.ndc}</code>],
            ["GCN", product.gcn && <code>{product.gcn}</code>],
            ["Ingredients", product.ingredients.join(", ") || (product.is_drug ? "None listed" : "Not a drug")],
            ["Schedule", product.drug_schedule === "0" ? "Not controlled" : `C${product.drug_schedule}`],
            ["Prescription", product.rx_only ? "Required" : "Not required"],
            ["Price", `${moneyText(product.price_cents)} per package`],
          ]}
        />
        <Facts
          facts={[
            ["Package sizes", product.package_sizes.join(", ")],
            ["Packages per item", product.quantities.join(", ")],
            ["Written quantities", product.written_quantities.join(", ")],
            ["Limit", `${counted(product.max_units, "unit")} without pharmacist review`],
            ["Ships by", ways.join(", ")],
            ["Blocked states", product.blocked_states.join(", ") || "None"],
            ["Cold chain", product.cold_chain ? "Yes" : "No"],
            ["Back orders", product.back_orders ? "Accepted" : "Not accepted"],
          ]}
        />
      </div>
    </Dialog>
  );
}
