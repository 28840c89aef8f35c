import { DELIVERY_RATE_ALERT, type EndpointFigures, type PortalEndpoint } from "@pestle/contract";
import { ChartTable } from "../../ui/charts/chart-table.tsx";
import { Sparkline } from "../../ui/charts/sparkline.tsx";
import type { Column } from "../../ui/display/table.tsx";
import { numberText } from "../../ui/words/number-text.ts";
import { say } from "../../ui/words/say.tsx";
import { hourText, milliseconds, percent } from "../figures.ts";
import styles from "./endpoint-trend.module.css";

/** The share of delivered attempts in the last 24 hours, and its course. */
export function DeliveryTrend({ figures }: { figures: EndpointFigures | undefined }) {
  if (figures === undefined) return null;
  const { success_rate, hours } = figures;
  if (success_rate === null) return <span className="quiet">{say("No attempts")}</span>;
  const rates = hours.map((hour) => hour.success_rate);
  const lowest = Math.min(...rates.flatMap((rate) => rate ?? []));
  const bad = success_rate < DELIVERY_RATE_ALERT;
  return (
    <span className={styles["trend"]}>
      <span className={bad ? styles["bad"] : undefined}>{percent(success_rate)}</span>
      <Sparkline
        label={say("Delivered per hour in the last 24 hours: lowest {lowest}", { lowest: percent(lowest) })}
        values={rates}
        tone={bad ? "bad" : "good"}
        most={1}
      />
    </span>
  );
}

/** The average response time in the last 24 hours, and its course. */
export function ResponseTrend({ figures }: { figures: EndpointFigures | undefined }) {
  if (figures === undefined || figures.average_duration_ms === null) return null;
  const times = figures.hours.map((hour) => hour.average_duration_ms);
  const longest = Math.max(...times.flatMap((time) => time ?? []));
  return (
    <span className={styles["trend"]}>
      <span>{milliseconds(figures.average_duration_ms)}</span>
      <Sparkline
        label={say("Response time per hour in the last 24 hours: longest {longest}", {
          longest: milliseconds(longest),
        })}
        values={times}
        tone="info"
      />
    </span>
  );
}

type Row = { url: string; hour: EndpointFigures["hours"][number] };
const columns: readonly Column<Row>[] = [
  { title: say("Endpoint"), cell: ({ url }) => <code>{url}</code> },
  { title: say("Hour"), cell: ({ hour }) => hourText.format(new Date(hour.hour)) },
  { title: say("Attempts"), number: true, cell: ({ hour }) => numberText(hour.attempts) },
  { title: say("Delivered"), number: true, cell: ({ hour }) => percent(hour.success_rate) },
  { title: say("Response time"), number: true, cell: ({ hour }) => milliseconds(hour.average_duration_ms) },
];

/** The numbers of the small lines: hours with attempts, newest first. */
export function TrendTable({
  endpoints,
  figures,
}: {
  endpoints: readonly PortalEndpoint[];
  figures: readonly EndpointFigures[];
}) {
  const rows = endpoints.flatMap(({ id, url }) =>
    (figures.find(({ endpoint_id }) => endpoint_id === id)?.hours ?? [])
      .filter(({ attempts }) => attempts > 0)
      .map((hour) => ({ url, hour, key: `${id} ${hour.hour}` }))
      .reverse(),
  );
  return rows.length > 0 ? (
    <ChartTable
      caption={say("Attempts in the last 24 hours, by endpoint and hour")}
      columns={columns}
      rows={rows}
      rowKey={(row) => (row as (typeof rows)[number]).key}
    />
  ) : null;
}
