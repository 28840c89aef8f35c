import type { Endpoint } from "../endpoints/endpoint.ts";
import { endpoints, type OperationId } from "../endpoints/endpoints.ts";

/**
 * One workflow step in short form. The operation's row determines where parameters go and which status means success.
 */
export type Step = {
  readonly step_id: string;
  readonly description: string;
  readonly operation_id: OperationId;
  /** Path and query parameters. A value that begins with `$` is an expression. */
  readonly given?: Readonly<Record<string, string | number | boolean>>;
  readonly body?: object;
  /** Expected values in the response, by JSON pointer. */
  readonly expect?: Readonly<Record<string, string | number | boolean>>;
  /** Values for later steps, by JSON pointer. */
  readonly outputs?: Readonly<Record<string, string>>;
  /** The step to continue with after a conflict. */
  readonly after_409?: string;
  /** Values, by JSON pointer, that mean that the answer is still to come: the step is repeated. */
  readonly while?: { readonly place: string; readonly is: readonly string[] };
};

export const arazzoStep = (step: Step) => {
  const endpoint = endpoints.find(({ operation_id }) => operation_id === step.operation_id) as Endpoint;
  const { given = {}, body, expect = {}, outputs, after_409, while: pending } = step;
  const ofPartner = endpoint.server === "partner";
  return {
    stepId: step.step_id,
    description: step.description,
    operationId: step.operation_id,
    parameters: [
      ...(ofPartner ? ["accept", "authorization"] : []).map((name) => ({
        reference: `$components.parameters.${name}`,
      })),
      ...Object.entries(given).map(([name, value]) => ({ name, in: placeOf(endpoint, name), value })),
    ],
    ...(body && { requestBody: { contentType: endpoint.body?.content_type, payload: body } }),
    successCriteria: [
      { condition: `$statusCode == ${successOf(endpoint)}` },
      ...Object.entries(expect).map(([place, value]) => ({
        condition: `$response.body#${place} == ${typeof value === "string" ? `'${value}'` : value}`,
      })),
    ],
    ...(outputs && {
      outputs: Object.fromEntries(Object.entries(outputs).map(([name, place]) => [name, `$response.body#${place}`])),
    }),
    onFailure: [
      { reference: "$components.failureActions.waitAndSendAgain" },
      ...(after_409 === undefined
        ? []
        : [{ name: "lookItUp", type: "goto", stepId: after_409, criteria: [{ condition: "$statusCode == 409" }] }]),
      ...(pending === undefined
        ? []
        : [
            {
              name: "askAgain",
              type: "retry",
              retryAfter: 1,
              retryLimit: 60,
              criteria: [
                { condition: pending.is.map((value) => `$response.body#${pending.place} == '${value}'`).join(" || ") },
              ],
            },
          ]),
    ],
  };
};

const placeOf = ({ path, query = {}, operation_id }: Endpoint, name: string) => {
  if (path.includes(`{${name}}`)) return "path";
  if (name in query) return "query";
  throw new Error(`${operation_id} takes no ${name}`);
};

/** The last success is the one that creates a record: the 200 of an order's `dry_run` comes before it. */
const successOf = ({ responses }: Endpoint) => Object.keys(responses).at(-1);
