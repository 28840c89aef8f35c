import type { Message } from "@pestle/contract";
import { expect, test } from "vitest";
import { questionStates } from "../src/ui/question-state.ts";

const AT = "2026-11-16T15:04:05.120Z";
const question: Message = {
  message_id: "q",
  author: "pharmacy",
  text: "30 tablets?",
  created_at: AT,
  in_reply_to: null,
  exception_id: 72,
};
const from = (author: Message["author"], in_reply_to: string | null): Message => ({
  ...question,
  message_id: `${author} ${in_reply_to}`,
  author,
  in_reply_to,
  exception_id: null,
});
const stateWith = (messages: Message[], open: Parameters<typeof questionStates>[1]) =>
  questionStates([question, ...messages], open).get("q");
const hold = [{ id: 72 as const, raised_at: AT }];

test("a question is unanswered until the partner replies to it, and while its own hold is open", () => {
  expect(stateWith([], hold)).toBe("unanswered");
  expect(stateWith([from("pharmacy", "q"), from("partner", null)], hold)).toBe("unanswered");
  expect(stateWith([from("partner", "q")], [])).toBe("answered");
  expect(stateWith([from("partner", "q")], hold)).toBe("still_held");
  expect(stateWith([], [])).toBe("ended");
});

test("a later hold with the same exception, or another exception, is not the hold of the question", () => {
  expect(stateWith([], [{ id: 72, raised_at: "2026-11-17T08:00:00.000Z" }])).toBe("ended");
  expect(stateWith([], [{ id: 77, raised_at: AT }])).toBe("ended");
});

test("a message without an exception has no state", () => {
  expect([...questionStates([from("pharmacy", null), from("partner", "q")], hold).keys()]).toEqual([]);
});
