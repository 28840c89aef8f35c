import type { DashboardProduct, DashboardShippingMethod } from "@pestle/contract";
import { Facts } from "../../ui/display/card.tsx";
import { Dialog } from "../../ui/display/dialog.tsx";
import { moneyText } from "../../ui/money.ts";

/** All that the catalogue says of a product. It is changed by importing a file. */
export function ProductDialog({
  product,
  methods,
  onClose,
}: {
  product: DashboardProduct;
  methods: readonly DashboardShippingMethod[];
  onClose: () => void;
}) {
  const ways = product.shipping_method_ids.map((id) => methods.find((one) => one.id === id)?.name ?? `no. ${id}`);
  return (
    <Dialog title={product.name} onClose={onClose} wide>
      <div className="grid-2">
        <Facts
          facts={[
            ["SKU", <code key="sku">{product.sku}</code>],
            ["NDC", product.ndc && <code>{product.ndc}</code>],
            ["GCN", product.gcn && <code>{product.gcn}</code>],
            ["Ingredients", product.ingredients.join(", ") || "none named"],
            ["Schedule", product.drug_schedule === "0" ? "Not controlled" : `C${product.drug_schedule}`],
            ["Needs", product.rx_only ? "A prescription" : "No prescription"],
            ["Price", `${moneyText(product.price_cents)} a package`],
          ]}
        />
        <Facts
          facts={[
            ["Package sizes", product.package_sizes.join(", ")],
            ["Packages an item", product.quantities.join(", ")],
            ["Written as", product.written_quantities.join(", ")],
            ["At most", `${product.max_units.toLocaleString()} units, or a pharmacist verifies`],
            ["Ships by", ways.join(", ")],
            ["Not to", product.blocked_states.join(", ") || "no state is blocked"],
            ["Cold chain", product.cold_chain ? "Yes" : "No"],
            ["Back orders", product.back_orders ? "Taken" : "Not taken"],
          ]}
        />
      </div>
    </Dialog>
  );
}
