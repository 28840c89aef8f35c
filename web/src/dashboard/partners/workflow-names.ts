import type { Workflow } from "@pestle/contract";

/** How orders are created. */
export const workflowNames: Record<Workflow, { name: string; says: string }> = {
  api_driven: { name: "Partner", says: "The partner orders each fill through the API." },
  automatic: { name: "Automatic", says: "Pestle creates an order from each prescription as soon as it can be filled." },
};
