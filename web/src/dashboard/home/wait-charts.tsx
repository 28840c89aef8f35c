import { type LateForecast, queues } from "@pestle/contract";
import { Loaded } from "../../app/loaded.tsx";
import { Link } from "../../app/router/router.tsx";
import { Bars } from "../../ui/charts/bars.tsx";
import { Chart } from "../../ui/charts/chart.tsx";
import { counted } from "../../ui/counted.ts";
import { Card } from "../../ui/display/card.tsx";
import { ageText } from "../../ui/time.tsx";
import { numberText } from "../../ui/words/number-text.ts";
import { say, sayName } from "../../ui/words/say.tsx";
import styles from "./home-screen.module.css";
import { hourIn, useFigures } from "./use-figures.ts";

const MINUTE_MS = 60_000;

/** How long open orders have waited in each queue, compared with the queue's target. */
export function AgeingChart() {
  return (
    <Card title={say("Wait against target")} actions={<Link to="/targets">{say("Targets")}</Link>}>
      <Loaded query={useFigures()} lines={6}>
        {({ ageing }) => (
          <div className="stack-tight">
            <Bars
              label={say("Open orders by queue and wait")}
              of={say("Queue")}
              series={[
                { name: say("On time"), tone: "accent" },
                { name: say("Due soon"), tone: "info" },
                { name: say("Late"), tone: "wait" },
                { name: say("Very late"), tone: "bad" },
              ]}
              rows={ageing.map(({ key, target_minutes, fresh, due_soon, late, very_late }) => ({
                name: sayName(queues[key].name),
                shown: <Link to={`/queue/${key}`}>{sayName(queues[key].name)}</Link>,
                values: [fresh, due_soon, late, very_late],
                about: (
                  <>
                    {say("Target {time}", { time: ageText(target_minutes * MINUTE_MS) })}
                    {late + very_late > 0 && (
                      <strong className={styles["late"]}>
                        {" · "}
                        {say("{late} late", { late: numberText(late + very_late) })}
                      </strong>
                    )}
                  </>
                ),
              }))}
              empty={say("No queue has a target.")}
            />
            <p className="quiet small">{say("Due soon: past half of the target. Very late: past twice the target.")}</p>
          </div>
        )}
      </Loaded>
    </Card>
  );
}

/** Which open orders will be late by midnight. */
export function ForecastChart() {
  return (
    <Card title={say("Late today")}>
      <Loaded query={useFigures()} lines={6}>
        {({ forecast, time_zone }) => (
          <div className="stack-tight">
            <Sentence {...forecast} />
            <Chart
              label={say("Open orders that reach their target today, by hour")}
              kind="bars"
              of={say("Hour")}
              moments={forecast.hours.map(({ from }) => hourIn(time_zone)(from))}
              series={[
                {
                  name: say("In time"),
                  tone: "accent",
                  values: forecast.hours.map((hour) => hour.on_time),
                },
                { name: say("Will be late"), tone: "bad", values: forecast.hours.map((hour) => hour.late) },
              ]}
              empty={say("No open order reaches its target today")}
            />
          </div>
        )}
      </Loaded>
    </Card>
  );
}

function Sentence({ pace, late_now, late_later }: LateForecast) {
  return (
    <p>
      <strong className={late_now + late_later > 0 ? styles["late"] : undefined}>
        {say("{orders} late now, {late_later} more by midnight.", {
          orders: counted(late_now, "order"),
          late_later: numberText(late_later),
        })}
      </strong>{" "}
      <span className="quiet">
        {pace === null
          ? say("Nothing shipped in the last 6 days, so no order is expected to move on in time.")
          : say("At the usual pace, {orders} will ship by then. Orders on hold do not count.", {
              orders: counted(pace, "order"),
            })}
      </span>
    </p>
  );
}
