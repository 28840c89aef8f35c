import type { OrderFlow } from "@pestle/contract";
import { Loaded } from "../../app/loaded.tsx";
import { Chart } from "../../ui/charts/chart.tsx";
import { Card } from "../../ui/display/card.tsx";
import { say } from "../../ui/words/say.tsx";
import { dayIn, hourIn, useFigures } from "./use-figures.ts";

const seriesOf = (flow: readonly OrderFlow[]) =>
  [
    { name: say("Received"), tone: "info", values: flow.map(({ received }) => received) },
    { name: say("Shipped"), tone: "accent", values: flow.map(({ shipped }) => shipped) },
  ] as const;

/** Orders an hour. The hours to come are empty. */
export function TodayChart() {
  return (
    <Card title={say("Orders today")}>
      <Loaded query={useFigures()} lines={6}>
        {({ hours, time_zone }) => (
          <Chart
            label={say("Orders today, by hour")}
            kind="lines"
            of={say("Hour")}
            moments={hours.map(({ from }) => hourIn(time_zone)(from))}
            series={seriesOf(hours)}
            empty={say("No orders yet today")}
          />
        )}
      </Loaded>
    </Card>
  );
}

/** Orders a day. */
export function WeekChart() {
  return (
    <Card title={say("Orders in the last 7 days")}>
      <Loaded query={useFigures()} lines={6}>
        {({ days, time_zone }) => (
          <Chart
            label={say("Orders in the last 7 days, by day")}
            kind="lines"
            of={say("Day")}
            moments={days.map(({ from }) => dayIn(time_zone)(from))}
            series={seriesOf(days)}
            empty={say("No orders in this period")}
          />
        )}
      </Loaded>
    </Card>
  );
}
