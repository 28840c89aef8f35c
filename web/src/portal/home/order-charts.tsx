import { type DeliveryTime, FUNNEL_DAYS, type PortalExceptionGroup, type PortalFigures } from "@pestle/contract";
import type { ReactNode } from "react";
import { Loaded } from "../../app/loaded.tsx";
import { Link } from "../../app/router/router.tsx";
import { useApi } from "../../app/use-api.ts";
import { Bars } from "../../ui/charts/bars.tsx";
import { counted } from "../../ui/counted.ts";
import { Card } from "../../ui/display/card.tsx";
import { numberText } from "../../ui/words/number-text.ts";
import { say, sayName } from "../../ui/words/say.tsx";
import { usePortal } from "../account.tsx";
import { hoursText, percent } from "../figures.ts";
import styles from "./home-screen.module.css";

const REFRESH_MS = 60_000;
const MOST_SHOWN = 6;
const DAY_MS = 24 * 3600 * 1000;

/** How orders go: the funnel, why they are on hold, and how long parcels take. Hidden before the first order. */
export function OrderCharts() {
  const { api_base } = usePortal();
  const figures = useApi(`${api_base}/figures`, { refetch_ms: REFRESH_MS });
  const exceptions = useApi(`${api_base}/exceptions`, { refetch_ms: REFRESH_MS });
  if (figures.data?.funnel.received === 0) return null;
  return (
    <div className={styles["charts"]}>
      <Card title={say("From order to delivery")}>
        <Loaded query={figures} lines={6}>
          {(shown) => <Funnel {...shown} />}
        </Loaded>
      </Card>
      <HeldCard>
        <Loaded query={exceptions} lines={6}>
          {({ groups }) => <Held groups={groups} />}
        </Loaded>
      </HeldCard>
      <Card title={say("Delivery time by carrier")}>
        <Loaded query={figures} lines={6}>
          {({ carriers }) => (
            <Times label={say("Median delivery time by carrier")} of={say("Carrier")} times={carriers} />
          )}
        </Loaded>
      </Card>
      <Card title={say("Delivery time by state")}>
        <Loaded query={figures} lines={6}>
          {({ states }) => <Times label={say("Median delivery time by state")} of={say("State")} times={states} />}
        </Loaded>
      </Card>
    </div>
  );
}

function Funnel({ since, funnel }: PortalFigures) {
  const { received, shipped, delivered, median_hours_to_ship, median_hours_to_deliver } = funnel;
  const { account } = usePortal();
  const days = Math.max(1, Math.round((Date.parse(account.now) - Date.parse(since)) / DAY_MS));
  const share = (count: number) => (received === 0 ? "" : ` (${percent(count / received)})`);
  return (
    <div className="stack-tight">
      <Bars
        label={say("Orders received, shipped and delivered")}
        of={say("Step")}
        series={[{ name: say("Orders"), tone: "accent" }]}
        rows={[
          { name: say("Received"), values: [received] },
          {
            name: say("Shipped"),
            values: [shipped],
            text: `${numberText(shipped)}${share(shipped)}`,
            about:
              median_hours_to_ship !== null &&
              say("Median {duration} after the order", {
                duration: hoursText(median_hours_to_ship),
              }),
          },
          {
            name: say("Delivered"),
            values: [delivered],
            text: `${numberText(delivered)}${share(delivered)}`,
            about:
              median_hours_to_deliver !== null &&
              say("Median {duration} after the shipment", {
                duration: hoursText(median_hours_to_deliver),
              }),
          },
        ]}
        empty={say("No orders yet.")}
      />
      <p className="quiet small">
        {days < FUNNEL_DAYS
          ? say("The newest {count} orders.", { count: numberText(received) })
          : say("Orders of the last {days} days.", { days })}
      </p>
    </div>
  );
}

function HeldCard({ children }: { children: ReactNode }) {
  const { link_base } = usePortal();
  return (
    <Card
      title={say("On hold by reason")}
      actions={<Link to={`${link_base}/exceptions`}>{say("All exceptions")}</Link>}
    >
      {children}
    </Card>
  );
}

function Held({ groups }: { groups: readonly PortalExceptionGroup[] }) {
  const { link_base } = usePortal();
  const rows = groups.toSorted((a, b) => b.count - a.count).slice(0, MOST_SHOWN);
  return (
    <Bars
      label={say("Orders on hold by reason")}
      of={say("Reason")}
      series={[
        { name: say("Needs your action"), tone: "wait" },
        { name: say("With the pharmacy"), tone: "info" },
      ]}
      rows={rows.map(({ exception_id, name, who_acts, count }) => ({
        name: sayName(name),
        shown: (
          <Link to={`${link_base}/orders`} search={{ exception_id: String(exception_id) } as never}>
            {sayName(name)}
          </Link>
        ),
        values: who_acts === "partner" ? [count, 0] : [0, count],
      }))}
      empty={say("No orders on hold.")}
    />
  );
}

function Times({ label, of, times }: { label: string; of: string; times: readonly DeliveryTime[] }) {
  return (
    <Bars
      label={label}
      of={of}
      series={[{ name: say("Median"), tone: "accent" }]}
      format={hoursText}
      rows={times.slice(0, MOST_SHOWN).map(({ name, parcels, median_hours }) => ({
        name,
        values: [median_hours],
        about: counted(parcels, "parcel"),
      }))}
      empty={say("No delivered parcels in this period.")}
    />
  );
}
