import type { Order, PortalOrder } from "@pestle/contract";
import { Link } from "../../app/router/router.tsx";
import { useApi } from "../../app/use-api.ts";
import { Badge } from "../../ui/badge.tsx";
import { Card, Facts } from "../../ui/display/card.tsx";
import { PatientMessageText } from "../../ui/display/patient-message.tsx";
import { moneyText } from "../../ui/money.ts";
import { When } from "../../ui/time.tsx";
import { say } from "../../ui/words/say.tsx";
import { usePortal } from "../account.tsx";
import styles from "./order-screen.module.css";

const workflowNames = { api_driven: say("API-driven"), automatic: say("Automatic Processing") } as const;

const shipmentNames: Record<Order["shipments"][number]["status"], string> = {
  label_created: say("Label created"),
  in_transit: say("In transit"),
  out_for_delivery: say("Out for delivery"),
  delivered: say("Delivered"),
  returned: say("Returned"),
  lost: say("Lost"),
  exception: say("Delayed by the carrier"),
};
const paymentNames: Record<Order["payment"]["status"], string> = {
  pending: say("Pending"),
  authorized: say("Authorized"),
  captured: say("Paid"),
  declined: say("Declined"),
  voided: say("Voided"),
  refunded: say("Refunded"),
};

/** Patient, shipping, payment, and what the pharmacy wrote to the patient. */
export function OrderSides({ order, patient_messages }: Pick<PortalOrder, "order" | "patient_messages">) {
  const { api_base, link_base } = usePortal();
  const { data } = useApi(`${api_base}/catalogue`);
  const brand = data?.brands.find(({ id }) => id === order.brand_id);
  const method = data?.shipping_methods.find(({ id }) => id === order.shipping.method_id);
  const { address, payment, shipments } = order;
  return (
    <div className="stack">
      <Card title={say("Order")}>
        <Facts
          facts={[
            [
              say("Patient"),
              <Link
                key="patient"
                className="mono"
                to={`${link_base}/orders`}
                search={{ patient_id: order.patient_id } as never}
              >
                {order.patient_id}
              </Link>,
            ],
            [say("Reference"), order.reference],
            [say("Brand"), brand?.name ?? order.brand_id],
            [say("Workflow"), workflowNames[order.workflow]],
            [say("Created"), <When key="created" at={order.created_at} />],
            [say("Updated"), <When key="changed" at={order.updated_at} />],
            [
              say("Webhooks"),
              <Link key="events" to={`${link_base}/events`} search={{ order_number: order.order_number } as never}>
                {say("View events")}
              </Link>,
            ],
          ]}
        />
      </Card>
      <Card title={say("Shipping")}>
        <Facts
          facts={[
            [say("Method"), method ? `${method.name}, ${order.shipping.carrier}` : order.shipping.carrier],
            [say("Signature"), order.shipping.signature_confirmation && say("On delivery")],
            [say("Address"), <AddressText key="address" address={address} />],
            ...shipments.map(
              (shipment) =>
                [
                  say("Package"),
                  <>
                    <Tracking key="tracking" {...shipment} />{" "}
                    <Badge tone="info">{shipmentNames[shipment.status]}</Badge>
                  </>,
                ] as const,
            ),
          ]}
        />
      </Card>
      <Card title={say("Payment")}>
        <Facts
          facts={[
            [say("Payer"), payment.payer === "partner" ? say("You") : say("The patient")],
            [say("Status"), paymentNames[payment.status]],
            [say("Amount"), moneyText(payment.amount_cents, payment.currency)],
            [say("Refunded"), payment.refunded_cents > 0 && moneyText(payment.refunded_cents, payment.currency)],
          ]}
        />
      </Card>
      {patient_messages.length > 0 && (
        <Card title={say("Messages to the patient")}>
          <ul className={styles["told"]}>
            {patient_messages.map((message) => (
              <li key={`${message.notice} ${message.channel}`}>
                <PatientMessageText {...message} />{" "}
                <span className="quiet small">
                  <When at={message.at} />
                </span>
              </li>
            ))}
          </ul>
        </Card>
      )}
    </div>
  );
}

function AddressText({ address }: Pick<Order, "address">) {
  if (address === null) return <Badge tone="wait">{say("None yet")}</Badge>;
  const { first_name, last_name, street1, street2, city, state, zip, phone } = address;
  const lines = [`${first_name} ${last_name}`, street1, street2, `${city}, ${state} ${zip}`, phone];
  return <span className={styles["address"]}>{lines.filter(Boolean).join("\n")}</span>;
}

/** Links the tracking number only if its URL is http(s). */
const Tracking = ({ tracking_no, tracking_url }: Order["shipments"][number]) =>
  tracking_url !== null && /^https?:\/\//.test(tracking_url) ? (
    <a href={tracking_url} target="_blank" rel="noreferrer">
      {tracking_no}
    </a>
  ) : (
    <span className="mono">{tracking_no}</span>
  );
