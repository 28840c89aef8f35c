import type { PortalOrderRow } from "@pestle/contract";
import { Loaded } from "../../app/loaded.tsx";
import { Link } from "../../app/router/router.tsx";
import { useApi } from "../../app/use-api.ts";
import { Card } from "../../ui/display/card.tsx";
import { Empty } from "../../ui/display/notice.tsx";
import { type Column, Table } from "../../ui/display/table.tsx";
import { StatusBadge } from "../../ui/order-badges.tsx";
import { When } from "../../ui/time.tsx";
import { usePortal } from "../account.tsx";

const REFRESH_MS = 10_000;

/** Recent orders, shown once the quick start is complete. */
export function NewestOrders() {
  const { api_base, link_base } = usePortal();
  const orders = useApi(`${api_base}/orders?limit=8`, { refetch_ms: REFRESH_MS });
  const columns: readonly Column<PortalOrderRow>[] = [
    {
      title: "Order",
      cell: ({ order_number }) => (
        <Link className="mono nowrap" to={`${link_base}/orders/${order_number}`}>
          {order_number}
        </Link>
      ),
    },
    { title: "Status", cell: ({ order_status }) => <StatusBadge status={order_status} /> },
    { title: "Exceptions", cell: ({ exceptions }) => exceptions.map(({ name }) => name).join(", ") },
    { title: "Reference", cell: ({ reference }) => reference },
    {
      title: "Created",
      cell: ({ created_at }) => (
        <span className="nowrap">
          <When at={created_at} />
        </span>
      ),
    },
  ];
  return (
    <Card title="Recent orders" actions={<Link to={`${link_base}/orders`}>All orders</Link>} flush>
      <Loaded query={orders}>
        {({ orders: rows }) => (
          <Table
            caption="Recent orders"
            columns={columns}
            rows={rows}
            rowKey={({ order_number }) => order_number}
            empty={<Empty title="No orders yet" />}
          />
        )}
      </Loaded>
    </Card>
  );
}
