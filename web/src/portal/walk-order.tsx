import { type ExceptionId, exceptionIds, exceptions, type Order, simulatedStatuses } from "@pestle/contract";
import { useId, useState } from "react";
import { api } from "../app/api.ts";
import { Problem } from "../app/problem.tsx";
import { useChange } from "../app/use-change.ts";
import { Button } from "../ui/controls/button.tsx";
import { say, sayName } from "../ui/words/say.tsx";
import { usePortal } from "./account.tsx";
import styles from "./walk-order.module.css";

/** Order of statuses. An order cannot move back. */
const way = ["Processing", "Filling", "Shipped", "Delivered"];

/** Sandbox control: moves an order to a status or places it on hold. */
export function WalkOrder({ order }: { order: Pick<Order, "order_number" | "order_status"> }) {
  const { api_base } = usePortal();
  const id = useId();
  const { order_number, order_status } = order;
  const [exception_id, setException] = useState("");
  const reads = [
    `${api_base}/orders`,
    `${api_base}/exceptions`,
    `${api_base}/home`,
    `${api_base}/webhook_events`,
    `${api_base}/sandbox`,
  ] as const;
  const chosen = exceptionIds.find((id) => String(id) === exception_id);
  const walk = useChange(
    (simulation: { to: (typeof simulatedStatuses)[number] } | { exception_id: ExceptionId }) =>
      api(`${api_base}/sandbox/simulate`, {
        method: "POST",
        body: { simulation_type: "order", simulation: { order_number, ...simulation } },
      }),
    { reads },
  );
  const at = way.indexOf(order_status);
  const over = order_status === "Delivered" || order_status === "Canceled";
  if (over) return null;
  const held = order_status === "On Hold";
  const shipped = order_status === "Shipped";
  const places = held ? [] : simulatedStatuses.filter((to) => (to === "Canceled" ? !shipped : way.indexOf(to) > at));
  return (
    <section className={styles["walk"]} aria-label={say("Sandbox")}>
      <div className="row">
        <strong>{held ? say("Resolve its exceptions to move it") : say("Move to")}</strong>
        {places.map((to) => (
          <Button key={to} small busy={walk.busy} onClick={() => void walk.run({ to })}>
            {sayName(to)}
          </Button>
        ))}
      </div>
      {!shipped && (
        <div className="row">
          <label htmlFor={id}>
            <strong>{held ? say("Add exception") : say("or hold with")}</strong>
          </label>
          <select id={id} value={exception_id} onChange={(event) => setException(event.target.value)}>
            <option value="">{say("Choose an exception")}</option>
            {exceptionIds.map((one) => (
              <option key={one} value={one}>
                {one} {sayName(exceptions[one].name)}
              </option>
            ))}
          </select>
          <Button
            small
            busy={walk.busy}
            disabled={chosen === undefined}
            onClick={() => chosen && void walk.run({ exception_id: chosen })}
          >
            {say("Hold")}
          </Button>
        </div>
      )}
      {walk.error !== null && <Problem error={walk.error} />}
    </section>
  );
}
