import {
  callStates,
  counselingOutcomeNames,
  counselingOutcomes,
  counselingRuleOf,
  counselingRules,
  counselingStateOf,
  counselingWayNames,
  everyFillStates,
  federalCounseling,
  MOST_COUNSELING_ENTRIES,
} from "@pestle/contract";
import { expect, test } from "vitest";
import { decideCounseling } from "../../../src/domain/fulfillment/counseling.ts";
import { periodProblem } from "../../../src/domain/fulfillment/report-period.ts";
import { isStateCode } from "../../../src/domain/values/address/states.ts";
import { merged } from "../../../src/usecases/fulfillment/reports/merged.ts";

const phil = { role: "pharmacist", license: "RPH-1001" };

test("each rule is for a state and has a sentence and a source; other states follow the federal rule", () => {
  for (const [state, { says, source }] of Object.entries(counselingRules)) {
    expect([state, isStateCode(state)]).toEqual([state, true]);
    expect(says).toMatch(/^[A-Z].+\.$/);
    expect(source).toMatch(/\d/);
  }
  for (const state of ["WY", "toString", null]) expect(counselingRuleOf(state)).toBe(federalCounseling);
  expect([callStates, everyFillStates]).toEqual([["ID", "NC"], ["OH"]]);
});

test("a fill is done after counseling or a refusal, and offered from the shipment on where a written offer is enough", () => {
  const [written, call] = [counselingRuleOf("CA"), counselingRuleOf("NC")];
  expect([counselingStateOf(written, []), counselingStateOf(call, [])]).toEqual(["offered", "to_call"]);
  expect(counselingStateOf(call, ["no_answer"])).toBe("to_call");
  expect(counselingStateOf(call, ["no_answer", "offered"])).toBe("offered");
  for (const last of ["given", "refused"] as const)
    for (const rule of [written, call]) expect(counselingStateOf(rule, ["offered", last])).toBe("done");
});

test("every outcome can be recorded in its ways only, by a licensed pharmacist who saw the last entry", () => {
  for (const outcome of counselingOutcomeNames)
    for (const how of counselingWayNames) {
      const possible = (counselingOutcomes[outcome].ways as readonly string[]).includes(how);
      const decided = decideCounseling({ outcome, how, entries: 1 }, ["no_answer"], phil);
      expect(decided).toEqual(possible ? { entry_number: 2 } : { refused: "spoken_needed" });
    }
  const asked = { outcome: "refused", how: "phone", entries: 1 } as const;
  expect(decideCounseling(asked, ["given"], phil)).toEqual({ refused: "counseled_already" });
  expect(decideCounseling(asked, [], phil)).toEqual({ refused: "stale" });
  expect(decideCounseling(asked, ["offered"], { ...phil, license: null })).toEqual({ refused: "license_needed" });
  expect(decideCounseling(asked, ["offered"], { role: "admin", license: "X" })).toEqual({ refused: "not_your_role" });
  const many = Array<"no_answer">(MOST_COUNSELING_ENTRIES).fill("no_answer");
  expect(decideCounseling({ ...asked, entries: many.length }, many, phil)).toEqual({ refused: "counseling_full" });
});

test("a report has at most 31 days that exist and are in order", () => {
  expect(periodProblem("2026-01-01", "2026-01-31")).toBe(null);
  for (const [from, to] of [
    ["2026-01-01", "2026-02-01"],
    ["2026-01-02", "2026-01-01"],
    ["2026-02-30", "2026-03-01"],
    ["", ""],
  ] as const)
    expect([from, periodProblem(from, to)]).toEqual([from, expect.stringMatching(/\.$/)]);
});

test("sources are merged by time, and rows of the same time keep the order of the sources", async () => {
  async function* of(name: string, ...times: number[]) {
    for (const time of times) yield { at: new Date(time), name };
  }
  const seen: string[] = [];
  for await (const { at, name } of merged([of("a", 2, 2, 9), of("b"), of("c", 1, 2, 10)]))
    seen.push(`${at.getTime()}${name}`);
  expect(seen).toEqual(["1c", "2a", "2a", "2c", "9a", "10c"]);
});
