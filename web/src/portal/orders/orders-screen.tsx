import { exceptionIds, exceptions, orderStatuses, type PortalOrderRow } from "@pestle/contract";
import { addressOf } from "../../app/api.ts";
import { CsvButton, type CsvColumn } from "../../app/csv-button.tsx";
import { RowList } from "../../app/row-list.tsx";
import { type Filter, FilterBar } from "../../app/shell/filter-bar.tsx";
import { Page } from "../../app/shell/page.tsx";
import { useFilters } from "../../app/use-address.ts";
import { useApi } from "../../app/use-api.ts";
import { usePages } from "../../app/use-pages.ts";
import { dayAfter } from "../../ui/day-after.ts";
import { Card } from "../../ui/display/card.tsx";
import { Empty } from "../../ui/display/notice.tsx";
import type { GridColumn } from "../../ui/display/row-grid.tsx";
import { StatusBadge } from "../../ui/order-badges.tsx";
import { When } from "../../ui/time.tsx";
import { say, sayName } from "../../ui/words/say.tsx";
import { usePortal } from "../account.tsx";

const REFRESH_MS = 10_000;

const columns: readonly GridColumn<PortalOrderRow>[] = [
  { title: say("Order"), width: "7.5rem", cell: ({ order_number }) => <span className="mono">{order_number}</span> },
  { title: say("Status"), width: "7rem", cell: ({ order_status }) => <StatusBadge status={order_status} /> },
  {
    title: say("Exceptions"),
    width: "minmax(8rem, 2fr)",
    cell: ({ exceptions: open }) => open.map(({ name }) => sayName(name)).join(", "),
  },
  { title: say("Reference"), width: "minmax(6rem, 1fr)", cell: ({ reference }) => reference },
  {
    title: say("Patient"),
    width: "minmax(6rem, 1fr)",
    cell: ({ patient_id }) => <span className="mono">{patient_id}</span>,
  },
  { title: say("Items"), width: "3rem", number: true, cell: ({ items }) => items },
  { title: say("Created"), width: "8rem", cell: ({ created_at }) => <When at={created_at} /> },
  { title: say("Updated"), width: "8rem", cell: ({ updated_at }) => <When at={updated_at} /> },
];

const csv: readonly CsvColumn<PortalOrderRow>[] = [
  ["Order", ({ order_number }) => order_number],
  ["Status", ({ order_status }) => order_status],
  ["Exceptions", ({ exceptions: open }) => open.map(({ name }) => name)],
  ["Reference", ({ reference }) => reference],
  ["Patient", ({ patient_id }) => patient_id],
  ["Items", ({ items }) => items],
  ["Tracking number", ({ tracking_no }) => tracking_no],
  ["Created", ({ created_at }) => created_at],
  ["Updated", ({ updated_at }) => updated_at],
];

/** All orders, newest first. Rows show no patient names or medications. */
export function OrdersScreen() {
  const { api_base, link_base } = usePortal();
  const [values] = useFilters();
  const catalogue = useApi(`${api_base}/catalogue`);
  const filters: Filter[] = [
    { name: "order_status", label: say("Status"), options: orderStatuses.map((one) => [one, sayName(one)] as const) },
    {
      name: "exception_id",
      label: say("Exception"),
      options: exceptionIds.map((id) => [String(id), `${id} ${sayName(exceptions[id].name)}`] as const),
    },
    {
      name: "brand_id",
      label: say("Brand"),
      options: (catalogue.data?.brands ?? []).map(({ id, name }) => [String(id), name] as const),
    },
    { name: "reference", label: say("Reference") },
    { name: "patient_id", label: say("Patient ID") },
    { name: "prescription_id", label: say("Prescription ID") },
    { name: "created_after", label: say("From"), date: true },
    { name: "created_before", label: say("To"), date: true },
  ];
  const given = Object.fromEntries(filters.map(({ name }) => [name, values[name]]));
  const asked = { ...given, created_before: dayAfter(values["created_before"]) };
  const pages = usePages(addressOf(`${api_base}/orders`, { ...asked, limit: "100" }), (page) => page.orders, {
    refetch_ms: REFRESH_MS,
  });
  const filtered = Object.values(given).some((value) => value !== undefined);
  return (
    <Page
      title={say("Orders")}
      fill
      actions={
        <CsvButton
          name="orders"
          path={addressOf(`${api_base}/orders`, { ...asked, limit: "200" })}
          rowsOf={(page) => page.orders}
          columns={csv}
        />
      }
    >
      <FilterBar filters={filters} />
      <RowList
        label={say("Orders")}
        pages={pages}
        columns={columns}
        rowKey={({ order_number }) => order_number}
        linkTo={({ order_number }) => `${link_base}/orders/${order_number}`}
        empty={
          <Card>
            {filtered ? (
              <Empty title={say("No matching orders")} />
            ) : (
              <Empty title={say("No orders yet")}>
                <p>{say("Orders you place through the API appear here.")}</p>
              </Empty>
            )}
          </Card>
        }
      />
    </Page>
  );
}
