import type { arazzo, OperationId } from "@pestle/contract";
import type { Answered, OpenapiDocument, Operation } from "../../../../chaos/contract/openapi-document.ts";

type Document = ReturnType<typeof arazzo>;
type WorkflowId = Document["workflows"][number]["workflowId"];
type Step = Document["workflows"][number]["steps"][number];
type Parameter = { name: string; in: string; value: unknown };
type FailureAction = { criteria: Criteria } & ({ type: "retry" } | { type: "goto"; stepId: string });
type Criteria = readonly { condition: string }[];
type Scope = { inputs: Record<string, unknown>; outputs: Record<string, Record<string, unknown>>; answer?: Answered };
export type Walked = { step_id: string; operation: Operation; answer: Answered };

/** On a busy machine a step that asks until something has happened asks many times. */
const WITHIN_MS = 60_000;

/**
 * Runs the steps of an Arazzo workflow against a live service. It supports the parts of Arazzo that our document
 * uses, and fails on anything else. The caller chooses the server for each operation, because it knows the
 * environment.
 */
export async function walkWorkflow(
  { workflows, components }: Document,
  { operations }: OpenapiDocument,
  given: {
    workflow_id: WorkflowId;
    inputs: Record<string, unknown>;
    address: (operation: Operation) => string;
    /** Called with each request before it is sent. */
    before?: (operation: OperationId, address: string, init: RequestInit) => Promise<void>;
  },
): Promise<{ walked: Walked[]; outputs: Record<string, unknown> }> {
  const { steps, outputs } = workflows.find(({ workflowId }) => workflowId === given.workflow_id)!;
  const scope: Scope = { inputs: given.inputs, outputs: {} };
  const walked: Walked[] = [];

  const end = Date.now() + WITHIN_MS;

  for (let index = 0; index < steps.length; ) {
    const step = steps[index]!;
    const operation = operations.find(({ operation_id }) => operation_id === step.operationId)!;
    scope.answer = await send(operation, step);
    walked.push({ step_id: step.stepId, operation, answer: scope.answer });
    if (Date.now() > end) throw new Error(`${step.stepId}: there is no end to it`);
    if (holds(step.successCriteria, scope)) {
      scope.outputs[step.stepId] = evaluated(step.outputs ?? {}, scope) as Record<string, unknown>;
      index += 1;
    } else index = afterFailure(step, index);
  }
  return { walked, outputs: evaluated(outputs, scope) as Record<string, unknown> };

  function afterFailure(step: Step, index: number): number {
    const actions = step.onFailure.map((action) => resolved(action) as FailureAction);
    const action = actions.find(({ criteria }) => holds(criteria, scope));
    if (action === undefined) throw new Error(`${step.stepId}: ${scope.answer!.status} ${scope.answer!.text}`);
    return action.type === "retry" ? index : steps.findIndex(({ stepId }) => stepId === action.stepId);
  }

  function resolved(value: object): unknown {
    if (!("reference" in value)) return value;
    const [, kind, name] = /^\$components\.(\w+)\.(\w+)$/.exec(String(value.reference))!;
    return (components as unknown as Record<string, Record<string, unknown>>)[kind!]![name!];
  }

  async function send(operation: Operation, { parameters, requestBody }: Step): Promise<Answered> {
    const headers = new Headers();
    const query = new URLSearchParams();
    let { path } = operation;
    for (const parameter of parameters.map((one) => resolved(one) as Parameter)) {
      const value = String(evaluated(parameter.value, scope));
      if (parameter.in === "header") headers.set(parameter.name, value);
      else if (parameter.in === "query") query.set(parameter.name, value);
      else path = path.replace(`{${parameter.name}}`, encodeURIComponent(value));
    }
    const payload = evaluated(requestBody?.payload, scope);
    if (requestBody !== undefined) headers.set("content-type", requestBody.contentType!);
    const body = requestBody?.contentType?.endsWith("json")
      ? JSON.stringify(payload)
      : new URLSearchParams(payload as Record<string, string>).toString();
    const address = `${given.address(operation)}${path}${query.size > 0 ? `?${query}` : ""}`;
    const init = { method: operation.method, headers, ...(requestBody !== undefined && { body }) };
    await given.before?.(operation.operation_id as OperationId, address, init);
    const response = await fetch(address, init);
    return { status: response.status, headers: response.headers, text: await response.text() };
  }
}

/** All criteria must hold; each may list alternatives. */
const holds = (criteria: Criteria, scope: Scope): boolean =>
  criteria.every(({ condition }) =>
    condition.split(" || ").some((alternative) => {
      const [, left, right] = /^(\S+) == (.+)$/.exec(alternative)!;
      const literal = right!.startsWith("'") ? right!.slice(1, -1) : JSON.parse(right!);
      return evaluated(left, scope) === literal;
    }),
  );

/** The value with each expression, alone or in braces, replaced by its result. */
function evaluated(value: unknown, scope: Scope): unknown {
  if (Array.isArray(value)) return value.map((entry) => evaluated(entry, scope));
  if (typeof value === "object" && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, evaluated(entry, scope)]));
  }
  if (typeof value !== "string") return value;
  if (value.startsWith("$")) return expression(value, scope);
  return value.replaceAll(/\{(\$[^}]+)\}/g, (_, inner: string) => String(expression(inner, scope)));
}

function expression(text: string, { inputs, outputs, answer }: Scope): unknown {
  if (text === "$statusCode") return answer!.status;
  const [, place] = /^\$response\.body#(\/.*)$/.exec(text) ?? [];
  if (place !== undefined) {
    const names = place.slice(1).split("/");
    return names.reduce<unknown>(
      (value, name) => (value as Record<string, unknown> | undefined)?.[name],
      answer!.text === "" ? undefined : JSON.parse(answer!.text),
    );
  }
  const [, input] = /^\$inputs\.(\w+)$/.exec(text) ?? [];
  const [, step, output] = /^\$steps\.(\w+)\.outputs\.(\w+)$/.exec(text) ?? [];
  const value = input === undefined ? outputs[step ?? ""]?.[output ?? ""] : inputs[input];
  if (value === undefined) throw new Error(`${text} stands for nothing`);
  return value;
}
