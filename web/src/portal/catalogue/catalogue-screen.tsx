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
import { say } from "../../ui/words/say.tsx";
import { usePortal } from "../account.tsx";
import styles from "./catalogue-screen.module.css";

/** Products, shipping methods and brands. The pharmacy maintains them. */
export function CatalogueScreen() {
  const { api_base } = usePortal();
  const catalogue = useApi(`${api_base}/catalogue`);
  const [{ tab = "formulary" }, change] = useFilters();
  return (
    <Page
      title={say("Catalogue")}
      about={say("Products, shipping methods and brands you can use in orders. IDs match the API.")}
    >
      <Loaded query={catalogue} lines={8}>
        {({ products, shipping_methods, brands }) => (
          <Tabs
            label={say("Catalogue")}
            value={tab}
            onChange={(key) => change({ tab: key })}
            tabs={[
              {
                key: "formulary",
                label: say("Formulary ({count})", { count: products.length }),
                content: () => <Formulary products={products} methods={shipping_methods} />,
              },
              {
                key: "methods",
                label: say("Shipping methods ({count})", { count: shipping_methods.length }),
                content: () => (
                  <Card flush>
                    <Table
                      caption={say("Shipping methods")}
                      columns={methodColumns}
                      rows={shipping_methods}
                      rowKey={({ id }) => id}
                      empty={<Empty title={say("No shipping methods yet")} />}
                    />
                  </Card>
                ),
              },
              {
                key: "brands",
                label: say("Brands ({count})", { count: brands.length }),
                content: () => (
                  <Card flush>
                    <Table
                      caption={say("Brands")}
                      columns={brandColumns}
                      rows={brands}
                      rowKey={({ id }) => id}
                      empty={<Empty title={say("No brands yet")} />}
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
  { title: say("Brand ID"), cell: ({ id }) => id },
  { title: say("Name"), cell: ({ name }) => name },
  { title: say("Default"), cell: (brand) => brand.default && <Badge tone="good">{say("Default")}</Badge> },
];

const methodColumns: readonly Column<ShippingMethod>[] = [
  { title: say("Method ID"), cell: ({ id }) => id },
  { title: say("Name"), cell: ({ name }) => name },
  { title: say("Carrier"), cell: ({ carrier, service }) => `${carrier} ${service}` },
  {
    title: say("Transit days"),
    cell: ({ transit_days: { min, max } }) => (min === max ? min : say("{min} to {max}", { min, max })),
  },
  { title: say("Price"), number: true, cell: ({ price_cents }) => moneyText(price_cents) },
  {
    title: say("Supports"),
    cell: ({ signature_confirmation, po_box, cold_chain }) => (
      <span className="row">
        {signature_confirmation && <Badge>{say("Signature")}</Badge>}
        {po_box && <Badge>{say("PO Box")}</Badge>}
        {cold_chain && <Badge tone="info">{say("Cold chain")}</Badge>}
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
      title: say("Product"),
      cell: ({ name, sku }) => (
        <>
          <span className={styles["name"]}>{name}</span>
          <span className="quiet mono">{sku}</span>
        </>
      ),
    },
    {
      title: say("NDC / GCN"),
      cell: ({ ndc, gcn }) => (
        <span className="mono nowrap">
          {ndc ?? say("none")}
          <br />
          <span className="quiet">{gcn}</span>
        </span>
      ),
    },
    {
      title: say("Type"),
      cell: ({ rx_only, drug_schedule, in_stock }) => (
        <span className="row">
          <Badge>{rx_only ? say("Prescription") : say("Over the counter")}</Badge>
          {drug_schedule !== "0" && <Badge tone="info">{say("Schedule {drug_schedule}", { drug_schedule })}</Badge>}
          {!in_stock && <Badge tone="wait">{say("Out of stock")}</Badge>}
        </span>
      ),
    },
    { title: say("Package sizes"), cell: ({ package_sizes }) => listText(package_sizes) },
    {
      title: say("Price per package"),
      number: true,
      cell: ({ price_cents }) => [...new Set(price_cents)].map((cents) => moneyText(cents)).join(", "),
    },
    { title: say("Quantities"), cell: ({ quantities }) => listText(quantities) },
    { title: say("Written quantities"), cell: ({ written_quantities }) => listText(written_quantities) },
    {
      title: say("Ships by"),
      cell: ({ shipping_method_ids }) =>
        shipping_method_ids.length === methods.length ? (
          say("Any method")
        ) : (
          <span className="nowrap">{say("Method {ids}", { ids: shipping_method_ids.join(", ") })}</span>
        ),
    },
  ];
  return (
    <div className="stack">
      <div className={styles["find"]}>
        <TextField
          label={say("Find a product")}
          unseen
          type="search"
          placeholder={say("Name, SKU, NDC or GCN")}
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
      </div>
      <Card flush>
        <Table
          caption={say("Formulary")}
          columns={columns}
          rows={products.filter(fits)}
          rowKey={({ sku }) => sku}
          empty={
            <Empty title={products.length === 0 ? say("The formulary is empty") : say("No matching products")}>
              {products.length === 0 && <p>{say("The pharmacy adds products.")}</p>}
            </Empty>
          }
        />
      </Card>
    </div>
  );
}
