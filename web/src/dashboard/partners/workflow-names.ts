import type { Workflow } from "@pestle/contract";

/** How orders come into being. */
export const workflowNames: Record<Workflow, { name: string; says: string }> = {
  api_driven: { name: "The partner", says: "The partner orders each fill through the API." },
  automatic: { name: "Automatic", says: "Each prescription becomes an order by itself, as soon as it may be filled." },
};
