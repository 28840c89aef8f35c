import { type arazzo, type OperationId, type RenewalRequest, workflows } from "@pestle/contract";
import { createConfig, lintFromString } from "@redocly/openapi-core";
import spectral from "@stoplight/spectral-core";
import { arazzo as rules } from "@stoplight/spectral-rulesets";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type OpenapiDocument, readOpenapi } from "../../../../chaos/contract/openapi-document.ts";
import { startTestApp, type TestApp } from "../../support/test-app.ts";
import { walkWorkflow } from "../../support/tools/arazzo-runner.ts";
import { until } from "../../support/tools/until.ts";

const walkedWorkflows = [...workflows, "refill_schedule", "answer_the_pharmacy", "month_end", "renewal"] as const;
/** What a workflow has beside its order. */
const ownOutputs: Partial<Record<(typeof walkedWorkflows)[number], object>> = {
  month_end: { month: expect.stringMatching(/^\d{4}-\d{2}$/), due_cents: expect.any(Number) },
  renewal: { new_prescription_id: expect.any(Number) },
};

let app: TestApp;
let text: string;
let document: ReturnType<typeof arazzo>;
let api: OpenapiDocument;
beforeAll(async () => {
  app = await startTestApp();
  const response = await fetch(`${app.addresses.base_url}/arazzo.json`);
  expect(response.headers.get("content-type")).toBe("application/json; charset=utf-8");
  text = await response.text();
  document = JSON.parse(text);
  const [source] = document.sourceDescriptions;
  api = readOpenapi(await (await fetch(source!.url)).text());
});
afterAll(() => app.stop());

describe("the served Arazzo document", () => {
  test("describes both workflows of the contract and what follows, with the addresses of the serving service", () => {
    expect(document.arazzo).toBe("1.0.1");
    expect(document.workflows.map(({ workflowId }) => workflowId).sort()).toEqual([...walkedWorkflows].sort());
    expect(text).toContain(app.addresses.base_url);
  });

  test("passes Redocly's recommended rules", async () => {
    const config = await createConfig({ extends: ["recommended"] });
    const problems = await lintFromString({ source: text, absoluteRef: "arazzo.json", config });
    expect(problems.map(({ ruleId, severity, message }) => `${severity} ${ruleId}: ${message}`)).toEqual([]);
  });

  test("passes Spectral's rules for Arazzo", async () => {
    const linter = new spectral.Spectral();
    linter.setRuleset({ extends: [[rules as never, "all"]] });
    const problems = await linter.run(text);
    expect(problems.map(({ code, message, path }) => `${code}: ${message} ${path.join(".")}`)).toEqual([]);
  });

  test.for(walkedWorkflows)(
    "%s leads, step by step, to a delivered order, and every answer matches OpenAPI",
    async (workflow_id) => {
      const { walked, outputs } = await walk(workflow_id, answered);
      const { steps } = document.workflows.find(({ workflowId }) => workflowId === workflow_id)!;
      // A step that is repeated until its answer has come counts once.
      const ids = walked.map(({ step_id }) => step_id);
      expect(ids.filter((id, at) => id !== ids[at - 1])).toEqual(steps.map(({ stepId }) => stepId));
      expect(walked.flatMap(({ operation, answer }) => api.complaints(operation, answer))).toEqual([]);
      expect(outputs).toEqual({
        order_number: expect.stringMatching(/^[0-9A-HJKMNP-TV-Z]{10}$/),
        tracking_no: expect.any(String),
        ...ownOutputs[workflow_id],
      });
    },
  );

  test("an order that was just sent is looked up, as the step says", async () => {
    // createOrder answers 409, because another client has just sent the same order.
    const twice = async (operation: OperationId, address: string, init: RequestInit) => {
      if (operation === "createOrder") await fetch(address, init);
    };
    const { walked } = await walk("api_driven", twice);
    expect(walked.map(({ answer }) => answer.status).filter((status) => status === 409)).toEqual([409]);
    expect(walked.at(-1)!.step_id).toBe("readOrder");
  });
});

let asked_before = false;
/** The first question about a renewal can be too early. Before the next one, the prescriber has answered. */
const answered: Before = async (operation, address, init) => {
  if (operation !== "getRenewalRequest") return;
  const approved = async () => ((await (await fetch(address, init)).json()) as RenewalRequest).status === "approved";
  if (asked_before) await until(approved, "the prescriber has answered");
  asked_before = true;
};

type Before = (operation: OperationId, address: string, init: RequestInit) => Promise<void>;

function walk(workflow_id: (typeof walkedWorkflows)[number], before?: Before) {
  const account = workflow_id === "automatic" ? "automatic" : "api_driven";
  const { client_id, client_secret } = app.demo.partners.find(
    ({ workflow, environment }) => workflow === account && environment === "sandbox",
  )!;
  return walkWorkflow(document, api, {
    workflow_id,
    inputs: { client_id, client_secret },
    address: ({ on_token_server }) => (on_token_server ? app.addresses.sandbox_auth_url : app.addresses.base_url),
    ...(before && { before }),
  });
}
