import type { Workflow } from "@pestle/contract";
import { say } from "../../ui/words/say.tsx";

/** How orders are created. */
export const workflowNames: Record<Workflow, { name: string; says: string }> = {
  api_driven: { name: say("Partner"), says: say("The partner orders each fill through the API.") },
  automatic: {
    name: say("Automatic"),
    says: say("Pestle creates an order from each prescription as soon as it can be filled."),
  },
};
