import { CONTINUITY_DAYS, type ContinuityEntry } from "@pestle/contract";
import type { UseQueryResult } from "@tanstack/react-query";
import { addressOf } from "../../app/api.ts";
import { CsvButton, type CsvColumn } from "../../app/csv-button.tsx";
import { Loaded } from "../../app/loaded.tsx";
import { Link } from "../../app/router/router.tsx";
import { Page } from "../../app/shell/page.tsx";
import { useFilters } from "../../app/use-address.ts";
import { usePages } from "../../app/use-pages.ts";
import { Badge } from "../../ui/badge.tsx";
import { Chart } from "../../ui/charts/chart.tsx";
import { Button } from "../../ui/controls/button.tsx";
import { SelectField } from "../../ui/controls/field.tsx";
import { Card } from "../../ui/display/card.tsx";
import { Empty } from "../../ui/display/notice.tsx";
import { type Column, Table } from "../../ui/display/table.tsx";
import { StatusBadge } from "../../ui/order-badges.tsx";
import { locale } from "../../ui/words/language.ts";
import { say } from "../../ui/words/say.tsx";
import { usePortal } from "../account.tsx";

const spans = [
  ["14", say("Next 14 days")],
  ["30", say("Next 30 days")],
  ["90", say("Next 90 days")],
  [String(CONTINUITY_DAYS.most), say("Next 180 days")],
] as const;
const dayText = new Intl.DateTimeFormat(locale, { month: "short", day: "numeric", timeZone: "UTC" });

/** Who runs out of which medication, and why the next fill would fail. */
export function ContinuityScreen() {
  const { api_base } = usePortal();
  const [{ within_days = String(CONTINUITY_DAYS.default) }, change] = useFilters();
  const pages = usePages(addressOf(`${api_base}/continuity`, { within_days, limit: "200" }), (page) => page.continuity);
  return (
    <Page
      title={say("Supply")}
      about={say(
        "Patients who run out of a medication, by the days of supply that were shipped. The earliest come first.",
      )}
      actions={
        <>
          <SelectField
            label={say("Time range")}
            unseen
            options={spans}
            value={within_days}
            onChange={(event) => change({ within_days: event.target.value })}
          />
          <CsvButton
            name="supply"
            path={addressOf(`${api_base}/continuity`, { within_days, limit: "200" })}
            rowsOf={(page) => page.continuity}
            columns={csv}
          />
        </>
      }
    >
      <Loaded query={pages.query as unknown as UseQueryResult<unknown>} lines={10}>
        {() => (
          <>
            <Forecast entries={pages.rows} days={Number(within_days)} more={pages.more} />
            <Card flush>
              <Table
                caption={say("Patients who run out")}
                columns={columns}
                rows={pages.rows}
                rowKey={({ patient_id, prescription_id }) => `${patient_id} ${prescription_id}`}
                empty={<Empty title={say("No patient runs out in this time")} />}
              />
            </Card>
            {pages.more && (
              <p>
                <Button onClick={pages.onMore} busy={pages.query.isFetching}>
                  {say("Show more")}
                </Button>
              </p>
            )}
          </>
        )}
      </Loaded>
    </Page>
  );
}

/** One bar per day. Those who have run out already are in the first one. */
function Forecast({ entries, days, more }: { entries: readonly ContinuityEntry[]; days: number; more: boolean }) {
  const buckets = Array.from({ length: days + 2 }, () => ({ fillable: 0, failing: 0 }));
  for (const { days_left, next_fill } of entries) {
    const bucket = buckets[Math.max(-1, Math.min(days, days_left)) + 1]!;
    if (next_fill.fillable) bucket.fillable += 1;
    else bucket.failing += 1;
  }
  const [first] = entries;
  const today_ms = first === undefined ? Date.now() : Date.parse(first.runs_out_on) - first.days_left * DAY_MS;
  const moments = buckets.map((_, index) =>
    index === 0 ? say("Already out") : dayText.format(today_ms + (index - 1) * DAY_MS),
  );
  return (
    <Card title={say("Patients who run out, by day")}>
      <Chart
        label={say("Patients who run out, by day")}
        kind="bars"
        moments={moments}
        empty={say("No patient runs out in this time")}
        series={[
          { name: say("Next fill is possible"), tone: "accent", values: buckets.map(({ fillable }) => fillable) },
          { name: say("Next fill would fail"), tone: "bad", values: buckets.map(({ failing }) => failing) },
        ]}
      />
      {more && (
        <p className="quiet small">
          {say("The chart shows the patients that are listed below. Show more to complete it.")}
        </p>
      )}
    </Card>
  );
}

const DAY_MS = 24 * 3600 * 1000;

const columns: readonly Column<ContinuityEntry>[] = [
  {
    title: say("Runs out"),
    cell: ({ runs_out_on, days_left }) => (
      <span className="nowrap">
        {runs_out_on} {days_left < 0 && <Badge tone="bad">{say("Out")}</Badge>}
      </span>
    ),
  },
  { title: say("Days left"), number: true, cell: ({ days_left }) => days_left },
  { title: say("Patient"), cell: ({ patient_id }) => <span className="mono">{patient_id}</span> },
  {
    title: say("Medication"),
    cell: ({ drug_name, prescription_id }) => (
      <>
        {drug_name} <span className="quiet mono">{prescription_id}</span>
      </>
    ),
  },
  { title: say("Refills left"), number: true, cell: ({ refills_left }) => refills_left },
  { title: say("Open order"), cell: ({ open_order }) => open_order && <OpenOrder {...open_order} /> },
  {
    title: say("Schedule"),
    cell: ({ schedule }) => schedule && <NamedSchedule {...schedule} />,
  },
  {
    title: say("Next fill"),
    cell: ({ next_fill: { fillable, not_fillable } }) =>
      fillable ? (
        <Badge tone="good">{say("Possible")}</Badge>
      ) : (
        not_fillable.map(({ code, message }) => (
          <Badge key={code} tone="bad">
            {code} <span lang="en">{message}</span>
          </Badge>
        ))
      ),
  },
];

const csv: readonly CsvColumn<ContinuityEntry>[] = [
  ["Runs out", ({ runs_out_on }) => runs_out_on],
  ["Days left", ({ days_left }) => days_left],
  ["Patient", ({ patient_id }) => patient_id],
  ["Medication", ({ drug_name }) => drug_name],
  ["Prescription", ({ prescription_id }) => prescription_id],
  ["Refills left", ({ refills_left }) => refills_left],
  ["Open order", ({ open_order }) => open_order?.order_number],
  ["Why the next fill would fail", ({ next_fill }) => next_fill.not_fillable.map(({ message }) => message)],
];

function NamedSchedule({ schedule_id, status, fill_on }: NonNullable<ContinuityEntry["schedule"]>) {
  const { link_base } = usePortal();
  return (
    <Link className="nowrap" to={`${link_base}/refills/${schedule_id}`}>
      {status === "active" ? fill_on : say("Paused")}
    </Link>
  );
}

function OpenOrder({ order_number, order_status }: NonNullable<ContinuityEntry["open_order"]>) {
  const { link_base } = usePortal();
  return (
    <span className="row">
      <Link className="mono" to={`${link_base}/orders/${order_number}`}>
        {order_number}
      </Link>
      <StatusBadge status={order_status} />
    </span>
  );
}
