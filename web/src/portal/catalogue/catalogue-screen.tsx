import type { Brand, Product, ShippingMethod } from "@pestle/contract";
import { useState } from "react";
import { Loaded } from "../../app/loaded.tsx";
import { Page } from "../../app/shell/page.tsx";
import { useFilters } from "../../app/use-address.ts";
import { useApi } from "../../app/use-api.ts";
import { Badge } from "../../ui/badge.tsx";
import { TextField } from "../../ui/controls/field.tsx";
import { Tabs } from "../../ui/controls/tabs.tsx";
import { Card } from "../../ui/display/card.tsx";
import { Empty } from "../../ui/display/notice.tsx";
import { type Column, Table } from "../../ui/display/table.tsx";
import { moneyText } from "../../ui/money.ts";
import { usePortal } from "../account.tsx";
import styles from "./catalogue-screen.module.css";

/** Products, shipping methods and brands. The pharmacy maintains them. */
export function CatalogueScreen() {
  const { api_base } = usePortal();
  const catalogue = useApi(`${api_base}/catalogue`);
  const [{ tab = "formulary" }, change] = useFilters();
  return (
    <Page title="Catalogue" about="Products, shipping methods and brands you can use in orders. IDs match the API.">
      <Loaded query={catalogue} lines={8}>
        {({ products, shipping_methods, brands }) => (
          <Tabs
            label="Catalogue"
            value={tab}
            onChange={(key) => change({ tab: key })}
            tabs={[
              {
                key: "formulary",
                label: `Formulary (${products.length})`,
                content: () => <Formulary products={products} methods={shipping_methods} />,
              },
              {
                key: "methods",
                label: `Shipping methods (${shipping_methods.length})`,
                content: () => (
                  <Card flush>
                    <Table
                      caption="Shipping methods"
                      columns={methodColumns}
                      rows={shipping_methods}
                      rowKey={({ id }) => id}
                      empty={<Empty title="No shipping methods yet" />}
                    />
                  </Card>
                ),
              },
              {
                key: "brands",
                label: `Brands (${brands.length})`,
                content: () => (
                  <Card flush>
                    <Table
                      caption="Brands"
                      columns={brandColumns}
                      rows={brands}
                      rowKey={({ id }) => id}
                      empty={<Empty title="No brands yet" />}
                    />
                  </Card>
                ),
              },
            ]}
          />
        )}
      </Loaded>
    </Page>
  );
}

const brandColumns: readonly Column<Brand>[] = [
  { title: "Brand ID", cell: ({ id }) => id },
  { title: "Name", cell: ({ name }) => name },
  { title: "Default", cell: (brand) => brand.default && <Badge tone="good">Default</Badge> },
];

const methodColumns: readonly Column<ShippingMethod>[] = [
  { title: "Method ID", cell: ({ id }) => id },
  { title: "Name", cell: ({ name }) => name },
  { title: "Carrier", cell: ({ carrier, service }) => `${carrier} ${service}` },
  {
    title: "Transit days",
    cell: ({ transit_days: { min, max } }) => (min === max ? min : `${min} to ${max}`),
  },
  { title: "Price", number: true, cell: ({ price_cents }) => moneyText(price_cents) },
  {
    title: "Supports",
    cell: ({ signature_confirmation, po_box, cold_chain }) => (
      <span className="row">
        {signature_confirmation && <Badge>Signature</Badge>}
        {po_box && <Badge>PO Box</Badge>}
        {cold_chain && <Badge tone="info">Cold chain</Badge>}
      </span>
    ),
  },
];

const listText = (numbers: readonly number[]) => <span className="nowrap">{numbers.join(", ")}</span>;

function Formulary({ products, methods }: { products: readonly Product[]; methods: readonly ShippingMethod[] }) {
  const [text, setText] = useState("");
  const words = text.trim().toLowerCase();
  const fits = ({ name, sku, ndc, gcn }: Product) =>
    [name, sku, ndc, gcn].some((one) => one?.toLowerCase().includes(words));
  const columns: readonly Column<Product>[] = [
    {
      title: "Product",
      cell: ({ name, sku }) => (
        <>
          <span className={styles["name"]}>{name}</span>
          <span className="quiet mono">{sku}</span>
        </>
      ),
    },
    {
      title: "NDC / GCN",
      cell: ({ ndc, gcn }) => (
        <span className="mono nowrap">
          {ndc ?? "none"}
          <br />
          <span className="quiet">{gcn}</span>
        </span>
      ),
    },
    {
      title: "Type",
      cell: ({ rx_only, drug_schedule, in_stock }) => (
        <span className="row">
          <Badge>{rx_only ? "Prescription" : "Over the counter"}</Badge>
          {drug_schedule !== "0" && <Badge tone="info">Schedule {drug_schedule}</Badge>}
          {!in_stock && <Badge tone="wait">Out of stock</Badge>}
        </span>
      ),
    },
    { title: "Package sizes", cell: ({ package_sizes }) => listText(package_sizes) },
    {
      title: "Price per package",
      number: true,
      cell: ({ price_cents }) => [...new Set(price_cents)].map((cents) => moneyText(cents)).join(", "),
    },
    { title: "Quantities", cell: ({ quantities }) => listText(quantities) },
    { title: "Written quantities", cell: ({ written_quantities }) => listText(written_quantities) },
    {
      title: "Ships by",
      cell: ({ shipping_method_ids }) =>
        shipping_method_ids.length === methods.length ? (
          "Any method"
        ) : (
          <span className="nowrap">Method {shipping_method_ids.join(", ")}</span>
        ),
    },
  ];
  return (
    <div className="stack">
      <div className={styles["find"]}>
        <TextField
          label="Find a product"
          unseen
          type="search"
          placeholder="Name, SKU, NDC or GCN"
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
      </div>
      <Card flush>
        <Table
          caption="Formulary"
          columns={columns}
          rows={products.filter(fits)}
          rowKey={({ sku }) => sku}
          empty={
            <Empty title={products.length === 0 ? "The formulary is empty" : "No matching products"}>
              {products.length === 0 && <p>The pharmacy adds products.</p>}
            </Empty>
          }
        />
      </Card>
    </div>
  );
}
