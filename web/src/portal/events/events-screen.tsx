import { eventTypeNames, type PortalEventRow } from "@pestle/contract";
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
import { When } from "../../ui/time.tsx";
import { say } from "../../ui/words/say.tsx";
import { usePortal } from "../account.tsx";
import { DeliveryBadges } from "../delivery-badges.tsx";

const REFRESH_MS = 4_000;
const states: NonNullable<Filter["options"]> = [
  ["delivered", say("Delivered")],
  ["pending", say("Pending")],
  ["failed", say("Failed")],
];

const columns: readonly GridColumn<PortalEventRow>[] = [
  { title: say("Created"), width: "10rem", cell: ({ created_at }) => <When at={created_at} seconds /> },
  { title: say("Event"), width: "11rem", cell: ({ event_type }) => <code>{event_type}</code> },
  { title: say("Order"), width: "7.5rem", cell: ({ order_number }) => <span className="mono">{order_number}</span> },
  {
    title: say("Patient"),
    width: "minmax(6rem, 1fr)",
    cell: ({ patient_id }) => <span className="mono">{patient_id}</span>,
  },
  {
    title: say("Deliveries"),
    width: "minmax(10rem, 2fr)",
    cell: (row) => <DeliveryBadges deliveries={row.deliveries} />,
  },
  {
    title: say("Event ID"),
    width: "5.5rem",
    cell: ({ event_id }) => <span className="mono quiet">{event_id.slice(0, 8)}…</span>,
  },
];

const csv: readonly CsvColumn<PortalEventRow>[] = [
  ["Created", ({ created_at }) => created_at],
  ["Event", ({ event_type }) => event_type],
  ["Order", ({ order_number }) => order_number],
  ["Patient", ({ patient_id }) => patient_id],
  ["Deliveries", ({ deliveries }) => deliveries.map(({ status }) => status)],
  ["Event ID", ({ event_id }) => event_id],
];

/** All events with their deliveries. */
export function EventsScreen() {
  const { api_base, link_base } = usePortal();
  const [values] = useFilters();
  const endpoints = useApi(`${api_base}/webhook_endpoints`).data?.webhook_endpoints ?? [];
  const filters: readonly Filter[] = [
    { name: "event_type", label: say("Event"), options: eventTypeNames.map((one) => [one, one] as const) },
    { name: "status", label: say("Delivery"), options: states },
    { name: "endpoint_id", label: say("Endpoint"), options: endpoints.map(({ id, url }) => [id, url] as const) },
    { name: "order_number", label: say("Order number") },
    { name: "created_after", label: say("From"), date: true },
    { name: "created_before", label: say("To"), date: true },
  ];
  const given = Object.fromEntries(filters.map(({ name }) => [name, values[name]]));
  const asked = { ...given, created_before: dayAfter(values["created_before"]) };
  const pages = usePages(
    addressOf(`${api_base}/webhook_events`, { ...asked, limit: "100" }),
    (page) => page.webhook_events,
    { refetch_ms: REFRESH_MS },
  );
  const filtered = Object.values(given).some((value) => value !== undefined);
  return (
    <Page
      title={say("Events")}
      about={say("All events and their webhook deliveries.")}
      fill
      actions={
        <CsvButton
          name="events"
          path={addressOf(`${api_base}/webhook_events`, { ...asked, limit: "200" })}
          rowsOf={(page) => page.webhook_events}
          columns={csv}
        />
      }
    >
      <FilterBar filters={filters} />
      <RowList
        label={say("Events")}
        pages={pages}
        columns={columns}
        rowKey={({ event_id }) => event_id}
        linkTo={({ event_id }) => `${link_base}/events/${event_id}`}
        empty={
          <Card>
            {filtered ? (
              <Empty title={say("No matching events")} />
            ) : (
              <Empty title={say("No events yet")}>
                <p>{say("New prescriptions and order changes appear here, with or without an endpoint.")}</p>
              </Empty>
            )}
          </Card>
        }
      />
    </Page>
  );
}
