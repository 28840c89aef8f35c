import { arazzoStep } from "./arazzo-step.ts";
import { type WorkflowId, workflowSteps } from "./arazzo-workflows.ts";

/** The Arazzo description of these workflows, each from the credentials to a delivered order in the sandbox. */
export const arazzo = ({
  version,
  base_url,
  operator_name,
}: Record<"version" | "base_url" | "operator_name", string>) => ({
  arazzo: "1.0.1",
  info: {
    title: `${operator_name} partner workflows`,
    summary: "From a prescription to a delivered order",
    description:
      "The workflows from the partner's point of view, for a sandbox account. `POST /simulate` plays the prescriber, the pharmacy and the carrier; omit those steps in production. In production, register a webhook endpoint instead of reading the event feed.",
    version,
  },
  sourceDescriptions: [{ name: "partnerApi", url: `${base_url}/openapi.json`, type: "openapi" }],
  workflows: (Object.keys(workflowSteps) as WorkflowId[]).map((workflowId) => {
    const { summary, description, steps, outputs } = workflowSteps[workflowId];
    return {
      workflowId,
      summary,
      description,
      inputs: { $ref: "#/components/inputs/credentials" },
      steps: steps.map(arazzoStep),
      outputs: {
        order_number: "$steps.readOrder.outputs.order_number",
        tracking_no: "$steps.readOrder.outputs.tracking_no",
        ...outputs,
      },
    };
  }),
  components: {
    inputs: {
      credentials: {
        type: "object",
        required: ["client_id", "client_secret"],
        properties: {
          client_id: { type: "string", description: "From a sandbox credential with the scope `partners`." },
          client_secret: { type: "string", description: "Shown once, when the credential was created." },
        },
      },
    },
    parameters: {
      accept: { name: "Accept", in: "header", value: "application/json" },
      authorization: {
        name: "Authorization",
        in: "header",
        value: "Bearer {$steps.getToken.outputs.access_token}",
      },
    },
    failureActions: {
      waitAndSendAgain: {
        name: "waitAndSendAgain",
        type: "retry",
        retryAfter: 1,
        retryLimit: 5,
        criteria: [{ condition: "$statusCode == 429 || $statusCode == 503" }],
      },
    },
  },
});
