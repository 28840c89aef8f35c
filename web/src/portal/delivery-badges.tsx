import type { PortalDelivery } from "@pestle/contract";
import { Badge, type Tone } from "../ui/badge.tsx";
import { counted } from "../ui/counted.ts";
import { say } from "../ui/words/say.tsx";

type State = PortalDelivery["status"];
const shown: Record<State, { tone: Tone; text: string }> = {
  delivered: { tone: "good", text: "delivered" },
  pending: { tone: "wait", text: "pending" },
  failed: { tone: "bad", text: "failed" },
};

/** Counts an event's deliveries by state. */
export function DeliveryBadges({ deliveries }: { deliveries: readonly PortalDelivery[] }) {
  if (deliveries.length === 0) return <span className="quiet">{say("feed only")}</span>;
  const states = (Object.keys(shown) as State[]).filter((state) => deliveries.some(({ status }) => status === state));
  return states.map((state) => {
    const count = deliveries.filter(({ status }) => status === state).length;
    const tries = Math.max(...deliveries.filter(({ status }) => status === state).map(({ attempts }) => attempts));
    return (
      <Badge key={state} tone={shown[state].tone}>
        {count > 1 && `${count} `}
        {shown[state].text}
        {state !== "delivered" && tries > 0 && `, ${counted(tries, "attempt")}`}
      </Badge>
    );
  });
}
