import { spawnSync } from "node:child_process";
import { availableParallelism } from "node:os";
import { benchToken } from "./token.ts";

const benches = {
  token: {
    about: "tokens and authenticated reads a second, beside the bare web framework and pgbench",
    run: benchToken,
  },
};

const name = process.argv[2] ?? "";
const bench = Object.entries(benches).find(([known]) => known === name)?.[1];
if (bench === undefined) {
  console.log("npm run bench NAME");
  for (const [known, { about }] of Object.entries(benches)) console.log(`  ${known.padEnd(10)} ${about}`);
  process.exit(name === "" ? 0 : 1);
}
// What is measured is what an operator runs, so it must not be stale.
if (spawnSync(process.execPath, ["scripts/build.mjs"], { stdio: "inherit" }).status !== 0) process.exit(1);
console.log(
  `${availableParallelism()} cores. Nothing else may run meanwhile, or the figures mean little. Two minutes …\n`,
);
try {
  const { text, json, reached } = await bench.run();
  console.log(`${text}\n\n${JSON.stringify(json)}`);
  process.exit(reached ? 0 : 1);
} catch (error) {
  console.error(`bench: ${(error as Error).message}`);
  process.exit(1);
}
