import { queues, type StaffRole } from "@pestle/contract";
import type { ComponentType } from "react";
import { Loaded } from "../../app/loaded.tsx";
import { Link, useNavigate } from "../../app/router/router.tsx";
import { Page } from "../../app/shell/page.tsx";
import { useShortcuts } from "../../app/shell/shortcuts.ts";
import { useSignedIn } from "../../app/sign-in/session.ts";
import { useApi } from "../../app/use-api.ts";
import { Card } from "../../ui/display/card.tsx";
import { say, sayName } from "../../ui/words/say.tsx";
import { HEALTH_REFRESH_MS, HealthTiles } from "../health-tiles.tsx";
import { useHome } from "../live-home.tsx";
import { ExceptionsChart, StockChart } from "./cause-charts.tsx";
import { TodayChart, WeekChart } from "./flow-charts.tsx";
import { type HomePart, homeLayouts } from "./home-layout.ts";
import styles from "./home-screen.module.css";
import { Longest, PartnerMessages } from "./order-cards.tsx";
import { QueueTiles } from "./queue-tiles.tsx";
import { AgeingChart, ForecastChart } from "./wait-charts.tsx";

/** Half as wide as the page, where it has room. */
const charts: Partial<Record<HomePart, ComponentType>> = {
  today: TodayChart,
  week: WeekChart,
  ageing: AgeingChart,
  forecast: ForecastChart,
  exceptions: ExceptionsChart,
  stock: StockChart,
};

/** Work queues with counts and wait times, the charts, and the role's own work. Updates live. */
export function HomeScreen() {
  const layout = homeLayouts[useSignedIn().role as StaffRole];
  const navigate = useNavigate();
  useShortcuts(
    layout.queues.map((key, at) => ({
      keys: String(at + 1),
      label: say("Open {name}", { name: sayName(queues[key].name) }),
      run: () => void navigate({ to: `/queue/${key}` }),
    })),
  );
  return (
    <Page title={say("Home")} about={say("Open orders by queue and wait time.")}>
      <div className={styles["parts"]}>
        {layout.parts.map((part) => {
          const Chart = charts[part];
          return Chart ? (
            <Chart key={part} />
          ) : (
            <div key={part} className={styles["wide"]}>
              <Part part={part} layout={layout} />
            </div>
          );
        })}
      </div>
    </Page>
  );
}

function Part({ part, layout }: { part: HomePart; layout: (typeof homeLayouts)[StaffRole] }) {
  const home = useHome();
  if (part === "health") return <Health />;
  if (part === "work") return <Longest {...layout.work} />;
  if (part === "messages") return <PartnerMessages />;
  return (
    <Loaded query={home} lines={8}>
      {(shown) => <QueueTiles home={shown} shown={layout.queues} />}
    </Loaded>
  );
}

function Health() {
  const health = useApi("/dashboard/health", { refetch_ms: HEALTH_REFRESH_MS });
  return (
    <Card title={say("System health")} actions={<Link to="/health">{say("All checks")}</Link>}>
      <Loaded query={health}>{(shown) => <HealthTiles health={shown} />}</Loaded>
    </Card>
  );
}
