import { type ExceptionId, holdButton, needOf, type PortalOrder, type PortalOrderAction } from "@pestle/contract";
import { useState } from "react";
import { Loaded } from "../../app/loaded.tsx";
import { Page } from "../../app/shell/page.tsx";
import { useShortcuts } from "../../app/shell/shortcuts.ts";
import { useParam } from "../../app/use-address.ts";
import { useApi } from "../../app/use-api.ts";
import { Button } from "../../ui/controls/button.tsx";
import { Notice } from "../../ui/display/notice.tsx";
import { StatusBadge } from "../../ui/order-badges.tsx";
import { When } from "../../ui/time.tsx";
import { say, sayName, sayWith } from "../../ui/words/say.tsx";
import { usePortal } from "../account.tsx";
import { WalkOrder } from "../walk-order.tsx";
import { ActionDialog } from "./action-dialog.tsx";
import { MessagesCard } from "./messages-card.tsx";
import { OrderHistory } from "./order-history.tsx";
import { OrderItems } from "./order-items.tsx";
import styles from "./order-screen.module.css";
import { OrderSides } from "./order-sides.tsx";

/** One order: open exceptions and actions first, then the details. */
export function OrderScreen() {
  const { api_base, sandbox, may_change } = usePortal();
  const order_number = useParam("order_number");
  const found = useApi(`${api_base}/orders/${encodeURIComponent(order_number)}`, {
    written_down: true,
  });
  return (
    <Page
      title={order_number}
      heading={
        <span className="row">
          <span>{say("Order {order_number}", { order_number })}</span>
          {found.data && <StatusBadge status={found.data.order.order_status} />}
        </span>
      }
    >
      <Loaded query={found} lines={10}>
        {(shown) => (
          <>
            <Asks shown={shown} />
            {sandbox && may_change && <WalkOrder order={shown.order} />}
            <div className={styles["columns"]}>
              <div className="stack">
                <MessagesCard order={shown.order} />
                <OrderItems order={shown.order} />
                <OrderHistory shown={shown} />
              </div>
              <OrderSides order={shown.order} patient_messages={shown.patient_messages} />
            </div>
          </>
        )}
      </Loaded>
    </Page>
  );
}

type Asked = { action: PortalOrderAction; exception_id: ExceptionId | null };
const labelOf = ({ action, exception_id }: Asked) =>
  sayName((exception_id !== null && holdButton(exception_id, action.event_key)) || action.action);

/** Open exceptions with their actions, then the actions the order's status allows. */
function Asks({ shown }: { shown: PortalOrder }) {
  const { may_change } = usePortal();
  const { order, actions } = shown;
  const [chosen, setChosen] = useState<Asked | null>(null);
  const rest: Asked[] = actions
    .filter(({ exception_ids, event_key }) => exception_ids.length === 0 || event_key === "cancel")
    .sort((a, b) => Number(a.event_key === "cancel") - Number(b.event_key === "cancel"))
    .map((action) => ({ action, exception_id: null }));
  const ofException = (id: ExceptionId): Asked[] =>
    actions
      .filter(({ exception_ids, event_key }) => exception_ids.includes(id) && event_key !== "cancel")
      .map((action) => ({ action, exception_id: id }));
  const offered = may_change ? [...order.exceptions.flatMap(({ id }) => ofException(id)), ...rest] : [];
  const same = (a: Asked, b: Asked) => a.action.event_key === b.action.event_key && a.exception_id === b.exception_id;
  const keysOf = (asked: Asked) => {
    const at = offered.findIndex((one) => same(one, asked));
    return at < 9 ? String(at + 1) : undefined;
  };
  useShortcuts(
    offered.slice(0, 9).map((asked, at) => ({
      keys: String(at + 1),
      label: labelOf(asked),
      run: () => setChosen(asked),
    })),
  );
  const buttons = (which: readonly Asked[]) =>
    may_change &&
    which.map((asked) => (
      <Button
        key={asked.action.event_key}
        small
        keys={keysOf(asked)}
        tone={asked.action.event_key === "cancel" ? "danger" : "plain"}
        onClick={() => setChosen(asked)}
      >
        {labelOf(asked)}
      </Button>
    ));
  return (
    <>
      {order.exceptions.map(({ id, name, message, raised_at }) => (
        <Notice key={id} tone="wait" title={sayName(needOf(id))} actions={buttons(ofException(id))}>
          {sayName(message)}{" "}
          <span className="quiet">
            {sayWith("{name} ({id}), since {when}.", { name: sayName(name), id, when: <When at={raised_at} /> })}
          </span>
        </Notice>
      ))}
      {may_change && rest.length > 0 && <div className="row">{buttons(rest)}</div>}
      {chosen && <ActionDialog shown={shown} {...chosen} onClose={() => setChosen(null)} />}
    </>
  );
}
