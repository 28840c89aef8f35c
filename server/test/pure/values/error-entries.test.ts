import { errorCodes, errorDocUrl, errors, MOST_ALLOWED, typeTexts, usualProblems } from "@pestle/contract";
import { describe, expect, test } from "vitest";
import { errorEntries } from "../../../src/domain/values/error-entries.ts";
import { prefersMinimal } from "../../../src/domain/values/http-headers.ts";
import { nearestName } from "../../../src/domain/values/nearest-name.ts";
import type { Problem } from "../../../src/domain/values/refusals.ts";

const detail = (problem: Problem) => errorEntries([problem])[0]!.error_detail[0]!;

describe("a detail", () => {
  test("names the problem of its code, and keeps the code's resolution", () => {
    for (const code of errorCodes) {
      const { problem, message } = detail({ code, field: "x" });
      expect([code, problem, message]).toEqual([code, usualProblems[code], errors[code][2]]);
    }
  });

  test("of another cause has the message of that cause", () => {
    const message = (cause: Partial<Problem>, code: Problem["code"] = 42200) =>
      detail({ code, field: "x", ...cause }).message;
    for (const [expected, text] of Object.entries(typeTexts)) {
      expect(message({ problem: "wrong_type", expected: expected as keyof typeof typeTexts }, 42249)).toBe(text);
    }
    expect(message({ problem: "missing" })).toBe("The request needs this field.");
    expect(message({ problem: "missing" }, 42291)).toBe(`The request needs this field. ${errors[42291][2]}`);
    const causes = (["missing", "unknown_field", "not_allowed", "not_found", "conflict"] as const).map((problem) =>
      message({ problem }),
    );
    expect(new Set([...causes, errors[42200][2]]).size).toBe(6);
    expect(message({ problem: "not_allowed", message: "Own." })).toBe("Own.");
  });

  test("lists the allowed values if they are few", () => {
    const allowed = (count: number) => Array.from({ length: count }, (_, index) => index);
    expect(detail({ code: 42430, field: "x", allowed: allowed(MOST_ALLOWED) }).allowed).toHaveLength(MOST_ALLOWED);
    expect(detail({ code: 42430, field: "x", allowed: allowed(MOST_ALLOWED + 1) })).not.toHaveProperty("allowed");
  });

  test("shows only the start of a long field", () => {
    expect(detail({ code: 42200, field: "x".repeat(50_000) }).field.length).toBeLessThan(220);
  });
});

test("an entry links to its section if the address of the documentation is known", () => {
  const problems: Problem[] = [{ code: 42227, field: "zip" }];
  expect(errorEntries(problems, "https://api.example")[0]!.doc_url).toBe(errorDocUrl("https://api.example", 42227));
  expect(errorEntries(problems)[0]).not.toHaveProperty("doc_url");
});

describe("a suggestion", () => {
  const names = ["patient_id", "address", "email", "prescription_id", "F", "M", "ndc[]"];
  test.each([
    ["patientid", "patient_id"],
    ["PatientId", "patient_id"],
    ["patient-id", "patient_id"],
    ["adress", "address"],
    ["emial", "email"],
    ["prescripton_ids", "prescription_id"],
    ["f", "F"],
    ["ndc", "ndc[]"],
  ])("for %s is %s", (sent, meant) => {
    expect(nearestName(sent, names)).toBe(meant);
  });

  test.each(["x", "", "___", "color", "U", "address".repeat(6), "é".repeat(10), "x".repeat(1_000_000)])(
    "for %.20s is none",
    (sent) => {
      expect(nearestName(sent, names)).toBeUndefined();
    },
  );
});

test("only a Prefer header that asks for it gets an answer without a body", () => {
  for (const prefer of [
    "return=minimal",
    'Return="minimal"; x=1',
    "wait=10, return=minimal",
    ["wait=1", "return=minimal"],
  ])
    expect([prefer, prefersMinimal(prefer)]).toEqual([prefer, true]);
  for (const prefer of [
    undefined,
    "",
    "return",
    "return=minimally",
    "return=representation, return=minimal",
    "x=return=minimal",
  ])
    expect([prefer, prefersMinimal(prefer)]).toEqual([prefer, false]);
});
