import { type PortalScheduleRow, scheduleStatuses } from "@pestle/contract";
import { addressOf } from "../../app/api.ts";
import { RowList } from "../../app/row-list.tsx";
import { type Filter, FilterBar } from "../../app/shell/filter-bar.tsx";
import { Page } from "../../app/shell/page.tsx";
import { useFilters } from "../../app/use-address.ts";
import { usePages } from "../../app/use-pages.ts";
import { Badge } from "../../ui/badge.tsx";
import { Card } from "../../ui/display/card.tsx";
import { Empty } from "../../ui/display/notice.tsx";
import type { GridColumn } from "../../ui/display/row-grid.tsx";
import { dateText } from "../../ui/time.tsx";
import { usePortal } from "../account.tsx";
import { ScheduleBadge, statusNames } from "./schedule-badge.tsx";

const filters: readonly Filter[] = [
  {
    name: "status",
    label: "Status",
    options: scheduleStatuses.map((status) => [status, statusNames[status]] as const),
  },
  { name: "patient_id", label: "Patient ID" },
];

const columns: readonly GridColumn<PortalScheduleRow>[] = [
  { title: "Status", width: "6rem", cell: ({ status }) => <ScheduleBadge status={status} /> },
  {
    title: "Next fill",
    width: "7.5rem",
    cell: ({ next_fill_on }) => next_fill_on && <span className="nowrap">{dateText(next_fill_on)}</span>,
  },
  {
    title: "Patient",
    width: "minmax(6rem, 1fr)",
    cell: ({ patient_id }) => <span className="mono">{patient_id}</span>,
  },
  {
    title: "Medication",
    width: "minmax(9rem, 2fr)",
    cell: ({ drug_name, prescription_id }) => (
      <>
        {drug_name} <span className="quiet mono">{prescription_id}</span>
      </>
    ),
  },
  { title: "Every", width: "5rem", cell: ({ interval_days }) => `${interval_days} days` },
  { title: "Problem", width: "minmax(9rem, 3fr)", cell: (row) => <Trouble {...row} /> },
];

/** Why the schedule is paused, or else why its next fill would fail. */
function Trouble({ paused_because, next_fill_problems }: PortalScheduleRow) {
  const shown = paused_because === null ? next_fill_problems : [paused_because];
  return shown.map(({ code, message }) => (
    <Badge key={code} tone="bad" title={message}>
      {code} {message}
    </Badge>
  ));
}

/** The account's refill schedules, newest first. */
export function SchedulesScreen() {
  const { api_base, link_base } = usePortal();
  const [{ status, patient_id }] = useFilters();
  const pages = usePages(
    addressOf(`${api_base}/refill_schedules`, { status, patient_id, limit: "100" }),
    (page) => page.refill_schedules,
    { written_down: true },
  );
  return (
    <Page title="Refills" fill about="The service orders the fills of these prescriptions on their days.">
      <FilterBar filters={filters} />
      <RowList
        label="Refill schedules"
        pages={pages}
        columns={columns}
        rowKey={({ schedule_id }) => schedule_id}
        linkTo={({ schedule_id }) => `${link_base}/refills/${schedule_id}`}
        empty={
          <Card>
            {status !== undefined || patient_id !== undefined ? (
              <Empty title="No matching refill schedules" />
            ) : (
              <Empty title="No refill schedules yet">
                <p>Schedules you create through the API appear here.</p>
              </Empty>
            )}
          </Card>
        }
      />
    </Page>
  );
}
