import { ERROR_RATE_ALERT, type OrderStatus, type PortalHome } from "@pestle/contract";
import { Link } from "../../app/router/router.tsx";
import { TileBody, tileClass, tilesClass } from "../../ui/display/tile.tsx";
import { usePortal } from "../account.tsx";

const shownStatuses = ["Processing", "Filling", "On Hold", "Shipped"] as const satisfies readonly OrderStatus[];

/** Key figures: orders by status, and requests and webhooks of the last 24 hours. */
export function AccountTiles({ home: { orders, requests, webhooks } }: { home: PortalHome }) {
  const { link_base } = usePortal();
  const countOf = (status: OrderStatus) => orders.find((one) => one.order_status === status)?.count ?? 0;
  return (
    <div className={tilesClass}>
      {shownStatuses.map((status) => (
        <Link key={status} className={tileClass} to={`${link_base}/orders`} search={{ order_status: status } as never}>
          <TileBody
            label={status}
            value={countOf(status).toLocaleString()}
            tone={status === "On Hold" && countOf(status) > 0 ? "wait" : undefined}
            about={countOf(status) === 1 ? "order" : "orders"}
          />
        </Link>
      ))}
      <Link className={tileClass} to={requests.errors > 0 ? `${link_base}/errors` : `${link_base}/requests`}>
        <TileBody
          label="Requests in 24 h"
          value={requests.total.toLocaleString()}
          tone={requests.errors > requests.total * ERROR_RATE_ALERT ? "wait" : undefined}
          about={requests.total === 0 ? "none yet" : `${requests.errors.toLocaleString()} failed`}
        />
      </Link>
      <Link className={tileClass} to={`${link_base}/events`} search={{ status: "pending" } as never}>
        <TileBody
          label="Webhooks pending"
          value={webhooks.waiting.toLocaleString()}
          tone={webhooks.failed > 0 ? "bad" : undefined}
          about={`${webhooks.failed.toLocaleString()} failed`}
        />
      </Link>
    </div>
  );
}
