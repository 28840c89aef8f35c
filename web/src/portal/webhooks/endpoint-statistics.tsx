import { DELIVERY_RATE_ALERT } from "@pestle/contract";
import { Loaded } from "../../app/loaded.tsx";
import { Link } from "../../app/router/router.tsx";
import { useApi } from "../../app/use-api.ts";
import { Chart } from "../../ui/charts/chart.tsx";
import { Card } from "../../ui/display/card.tsx";
import { TileBody, tileClass, tilesClass } from "../../ui/display/tile.tsx";
import { Age } from "../../ui/time.tsx";
import { numberText } from "../../ui/words/number-text.ts";
import { say, sayWith } from "../../ui/words/say.tsx";
import { usePortal } from "../account.tsx";
import { everyHour, HOUR_MS, hourText, milliseconds, ofAttempts, percent } from "../figures.ts";

const DAY_HOURS = 24;
const WEEK_HOURS = 7 * 24;

/** Delivery statistics of an endpoint. */
export function EndpointStatistics({ endpoint_id }: { endpoint_id: string }) {
  const { api_base, link_base, account } = usePortal();
  const statistics = useApi(`${api_base}/webhook_endpoints/${endpoint_id}/statistics`, {
    refetch_ms: 5_000,
  });
  return (
    <Loaded query={statistics}>
      {({
        attempts,
        success_rate,
        failed,
        average_duration_ms,
        slowest_duration_ms,
        waiting,
        oldest_waiting_at,
        hours,
      }) => {
        const now_ms = Date.now() + account.clock_offset_s * 1000;
        const today = hours.every(({ hour }) => Date.parse(hour) > now_ms - DAY_HOURS * HOUR_MS);
        const series = everyHour(hours, now_ms, today ? DAY_HOURS : WEEK_HOURS);
        return (
          <>
            <div className={tilesClass}>
              <div className={tileClass}>
                <TileBody
                  label={say("Delivered")}
                  value={percent(success_rate)}
                  tone={success_rate !== null && success_rate < DELIVERY_RATE_ALERT ? "bad" : undefined}
                  about={ofAttempts(attempts)}
                />
              </div>
              <div className={tileClass}>
                <TileBody label={say("Failed")} value={numberText(failed)} about={say("after the last attempt")} />
              </div>
              <div className={tileClass}>
                <TileBody
                  label={say("Response time")}
                  value={milliseconds(average_duration_ms)}
                  about={say("slowest {duration}", {
                    duration: milliseconds(slowest_duration_ms),
                  })}
                />
              </div>
              <Link
                className={tileClass}
                to={`${link_base}/events`}
                search={{ status: "pending", endpoint_id } as never}
              >
                <TileBody
                  label={say("Pending")}
                  value={numberText(waiting)}
                  tone={waiting > 0 ? "wait" : undefined}
                  about={
                    oldest_waiting_at !== null &&
                    sayWith("oldest {age}", {
                      age: <Age since={oldest_waiting_at} ahead_s={account.clock_offset_s} />,
                    })
                  }
                />
              </Link>
            </div>
            <Card title={today ? say("Attempts in the last 24 hours") : say("Attempts in the last 7 days")}>
              <Chart
                label={say("Attempts per hour")}
                kind="bars"
                moments={series.map(({ at_ms }) => hourText.format(at_ms))}
                empty={say("No attempts in this period")}
                series={[
                  { name: say("Delivered"), tone: "good", values: series.map(({ delivered }) => delivered) },
                  { name: say("Failed"), tone: "bad", values: series.map((hour) => hour.failed) },
                ]}
              />
            </Card>
          </>
        );
      }}
    </Loaded>
  );
}
