import { defineConfig } from "vitest/config";

export default defineConfig({
  // Packages resolve to their sources, so that tests never run against a stale build.
  resolve: { conditions: ["source"] },
  ssr: { resolve: { conditions: ["source"] } },
  test: {
    include: ["*/test/**/*.test.ts", "e2e/**/*.test.ts"],
    globalSetup: ["server/test/support/test-cluster.ts"],
    pool: "threads",
    isolate: false,
    testTimeout: 30_000,
    hookTimeout: 60_000,
    reporters: ["default"],
  },
});
