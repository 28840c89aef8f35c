import { type DashboardHome, type DashboardOrders, queues } from "@pestle/contract";
import { Link, useNavigate } from "@tanstack/react-router";
import { Loaded } from "../../app/loaded.tsx";
import { Page } from "../../app/shell/page.tsx";
import { useShortcuts } from "../../app/shell/shortcuts.ts";
import { useApi } from "../../app/use-api.ts";
import { Keys } from "../../ui/controls/keys.tsx";
import { Card } from "../../ui/display/card.tsx";
import { Empty } from "../../ui/display/notice.tsx";
import { type Column, Table } from "../../ui/display/table.tsx";
import { EnvironmentBadge, StatusBadge } from "../../ui/order-badges.tsx";
import { Age, ageText } from "../../ui/time.tsx";
import { useEnvironment } from "../environment.ts";
import { useHome } from "../live-home.tsx";
import { orderPath } from "../order-link.ts";
import styles from "./home-screen.module.css";

type Row = DashboardOrders["orders"][number];

/** Work queues with counts and wait times. Updates live. */
export function HomeScreen() {
  const home = useHome();
  const navigate = useNavigate();
  useShortcuts(
    (home.data?.queues ?? []).map(({ key }, at) => ({
      keys: String(at + 1),
      label: `Open ${queues[key].name}`,
      run: () => void navigate({ to: `/queue/${key}` }),
    })),
  );
  return (
    <Page title="Home" about="Open orders by queue and wait time.">
      <Loaded query={home} lines={8}>
        {({ queues: all }) => (
          <ul className={styles["tiles"]}>
            {all.map((queue, at) => (
              <Tile key={queue.key} queue={queue} number={at + 1} />
            ))}
          </ul>
        )}
      </Loaded>
      <Longest />
    </Page>
  );
}

function Tile({
  queue: { key, count, oldest_at, late, target_minutes },
  number,
}: {
  queue: DashboardHome["queues"][number];
  number: number;
}) {
  return (
    <li>
      <Link to={`/queue/${key}`} className={styles["tile"]} data-late={late > 0 || undefined}>
        <span className={styles["name"]}>
          {queues[key].name}
          <Keys keys={String(number)} />
        </span>
        <span className={styles["count"]}>{count.toLocaleString()}</span>
        <span className={styles["facts"]}>
          {"today" in queues[key] ? (
            <span>Since midnight</span>
          ) : oldest_at === null ? (
            <span>All caught up</span>
          ) : (
            <span>
              Oldest <Age since={oldest_at} />
            </span>
          )}
          {late > 0 ? (
            <strong>{late.toLocaleString()} late</strong>
          ) : (
            target_minutes !== null && <span>Target {ageText(target_minutes * 60_000)}</span>
          )}
        </span>
      </Link>
    </li>
  );
}

const columns: Column<Row>[] = [
  {
    title: "Order",
    cell: (row) => (
      <Link to={orderPath(row)} className="mono nowrap">
        {row.order_number}
      </Link>
    ),
  },
  { title: "Stage", cell: ({ order_status, stage }) => <StatusBadge status={order_status} stage={stage} /> },
  {
    title: "Partner",
    cell: ({ partner, environment }) => (
      <span className="row">
        {partner} <EnvironmentBadge environment={environment} />
      </span>
    ),
  },
  { title: "Patient", cell: ({ patient_initials }) => patient_initials },
  { title: "Products", cell: ({ drug_names }) => drug_names.join(", ") },
  {
    title: "Waiting",
    number: true,
    cell: ({ stage_since, late }) => (
      <span className={late ? styles["late"] : undefined}>
        <Age since={stage_since} />
        {late && <span className="unseen"> late</span>}
      </span>
    ),
  },
];

/** The longest-waiting orders across all queues. */
function Longest() {
  const environment = useEnvironment();
  const orders = useApi(`/dashboard/orders?limit=8&environment=${environment}`, {
    enabled: environment !== undefined,
    refetch_ms: 30_000,
  });
  return (
    <Card title="Waiting longest" actions={<Link to="/orders">All orders</Link>} flush>
      <Loaded query={orders}>
        {({ orders: rows }) => (
          <Table
            caption="Longest-waiting orders"
            columns={columns}
            rows={rows}
            rowKey={orderPath}
            empty={
              <Empty title="No orders waiting">
                New orders appear here.
                {environment === "production" && " Use the switch above to see sandbox orders."}
              </Empty>
            }
          />
        )}
      </Loaded>
    </Card>
  );
}
