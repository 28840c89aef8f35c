import { type PortalScheduleRow, scheduleStatuses } from "@pestle/contract";
import { addressOf } from "../../app/api.ts";
import { CsvButton, type CsvColumn } from "../../app/csv-button.tsx";
import { RowList } from "../../app/row-list.tsx";
import { type Filter, FilterBar } from "../../app/shell/filter-bar.tsx";
import { Page } from "../../app/shell/page.tsx";
import { useFilters } from "../../app/use-address.ts";
import { usePages } from "../../app/use-pages.ts";
import { Badge } from "../../ui/badge.tsx";
import { counted } from "../../ui/counted.ts";
import { Card } from "../../ui/display/card.tsx";
import { Empty } from "../../ui/display/notice.tsx";
import type { GridColumn } from "../../ui/display/row-grid.tsx";
import { dateText } from "../../ui/time.tsx";
import { say } from "../../ui/words/say.tsx";
import { usePortal } from "../account.tsx";
import { ScheduleBadge, statusNames } from "./schedule-badge.tsx";

const filters: readonly Filter[] = [
  {
    name: "status",
    label: say("Status"),
    options: scheduleStatuses.map((status) => [status, statusNames[status]] as const),
  },
  { name: "patient_id", label: say("Patient ID") },
  { name: "next_fill_from", label: say("Next fill from"), date: true },
  { name: "next_fill_to", label: say("to"), date: true },
];

const columns: readonly GridColumn<PortalScheduleRow>[] = [
  { title: say("Status"), width: "6rem", cell: ({ status }) => <ScheduleBadge status={status} /> },
  {
    title: say("Next fill"),
    width: "7.5rem",
    cell: ({ next_fill_on }) => next_fill_on && <span className="nowrap">{dateText(next_fill_on)}</span>,
  },
  {
    title: say("Patient"),
    width: "minmax(6rem, 1fr)",
    cell: ({ patient_id }) => <span className="mono">{patient_id}</span>,
  },
  {
    title: say("Medication"),
    width: "minmax(9rem, 2fr)",
    cell: ({ drug_name, prescription_id }) => (
      <>
        {drug_name} <span className="quiet mono">{prescription_id}</span>
      </>
    ),
  },
  { title: say("Every"), width: "5rem", cell: ({ interval_days }) => counted(interval_days, "day") },
  { title: say("Problem"), width: "minmax(9rem, 3fr)", cell: (row) => <Trouble {...row} /> },
];

/** Why the schedule is paused, or else why its next fill would fail. */
function Trouble({ paused_because, next_fill_problems }: PortalScheduleRow) {
  const shown = paused_because === null ? next_fill_problems : [paused_because];
  return shown.map(({ code, message }) => (
    <span key={code} lang="en">
      <Badge tone="bad" title={message}>
        {code} {message}
      </Badge>
    </span>
  ));
}

const csv: readonly CsvColumn<PortalScheduleRow>[] = [
  ["Status", ({ status }) => `${status[0]!.toUpperCase()}${status.slice(1)}`],
  ["Next fill", ({ next_fill_on }) => next_fill_on],
  ["Patient", ({ patient_id }) => patient_id],
  ["Medication", ({ drug_name }) => drug_name],
  ["Prescription", ({ prescription_id }) => prescription_id],
  ["Every, in days", ({ interval_days }) => interval_days],
  [
    "Problem",
    ({ paused_because, next_fill_problems }) =>
      (paused_because === null ? next_fill_problems : [paused_because]).map(({ message }) => message),
  ],
  ["Last order", ({ last_order_number }) => last_order_number],
];

/** The account's refill schedules, newest first. */
export function SchedulesScreen() {
  const { api_base, link_base } = usePortal();
  const [{ status, patient_id, next_fill_from, next_fill_to }] = useFilters();
  const asked = { status, patient_id, next_fill_from, next_fill_to };
  const pages = usePages(
    addressOf(`${api_base}/refill_schedules`, { ...asked, limit: "100" }),
    (page) => page.refill_schedules,
    { written_down: true },
  );
  return (
    <Page
      title={say("Refills")}
      fill
      about={say("The service orders the fills of these prescriptions on their days.")}
      actions={
        <CsvButton
          name="refills"
          path={addressOf(`${api_base}/refill_schedules`, { ...asked, limit: "200" })}
          rowsOf={(page) => page.refill_schedules}
          columns={csv}
        />
      }
    >
      <FilterBar filters={filters} />
      <RowList
        label={say("Refill schedules")}
        pages={pages}
        columns={columns}
        rowKey={({ schedule_id }) => schedule_id}
        linkTo={({ schedule_id }) => `${link_base}/refills/${schedule_id}`}
        empty={
          <Card>
            {Object.values(asked).some((value) => value !== undefined) ? (
              <Empty title={say("No matching refill schedules")} />
            ) : (
              <Empty title={say("No refill schedules yet")}>
                <p>{say("Schedules you create through the API appear here.")}</p>
              </Empty>
            )}
          </Card>
        }
      />
    </Page>
  );
}
