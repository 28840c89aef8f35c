import type { DashboardProduct, DashboardShippingMethod } from "@pestle/contract";
import { useDeferredValue, useMemo, useRef, useState } from "react";
import { useShortcuts } from "../../app/shell/shortcuts.ts";
import { useFilters } from "../../app/use-address.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/controls/button.tsx";
import { TextField } from "../../ui/controls/field.tsx";
import { Empty } from "../../ui/display/notice.tsx";
import { type GridColumn, RowGrid } from "../../ui/display/row-grid.tsx";
import { moneyText } from "../../ui/money.ts";
import { say } from "../../ui/words/say.tsx";
import styles from "./catalogue-screen.module.css";
import { ProductDialog } from "./product-dialog.tsx";
import { saveRows } from "./save-rows.ts";

/** The formulary. It can be long, so only visible rows render. */
export function ProductsTable({
  products,
  methods,
}: {
  products: readonly DashboardProduct[];
  methods: readonly DashboardShippingMethod[];
}) {
  const [{ find = "" }, change] = useFilters();
  const wanted = useDeferredValue(find);
  const rows = useMemo(() => found(products, wanted), [products, wanted]);
  const field = useRef<HTMLInputElement>(null);
  const [sku, setSku] = useState<string | null>(null);
  const [open, setOpen] = useState<DashboardProduct | null>(null);
  const cursor = Math.max(
    0,
    rows.findIndex((row) => row.sku === sku),
  );
  const goTo = (to: number) => setSku(rows[Math.max(0, Math.min(rows.length - 1, to))]?.sku ?? null);
  useShortcuts([
    { keys: "j", label: say("Next product"), run: () => goTo(cursor + 1) },
    { keys: "k", label: say("Previous product"), run: () => goTo(cursor - 1) },
    { keys: "Enter", label: say("Open product"), run: () => rows[cursor] && setOpen(rows[cursor]) },
    { keys: "f", label: say("Find product"), run: () => field.current?.focus() },
  ]);
  return (
    <div className={styles["products"]}>
      <div className="row-apart">
        <div className={styles["find"]}>
          <TextField
            ref={field}
            label={say("Find a product")}
            unseen
            placeholder={say("Name, SKU, NDC or ingredient")}
            spellCheck={false}
            value={find}
            onChange={(event) => change({ find: event.target.value })}
          />
        </div>
        <Button small icon="download" onClick={() => saveRows("products", products)}>
          {say("CSV")}
        </Button>
      </div>
      {rows.length === 0 ? (
        <div className={styles["nothing"]}>
          <Empty title={products.length === 0 ? say("No products yet") : say("No matching products")}>
            {products.length === 0 && say("Import a product file to get started.")}
          </Empty>
        </div>
      ) : (
        <div className={styles["grid"]}>
          <RowGrid
            label={say("Products")}
            columns={columns}
            rows={rows}
            rowKey={(row) => row.sku}
            cursor={cursor}
            onCursor={goTo}
            onOpen={setOpen}
            more={false}
            onMore={() => {}}
            least="44rem"
          />
        </div>
      )}
      {open && <ProductDialog product={open} methods={methods} onClose={() => setOpen(null)} />}
    </div>
  );
}

function found(products: readonly DashboardProduct[], text: string): readonly DashboardProduct[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return products;
  return products.filter(({ name, sku, ndc, ingredients }) => {
    const said = [name, sku, ndc ?? "", ...ingredients].join(" ").toLowerCase();
    return words.every((word) => said.includes(word));
  });
}

const columns: GridColumn<DashboardProduct>[] = [
  {
    title: say("Product"),
    width: "minmax(12rem, 3fr)",
    cell: ({ name, rx_only, drug_schedule, cold_chain }) => (
      <span title={name}>
        {drug_schedule !== "0" && <Badge tone="bad">C{drug_schedule}</Badge>}
        {!rx_only && <Badge title={say("Over the counter")}>{say("OTC")}</Badge>}
        {cold_chain && <Badge tone="info">{say("Cold")}</Badge>} {name}
      </span>
    ),
  },
  { title: say("SKU"), width: "minmax(8rem, 1.5fr)", cell: ({ sku }) => <span className="mono">{sku}</span> },
  { title: say("NDC"), width: "7.5rem", cell: ({ ndc }) => <span className="mono">{ndc ?? "–"}</span> },
  { title: say("Packages"), width: "minmax(6rem, 1fr)", cell: ({ package_sizes }) => package_sizes.join(", ") },
  { title: say("Blocked"), width: "minmax(4rem, 1fr)", cell: ({ blocked_states }) => blocked_states.join(", ") || "–" },
  { title: say("Price"), width: "5rem", number: true, cell: ({ price_cents }) => moneyText(price_cents) },
];
