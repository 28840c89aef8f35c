import type { PortalOrderRow, PortalPrescriptionRow } from "@pestle/contract";
import { api } from "../../app/api.ts";
import { Problem } from "../../app/problem.tsx";
import { Link } from "../../app/router/router.tsx";
import { useChange } from "../../app/use-change.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/controls/button.tsx";
import { Card } from "../../ui/display/card.tsx";
import { Empty } from "../../ui/display/notice.tsx";
import { StatusBadge } from "../../ui/order-badges.tsx";
import { When } from "../../ui/time.tsx";
import { say, sayName, sayWith } from "../../ui/words/say.tsx";
import { usePortal } from "../account.tsx";
import { WalkOrder } from "../walk-order.tsx";
import styles from "./sandbox-screen.module.css";

/** Recent prescriptions, with actions to order them and move the orders. */
export function Prescriptions({
  prescriptions,
  orders,
  chosen,
  onChoose,
}: {
  prescriptions: readonly PortalPrescriptionRow[];
  orders: readonly PortalOrderRow[];
  chosen: number | null;
  onChoose: (prescription_id: number | null) => void;
}) {
  return (
    <Card title={say("Prescriptions")} flush>
      {prescriptions.length === 0 ? (
        <Empty title={say("No prescriptions yet")}>
          <p>{say("Send one above. You can order it a moment later.")}</p>
        </Empty>
      ) : (
        <ol>
          {prescriptions.map((prescription) => (
            <Prescription
              key={prescription.prescription_id}
              prescription={prescription}
              orders={orders.filter(({ order_number }) => prescription.order_numbers.includes(order_number))}
              chosen={prescription.prescription_id === chosen}
              onChoose={onChoose}
            />
          ))}
        </ol>
      )}
    </Card>
  );
}

function Prescription({
  prescription: { prescription_id, patient_id, drug_name, drug_schedule, received_at, active, order_numbers },
  orders,
  chosen,
  onChoose,
}: {
  prescription: PortalPrescriptionRow;
  orders: readonly PortalOrderRow[];
  chosen: boolean;
  onChoose: (prescription_id: number | null) => void;
}) {
  const { api_base, link_base, may_change } = usePortal();
  const place = useChange(() => api(`${api_base}/sandbox/orders`, { method: "POST", body: { prescription_id } }), {
    done: say("Order placed."),
    reads: (["/sandbox", "/orders", "/home", "/exceptions", "/webhook_events"] as const).map(
      (path) => `${api_base}${path}` as const,
    ),
    after: () => onChoose(prescription_id),
  });
  const latest = orders[0];
  return (
    <li className={styles["prescription"]} data-chosen={chosen || undefined}>
      <div className="row-apart">
        <div className={styles["drug"]}>
          <p className="row">
            <strong>{drug_name}</strong>
            {drug_schedule !== "0" && <Badge tone="info">{say("Schedule {drug_schedule}", { drug_schedule })}</Badge>}
            {!active && <Badge tone="bad">{say("Canceled")}</Badge>}
          </p>
          <p className="quiet small">
            {sayWith("Prescription {prescription_id} · patient {patient_id} · {when}", {
              prescription_id,
              patient_id: <span className="mono">{patient_id}</span>,
              when: <When at={received_at} />,
            })}
          </p>
        </div>
        <div className="row">
          {order_numbers.map((order_number) => {
            const status = orders.find((one) => one.order_number === order_number)?.order_status;
            return (
              <span key={order_number} className="row">
                <Link className="mono" to={`${link_base}/orders/${order_number}`}>
                  {order_number}
                </Link>
                {status && <StatusBadge status={status} />}
              </span>
            );
          })}
          {may_change && order_numbers.length === 0 && (
            <Button small tone={chosen ? "primary" : "plain"} busy={place.busy} onClick={() => void place.run()}>
              {say("Place order")}
            </Button>
          )}
          {may_change && latest && latest.order_status !== "Delivered" && latest.order_status !== "Canceled" && (
            <Button small aria-expanded={chosen} onClick={() => onChoose(chosen ? null : prescription_id)}>
              {say("Move")}
            </Button>
          )}
        </div>
      </div>
      {place.error !== null && <Problem error={place.error} />}
      {latest?.exceptions.map(({ id, name }) => (
        <p key={id} className="small">
          <Badge tone="wait">{say("On hold")}</Badge> {sayName(name)} ({id}).{" "}
          <Link to={`${link_base}/orders/${latest.order_number}`}>{say("Resolve")}</Link>
        </p>
      ))}
      {chosen && latest && may_change && <WalkOrder order={latest} />}
    </li>
  );
}
