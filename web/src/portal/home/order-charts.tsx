import { type DeliveryTime, FUNNEL_DAYS, type PortalExceptionGroup, type PortalFigures } from "@pestle/contract";
import type { ReactNode } from "react";
import { Loaded } from "../../app/loaded.tsx";
import { Link } from "../../app/router/router.tsx";
import { useApi } from "../../app/use-api.ts";
import { Bars } from "../../ui/charts/bars.tsx";
import { counted } from "../../ui/counted.ts";
import { Card } from "../../ui/display/card.tsx";
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
      <Card title="From order to delivery">
        <Loaded query={figures} lines={6}>
          {(shown) => <Funnel {...shown} />}
        </Loaded>
      </Card>
      <HeldCard>
        <Loaded query={exceptions} lines={6}>
          {({ groups }) => <Held groups={groups} />}
        </Loaded>
      </HeldCard>
      <Card title="Delivery time by carrier">
        <Loaded query={figures} lines={6}>
          {({ carriers }) => <Times label="Median delivery time by carrier" of="Carrier" times={carriers} />}
        </Loaded>
      </Card>
      <Card title="Delivery time by state">
        <Loaded query={figures} lines={6}>
          {({ states }) => <Times label="Median delivery time by state" of="State" times={states} />}
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
        label="Orders received, shipped and delivered"
        of="Step"
        series={[{ name: "Orders", tone: "accent" }]}
        rows={[
          { name: "Received", values: [received] },
          {
            name: "Shipped",
            values: [shipped],
            text: `${shipped.toLocaleString()}${share(shipped)}`,
            about: median_hours_to_ship !== null && `Median ${hoursText(median_hours_to_ship)} after the order`,
          },
          {
            name: "Delivered",
            values: [delivered],
            text: `${delivered.toLocaleString()}${share(delivered)}`,
            about:
              median_hours_to_deliver !== null && `Median ${hoursText(median_hours_to_deliver)} after the shipment`,
          },
        ]}
        empty="No orders yet."
      />
      <p className="quiet small">
        {days < FUNNEL_DAYS ? `The newest ${received.toLocaleString()} orders.` : `Orders of the last ${days} days.`}
      </p>
    </div>
  );
}

function HeldCard({ children }: { children: ReactNode }) {
  const { link_base } = usePortal();
  return (
    <Card title="On hold by reason" actions={<Link to={`${link_base}/exceptions`}>All exceptions</Link>}>
      {children}
    </Card>
  );
}

function Held({ groups }: { groups: readonly PortalExceptionGroup[] }) {
  const { link_base } = usePortal();
  const rows = groups.toSorted((a, b) => b.count - a.count).slice(0, MOST_SHOWN);
  return (
    <Bars
      label="Orders on hold by reason"
      of="Reason"
      series={[
        { name: "Needs your action", tone: "wait" },
        { name: "With the pharmacy", tone: "info" },
      ]}
      rows={rows.map(({ exception_id, name, who_acts, count }) => ({
        name,
        shown: (
          <Link to={`${link_base}/orders`} search={{ exception_id: String(exception_id) } as never}>
            {name}
          </Link>
        ),
        values: who_acts === "partner" ? [count, 0] : [0, count],
      }))}
      empty="No orders on hold."
    />
  );
}

function Times({ label, of, times }: { label: string; of: string; times: readonly DeliveryTime[] }) {
  return (
    <Bars
      label={label}
      of={of}
      series={[{ name: "Median", tone: "accent" }]}
      format={hoursText}
      rows={times.slice(0, MOST_SHOWN).map(({ name, parcels, median_hours }) => ({
        name,
        values: [median_hours],
        about: counted(parcels, "parcel"),
      }))}
      empty="No delivered parcels in this period."
    />
  );
}
