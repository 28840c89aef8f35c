import type { PortalDelivery } from "@pestle/contract";
import { Badge, type Tone } from "../ui/badge.tsx";
import { counted } from "../ui/counted.ts";
import { say } from "../ui/words/say.tsx";

type State = PortalDelivery["status"];
const tones: Record<State, Tone> = { delivered: "good", pending: "wait", failed: "bad" };
const texts: Record<State, (count: number) => string> = {
  delivered: (count) => (count === 1 ? say("delivered") : say("{count} delivered", { count })),
  pending: (count) => (count === 1 ? say("pending") : say("{count} pending", { count })),
  failed: (count) => (count === 1 ? say("failed") : say("{count} failed", { count })),
};

/** Counts an event's deliveries by state. */
export function DeliveryBadges({ deliveries }: { deliveries: readonly PortalDelivery[] }) {
  if (deliveries.length === 0) return <span className="quiet">{say("feed only")}</span>;
  const states = (Object.keys(tones) as State[]).filter((state) => deliveries.some(({ status }) => status === state));
  return states.map((state) => {
    const count = deliveries.filter(({ status }) => status === state).length;
    const tries = Math.max(...deliveries.filter(({ status }) => status === state).map(({ attempts }) => attempts));
    return (
      <Badge key={state} tone={tones[state]}>
        {texts[state](count)}
        {state !== "delivered" && tries > 0 && `, ${counted(tries, "attempt")}`}
      </Badge>
    );
  });
}
