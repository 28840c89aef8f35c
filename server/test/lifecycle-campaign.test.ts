import { expect, test } from "vitest";
import { playLifecycles } from "../../chaos/lifecycle.ts";
import { createTestDatabase, TEST_MASTER_KEY } from "./support/test-app.ts";

// The campaign itself, small: `npm run campaign -- lifecycle` does the same at full size.
const STORIES = 300;

test("orders come out as a simple model says, whatever is done to them and in whatever order", {
  timeout: 120_000,
}, async () => {
  const { url: database_url, drop } = await createTestDatabase();
  const played = await playLifecycles({
    database_url,
    master_key: TEST_MASTER_KEY,
    count: STORIES,
    seed: 20261115,
  }).finally(drop);
  expect(played.faults).toEqual([]);
  expect(played.stories).toBe(STORIES);
});
