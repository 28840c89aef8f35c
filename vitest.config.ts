import { defineConfig, type Plugin } from "vitest/config";

/** Need no database, so they run in seconds: `npm run test:quick`. */
const QUICK = [
  "contract/test/**/*.test.ts",
  "cli/test/**/*.test.ts",
  "server/test/pure/**/*.test.ts",
  "web/test/**/*.test.ts",
  "sdk/test/{inbox,package,receiver,testing,types,webhooks}.test.ts",
];
/** Start programs and wait for them. */
const PROCESSES = ["examples/test/**/*.test.ts", "server/test/process/**/*.test.ts"];
const BROWSER = ["e2e/**/*.test.ts"];
/** Depend on the database version: they run on the embedded PostgreSQL and on the oldest supported one. */
const DATABASE = ["server/test/database/**/*.test.ts"];
const NO_TESTS = ["**/node_modules/**", "**/dist/**"];
const cluster = ["server/test/support/test-cluster.ts"];
const services = [...cluster, "server/test/support/prepared-place.ts"];

/**
 * `npm run check` has just built the packages, so its tests import the build, which Node runs as it is. Transforming
 * the sources takes longer in each leg, and the transformed code is slower.
 */
const built: Plugin = {
  name: "import-the-build",
  enforce: "pre",
  async resolveId(source, importer, options) {
    const found = await this.resolve(source, importer, { ...options, skipSelf: true });
    return found && { ...found, id: found.id.replace(/\/(contract|sdk|cli|server)\/src\/(.*)\.ts$/, "/$1/dist/$2.js") };
  },
};
const onBuild = process.env["TEST_PROGRAM"] === "built";

/** Every test file belongs to one project, and `scripts/check.ts` runs them all. */
export default defineConfig({
  plugins: onBuild ? [built] : [],
  // Otherwise packages resolve to their sources, so that tests never run against a stale build.
  ...(onBuild ? {} : { resolve: { conditions: ["source"] }, ssr: { resolve: { conditions: ["source"] } } }),
  test: {
    server: { deps: { external: [/\/(contract|sdk|cli|server)\/dist\//] } },
    pool: "threads",
    isolate: false,
    // A deadline costs nothing unless it passes, and a busy machine may be ten times slower than a quiet one.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 60_000 } },
    reporters: ["default"],
    projects: [
      { extends: true, test: { name: "quick", include: QUICK } },
      { extends: true, test: { name: "processes", include: PROCESSES, globalSetup: services } },
      // A test is a journey through several screens, and each of its waits may take a minute.
      { extends: true, test: { name: "browser", include: BROWSER, globalSetup: cluster, testTimeout: 600_000 } },
      {
        extends: true,
        test: {
          name: "service",
          include: ["*/test/**/*.test.ts"],
          exclude: [...NO_TESTS, ...QUICK, ...PROCESSES, ...DATABASE],
          globalSetup: cluster,
        },
      },
      { extends: true, test: { name: "database", include: DATABASE, globalSetup: cluster } },
    ],
  },
});
