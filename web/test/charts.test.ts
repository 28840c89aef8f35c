import { expect, test } from "vitest";
import { homeLayouts } from "../src/dashboard/home/home-layout.ts";
import { linePath } from "../src/ui/charts/line-path.ts";
import { roundShare, roundTop } from "../src/ui/charts/round-top.ts";

test("a line has gaps where values are missing, and a value between two gaps is a dash", () => {
  const path = (values: (number | null)[]) =>
    linePath(
      values,
      (index) => index * 9,
      (value) => value,
      9,
    );
  expect(path([1, 2, null, 4, 5])).toBe("M0 1.00L9 2.00M27 4.00L36 5.00");
  expect(path([null, 3, null])).toBe("M6 3.00H12");
  expect(path([null, null])).toBe("");
  expect(path([0, 0])).toBe("M0 0.00L9 0.00");
});

test("the top of a scale is a round number that its half divides", () => {
  expect([0, 2, 3, 11, 41, 400].map(roundTop)).toEqual([2, 2, 4, 20, 100, 400]);
  expect([0, 0.1, 0.11, 0.3, 0.7].map(roundShare)).toEqual([0.1, 0.1, 0.2, 0.5, 1]);
});

test("each role has every queue and the charts on its home page, its own work first", () => {
  const [technician, pharmacist, lead, admin] = Object.values(homeLayouts);
  expect(technician!.queues.slice(0, 2)).toEqual(["fill", "pack"]);
  expect(pharmacist!.queues[0]).toBe("clinical_review");
  expect(pharmacist!.parts.slice(0, 3)).toEqual(["queues", "work", "messages"]);
  expect(admin!.parts[0]).toBe("health");
  for (const { queues, parts } of [technician!, pharmacist!, lead!, admin!]) {
    expect([...queues].sort()).toEqual([...lead!.queues].sort());
    expect(new Set(parts).size).toBe(parts.length);
    for (const part of lead!.parts) expect(parts).toContain(part);
  }
});
