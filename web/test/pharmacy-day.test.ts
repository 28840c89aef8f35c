import { expect, test } from "vitest";
import { dayIn } from "../src/app/use-pharmacy-day.ts";

test("a day ends when it ends at the pharmacy", () => {
  const midnight = new Date("2026-11-19T05:00:00Z");
  expect(dayIn("America/New_York", midnight)).toBe("2026-11-19");
  expect(dayIn("America/New_York", new Date(midnight.getTime() - 1))).toBe("2026-11-18");
  expect(dayIn("Pacific/Kiritimati", midnight)).toBe("2026-11-19");
  expect(dayIn("Europe/Berlin", new Date("2026-03-01T23:30:00Z"))).toBe("2026-03-02");
});
