import type { DashboardOrders } from "@pestle/contract";
import { Loaded } from "../../app/loaded.tsx";
import { Link } from "../../app/router/router.tsx";
import { useApi } from "../../app/use-api.ts";
import { Card } from "../../ui/display/card.tsx";
import { Empty } from "../../ui/display/notice.tsx";
import { type Column, Table } from "../../ui/display/table.tsx";
import { EnvironmentBadge, StatusBadge } from "../../ui/order-badges.tsx";
import { Age } from "../../ui/time.tsx";
import { say } from "../../ui/words/say.tsx";
import { useEnvironment } from "../environment.ts";
import { orderPath } from "../order-link.ts";
import styles from "./home-screen.module.css";

type Row = DashboardOrders["orders"][number];

const REFRESH_MS = 30_000;

const columns: Column<Row>[] = [
  {
    title: say("Order"),
    cell: (row) => (
      <Link to={orderPath(row)} className="mono nowrap">
        {row.order_number}
      </Link>
    ),
  },
  { title: say("Stage"), cell: ({ order_status, stage }) => <StatusBadge status={order_status} stage={stage} /> },
  {
    title: say("Partner"),
    cell: ({ partner, environment }) => (
      <span className="row">
        {partner} <EnvironmentBadge environment={environment} />
      </span>
    ),
  },
  { title: say("Patient"), cell: ({ patient_initials }) => patient_initials },
  { title: say("Products"), cell: ({ drug_names }) => drug_names.join(", ") },
  {
    title: say("Waiting"),
    number: true,
    cell: ({ stage_since, late }) => (
      <span className={late ? styles["late"] : undefined}>
        <Age since={stage_since} />
        {late && <span className="unseen"> {say("late")}</span>}
      </span>
    ),
  },
];

/** The longest-waiting orders of the role's queues. */
export function Longest({ title, filter }: { title: string; filter: string }) {
  const environment = useEnvironment();
  const orders = useApi(`/dashboard/orders?limit=8&environment=${environment}${filter}`, {
    enabled: environment !== undefined,
    refetch_ms: REFRESH_MS,
  });
  return (
    <Card title={title} actions={<Link to="/orders">{say("All orders")}</Link>} flush>
      <Loaded query={orders}>
        {({ orders: rows }) => (
          <Table
            caption={say("Longest-waiting orders")}
            columns={columns}
            rows={rows}
            rowKey={orderPath}
            empty={
              <Empty title={say("No orders waiting")}>
                {say("New orders appear here.")}
                {environment === "production" && ` ${say("Use the switch above to see sandbox orders.")}`}
              </Empty>
            }
          />
        )}
      </Loaded>
    </Card>
  );
}

/** Orders about which a partner wrote last. */
export function PartnerMessages() {
  const environment = useEnvironment();
  const orders = useApi(`/dashboard/orders?limit=5&messages=from_partner&environment=${environment}`, {
    enabled: environment !== undefined,
    refetch_ms: REFRESH_MS,
  });
  return (
    <Card title={say("Messages to answer")} actions={<Link to="/messages">{say("All messages")}</Link>} flush>
      <Loaded query={orders}>
        {({ orders: rows }) => (
          <Table
            caption={say("Orders with a message to answer")}
            columns={columns}
            rows={rows}
            rowKey={orderPath}
            empty={<Empty title={say("All caught up")}>{say("Questions and answers of partners appear here.")}</Empty>}
          />
        )}
      </Loaded>
    </Card>
  );
}
