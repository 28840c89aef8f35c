import { actions, type ExceptionId, holdButton, type PortalExceptionGroup } from "@pestle/contract";
import { useState } from "react";
import { Problem } from "../../app/problem.tsx";
import { Link } from "../../app/router/router.tsx";
import { useApi } from "../../app/use-api.ts";
import { Button } from "../../ui/controls/button.tsx";
import { Dialog } from "../../ui/display/dialog.tsx";
import { Skeleton } from "../../ui/display/notice.tsx";
import { say, sayName } from "../../ui/words/say.tsx";
import { usePortal } from "../account.tsx";
import { ActionDialog } from "./action-dialog.tsx";
import styles from "./exceptions-screen.module.css";

type Offered = PortalExceptionGroup["actions"][number]["event_key"];

/** An order on hold with the buttons that end the hold, without opening the order first. */
export function HeldOrder({
  order_number,
  exception_id,
  offered,
}: {
  order_number: string;
  exception_id: ExceptionId;
  offered: readonly Offered[];
}) {
  const { link_base, may_change } = usePortal();
  const [chosen, setChosen] = useState<Offered | null>(null);
  return (
    <li className={styles["order"]}>
      <Link className="mono" to={`${link_base}/orders/${order_number}`}>
        {order_number}
      </Link>
      {may_change && offered.length > 0 && (
        <span className="row">
          {offered.map((event_key) => (
            <Button key={event_key} small onClick={() => setChosen(event_key)}>
              {sayName(holdButton(exception_id, event_key) ?? actions[event_key].action)}
            </Button>
          ))}
        </span>
      )}
      {chosen !== null && (
        <Resolve
          order_number={order_number}
          exception_id={exception_id}
          event_key={chosen}
          onClose={() => setChosen(null)}
        />
      )}
    </li>
  );
}

/** Loads the order only now, because the server audits who looks at it. */
function Resolve({
  order_number,
  exception_id,
  event_key,
  onClose,
}: {
  order_number: string;
  exception_id: ExceptionId;
  event_key: Offered;
  onClose: () => void;
}) {
  const { api_base } = usePortal();
  const found = useApi(`${api_base}/orders/${order_number}`, { written_down: true });
  const action = found.data?.actions.find((one) => one.event_key === event_key);
  if (found.data !== undefined && action !== undefined) {
    return <ActionDialog shown={found.data} action={action} exception_id={exception_id} onClose={onClose} />;
  }
  return (
    <Dialog
      title={say("Order {order_number}", { order_number })}
      onClose={onClose}
      actions={<Button onClick={onClose}>{say("Cancel")}</Button>}
    >
      {found.error !== null ? (
        <Problem error={found.error} />
      ) : found.data === undefined ? (
        <Skeleton lines={3} />
      ) : (
        <p>{say("The order does not offer this now. Its page shows what it needs.")}</p>
      )}
    </Dialog>
  );
}
