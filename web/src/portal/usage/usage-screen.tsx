import { DELIVERY_RATE_ALERT, ERROR_RATE_ALERT, type PortalUsage } from "@pestle/contract";
import { Loaded } from "../../app/loaded.tsx";
import { Page } from "../../app/shell/page.tsx";
import { useFilters } from "../../app/use-address.ts";
import { useApi } from "../../app/use-api.ts";
import { Chart } from "../../ui/charts/chart.tsx";
import { roundShare } from "../../ui/charts/round-top.ts";
import { SelectField } from "../../ui/controls/field.tsx";
import { counted } from "../../ui/counted.ts";
import { Card } from "../../ui/display/card.tsx";
import { TileBody, tileClass, tilesClass } from "../../ui/display/tile.tsx";
import { QuotaTable } from "../../ui/quota-table.tsx";
import { locale } from "../../ui/words/language.ts";
import { numberText } from "../../ui/words/number-text.ts";
import { say } from "../../ui/words/say.tsx";
import { usePortal } from "../account.tsx";
import { everyHour, hourText, milliseconds, ofAttempts, percent } from "../figures.ts";
import styles from "./usage-screen.module.css";

const REFRESH_MS = 30_000;
const spans = [
  ["24", say("Last 24 hours")],
  ["168", say("Last 7 days")],
  ["720", say("Last 30 days")],
] as const;
const dayText = new Intl.DateTimeFormat(locale, {
  month: "short",
  day: "numeric",
  hour: "2-digit",
  minute: "2-digit",
});

/** Request volume, error rate, latency and rate limit headroom. */
export function UsageScreen() {
  const { api_base } = usePortal();
  const [{ hours = "24" }, change] = useFilters();
  const usage = useApi(`${api_base}/usage?hours=${encodeURIComponent(hours)}`, { refetch_ms: REFRESH_MS });
  return (
    <Page
      title={say("Usage")}
      actions={
        <SelectField
          label={say("Time range")}
          unseen
          options={spans}
          value={hours}
          onChange={(event) => change({ hours: event.target.value })}
        />
      }
    >
      <Loaded query={usage} lines={10}>
        {(shown) => (
          <>
            <Totals {...shown} />
            <Charts {...shown} />
            <Quotas {...shown} />
          </>
        )}
      </Loaded>
    </Page>
  );
}

function Totals({ totals, limit, webhooks }: PortalUsage) {
  const { requests, client_errors, server_errors, limited, p50_ms, p99_ms, headroom, busiest_per_second } = totals;
  const attempts = webhooks.reduce((sum, hour) => sum + hour.attempts, 0);
  const delivered = webhooks.reduce((sum, hour) => sum + hour.delivered, 0);
  const failed = client_errors + server_errors + limited;
  return (
    <div className={tilesClass}>
      <div className={tileClass}>
        <TileBody
          label={say("Requests")}
          value={numberText(requests)}
          about={say("{limited} rate limited", { limited: numberText(limited) })}
        />
      </div>
      <div className={tileClass}>
        <TileBody
          label={say("Failed")}
          value={requests === 0 ? "–" : percent(failed / requests)}
          tone={server_errors > 0 ? "bad" : failed > requests * ERROR_RATE_ALERT ? "wait" : undefined}
          about={`${counted(client_errors, "client error")}, ${counted(server_errors, "server error")}`}
        />
      </div>
      <div className={tileClass}>
        <TileBody label={say("Median latency")} value={milliseconds(p50_ms)} about={`p99: ${milliseconds(p99_ms)}`} />
      </div>
      <div className={tileClass}>
        <TileBody
          label={say("Rate-limit headroom")}
          value={percent(headroom)}
          tone={headroom < 0.2 ? "wait" : undefined}
          about={say("{busiest} of {rate} per second", {
            busiest: numberText(busiest_per_second),
            rate: numberText(limit.rate_per_second),
          })}
        />
      </div>
      <div className={tileClass}>
        <TileBody
          label={say("Webhooks delivered")}
          value={attempts === 0 ? "–" : percent(delivered / attempts)}
          tone={attempts > 0 && delivered / attempts < DELIVERY_RATE_ALERT ? "bad" : undefined}
          about={ofAttempts(attempts)}
        />
      </div>
    </div>
  );
}

function Quotas({ quotas }: PortalUsage) {
  return (
    <Card title={say("Stored data")}>
      <QuotaTable quotas={quotas} />
      <p className="quiet small">
        {say(
          "The numbers are approximate. At a limit, requests that store more get 429; everything stays readable. Ask the pharmacy if you need more.",
        )}
      </p>
    </Card>
  );
}

function Charts({ hours, limit, webhooks }: PortalUsage) {
  const text = hours.length > 48 ? dayText : hourText;
  const moments = hours.map(({ hour }) => text.format(new Date(hour)));
  const of = (field: Exclude<keyof PortalUsage["hours"][number], "hour">) => hours.map((row) => row[field]);
  const { account } = usePortal();
  const webhookRows = everyHour(webhooks, Date.now() + account.clock_offset_s * 1000, hours.length);
  const rates = hours.map(failedShare);
  const good = hours.map((row) => row.requests - row.client_errors - row.server_errors - row.limited);
  return (
    <div className={styles["charts"]}>
      <Card title={say("Requests per hour")}>
        <Chart
          label={say("Requests per hour")}
          kind="bars"
          moments={moments}
          empty={say("No requests in this period")}
          series={[
            { name: say("Succeeded"), tone: "accent", values: good },
            { name: say("Client errors (4xx)"), tone: "wait", values: of("client_errors") },
            { name: say("Rate limited (429)"), tone: "neutral", values: of("limited") },
            { name: say("Server errors (5xx)"), tone: "bad", values: of("server_errors") },
          ]}
        />
      </Card>
      <Card title={say("Error rate")}>
        <Chart
          label={say("Error rate")}
          kind="lines"
          moments={moments}
          most={roundShare(Math.max(2 * ERROR_RATE_ALERT, ...rates.map((rate) => rate ?? 0)))}
          format={percent}
          limit={{
            name: say("Alert at {rate}", { rate: percent(ERROR_RATE_ALERT) }),
            value: ERROR_RATE_ALERT,
            tone: "bad",
          }}
          series={[{ name: say("Failed requests"), tone: "wait", values: rates }]}
        />
        <p className="quiet small">{aboutRates(rates)}</p>
      </Card>
      <Card title={say("Latency")}>
        <Chart
          label={say("Latency")}
          kind="lines"
          moments={moments}
          format={(value) => `${Math.round(value * 10) / 10} ms`}
          empty={say("No requests in this period")}
          series={[
            { name: say("Median (p50)"), tone: "accent", values: of("p50_ms") },
            { name: "p99", tone: "wait", values: of("p99_ms") },
          ]}
        />
      </Card>
      <Card title={say("Rate-limit headroom")}>
        <Chart
          label={say("Rate-limit headroom")}
          kind="lines"
          moments={moments}
          most={1}
          format={percent}
          series={[{ name: say("Headroom of the busiest credential"), tone: "accent", values: of("headroom") }]}
        />
        <p className="quiet small">
          {say("Each credential can send {rate} requests per second, with bursts of {burst}.", {
            rate: numberText(limit.rate_per_second),
            burst: numberText(limit.burst),
          })}
        </p>
      </Card>
      <Card title={say("Webhook attempts")}>
        <Chart
          label={say("Webhook attempts per hour")}
          kind="bars"
          moments={webhookRows.map(({ at_ms }) => text.format(at_ms))}
          empty={say("No attempts in this period")}
          series={[
            { name: say("Delivered"), tone: "good", values: webhookRows.map(({ delivered }) => delivered) },
            { name: say("Failed"), tone: "bad", values: webhookRows.map(({ failed }) => failed) },
          ]}
        />
        {account.clock_offset_s > 0 && <p className="quiet small">{say("Times follow the sandbox clock.")}</p>}
      </Card>
    </div>
  );
}

type Hour = PortalUsage["hours"][number];
const failedShare = ({ requests, client_errors, server_errors, limited }: Hour) =>
  requests === 0 ? null : (client_errors + server_errors + limited) / requests;

function aboutRates(rates: readonly (number | null)[]): string {
  const over = rates.filter((rate) => rate !== null && rate >= ERROR_RATE_ALERT).length;
  const all = rates.filter((rate) => rate !== null).length;
  if (all === 0) return say("No requests in this period.");
  if (over === 0) return say("No hour reached the alert line.");
  return all === 1
    ? say("1 of 1 hour with requests reached the alert line.")
    : say("{over} of {all} hours with requests reached the alert line.", {
        over: numberText(over),
        all: numberText(all),
      });
}
