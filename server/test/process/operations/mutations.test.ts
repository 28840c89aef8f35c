import { expect, test } from "vitest";
import { readMutations, sendMutations } from "../../../../chaos/mutations.ts";
import { TESTED } from "../../../../chaos/server-process.ts";

// A small run of the campaign: `npm run campaign -- mutations` runs it at full size.
const READ = 400;
const SENT = 200;
/** Generous for a busy machine. A reader that backtracks or recurses without a bound needs far more. */
const READ_WITHIN_MS = 5_000;

test("damaged e-prescriptions are read or rejected, each quickly", async () => {
  const { outcomes, crashes, hangs, slowest } = await readMutations({ first: 5_000, count: READ });
  expect({ crashes, hangs }).toEqual({ crashes: [], hangs: [] });
  expect(slowest.took_ms).toBeLessThan(READ_WITHIN_MS);
  expect(Object.values(outcomes).reduce((sum, times) => sum + times, 0)).toBe(READ);
  expect(Object.keys(outcomes).filter((outcome) => outcome.includes("read")).length).toBeGreaterThan(2);
});

test("damaged e-prescriptions sent to a service get 200 or 400, and none stays unprocessed", async () => {
  const { statuses, unexpected } = await sendMutations({ first: 9_000, count: SENT }, TESTED);
  expect(unexpected).toEqual([]);
  expect(Object.values(statuses).reduce((sum, times) => sum + times, 0)).toBe(SENT);
});
