import { describe, expect, test } from "vitest";
import {
  type ActionField,
  actionKeys,
  actions,
  actionsOfReviews,
  bearerErrors,
  errorAreas,
  errorCodes,
  errors,
  eventTypeNames,
  eventTypes,
  exceptionIds,
  exceptionRow,
  formProblems,
  orderActions,
  orderActionsOf,
  orderStatusReasons,
  RETRY_DELAYS_S,
  reviewActions,
  reviewDeeds,
  reviewRow,
  statuses,
  statusMessages,
  statusOf,
  webhookBodies,
  webhookHeaders,
} from "../src/index.ts";

const range = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, index) => first + index);

describe("errors", () => {
  test("each tells the next step", () => {
    const step =
      /(^|[.:;] |, )(or )?(Add|ask|Ask|Check|Contact|Correct|Get|Omit|Order|Provide|Quote|Read|Register|Request|Resume|Send|Ship|Sign|Use|use|Wait|Write)\b/;
    const told = {
      ...Object.fromEntries(errorCodes.map((code) => [code, errors[code][2]])),
      ...statusMessages,
      ...formProblems,
      ...Object.fromEntries(Object.entries(bearerErrors).map(([name, [, text]]) => [name, text])),
    };
    expect(Object.entries(told).filter(([, text]) => !step.test(text))).toEqual([]);
  });

  test("the codes are exactly those of the specification and of its second edition", () => {
    const gaps = [42207, 42224, 42248, 42251, 42252];
    const expected = [
      ...range(40000, 40005),
      40010,
      ...range(42200, 42208),
      ...range(42216, 42231),
      ...range(42241, 42260),
      // Refill schedules.
      ...range(42271, 42276),
      // Messages and renewals.
      ...range(42281, 42286),
      ...range(42291, 42296),
      42299,
      42380,
      42430,
      ...range(42461, 42463),
      42471,
    ].filter((code) => !gaps.includes(code));
    expect(errorCodes).toEqual(expected);
  });

  test("each has a unique name, a field and a resolution that is a sentence", () => {
    expect(new Set(errorCodes.map((code) => errors[code][0])).size).toBe(errorCodes.length);
    for (const code of errorCodes) {
      const [message, field, resolution] = errors[code];
      expect(message, String(code)).toMatch(/^[A-Z][A-Za-z0-9 ]+$/);
      expect(field, String(code)).toMatch(/^[A-Za-z][\w-]*(\[\])?(\.[a-z_0-9]+(\[\])?)*$/);
      expect(resolution, String(code)).toMatch(/^[A-Z].*\.$/);
    }
  });

  test("codes from 42000, including those of brand and actions, have status 422; all others have 400", () => {
    for (const code of errorCodes) expect(statusOf(code), String(code)).toBe(String(code).startsWith("42") ? 422 : 400);
    expect(statusOf(42380)).toBe(422);
    expect(statusOf(42463)).toBe(422);
  });

  test("every code belongs to an area, and the areas ascend", () => {
    const lasts = errorAreas.map(({ last }) => last);
    expect(lasts).toEqual([...lasts].sort((a, b) => a - b));
    expect(lasts.at(-1)).toBe(errorCodes.at(-1));
  });

  test("every status with its own message is a status of the specification", () => {
    for (const status of Object.keys(statusMessages)) expect(statuses).toHaveProperty(status);
  });
});

describe("exceptions and actions", () => {
  test("the exceptions are 64 to 80", () => {
    expect(exceptionIds).toEqual(range(64, 80));
  });

  test("each exception can at least be canceled, and offers each action once", () => {
    for (const id of exceptionIds) {
      const { actions: offered } = exceptionRow(id);
      expect(offered).toContain("cancel");
      expect(new Set(offered).size).toBe(offered.length);
    }
  });

  test("each exception except a pharmacist's has a resolution that keeps the order", () => {
    for (const id of exceptionIds) {
      const { actions: offered, who_acts } = exceptionRow(id);
      if (who_acts !== "pharmacist")
        expect(
          offered.filter((key) => key !== "cancel"),
          String(id),
        ).not.toEqual([]);
    }
  });

  test("no partner can verify an allergy or an interaction through the API", () => {
    for (const id of [74, 75] as const)
      expect(orderActionsOf(id).map(({ event_key }) => event_key)).toEqual(["cancel"]);
  });

  test("each action can be sent: an exception offers it or a status allows it", () => {
    for (const { event_key, exceptions, order_statuses } of orderActions) {
      expect(order_statuses, event_key).not.toEqual([]);
      expect(exceptions.length > 0, event_key).toBe(order_statuses.includes("On Hold"));
    }
  });

  test("each action's fields have distinct names, and codes from the catalogue", () => {
    for (const key of actionKeys) {
      const fields: readonly ActionField[] = actions[key].fields;
      expect(new Set(fields.map(({ name }) => name)).size).toBe(fields.length);
      for (const { codes, only_exceptions = [] } of fields) {
        for (const code of codes) expect(errorCodes).toContain(code);
        const offering = orderActions.find(({ event_key }) => event_key === key)?.exceptions;
        for (const id of only_exceptions) expect(offering).toContain(id);
      }
    }
  });

  test("the refund reasons are 101 to 106", () => {
    expect(orderStatusReasons.map(({ id }) => id)).toEqual(range(101, 106));
  });
});

describe("webhooks", () => {
  test("each body has the fields of its row and the three common ones", () => {
    for (const name of eventTypeNames) {
      const expected = ["event_id", "event_type", "timestamp", ...eventTypes[name].fields].sort();
      expect(Object.keys(webhookBodies[name].properties as object).sort(), name).toEqual(expected);
      expect([...(webhookBodies[name].required as string[])].sort(), name).toEqual(expected);
    }
  });

  test("no body has a field that could identify a patient", () => {
    const text = JSON.stringify(webhookBodies);
    for (const field of ["first_name", "last_name", "dob", "email", "addresses", "identity_documents"]) {
      expect(text).not.toContain(`"${field}":`);
    }
  });

  test("ten attempts with growing delays fit into the five days that disable an endpoint", () => {
    expect(RETRY_DELAYS_S).toHaveLength(10);
    expect([...RETRY_DELAYS_S].sort((a, b) => a - b)).toEqual([...RETRY_DELAYS_S]);
    expect(RETRY_DELAYS_S.reduce((sum, seconds) => sum + seconds * 1.1, 0)).toBeLessThan(5 * 86400);
  });

  test("the header names contain the operator's name in a valid form", () => {
    expect(webhookHeaders()).toEqual({ signature: "X-Service-Signature", secret: "X-Service-Secret" });
    expect(webhookHeaders("Harbor Rx, Inc.").signature).toBe("X-Harbor-Rx-Inc-Signature");
    expect(webhookHeaders("é").secret).toBe("X-Service-Secret");
  });
});

test("every review offers actions of one path, and every action solves a review", () => {
  const offered = Object.entries(actionsOfReviews).map(([kind, actions]) => ({ kind, actions: [...actions] }));
  for (const { kind, actions } of offered)
    expect([kind, new Set(actions.map((action) => reviewActions[action].via)).size]).toEqual([kind, 1]);
  const all = offered.flatMap(({ actions }) => actions);
  expect([...new Set<string>(all)].sort()).toEqual(Object.keys(reviewActions).sort());
  expect(reviewDeeds).not.toContain("accept");
  for (const action of reviewDeeds) {
    const { takes, about = "", asks } = reviewRow(action);
    expect([action, about.length > 0, takes === "note"]).toEqual([action, true, asks !== undefined]);
  }
});
