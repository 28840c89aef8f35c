import {
  actions,
  type ExceptionId,
  exceptions,
  type HistoryEntry,
  type PortalOrder,
  type Role,
  type TransitionEvent,
} from "@pestle/contract";
import { Card } from "../../ui/display/card.tsx";
import { StatusBadge } from "../../ui/order-badges.tsx";
import { When } from "../../ui/time.tsx";
import { say, sayName } from "../../ui/words/say.tsx";
import styles from "./order-screen.module.css";

const eventTexts: Record<TransitionEvent, string> = {
  create: say("Created"),
  approve_review: say("Approved by a pharmacist"),
  complete_fill: say("Filled"),
  verify_product: say("Checked by a pharmacist"),
  reject_product: say("Sent back to fill"),
  ship: say("Shipped"),
  track: say("Tracking update"),
  deliver: say("Delivered"),
  raise_exception: say("On hold"),
  resolve: say("Hold resolved"),
  cancel: say("Canceled"),
  update_address: say("Address changed"),
  replace_prescription: say("Prescription replaced"),
  remove_item: say("Item removed"),
  refund: say("Refunded"),
};

/** By the role of the actor. */
const byTexts: Readonly<Record<string, string>> = {
  partner: say("by you"),
  system: say("by the system"),
  pharmacist: say("by the pharmacist"),
  technician: say("by the technician"),
  operator: say("by the operator"),
  carrier: say("by the carrier"),
} satisfies Record<Role, string>;

type Line = { key: string; at: string; text: string; actor: string; to: HistoryEntry["to"] | null };

function textOf(event: TransitionEvent, exception_id: ExceptionId | null): string {
  if (exception_id === null) return eventTexts[event];
  const name = sayName(exceptions[exception_id].name);
  return event === "create" ? say("Created on hold: {name}", { name }) : `${eventTexts[event]}: ${name}`;
}

/** Changes and action requests, newest first. */
export function OrderHistory({ shown: { history, action_requests } }: { shown: PortalOrder }) {
  const lines: Line[] = [
    ...history.map(({ at, event, actor, from, to, exception_id }, index) => ({
      key: `change ${index}`,
      at,
      actor,
      text: textOf(event, exception_id),
      to: from === to ? null : to,
    })),
    ...action_requests.map(({ id, event, created_at }) => ({
      key: `request ${id}`,
      at: created_at,
      actor: "partner",
      text: say("Requested: {action}", { action: sayName(actions[event].action) }),
      to: null,
    })),
  ];
  // The sort is stable, so entries with the same time keep their order.
  lines.sort((a, b) => Date.parse(b.at) - Date.parse(a.at));
  return (
    <Card title={say("History")}>
      <ol className={styles["history"]}>
        {lines.map(({ key, at, text, actor, to }) => (
          <li key={key}>
            <span className="quiet">
              <When at={at} seconds />
            </span>
            <span>
              {text} <span className="quiet small">{byTexts[actor]}</span>
            </span>
            {to ? <StatusBadge status={to} /> : <span />}
          </li>
        ))}
      </ol>
    </Card>
  );
}
