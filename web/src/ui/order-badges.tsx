import type { Environment, OrderStatus, Stage } from "@pestle/contract";
import { Badge, type Tone } from "./badge.tsx";
import { say, sayName } from "./words/say.tsx";

const tones: Record<OrderStatus, Tone> = {
  Processing: "info",
  Filling: "info",
  Shipped: "good",
  Delivered: "good",
  "On Hold": "wait",
  Canceled: "neutral",
};

const stageNames: Record<Stage, string> = {
  clinical_review: say("Clinical review"),
  fill: say("Fill"),
  product_check: say("Product check"),
  pack: say("Pack"),
};

/** Partners see the order's status; the pharmacy sees its stage, if it has one. */
export function StatusBadge({ status, stage }: { status: OrderStatus; stage?: Stage | null }) {
  return <Badge tone={tones[status]}>{stage ? stageNames[stage] : sayName(status)}</Badge>;
}

/** Marks sandbox only. Production has no badge. */
export function EnvironmentBadge({ environment }: { environment: Environment }) {
  return environment === "sandbox" ? <Badge tone="sandbox">{say("Sandbox")}</Badge> : null;
}
