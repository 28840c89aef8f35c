import {
  actionLimits,
  actions,
  exceptionRow,
  MOST_MESSAGES_PER_AUTHOR,
  type QuestionExceptionId,
  questionExceptionIds,
  questionExceptions,
} from "@pestle/contract";
import { describe, expect, test } from "vitest";
import { answerOutcome, messageProblems, type RepliedMessage } from "../../../src/domain/orders/decide-message.ts";
import type { ChangingOrder } from "../../../src/domain/orders/order-change.ts";

const at = new Date("2026-11-17T10:00:00.000Z");
const question = (exception_id: QuestionExceptionId | null): RepliedMessage => ({
  message_id: "019a8b6e-4c55-7d3c-9a1e-2f0b6c1d7e42",
  exception_id,
  created_at: at,
});
const thread = { last_number: 3, by_partner: 1, by_pharmacy: 2, replied: null };

/** An order that a person held with this exception. */
const held = (id: QuestionExceptionId, given: { basis?: string; raised_at?: Date; drug_schedule?: string } = {}) => {
  const { basis = null, raised_at = at, drug_schedule = "0" } = given;
  return {
    order: { drug_schedule, payment_status: "authorized", items: [], exceptions: [{ id, raised_at }] },
    holds: [{ id, basis }],
  } as unknown as ChangingOrder;
};

describe("the exceptions of questions", () => {
  test.each(questionExceptionIds)("%i offers the action that the answer stands for, and it takes no field", (id) => {
    const { confirmed_by } = questionExceptions[id];
    expect(exceptionRow(id).actions).toContain(confirmed_by);
    const fields: readonly { only_exceptions?: readonly number[] }[] = actions[confirmed_by].fields;
    expect(fields.filter(({ only_exceptions }) => only_exceptions?.includes(id) ?? true)).toEqual([]);
  });
});

describe("an answer", () => {
  test.each(questionExceptionIds)("ends the hold of a question with %i", (id) => {
    expect(answerOutcome(question(id), held(id))).toEqual({ ends: [id] });
  });

  test("ends no other hold", () => {
    expect(answerOutcome(question(null), held(72))).toBeNull();
    expect(answerOutcome(question(79), held(72))).toBeNull();
    expect(answerOutcome(question(72), held(72, { basis: "1 sku 90" }))).toBeNull();
    expect(answerOutcome(question(72), held(72, { raised_at: new Date(at.getTime() + 1) }))).toBeNull();
  });

  test("ends nothing that the partner cannot confirm", () => {
    expect(actionLimits.some(({ action, situation }) => action === "verify" && situation === "controlled")).toBe(true);
    expect(answerOutcome(question(72), held(72, { drug_schedule: "4" }))).toBeNull();
    expect(answerOutcome(question(70), held(70, { drug_schedule: "4" }))).toEqual({ ends: [70] });
    expect(answerOutcome(question(70), held(70, { drug_schedule: "2" }))).toBeNull();
  });
});

test("a message is refused for an unknown reply and beyond the author's limit, for both at once", () => {
  const full = { ...thread, by_partner: MOST_MESSAGES_PER_AUTHOR };
  const id = question(null).message_id;
  expect(messageProblems(thread, "partner", null)).toEqual([]);
  expect(messageProblems({ ...thread, replied: question(null) }, "partner", id)).toEqual([]);
  expect(messageProblems(full, "pharmacy", null)).toEqual([]);
  expect(messageProblems(full, "partner", id)).toEqual([
    { code: 42282, field: "in_reply_to" },
    { code: 42283, field: "text" },
  ]);
});
