import type { PortalOrderRow } from "@pestle/contract";
import { Loaded } from "../../app/loaded.tsx";
import { Link } from "../../app/router/router.tsx";
import { useApi } from "../../app/use-api.ts";
import { Card } from "../../ui/display/card.tsx";
import { Empty } from "../../ui/display/notice.tsx";
import { type Column, Table } from "../../ui/display/table.tsx";
import { StatusBadge } from "../../ui/order-badges.tsx";
import { When } from "../../ui/time.tsx";
import { say, sayName } from "../../ui/words/say.tsx";
import { usePortal } from "../account.tsx";

const REFRESH_MS = 10_000;

/** Recent orders, shown once the quick start is complete. */
export function NewestOrders() {
  const { api_base, link_base } = usePortal();
  const orders = useApi(`${api_base}/orders?limit=8`, { refetch_ms: REFRESH_MS });
  const columns: readonly Column<PortalOrderRow>[] = [
    {
      title: say("Order"),
      cell: ({ order_number }) => (
        <Link className="mono nowrap" to={`${link_base}/orders/${order_number}`}>
          {order_number}
        </Link>
      ),
    },
    { title: say("Status"), cell: ({ order_status }) => <StatusBadge status={order_status} /> },
    { title: say("Exceptions"), cell: ({ exceptions }) => exceptions.map(({ name }) => sayName(name)).join(", ") },
    { title: say("Reference"), cell: ({ reference }) => reference },
    {
      title: say("Created"),
      cell: ({ created_at }) => (
        <span className="nowrap">
          <When at={created_at} />
        </span>
      ),
    },
  ];
  return (
    <Card title={say("Recent orders")} actions={<Link to={`${link_base}/orders`}>{say("All orders")}</Link>} flush>
      <Loaded query={orders}>
        {({ orders: rows }) => (
          <Table
            caption={say("Recent orders")}
            columns={columns}
            rows={rows}
            rowKey={({ order_number }) => order_number}
            empty={<Empty title={say("No orders yet")} />}
          />
        )}
      </Loaded>
    </Card>
  );
}
