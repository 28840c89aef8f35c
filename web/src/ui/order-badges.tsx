import type { Environment, OrderStatus, Stage } from "@pestle/contract";
import { Badge, type Tone } from "./badge.tsx";

const tones: Record<OrderStatus, Tone> = {
  Processing: "info",
  Filling: "info",
  Shipped: "good",
  Delivered: "good",
  "On Hold": "wait",
  Canceled: "neutral",
};

const stageNames: Record<Stage, string> = {
  clinical_review: "Clinical review",
  fill: "Fill",
  product_check: "Product check",
  pack: "Pack",
};

/** Where an order stands: for partners its status, for the pharmacy its stage where it has one. */
export function StatusBadge({ status, stage }: { status: OrderStatus; stage?: Stage | null }) {
  return <Badge tone={tones[status]}>{stage ? stageNames[stage] : status}</Badge>;
}

/** Nothing where it is production: only the sandbox must catch the eye. */
export function EnvironmentBadge({ environment }: { environment: Environment }) {
  return environment === "sandbox" ? <Badge tone="sandbox">Sandbox</Badge> : null;
}
