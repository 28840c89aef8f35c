import {
  changeCodes,
  type DashboardOrder,
  type DashboardPrescriberMessage,
  type DashboardPrescription,
  type DashboardSchedule,
} from "@pestle/contract";
import { useState } from "react";
import { Loaded } from "../../app/loaded.tsx";
import { useSignedIn } from "../../app/sign-in/session.ts";
import { useApi } from "../../app/use-api.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/controls/button.tsx";
import { counted } from "../../ui/counted.ts";
import { Card } from "../../ui/display/card.tsx";
import { RenewalBadge, RenewalFacts } from "../../ui/renewal-state.tsx";
import { dateText } from "../../ui/time.tsx";
import { say, sayName } from "../../ui/words/say.tsx";
import { pharmacists } from "../roles.ts";
import styles from "./order-screen.module.css";
import { AskRenewal, ChangeDialog } from "./prescriber-dialogs.tsx";
import { orderApi } from "./use-order.ts";

/** The refill schedules of the order's prescriptions, and what the pharmacy asked their prescribers. */
export function PrescriberCard({ page: { account_id, order, lines } }: { page: DashboardOrder }) {
  const path = `${orderApi({ account_id, order_number: order.order_number })}/prescriptions` as const;
  const prescribed = lines.some(({ prescription }) => prescription !== null);
  const found = useApi(path, { written_down: true, enabled: prescribed });
  if (!prescribed) return null;
  return (
    <Card title={say("Prescriber and refills")}>
      <Loaded query={found} lines={3}>
        {({ prescriptions }) => (
          <ul className={`${styles["entries"]} ${styles["entries-plain"]}`}>
            {prescriptions.map((prescription) => (
              <li key={prescription.prescription_id}>
                <Prescription path={path} prescription={prescription} />
              </li>
            ))}
          </ul>
        )}
      </Loaded>
    </Card>
  );
}

function Prescription({
  path,
  prescription,
}: {
  path: `/dashboard/orders/${string}/${string}/prescriptions`;
  prescription: DashboardPrescription;
}) {
  const { role } = useSignedIn();
  const [asking, setAsking] = useState<"renewal" | "change" | null>(null);
  const { prescription_id, drug_name, schedule, messages, renewal_problems, question_problems } = prescription;
  const may_ask = pharmacists.includes(role);
  const close = () => setAsking(null);
  return (
    <div className="stack-tight">
      <p>
        <strong>{say("Prescription {id}", { id: prescription_id })}</strong> <span className="quiet">{drug_name}</span>
      </p>
      {schedule ? <Schedule {...schedule} /> : <p className="quiet">{say("No refill schedule.")}</p>}
      {messages.map((message) => (
        <Message key={message.message_id} {...message} />
      ))}
      {may_ask && (
        <div className="row">
          <Button small disabled={renewal_problems.length > 0} onClick={() => setAsking("renewal")}>
            {say("Ask for a renewal")}
          </Button>
          <Button small disabled={question_problems.length > 0} onClick={() => setAsking("change")}>
            {say("Ask the prescriber")}
          </Button>
        </div>
      )}
      {may_ask &&
        [...new Set([...renewal_problems, ...question_problems])].map((problem) => (
          <p key={problem} className="quiet small" lang="en">
            {problem}
          </p>
        ))}
      {asking === "renewal" && (
        <AskRenewal path={`${path}/${prescription_id}/renewal_requests`} reads={path} onClose={close} />
      )}
      {asking === "change" && (
        <ChangeDialog path={`${path}/${prescription_id}/change_requests`} reads={path} onClose={close} />
      )}
    </div>
  );
}

function Schedule(schedule: DashboardSchedule) {
  const { status, interval_days, next_fill_on, next_fill_problems, paused_because, made_order } = schedule;
  const troubles = paused_because === null ? next_fill_problems : [paused_because];
  return (
    <div>
      <p className="row">
        {say("Refill schedule")}
        {status === "active" && <Badge tone="good">{say("Active")}</Badge>}
        {status === "paused" && <Badge tone="wait">{say("Paused")}</Badge>}
        {status === "canceled" && <Badge>{say("Canceled")}</Badge>}
        {made_order && <Badge tone="info">{say("Made this order")}</Badge>}
      </p>
      <p className="quiet small">
        {next_fill_on
          ? say("Every {days} days, next fill on {date}", { days: interval_days, date: dateText(next_fill_on) })
          : say("Every {days} days", { days: interval_days })}
      </p>
      {troubles.map(({ code, message }) => (
        <p key={code}>
          {code} {message}
        </p>
      ))}
    </div>
  );
}

function Message(message: DashboardPrescriberMessage) {
  const { kind, code, text, asked_by, status } = message;
  return (
    <div>
      <p className="row">
        {titles[kind]}
        {code && ` (${sayName(changeCodes[code])})`}
        <RenewalBadge {...message} notice={kind === "fill"} />
        {status === "queued" && message.attempts > 0 && (
          <Badge tone="wait">{counted(message.attempts, "attempt failed", "attempts failed")}</Badge>
        )}
      </p>
      {text && <p className="anywhere">{text}</p>}
      <RenewalFacts {...message} />
      {asked_by && <p className="quiet small">{say("By {name}", { name: asked_by })}</p>}
    </div>
  );
}

const titles: Record<DashboardPrescriberMessage["kind"], string> = {
  renewal: say("Request for renewal"),
  change: say("Question"),
  fill: say("Notice of a fill"),
};
