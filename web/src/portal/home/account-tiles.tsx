import { ERROR_RATE_ALERT, type OrderStatus, type PortalHome } from "@pestle/contract";
import { Link } from "../../app/router/router.tsx";
import { TileBody, tileClass, tilesClass } from "../../ui/display/tile.tsx";
import { numberText } from "../../ui/words/number-text.ts";
import { say, sayName } from "../../ui/words/say.tsx";
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
            label={sayName(status)}
            value={numberText(countOf(status))}
            tone={status === "On Hold" && countOf(status) > 0 ? "wait" : undefined}
            about={countOf(status) === 1 ? say("order") : say("orders")}
          />
        </Link>
      ))}
      <Link className={tileClass} to={requests.errors > 0 ? `${link_base}/errors` : `${link_base}/requests`}>
        <TileBody
          label={say("Requests in 24 h")}
          value={numberText(requests.total)}
          tone={requests.errors > requests.total * ERROR_RATE_ALERT ? "wait" : undefined}
          about={
            requests.total === 0 ? say("none yet") : say("{errors} failed", { errors: numberText(requests.errors) })
          }
        />
      </Link>
      <Link className={tileClass} to={`${link_base}/events`} search={{ status: "pending" } as never}>
        <TileBody
          label={say("Webhooks pending")}
          value={numberText(webhooks.waiting)}
          tone={webhooks.failed > 0 ? "bad" : undefined}
          about={say("{failed} failed", { failed: numberText(webhooks.failed) })}
        />
      </Link>
    </div>
  );
}
